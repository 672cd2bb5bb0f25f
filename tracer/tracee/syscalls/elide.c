/*
 * Makes sleeping system calls return at once: their time becomes zero, and the kernel does the
 * rest. Endless waits, and calls in signal handlers, are left alone. Until the statement ends, the
 * thread's clock is ahead by the time not slept, which ends a loop that sleeps until a point in
 * time. Many elided calls in a row are followed by real sleeps: other loops would spin.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

enum { MOST_ELIDED = 100, NS_OF_S = 1000000000, NS_OF_MS = 1000000 };

static const struct elide_call sleeping_calls[] = {
	{SYS_nanosleep, 0, FORM_GIVEN},
	{SYS_clock_nanosleep, 2, FORM_GIVEN},
	{SYS_poll, 2, FORM_MS},
	{SYS_ppoll, 2, FORM_LEFT},
	{SYS_select, 4, FORM_TIMEVAL},
	{SYS_pselect6, 4, FORM_LEFT},
	{SYS_epoll_wait, 3, FORM_MS},
	{SYS_epoll_pwait, 3, FORM_MS},
	{SYS_epoll_pwait2, 3, FORM_GIVEN},
	{SYS_futex, 3, FORM_GIVEN},
	{SYS_futex_waitv, 3, FORM_GIVEN},
	{SYS_rt_sigtimedwait, 2, FORM_GIVEN},
	{SYS_semtimedop, 3, FORM_GIVEN},
	{SYS_mq_timedsend, 4, FORM_GIVEN},
	{SYS_mq_timedreceive, 4, FORM_GIVEN},
};

const struct elide_call *elide_call_of(const struct user_regs_struct *regs)
{
	int op = (int)regs->rsi & FUTEX_CMD_MASK;

	if (regs->orig_rax == SYS_futex && op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET &&
	    op != FUTEX_LOCK_PI && op != FUTEX_LOCK_PI2 && op != FUTEX_WAIT_REQUEUE_PI)
		return NULL; /* the fourth argument is not a time */
	for (size_t i = 0; i < sizeof(sleeping_calls) / sizeof(*sleeping_calls); i++)
		if ((long)regs->orig_rax == sleeping_calls[i].number)
			return &sleeping_calls[i];
	return NULL;
}

/* ---- replacing the time ---------------------------------------------------------------------- */

/* Writes the time below the stack: the program's own may be constant, and the kernel writes
   the remaining time there. */
static bool write_time(struct thread *th, uint64_t at, enum elide_form form, uint64_t time_ns)
{
	struct timespec time = {(time_t)(time_ns / NS_OF_S), (long)(time_ns % NS_OF_S)};

	if (form == FORM_TIMEVAL)
		time.tv_nsec /= 1000;
	return tracee_write(th->pub.process, at, &time, sizeof(time)) == 0;
}

bool elide_give_time(struct thread *th, const struct elide_call *call, uint64_t time_ns)
{
	enum { RED_ZONE = 128, TIME_AND_MORE = 64 };
	struct user_regs_struct regs = th->regs;
	unsigned long long *time = remote_argument(&regs, call->argument);
	uint64_t at = (regs.rsp - RED_ZONE - TIME_AND_MORE) & ~15ull;

	if (!th->timed_argument) /* else the argument is one of ours already */
		th->timed_value = *time;
	*time = call->form == FORM_MS ? time_ns / NS_OF_MS : at;
	if (call->form != FORM_MS && !write_time(th, at, call->form, time_ns))
		return false;
	if (thread_set_regs(th, &regs) < 0)
		return false;
	th->timed_argument = call->argument + 1;
	return true;
}

bool elide_give_no_limit(struct thread *th, const struct elide_call *call)
{
	struct user_regs_struct regs = th->regs;
	unsigned long long *time = remote_argument(&regs, call->argument);

	th->timed_value = *time;
	*time = call->form == FORM_MS ? (unsigned long long)-1 : 0;
	if (thread_set_regs(th, &regs) < 0)
		return false;
	th->timed_argument = call->argument + 1;
	return true;
}

/* True if the kernel accepts the time and it is not zero. */
static bool is_time(struct thread *th, uint64_t at, enum elide_form form)
{
	const long most = form == FORM_TIMEVAL ? 1000000 : 1000000000;
	struct timespec time;

	return at && !memory_read(space_of(th), at, &time, sizeof(time)) && time.tv_sec >= 0 &&
	       time.tv_nsec >= 0 && time.tv_nsec < most && (time.tv_sec || time.tv_nsec);
}

void elide_clear_rest(struct thread *th, uint64_t at)
{
	const struct timespec zero = {0};
	struct tracee_mapping map;

	if (!tracee_mapping_at(th->pub.process, at, &map) && map.writable)
		tracee_write(th->pub.process, at, &zero, sizeof(zero));
}

bool elide_waits(struct thread *th, const struct elide_call *call, uint64_t time)
{
	return call->form == FORM_MS ? (int)time > 0 : is_time(th, time, call->form);
}

/* Returns how long the call waits. A deadline is on the thread's clock, which may be ahead. */
static uint64_t elide_length(struct thread *th, const struct elide_call *call)
{
	uint64_t ns, now_ns;
	clockid_t clock;

	if (!timed_value(th, call, &ns))
		return 0;
	if (timed_is_absolute(&th->regs, &clock) && !clock_length(th, clock, &ns, &now_ns))
		return 0;
	return ns;
}

bool elide_is_over(const struct thread *th)
{
	return th->elisions.count && !th->elide_handlers && th->elided == MOST_ELIDED;
}

static void on_entry(struct thread *th)
{
	const struct elide_call *call;
	uint64_t time, length;

	if (th->elided == MOST_ELIDED || thread_regs(th) < 0)
		return;
	call = elide_call_of(&th->regs);
	time = call ? timed_argument_of(&th->regs, call) : 0;
	if (!call || !elide_waits(th, call, time))
		return;
	length = elide_length(th, call);
	if (!elide_give_time(th, call, 0))
		return;
	th->elisions.items[th->elisions.count - 1].ahead_ns += length;
	if (th->elided + 1 == MOST_ELIDED) /* from here on it sleeps, by the machine's clock */
		array_each(struct elided, e, &th->elisions)
			e->ahead_ns = 0;
	if (call->form == FORM_LEFT || call->form == FORM_TIMEVAL)
		elide_clear_rest(th, time);
	th->elided++;
}

/* Restores the argument: a system call leaves its registers unchanged. */
static void on_exit(struct thread *th)
{
	struct user_regs_struct regs;

	if (!th->timed_argument || thread_regs(th) < 0)
		return;
	regs = th->regs;
	*remote_argument(&regs, th->timed_argument - 1) = th->timed_value;
	th->timed_argument = 0;
	thread_set_regs(th, &regs);
}

/* ---- a wait that is not made ----------------------------------------------------------------- */

static void skip_wait(struct thread *th)
{
	struct user_regs_struct regs;
	int op;

	if (thread_regs(th) < 0)
		return;
	regs = th->regs;
	op = (int)regs.rsi & FUTEX_CMD_MASK;
	if (regs.orig_rax != SYS_futex || (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET))
		return;
	regs.orig_rax = (unsigned long long)-1;
	regs.rax = 1 - (unsigned long long)th->skips_wait;
	th->skips_wait = 0;
	thread_set_regs(th, &regs);
}

void tracee_skip_wait(struct tracee_thread *thread, int error)
{
	thread_of(thread)->skips_wait = 1 + (unsigned)error;
}

bool tracee_waits_after_all(struct tracee_thread *thread)
{
	bool skips = thread_of(thread)->skips_wait;

	thread_of(thread)->skips_wait = 0;
	return skips;
}

/* ---- when calls are elided ------------------------------------------------------------------- */

/* Returns the address directly below the frame, where the callee returns to; 0 if unreadable. */
static uint64_t return_address(const struct thread *th, uint64_t frame)
{
	uint64_t address = 0;

	return memory_read(space_of(th), frame - sizeof(address), &address, sizeof(address))
		       ? 0
		       : address;
}

/* True if longjmp or an exception has left the frame: sp is above it, or
   other frames are in its place. */
static bool was_left(const struct thread *th, const struct elided *e, uint64_t sp)
{
	return sp >= e->frame || return_address(th, e->frame) != e->returns_to;
}

static void forget_left(struct thread *th, uint64_t sp)
{
	while (th->elisions.count && was_left(th, &th->elisions.items[th->elisions.count - 1], sp))
		th->elisions.count--;
}

void elide_syscall_stop(struct thread *th, const struct __ptrace_syscall_info *info)
{
	if (info->op != PTRACE_SYSCALL_INFO_ENTRY) {
		on_exit(th);
		return;
	}
	if (th->skips_wait)
		skip_wait(th);
	if (info->entry.nr == SYS_rt_sigreturn && th->elide_handlers)
		th->elide_handlers--;
	if (th->elide_handlers)
		return;
	forget_left(th, info->stack_pointer);
	if (th->elisions.count)
		on_entry(th);
}

void elide_signal(struct thread *th, int signal)
{
	struct tracee_signals has;

	if (th->elisions.count && !tracee_signals_of(th->pub.tid, &has) &&
	    look_has(has.caught, signal))
		th->elide_handlers++;
}

void tracee_elide(struct tracee_thread *thread, uint64_t frame)
{
	struct thread *th = thread_of(thread);

	if (!th->elisions.count)
		th->elide_handlers = 0;
	*array_add(&th->elisions) = (struct elided){frame, return_address(th, frame), 0};
	th->elided = 0;
}

void tracee_elide_end(struct tracee_thread *thread, uint64_t frame)
{
	struct thread *th = thread_of(thread);

	for (size_t i = th->elisions.count; i-- > 0;) {
		if (th->elisions.items[i].frame != frame)
			continue;
		array_remove(&th->elisions, i);
		return;
	}
}
