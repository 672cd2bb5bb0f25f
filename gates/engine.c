#include "gates/engine_internal.h"

struct engine *engine_new(const struct engine_world *world)
{
	struct engine *e = base_alloc(1, sizeof(*e));

	if (world)
		e->world = *world;
	e->policy = policy_arrival;
	return e;
}

void engine_set_script(struct engine *e, const struct engine_script *script)
{
	if (script)
		e->script = *script;
	else
		e->script = (struct engine_script){0};
}

void engine_set_policy(struct engine *e, const struct policy *policy)
{
	e->policy = *policy;
}

/* The script may be gone already: coroutines of held threads are its own to drop. */
void engine_free(struct engine *e)
{
	if (!e)
		return;
	array_each(struct own_thread *, t, &e->threads)
		engine_thread_free(*t);
	array_each(struct gate *, g, &e->gates)
		gate_free(*g);
	array_each(struct place *, p, &e->places)
		place_free(*p);
	array_each(struct order_edge, edge, &e->edges)
		order_edge_fini(edge);
	array_each(struct queued, q, &e->queue)
		base_free(q->text);
	array_fini(&e->threads);
	array_fini(&e->gates);
	array_fini(&e->places);
	array_fini(&e->edges);
	array_each(struct gate_uses, uses, &e->uses)
		array_fini(uses);
	array_fini(&e->uses);
	array_fini(&e->queue);
	array_fini(&e->candidates);
	base_free(e->last_text);
	error_fini(&e->error);
	error_fini(&e->scratch);
	base_free(e);
}

/* ---- decisions ---- */

/* After a fault nothing is decided any more: what is filled in here is thrown away. */
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
	return &e->scratch; /* a fault of before is gone: engine_fault() has taken it */
}

void engine_fault(struct engine *e)
{
	if (e->faulted)
		return;
	error_move(&e->error, &e->scratch);
	engine_decide(e, DECISION_FAULT)->error = &e->error;
	e->faulted = true;
}

/* ---- the turn ---- */

/* Could asking this held one again give another answer than the last time? */
static bool worth_asking(const struct engine *e, const struct engine_stop *s)
{
	if (s->gate && s->gate->kind != GATE_CUSTOM)
		return gate_may_let(e, s);
	return s->asked != e->changed;
}

static struct engine_stop *engine_pick(struct engine *e)
{
	size_t i;

	e->candidates.count = 0;
	for (struct engine_stop *s = e->held_first; s; s = s->next)
		if (s->waiting && !s->dies && worth_asking(e, s))
			*array_add(&e->candidates) = s->arrival.thread;
	if (e->candidates.count == 0)
		return NULL;
	i = e->policy.next(e->policy.ctx, e->candidates.items, e->candidates.count);
	return e->candidates.items[i < e->candidates.count ? i : 0]->stop;
}

/* Until nobody can go: one that goes may open a gate for another. */
static void engine_settle(struct engine *e)
{
	struct engine_stop *s;

	if (!e->stirred && (e->functions == 0 || e->settled == e->changed))
		return;
	while (!e->faulted && (s = engine_pick(e)))
		stop_go(e, s);
	e->stirred = false;
	e->settled = e->changed;
}

void engine_enter(struct engine *e)
{
	if (e->depth++ == 0)
		e->progress = 0;
}

void engine_leave(struct engine *e)
{
	if (e->depth == 1 && !e->faulted)
		engine_settle(e);
	e->depth--;
}

void engine_changed(struct engine *e)
{
	engine_enter(e);
	engine_progress(e);
	engine_leave(e);
}

void engine_progress(struct engine *e)
{
	e->changed++;
	e->progress++;
}

void engine_blocked(struct engine *e, struct engine_thread *t)
{
	struct own_thread *own = engine_thread_own(t);

	engine_enter(e);
	e->changed++;
	gate_ran_on(e, t);
	for (size_t i = 0; i < own->watches.count; i++)
		gate_open(e, own->watches.items[i], t);
	own->watches.count = 0;
	engine_leave(e);
}
