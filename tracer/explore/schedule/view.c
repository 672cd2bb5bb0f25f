#include "tracer/explore/schedule/plan_internal.h"

#include <string.h>

/* How far back it is looked for an earlier step on the same line. */
enum { FAR = 1000 };

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool plan_same_line(const struct schedule_where *a, const struct schedule_where *b)
{
	return a->file && a->line == b->line && same_text(a->file, b->file) &&
	       same_text(a->func, b->func);
}

/*
 * One execution of a line goes from lower to higher addresses, and does not leave the line for another one
 * of its function. (Where that is wrong, a place is given by an address that could have been a line.)
 */
static size_t same_execution(const struct plan_view *v, size_t at)
{
	const struct schedule_where *w = &plan_step(v, at)->where;
	size_t i = v->steps.items[at].before;

	for (unsigned n = 0; i != PLAN_NONE && n < FAR; n++, i = v->steps.items[i].before) {
		const struct schedule_where *earlier = &plan_step(v, i)->where;

		if (plan_same_line(w, earlier))
			return earlier->address < w->address ? i : PLAN_NONE;
		if (same_text(w->func, earlier->func))
			return PLAN_NONE;
	}
	return PLAN_NONE;
}

static void join_line(struct plan_view *v, size_t at)
{
	size_t earlier = same_execution(v, at);
	struct plan_step *step = &v->steps.items[at];

	step->line_first = earlier == PLAN_NONE ? at : v->steps.items[earlier].line_first;
	for (size_t i = at; i != PLAN_NONE; i = v->steps.items[i].before) {
		if (v->steps.items[i].line_first == step->line_first)
			v->steps.items[i].line_last = at;
		if (i == step->line_first)
			break;
	}
}

static void join_segment(struct plan_view *v, size_t at)
{
	const struct schedule_step *step = plan_step(v, at);
	struct plan_segment *segment;

	if (!at || at >= v->done || plan_step(v, at - 1)->thread != step->thread) {
		if (at)
			v->segments.items[v->segments.count - 1].preempted = step->preempts;
		array_add(&v->segments)->first = at;
	}
	segment = &v->segments.items[v->segments.count - 1];
	segment->last = at;
	v->steps.items[at].segment = v->segments.count - 1;
}

static void add_step(struct plan_view *v, const struct schedule_step *step, size_t index,
		     size_t *last)
{
	size_t at = v->steps.count;
	struct plan_step *own;

	if (step->point.op == STRATEGY_WAKE)
		return;
	own = array_add(&v->steps);
	*own = (struct plan_step){.step = step, .index = index, .behind = PLAN_NONE};
	own->before = last[step->thread] - 1; /* NONE for 0 */
	if (own->before != PLAN_NONE)
		v->steps.items[own->before].behind = at;
	last[step->thread] = at + 1;
	join_segment(v, at);
	join_line(v, at);
}

const struct schedule_step *plan_step_at(const struct schedule *s, size_t index)
{
	return index < s->steps.count ? &s->steps.items[index]
				      : &s->pending.items[index - s->steps.count];
}

void plan_view_init(struct plan_view *v, const struct schedule *s)
{
	size_t *last = base_alloc(s->threads.count + 1, sizeof(*last)); /* of each thread, + 1 */

	*v = (struct plan_view){.s = s, .done = PLAN_NONE};
	for (size_t i = 0; i < s->steps.count; i++)
		add_step(v, &s->steps.items[i], i, last);
	v->done = v->steps.count;
	for (size_t i = 0; i < s->pending.count; i++)
		add_step(v, &s->pending.items[i], s->steps.count + i, last);
	base_free(last);
}

void plan_view_fini(struct plan_view *v)
{
	array_fini(&v->steps);
	array_fini(&v->segments);
}

bool plan_is_blocked(const struct plan_view *v, size_t step)
{
	const struct plan_segment *segment = &v->segments.items[v->steps.items[step].segment];
	enum strategy_op op = plan_op(v, step);

	return step == segment->last && step + 1 < v->steps.count && !segment->preempted &&
	       (op == STRATEGY_LOCK || op == STRATEGY_WAIT || op == STRATEGY_BLOCK);
}
