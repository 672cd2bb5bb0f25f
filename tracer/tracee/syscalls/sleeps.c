/*
 * Reports sleeps (tracee_launch.sleeps): each system call that waits for a given time, at its begin
 * and end. A call that something else can end gets a longer time, so that a slow machine causes no
 * timeout. A point in time is converted from the program's clock (clock.c).
 */
#include "tracer/tracee/syscalls/armed.h"
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

enum {
	NS_OF_S = 1000000000,
	NS_OF_MS = 1000000,
	STRETCH = 4,
	/* longer sleeps are not changed: no program waits for their end */
	LONGEST_S = 5 * 24 * 3600,
};

/* True if only the time, or a signal, ends the call. */
static bool is_mere_sleep(const struct user_regs_struct *regs)
{
	switch (regs->orig_rax) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return true;
	case SYS_poll:
	case SYS_ppoll:
		return regs->rsi == 0;
	case SYS_select:
	case SYS_pselect6:
		return regs->rdi == 0;
	default:
		return false;
	}
}

/* True if the call continues after a signal. A call made by the signal's handler
   has another stack pointer. */
static bool is_taken_up(const struct thread *th)
{
	return th->sleeps_ns &&
	       (th->regs.orig_rax == SYS_restart_syscall ||
		(th->regs.orig_rax == th->sleeps_call && th->regs.rsp == th->sleeps_sp));
}

static void push_slept(struct thread *th, bool timed_out)
{
	struct tracee_event *ev = event_push(th->tracee, TRACEE_SLEPT, th);

	ev->sleep_ns = th->sleeps_ns;
	ev->timed_out = timed_out;
	th->sleeps_ns = 0;
	th->call_end = CALL_UNSEEN;
}

/* Reports the end of a sleep that a handler interrupts by a call of its own. */
static bool was_interrupted(struct thread *th)
{
	if (!th->sleeps_ns)
		return false;
	push_slept(th, false);
	return true;
}

/* Returns the part of the time that the kernel gets, never 0. With tracee_hasten() it is shorter
   than the time that is reported. */
static uint64_t sleeps_part_of(const struct thread *th, uint64_t ns, bool mere)
{
	uint64_t whole = mere ? ns : ns * STRETCH;
	uint64_t part = th->tracee->hasten ? whole / th->tracee->hasten : whole;
	uint64_t least = whole < NS_OF_MS ? whole : NS_OF_MS;

	return part > least ? part : least;
}

/* Gives the call a time that does not end it. */
static void sleeps_outlast(struct thread *th, const struct elide_call *call)
{
	struct timespec now = {0};
	clockid_t clock;

	if (timed_is_absolute(&th->regs, &clock))
		clock_gettime(clock, &now);
	elide_give_time(th, call, (uint64_t)(now.tv_sec + LONGEST_S) * NS_OF_S);
}

/* Handles the entry of a sleeping call. A handler may have ended an earlier one, which
   is then reported as well. */
static bool syscalls_sleeps_begins(struct thread *th)
{
	const struct elide_call *call;
	bool absolute, mere, taken_up;
	struct tracee_event *ev;
	clockid_t clock;
	uint64_t ns, now_ns = 0;

	if (thread_regs(th) < 0)
		return false;
	taken_up = is_taken_up(th);
	call = elide_call_of(&th->regs);
	if (!call || !timed_value(th, call, &ns))
		return !taken_up && was_interrupted(th);
	absolute = timed_is_absolute(&th->regs, &clock);
	mere = is_mere_sleep(&th->regs);
	if (absolute && !clock_length(th, clock, &ns, &now_ns)) {
		/* a hastened sleep can have put the program's clock ahead of the kernel's */
		if (!ns && !taken_up && th->tracee->hasten)
			elide_give_time(th, call, 0);
		return !taken_up && was_interrupted(th);
	}
	if (taken_up && th->call_end == CALL_OUTLASTS)
		sleeps_outlast(th, call);
	else if ((absolute || !mere || th->tracee->hasten) && ns < (uint64_t)LONGEST_S * NS_OF_S)
		elide_give_time(th, call, now_ns + sleeps_part_of(th, ns, mere));
	if (taken_up)
		return false;
	th->sleeps_ns = ns;
	th->sleeps_call = th->regs.orig_rax;
	th->sleeps_sp = th->regs.rsp;
	ev = event_push(th->tracee, TRACEE_SLEEP, th);
	ev->sleep_ns = ns;
	ev->mere_sleep = mere;
	ev->sleeps_again = elide_is_over(th);
	ev->clock_reads = th->clock_reads;
	return true;
}

/* True if the time, and nothing else, ended the call. */
static bool was_slept(const struct user_regs_struct *regs)
{
	int64_t result = (int64_t)regs->rax;

	if (regs->orig_rax == SYS_restart_syscall)
		return result == 0 || result == -ETIMEDOUT;
	return result == timed_over(regs->orig_rax);
}

static bool ends(struct thread *th)
{
	bool timed_out;

	if (!th->sleeps_ns || thread_regs(th) < 0)
		return false;
	timed_out = th->call_end == CALL_TIMES_OUT && timed_end(th);
	if (!timed_out && remote_restarts(&th->regs))
		return false;
	push_slept(th, timed_out || was_slept(&th->regs));
	return true;
}

static bool is_poll(uint64_t number)
{
	return number == SYS_epoll_wait || number == SYS_epoll_pwait ||
	       number == SYS_epoll_pwait2 || number == SYS_poll || number == SYS_ppoll ||
	       number == SYS_select || number == SYS_pselect6;
}

unsigned long tracee_polls(const struct tracee_thread *thread)
{
	return ((const struct thread *)thread)->polls;
}

void tracee_outlast(struct tracee_thread *thread)
{
	struct thread *th = thread_of(thread);
	const struct elide_call *call = thread_regs(th) < 0 ? NULL : elide_call_of(&th->regs);

	th->call_end = call ? CALL_OUTLASTS : CALL_UNSEEN;
	if (call)
		sleeps_outlast(th, call);
}

void tracee_hasten(struct tracee *t, unsigned part)
{
	t->hasten = part;
}

bool sleeps_syscall_stop(struct thread *th, const struct __ptrace_syscall_info *info)
{
	bool entry = info->op == PTRACE_SYSCALL_INFO_ENTRY;

	if (th->tracee->clock != CLOCK_OWN || event_silent(th))
		return false;
	if (entry)
		armed_note(th, info->entry.nr);
	th->polls += entry && is_poll(info->entry.nr);
	if (th->interrupted && (entry || pause_shows(th))) /* pause_hide() makes the call again */
		return false;
	if (!(entry ? syscalls_sleeps_begins(th) : ends(th)))
		return false;
	th->stop = STOP_SLEEP;
	return true;
}
