/* The queue of decisions, and the fault after which nothing is decided. */
#include "gates/engine_internal.h"

/* After a fault the decision is written to a dummy: nothing is decided any more. */
struct decision *engine_decide(struct engine *e, enum decision_kind kind)
{
	static _Thread_local struct decision nowhere;
	struct decision *d = &nowhere;

	if (!e->faulted)
		d = &array_add(&e->queue)->decision;
	*d = (struct decision){.kind = kind};
	return d;
}

bool engine_next(struct engine *e, struct decision *out)
{
	struct queued *q;

	base_free(e->last_text);
	e->last_text = NULL;
	if (e->queue_head == e->queue.count) {
		e->queue_head = e->queue.count = 0;
		return false;
	}
	q = &e->queue.items[e->queue_head++];
	*out = q->decision;
	e->last_text = q->text;
	q->text = NULL;
	return true;
}

const struct decision *engine_coming(const struct engine *e, size_t i)
{
	return e->queue_head + i < e->queue.count ? &e->queue.items[e->queue_head + i].decision
						  : NULL;
}

void engine_log(struct engine *e, const char *text)
{
	struct queued *q;

	if (e->faulted)
		return;
	q = array_add(&e->queue);
	q->decision.kind = DECISION_LOG;
	q->text = base_strdup(text);
	q->decision.text = q->text;
}

struct error *engine_scratch(struct engine *e)
{
	return &e->scratch; /* an earlier error has been moved out by engine_fault() */
}

void engine_fault(struct engine *e)
{
	if (e->faulted)
		return;
	error_move(&e->error, &e->scratch);
	engine_decide(e, DECISION_FAULT)->error = &e->error;
	e->faulted = true;
}
