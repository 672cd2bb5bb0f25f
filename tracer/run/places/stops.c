/* A check in sanitized builds: no thread is stopped without a reason. */
#include "tracer/run/run_internal.h"
#include "tracer/run/places/stops.h"
#include "tracer/tracee/events/events.h"

#ifdef __SANITIZE_ADDRESS__

#include <assert.h>

static bool has_reason(const struct run *s, const struct run_thread *t)
{
	if (t->tracee->state != TRACEE_STOPPED)
		return true;
	return t->engine->held || t->parked || t->paused || tracee_is_queued(s->tracee, t->tracee);
}

/* Does not apply while all threads are halted, or the scheduler decides. After :kill a stopped
   thread is about to die. */
void stops_check(const struct run *s)
{
	if (s->over || s->killed_by || s->control.halted || s->control.driven)
		return;
	array_each(struct run_thread *, t, &s->threads)
		assert(!(*t)->tracee || has_reason(s, *t));
}

#endif
