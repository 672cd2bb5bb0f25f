/*
 * Who sleeps, and for how long: with target_launch.sleeps every system call that takes a time to wait
 * for is reported when it begins and when it has ended. Times that are relative can be stretched: the
 * kernel is given another one, the program's own stays as it is.
 */
#include "tracer/target/internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

enum {
	NS_OF_S = 1000000000,
	NS_OF_MS = 1000000,
	LONGEST_S = 10 * 24 * 3600, /* whoever sleeps longer does not wait for that to end */
};

static bool is_absolute(const struct user_regs_struct *regs)
{
	int op = (int)regs->rsi & FUTEX_CMD_MASK;

	switch (regs->orig_rax) {
	case SYS_futex:
		return op != FUTEX_WAIT;
	case SYS_clock_nanosleep:
		return regs->rsi & TIMER_ABSTIME;
	case SYS_futex_waitv:
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
		return true;
	default:
		return false;
	}
}

/* The time that the call is given, in ns; false: it does not wait, or for ever. */
static bool time_of(struct thread *th, const struct elide_call *call, uint64_t argument,
		    uint64_t *ns)
{
	struct timespec time;

	if (call->in_ms) {
		*ns = (uint64_t)(int)argument * NS_OF_MS;
		return (int)argument > 0;
	}
	if (!argument || memory_read(space_of(th), argument, &time, sizeof(time)) < 0 ||
	    time.tv_sec < 0 || time.tv_nsec < 0 || time.tv_sec >= INT64_MAX / NS_OF_S)
		return false;
	if (call->in_us)
		time.tv_nsec *= 1000;
	*ns = (uint64_t)time.tv_sec * NS_OF_S + (uint64_t)time.tv_nsec;
	return *ns > 0;
}

/* The kernel writes what is left of it into our copy. */
static void stretch(struct thread *th, const struct elide_call *call, struct user_regs_struct *regs,
		    uint64_t ns)
{
	unsigned long long *time = elide_argument(regs, call);
	struct timespec longer = {(time_t)(ns / NS_OF_S), (long)(ns % NS_OF_S)};
	uint64_t at = elide_scratch(regs);

	th->slept_argument = *time;
	if (call->in_ms) {
		*time = ns / NS_OF_MS; /* an int: LONGEST_S fits */
	} else {
		if (call->in_us)
			longer.tv_nsec /= 1000;
		if (target_write(th->pub.process, at, &longer, sizeof(longer)) < 0)
			return;
		*time = at;
	}
	if (!thread_set_regs(th, regs))
		th->stretched = true;
}

static bool begins(struct thread *th)
{
	struct user_regs_struct regs;
	struct elide_call call;
	uint64_t ns;

	if (thread_regs(th) < 0)
		return false;
	regs = th->regs;
	if (th->sleeps_ns || !elide_call_of(&regs, &call) ||
	    !time_of(th, &call, *elide_argument(&regs, &call), &ns))
		return false;
	th->sleeps_ns = ns;
	th->stretched = false;
	if (th->target->sleep_scale > 1 && !is_absolute(&regs) &&
	    ns < (uint64_t)LONGEST_S * NS_OF_S / th->target->sleep_scale)
		stretch(th, &call, &regs, ns * th->target->sleep_scale);
	event_push(th->target, TARGET_SLEEP, th)->sleep_ns = ns;
	return true;
}

/* A signal has come in between: the kernel takes the call up again. */
static bool is_restarted(const struct user_regs_struct *regs)
{
	enum { RESTARTSYS = -512, RESTART_BLOCK = -516 };
	long result = (long)regs->rax;

	return result <= RESTARTSYS && result >= RESTART_BLOCK;
}

/* Did it end because the time was over? */
static bool was_slept(const struct user_regs_struct *regs)
{
	long result = (long)regs->rax;

	if (regs->orig_rax == SYS_restart_syscall)
		return result == 0 || result == -ETIMEDOUT;
	return regs->orig_rax == SYS_futex || regs->orig_rax == SYS_futex_waitv ||
			       regs->orig_rax == SYS_mq_timedsend ||
			       regs->orig_rax == SYS_mq_timedreceive
		       ? result == -ETIMEDOUT
	       : regs->orig_rax == SYS_semtimedop || regs->orig_rax == SYS_rt_sigtimedwait
		       ? result == -EAGAIN
		       : result == 0;
}

static bool ends(struct thread *th)
{
	struct user_regs_struct regs;
	struct elide_call call;
	struct target_event *ev;

	if (thread_regs(th) < 0)
		return false;
	regs = th->regs;
	if (is_restarted(&regs))
		return false;
	if (th->stretched && elide_call_of(&regs, &call)) {
		*elide_argument(&regs, &call) = th->slept_argument;
		thread_set_regs(th, &regs);
	}
	ev = event_push(th->target, TARGET_SLEPT, th);
	ev->sleep_ns = th->sleeps_ns;
	ev->timed_out = was_slept(&regs);
	th->sleeps_ns = 0;
	return true;
}

bool sleeps_syscall_stop(struct thread *th, const struct __ptrace_syscall_info *info)
{
	bool entry = info->op == PTRACE_SYSCALL_INFO_ENTRY;

	if (!th->target->sleeps || th->interrupted || event_silent(th))
		return false;
	if (!(entry ? begins(th) : th->sleeps_ns && ends(th)))
		return false;
	th->stop = STOP_SLEEP;
	return true;
}
