/*
 * A run in which no thread makes a step any more. Threads that compute are measured by the processor time of the
 * program, so a busy machine changes nothing; threads that all wait in the kernel, for what no thread of the
 * program can end, are measured by ticks in which nothing happened.
 */
#include "tracer/features/controlled/controlled_internal.h"
#include "tracer/run/go.h"

/* A stop that is no step, as a question for the time, costs the program so much more than it computes. */
enum { STOP_NS = 20000 };

static const double ns_of_s = 1e9;

static double limit_of(const struct control *c)
{
	return c->session->attended ? 0 : c->given->hang_s;
}

void hangs_end(struct control *c)
{
	if (c->given->end != CONTROLLED_STUCK)
		control_note_places(c);
	c->session->outcome.hang = c->given->hang_s;
	control_end(c, CONTROLLED_HANGS);
}

bool hangs_is_waited_for(const struct control *c)
{
	return limit_of(c) > 0 && c->idle_s >= limit_of(c);
}

bool hangs_may(const struct control *c)
{
	static const double noticed_s = 0.2;

	return limit_of(c) > 0 && (c->idle_s > noticed_s || c->still_s > noticed_s);
}

void hangs_tick(struct control *c)
{
	size_t steps = c->given->schedule.steps.count;
	uint64_t worked = target_worked_ns(c->session->target) + (uint64_t)c->moves * STOP_NS;

	if (steps != c->hang_steps || !c->hang_ns) {
		c->hang_steps = steps;
		c->hang_ns = worked;
	}
	c->still_s = (double)(worked - c->hang_ns) / ns_of_s;
	if (limit_of(c) > 0 && c->still_s > limit_of(c))
		hangs_end(c);
}
