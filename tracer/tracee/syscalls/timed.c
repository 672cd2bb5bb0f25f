/* System calls that take a time to wait for: how long it is, of which clock, and their end. */
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
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

int64_t timed_over(uint64_t number)
{
	switch (number) {
	case SYS_futex:
	case SYS_futex_waitv:
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
		return -ETIMEDOUT;
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
		return -EAGAIN;
	default:
		return 0;
	}
}

/* Clears the sets: an interrupted select(2) leaves them unchanged, but after a
   timeout no file is ready. */
static void clear_sets(struct thread *th)
{
	const struct user_regs_struct *regs = &th->regs;
	const uint64_t sets[] = {regs->rsi, regs->rdx, regs->r10}, none = 0;

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		for (uint64_t bit = 0; sets[i] && bit < regs->rdi; bit += 64)
			tracee_write(th->pub.process, sets[i] + bit / 8, &none, sizeof(none));
}

bool timed_end(struct thread *th)
{
	struct user_regs_struct regs = th->regs;
	const struct elide_call *call = elide_call_of(&regs);

	if ((int64_t)regs.rax != -EINTR && !remote_restarts(&th->regs))
		return false; /* the call ended by itself just before */
	if (call && (call->form == FORM_LEFT || call->form == FORM_TIMEVAL))
		elide_clear_rest(th, timed_argument_of(&regs, call));
	if (regs.orig_rax == SYS_select || regs.orig_rax == SYS_pselect6)
		clear_sets(th);
	regs.rax = (uint64_t)timed_over(regs.orig_rax);
	regs.orig_rax = (uint64_t)-1;
	return thread_set_regs(th, &regs) == 0;
}
