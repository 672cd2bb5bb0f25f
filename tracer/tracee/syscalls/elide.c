/*
 * Sleeping calls that return at once as if they had slept.
 *
 * While a thread elides, it stops at every system call. In those that wait for a given time, that
 * time becomes zero: the kernel does all the rest as always (it checks the arguments, says which
 * descriptors are ready, leaves a futex whose word has changed), and the answer is that of a call
 * whose time has passed. Endless waits are no sleeping and are left alone, and so is what a signal
 * handler does.
 *
 * The program's clock does not advance by that, so a loop that sleeps until the clock says so would
 * spin: after many elided calls the next ones really sleep.
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
		return NULL; /* the fourth argument is no time */
	for (size_t i = 0; i < sizeof(sleeping_calls) / sizeof(*sleeping_calls); i++)
		if ((long)regs->orig_rax == sleeping_calls[i].number)
			return &sleeping_calls[i];
	return NULL;
}

/* ---- another time ---------------------------------------------------------------------------- */

uint64_t elide_argument(const struct user_regs_struct *regs, const struct elide_call *call)
{
	struct user_regs_struct copy = *regs;

	return *remote_argument(&copy, call->argument);
}

/* In memory below the stack: the program's own may be constant, and the kernel writes the rest
   there. */
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

/* A time to wait for, that the kernel would take. */
static bool is_time(struct thread *th, uint64_t at, enum elide_form form)
{
	const long most = form == FORM_TIMEVAL ? 1000000 : 1000000000;
	struct timespec time;

	return at && !memory_read(space_of(th), at, &time, sizeof(time)) && time.tv_sec >= 0 &&
	       time.tv_nsec >= 0 && time.tv_nsec < most && (time.tv_sec || time.tv_nsec);
}

/* What is left of it is zero, too, where the program could see that. */
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

bool elide_is_over(const struct thread *th)
{
	return th->elisions.count && !th->elide_handlers && th->elided == MOST_ELIDED;
}

static void on_entry(struct thread *th)
{
	const struct elide_call *call;
	uint64_t time;

	if (th->elided == MOST_ELIDED || thread_regs(th) < 0)
		return;
	call = elide_call_of(&th->regs);
	time = call ? elide_argument(&th->regs, call) : 0;
	if (!call || !elide_waits(th, call, time) || !elide_give_time(th, call, 0))
		return;
	if (call->form == FORM_LEFT || call->form == FORM_TIMEVAL)
		elide_clear_rest(th, time);
	th->elided++;
}

/* Puts the argument back: a system call leaves its arguments as they were. */
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

/* ---- when ----------------------------------------------------------------------------------- */

/* Below the frame stands where its function returns to. */
static uint64_t return_address(const struct thread *th, uint64_t frame)
{
	uint64_t address = 0;

	return memory_read(space_of(th), frame - sizeof(address), &address, sizeof(address))
		       ? 0
		       : address;
}

/* Was it left by longjmp or an exception? Then the stack pointer is above it, or others use its
   stack. */
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
	*array_add(&th->elisions) = (struct elided){frame, return_address(th, frame)};
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
