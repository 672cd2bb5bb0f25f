/*
 * Sleeping calls that return at once as if they had slept.
 *
 * While a thread elides, it stops at every system call. In those that take a time to wait for, that
 * time becomes zero: the kernel does all the rest as always (it checks the arguments, says which
 * descriptors are ready, leaves a futex whose word has changed), and the answer is that of a call
 * whose time has passed. Endless waits are no sleeping and are left alone, and so is what a signal
 * handler does.
 *
 * The program's clock does not go on by it. A loop that sleeps until the clock says so would spin:
 * after many elided calls the others sleep.
 */
#include "tracer/target/internal.h"

#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

enum { MOST_ELIDED = 100 };

enum form {
	FORM_MS,      /* an int of milliseconds, negative: for ever */
	FORM_GIVEN,   /* a struct timespec that the kernel reads */
	FORM_LEFT,    /* ... and into which it writes what is left */
	FORM_TIMEVAL, /* the same, a struct timeval */
};

static const struct sleeping {
	long number;
	unsigned argument;
	enum form form;
} sleeping_calls[] = {
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

static const struct sleeping *sleeping_call(const struct user_regs_struct *regs)
{
	int op = (int)regs->rsi & FUTEX_CMD_MASK;

	if (regs->orig_rax == SYS_futex && op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET &&
	    op != FUTEX_LOCK_PI && op != FUTEX_LOCK_PI2 && op != FUTEX_WAIT_REQUEUE_PI)
		return NULL; /* the fourth argument is no time */
	for (size_t i = 0; i < sizeof(sleeping_calls) / sizeof(*sleeping_calls); i++)
		if ((long)regs->orig_rax == sleeping_calls[i].number)
			return &sleeping_calls[i];
	return NULL;
}

static unsigned long long *argument(struct user_regs_struct *regs, unsigned i)
{
	unsigned long long *const arguments[] = {&regs->rdi, &regs->rsi, &regs->rdx,
						 &regs->r10, &regs->r8,	 &regs->r9};

	return arguments[i];
}

bool elide_call_of(const struct user_regs_struct *regs, struct elide_call *out)
{
	const struct sleeping *call = sleeping_call(regs);

	if (call)
		*out = (struct elide_call){call->argument, call->form == FORM_MS,
					   call->form == FORM_TIMEVAL};
	return call != NULL;
}

unsigned long long *elide_argument(struct user_regs_struct *regs, const struct elide_call *call)
{
	return argument(regs, call->argument);
}

uint64_t elide_scratch(const struct user_regs_struct *regs)
{
	enum { RED_ZONE = 128, TIME_AND_MORE = 64 };

	return (regs->rsp - RED_ZONE - TIME_AND_MORE) & ~15ull;
}

/* ---- the time becomes zero ------------------------------------------------------------------ */

/* A time to wait for, that the kernel would take. */
static bool is_time(struct thread *th, uint64_t at, enum form form)
{
	const long most = form == FORM_TIMEVAL ? 1000000 : 1000000000;
	struct timespec time;

	return at && !memory_read(space_of(th), at, &time, sizeof(time)) && time.tv_sec >= 0 &&
	       time.tv_nsec >= 0 && time.tv_nsec < most && (time.tv_sec || time.tv_nsec);
}

/* What is left of it is zero, too, where the program could see that. */
static void clear_rest(struct thread *th, uint64_t at)
{
	const struct timespec zero = {0};
	struct target_mapping map;

	if (!target_mapping_at(th->pub.process, at, &map) && map.writable)
		target_write(th->pub.process, at, &zero, sizeof(zero));
}

/* A zero time of our own below the stack: the program's may be constant. */
static bool point_to_zero(struct thread *th, const struct user_regs_struct *regs,
			  unsigned long long *time)
{
	const struct timespec zero = {0};
	uint64_t at = elide_scratch(regs);

	if (target_write(th->pub.process, at, &zero, sizeof(zero)) < 0)
		return false;
	*time = at;
	return true;
}

static bool make_zero(struct thread *th, const struct sleeping *call, struct user_regs_struct *regs)
{
	unsigned long long *time = argument(regs, call->argument);

	th->elided_time = *time;
	if (call->form == FORM_MS) {
		bool waits = (int)*time > 0;

		*time = 0;
		return waits;
	}
	if (!is_time(th, *time, call->form) || !point_to_zero(th, regs, time))
		return false;
	if (call->form != FORM_GIVEN)
		clear_rest(th, th->elided_time);
	return true;
}

static void on_entry(struct thread *th)
{
	struct user_regs_struct regs;
	const struct sleeping *call;

	if (th->elided == MOST_ELIDED || thread_regs(th) < 0)
		return;
	regs = th->regs;
	call = sleeping_call(&regs);
	if (!call || !make_zero(th, call, &regs) || thread_set_regs(th, &regs) < 0)
		return;
	th->elided++;
	th->elided_argument = call->argument + 1;
}

/* A system call leaves its arguments as they were. */
static void on_exit(struct thread *th)
{
	struct user_regs_struct regs;

	if (!th->elided_argument || thread_regs(th) < 0)
		return;
	regs = th->regs;
	*argument(&regs, th->elided_argument - 1) = th->elided_time;
	th->elided_argument = 0;
	thread_set_regs(th, &regs);
}

/* ---- when ----------------------------------------------------------------------------------- */

/* Below the frame stands where its function returns to. */
static uint64_t return_address(const struct thread *th, uint64_t frame)
{
	uint64_t address = 0;

	return memory_read(space_of(th), frame - sizeof(address), &address, sizeof(address))
		       ? 0
		       : address;
}

/* By longjmp or an exception: others use its stack by now, or it is above that. */
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
	struct look_signals has;

	if (th->elisions.count && !look_signals(th->pub.tid, &has) && look_has(has.caught, signal))
		th->elide_handlers++;
}

void target_elide(struct target_thread *thread, uint64_t frame)
{
	struct thread *th = thread_of(thread);

	if (!th->elisions.count)
		th->elide_handlers = 0;
	*array_add(&th->elisions) = (struct elided){frame, return_address(th, frame)};
	th->elided = 0;
}

void target_elide_end(struct target_thread *thread, uint64_t frame)
{
	struct thread *th = thread_of(thread);

	for (size_t i = th->elisions.count; i-- > 0;) {
		if (th->elisions.items[i].frame != frame)
			continue;
		array_remove(&th->elisions, i);
		return;
	}
}
