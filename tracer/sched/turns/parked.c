/*
 * Threads that wait by a decision of the scheduler are stopped before their call. Before the end of
 * a run, they are described as if they waited in the kernel: this is where they would be without
 * the scheduler. Others are stopped at a point, and could go on.
 */
#include "tracer/sched/sched_internal.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/run/observers.h"

/* A deadlock has let them into the kernel by now. */
static bool is_parked(const struct sched_thread *t)
{
	return (t->state == THREAD_FUTEX || t->state == THREAD_SLEEPS ||
		t->state == THREAD_BEHIND) &&
	       t->thread->tracee->state == TRACEE_STOPPED;
}

static void parked_end(struct run *s)
{
	const struct scheduler *c = scheduler_of(s);

	if (!c)
		return;
	array_each(struct sched_thread *, t, &c->threads) {
		const struct tracee_made *call = &(*t)->call;
		struct judged *judged = judged_of((*t)->thread);

		judged->ready = (*t)->state == THREAD_READY;
		if (!is_parked(*t))
			continue;
		judged->on = true;
		judged->look = (struct tracee_block){.activity = TRACEE_BLOCKED,
						     .number = call->number,
						     .sp = call->sp,
						     .pc = call->pc};
		for (size_t i = 0; i < sizeof(call->args) / sizeof(*call->args); i++)
			judged->look.args[i] = call->args[i];
	}
}

/* Before deadlock/, which describes them. */
extern const struct observer parked_observer;
const struct observer parked_observer = {.end = parked_end};
