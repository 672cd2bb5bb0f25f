/* System calls that take a time to wait for: how long it is, and of which clock. */
#include "tracer/tracee/tracee_internal.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

enum { NS_OF_S = 1000000000, NS_OF_MS = 1000000 };

uint64_t timed_argument_of(const struct user_regs_struct *regs, const struct elide_call *call)
{
	struct user_regs_struct copy = *regs;

	return *remote_argument(&copy, call->argument);
}

bool timed_is_absolute(const struct user_regs_struct *regs, clockid_t *clock)
{
	int op = (int)regs->rsi & FUTEX_CMD_MASK;

	*clock = CLOCK_REALTIME;
	switch (regs->orig_rax) {
	case SYS_futex:
		if (op != FUTEX_LOCK_PI && !(regs->rsi & FUTEX_CLOCK_REALTIME))
			*clock = CLOCK_MONOTONIC;
		return op != FUTEX_WAIT;
	case SYS_clock_nanosleep:
		*clock = (clockid_t)regs->rdi;
		return regs->rsi & TIMER_ABSTIME;
	case SYS_futex_waitv:
		*clock = (clockid_t)regs->r8;
		return true;
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
		return true;
	default:
		return false;
	}
}

bool timed_value(struct thread *th, const struct elide_call *call, uint64_t *ns)
{
	uint64_t argument = timed_argument_of(&th->regs, call);
	struct timespec time;

	if (call->form == FORM_MS) {
		*ns = (uint64_t)(int)argument * NS_OF_MS;
		return (int)argument > 0;
	}
	if (!argument || memory_read(space_of(th), argument, &time, sizeof(time)) < 0 ||
	    time.tv_sec < 0 || time.tv_nsec < 0 || time.tv_sec >= INT64_MAX / NS_OF_S)
		return false;
	if (call->form == FORM_TIMEVAL)
		time.tv_nsec *= 1000;
	*ns = (uint64_t)time.tv_sec * NS_OF_S + (uint64_t)time.tv_nsec;
	return *ns > 0;
}
