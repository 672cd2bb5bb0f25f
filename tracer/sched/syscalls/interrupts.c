/* Signals for threads whose wait the scheduler decides: they are stopped before their call, so
   the kernel does not wake them. Leaving the wait for the handler is a step, like a wake. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/futexes.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

enum { NS_OF_S = 1000000000 };

void interrupts_step(struct scheduler *c, const struct sched_thread *t)
{
	long number = t->call.number;

	if (number == SYS_kill || number == SYS_tkill || number == SYS_tgkill ||
	    number == SYS_rt_sigqueueinfo || number == SYS_rt_tgsigqueueinfo)
		c->signals = true;
}

void interrupts_look(struct scheduler *c)
{
	bool any = false;

	if (!c->signals)
		return;
	array_each(struct sched_thread *, t, &c->threads) {
		const struct tracee_thread *tracee = run_thread_tracee((*t)->thread);

		(*t)->signalled = sched_thread_is_parked(*t) &&
				  (tracee_is_signalled(tracee) || tracee_is_to_stop(tracee));
		any |= (*t)->signalled;
	}
	c->signals = any;
}

bool interrupts_are_over(const struct scheduler *c)
{
	if (c->signals)
		array_each(struct sched_thread *, t, &c->threads)
			if (run_thread_tracee((*t)->thread)->state == TRACEE_STOPPED &&
			    !tracee_rests_stopped(run_thread_tracee((*t)->thread)))
				return false;
	return true;
}

/* Stores the rest of a sleep by the program's clock, since a handler ends the sleep. */
static void tell_rest(const struct scheduler *c, const struct sched_thread *t)
{
	bool absolute = t->call.number == SYS_clock_nanosleep && (t->call.args[1] & TIMER_ABSTIME);
	uint64_t at = t->call.args[t->call.number == SYS_nanosleep ? 1 : 3];
	uint64_t ns = t->until_ns > c->now_ns ? t->until_ns - c->now_ns : 0;
	struct timespec rest = {(time_t)(ns / NS_OF_S), (long)(ns % NS_OF_S)};

	if (!absolute && at)
		run_thread_write(t->thread, at, &rest, sizeof(rest));
}

/* Ends the wait for a handler. Without a time-out the kernel does it, by SA_RESTART: it does not
   wait while a signal is pending. With a time-out the kernel would use its own clock, and a handler
   always ends such a wait (signal(7)). */
void interrupts_end_wait(struct scheduler *c, struct sched_thread *t)
{
	t->signalled = false;
	/* a thread stopped by job control waits again afterwards */
	if (!tracee_is_signalled(run_thread_tracee(t->thread))) {
		tracee_call_again(run_thread_tracee(t->thread));
		sched_thread_goes(t);
		return;
	}
	if (t->state == THREAD_FUTEX && t->waits >= FUTEX_FOR_LOCK) {
		futexes_pi_interrupt(t);
		return;
	}
	if (!t->timed) {
		sched_thread_goes(t);
		return;
	}
	if (t->state == THREAD_SLEEPS)
		tell_rest(c, t);
	sched_thread_answer(t, -EINTR);
}
