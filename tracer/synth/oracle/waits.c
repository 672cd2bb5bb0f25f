/*
 * What plain runs do by luck, always on one machine and never on the next: who comes back from a wait first, and who is
 * woken of several. That nothing else comes without an order of those does not tell that it does not matter.
 */
#include "tracer/synth/gating_internal.h"

static const struct schedule_step *step_at(const struct gating *g, size_t step)
{
	return plan_step_at(&g->schedule, step);
}

/*
 * Is it about to come back from a wait in the kernel? In a controlled run whoever has woken it goes on to a point of its own
 * first; in plain runs both go on at once.
 */
static bool is_woken(const struct schedule_step *step)
{
	return step->point.op == STRATEGY_BLOCK && step->where.inside;
}

bool gating_leaves_woken(const struct gating *g)
{
	array_each(const struct schedule_step, step, &g->schedule.pending)
		if (is_woken(step))
			return true;
	return false;
}

static bool holds_woken(const struct gating *g, const struct plan_order *o)
{
	return o->held >= g->schedule.steps.count && is_woken(step_at(g, o->held));
}

/* The step of the same thread before it; of none: the number of all. */
static size_t step_before(const struct gating *g, size_t step)
{
	const struct schedule *s = &g->schedule;
	unsigned thread = step_at(g, step)->thread;

	for (size_t i = step < s->steps.count ? step : s->steps.count; i-- > 0;)
		if (s->steps.items[i].thread == thread)
			return i;
	return s->steps.count;
}

/* Who is held where it goes on from a wait has to have waited: in a schedule it always has. */
static bool lets_wait(const struct gating *g, const struct plan_order *o)
{
	array_each(const struct plan_order, other, &g->plan.orders)
		if (!other->dropped && g->plan.places.items[other->to].inside &&
		    step_before(g, other->held) == o->done)
			return true;
	return false;
}

/* Who has not fallen asleep by the signal can take it from the one that it was for: in a schedule nobody does. */
static bool lets_wake(const struct gating *g, const struct plan_order *o)
{
	const struct schedule *s = &g->schedule;
	size_t next = o->held + 1;

	if (g->strict || step_at(g, o->done)->point.op != STRATEGY_WAIT)
		return false;
	return step_at(g, o->held)->point.op == STRATEGY_WAIT ||
	       (next < s->steps.count && s->steps.items[next].point.op == STRATEGY_WAKE);
}

bool gating_is_by_luck(const struct gating *g, const struct plan_order *o)
{
	return holds_woken(g, o) || (o->blocked && (lets_wait(g, o) || lets_wake(g, o)));
}
