/*
 * Signals for a thread inside the copy of an instruction. A handler has to see the original pc. If
 * that is the site itself, the handler's return would run into the trap again, so the handler is
 * followed to its end: README.md.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- frames of handlers ---------------------------------------------------------------------- */

static bool on_alternate(const struct restart *r, uint64_t sp)
{
	return r->alt_high && sp > r->alt_low && sp <= r->alt_high;
}

enum { RETURN_ADDRESS = 8 };

static bool frame_is_gone(const struct restart *r, uint64_t sp)
{
	bool alternate = on_alternate(r, sp);

	/* Before rt_sigreturn the handler has already popped its return address. */
	if (on_alternate(r, r->frame))
		return !alternate || sp > r->frame + RETURN_ADDRESS;
	return !alternate && sp > r->frame + RETURN_ADDRESS;
}

/* Forgets the last handler. It has not returned where it came from, and that address may be
   reached later without a report. */
static void forget_last(struct thread *th)
{
	th->restarts.count--;
	th->tracee->on_exposed(th->tracee, space_of(th),
			       th->restarts.items[th->restarts.count].addr);
}

static void forget_left_frames(struct thread *th, uint64_t sp)
{
	while (th->restarts.count && frame_is_gone(&th->restarts.items[th->restarts.count - 1], sp))
		forget_last(th);
}

/* The frame of a handler begins with its return address; struct ucontext follows. */
static void remember_frame(struct thread *th, uint64_t addr, uint64_t sp)
{
	enum { UCONTEXT_STACK = 8 + 16 };
	struct {
		uint64_t low, flags, size;
	} stack = {0};
	struct restart *r;

	if (thread_regs(th) < 0)
		return;
	r = array_add(&th->restarts);
	*r = (struct restart){.addr = addr, .sp = sp, .frame = th->regs.rsp};
	if (!memory_raw_read(space_of(th), r->frame + UCONTEXT_STACK, &stack, sizeof(stack))) {
		r->alt_low = stack.low;
		r->alt_high = stack.low + stack.size;
	}
}

/* ---- into the handler ----------------------------------------------------------------------- */

static bool is_ignored_by_default(int signal)
{
	return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH;
}

/* True if the kernel would drop the signal without a tracer, so that it
   interrupts no system call. */
static bool would_be_dropped(const struct thread *th)
{
	struct tracee_signals has;

	if (!th->signal || tracee_signals_of(th->pub.tid, &has) < 0)
		return false;
	return look_has(has.ignored, th->signal) || (th->signal == SIGTRAP && trap_drops(th)) ||
	       (is_ignored_by_default(th->signal) && !look_has(has.caught, th->signal));
}

/* True if the trap is the kernel's report that a single step has entered a handler. */
static bool entered_handler(const struct thread *th)
{
	siginfo_t info;

	return !ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) && info.si_code == SIGTRAP;
}

/* Delivers the signal and stops before the handler's first instruction. Returns false if the
   thread has stopped otherwise. */
static bool enter_handler(struct thread *th)
{
	int status;

	if (th->info)
		ptrace(PTRACE_SETSIGINFO, th->pub.tid, 0, th->info);
	elide_signal(th, th->signal);
	returns_note(th);
	ptrace(PTRACE_SINGLESTEP, th->pub.tid, 0, th->signal);
	thread_set_state(th, TRACEE_RUNNING);
	th->stop = STOP_NONE;
	if (wait_one(th, stopped_by_trap, &status) != ONE_EXPECTED)
		return false;
	thread_set_state(th, TRACEE_STOPPED);
	if (entered_handler(th))
		return true;
	th->tracee->on_status(th->tracee, th->pub.tid, status);
	return false;
}

static void inject(struct thread *th)
{
	if (pause_shows(th) && would_be_dropped(th))
		pause_hide(th);
	if (th->signal == SIGTRAP && trap_is_handled(th)) {
		/* the handler has begun before another thread's trap can reset it */
		if (enter_handler(th))
			thread_continue(th, 0);
		return;
	}
	if (init_stays(th)) {
		init_end(th);
		return;
	}
	if (th->info && th->signal)
		ptrace(PTRACE_SETSIGINFO, th->pub.tid, 0, th->info);
	thread_continue(th, th->signal);
}

/* Delivers the signal and follows its handler, whose return to `addr` with
   this sp is not an arrival. */
static void deliver_and_follow(struct thread *th, uint64_t addr, uint64_t sp)
{
	if (!enter_handler(th))
		return;
	remember_frame(th, addr, sp);
	thread_continue(th, 0);
}

/* Replaces the address of a fault in the copy by the original one. */
static void correct_info(struct thread *th, const struct slot *slot, uint64_t copy)
{
	siginfo_t found, *info = th->info ? th->info : &found;
	uint64_t at;

	if (!th->info && ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, info) < 0)
		return;
	at = (uint64_t)info->si_addr;
	if (info->si_code <= 0 || info->si_code == SI_KERNEL || at < copy ||
	    at >= copy + slot->copy.length)
		return;
	info->si_addr = (void *)slot->from;
	if (!th->info)
		ptrace(PTRACE_SETSIGINFO, th->pub.tid, 0, info);
}

/* Sets the original pc and sp, returned in *addr and *sp. Returns true if the thread must not come
   back there by itself: the instruction is still to be carried out, or a jump covers it. */
static bool put_back(struct thread *th, const struct slot *slot, const struct arch_point *point,
		     uint64_t *addr, uint64_t *sp)
{
	struct user_regs_struct regs;

	if (thread_regs(th) < 0)
		return false;
	regs = th->regs;
	regs.rip = point->pc;
	regs.rsp += point->sp;
	*sp = regs.rsp;
	*addr = slot->from;
	if (point->pc != slot->from) {
		bool again = slot->is_syscall && (int64_t)th->regs.orig_rax >= 0 &&
			     remote_restarts(&th->regs);

		thread_set_pc(th, regs.rip);
		if (!again)
			*addr = point->pc;
		return again || moved_copy(space_of(th), point->pc);
	}
	thread_set_regs(th, &regs);
	return true;
}

/* Delivers a signal at a point of the copy, after setting the original pc, which
   handlers and core files show. */
static void deliver_in_copy(struct thread *th, const struct slot *slot,
			    const struct arch_point *point, uint64_t copy)
{
	struct tracee_signals has;
	uint64_t addr, sp;
	bool caught;

	if (tracee_signals_of(th->pub.tid, &has) < 0) {
		inject(th);
		return;
	}
	caught = look_has(has.caught, th->signal);
	if (!caught && (look_has(has.ignored, th->signal) || !look_fatal_by_default(th->signal))) {
		inject(th);
		return;
	}
	correct_info(th, slot, copy);
	if (put_back(th, slot, point, &addr, &sp) && caught)
		deliver_and_follow(th, addr, sp);
	else
		inject(th);
}

static void deliver(struct thread *th)
{
	const struct arch_point *point = NULL;
	const struct slot *slot = NULL;
	uint64_t offset;

	if (th->signal && th->restarts.count && !thread_regs(th))
		forget_left_frames(th, th->regs.rsp);
	if (th->signal)
		slot = space_slot(space_of(th), th->pc, &offset);
	if (slot)
		point = arch_copy_point(&slot->copy, offset);
	if (point)
		deliver_in_copy(th, slot, point, th->pc - offset);
	else
		inject(th);
}

void restart_deliver(struct thread *th)
{
	if (th->signal != SIGTRAP) {
		deliver(th);
	} else if (trap_drops(th)) {
		pause_hide(th);
		th->signal = 0;
		deliver(th);
	} else {
		trap_deliver(th, deliver);
	}
}

void restart_leave(struct thread *th)
{
	const struct arch_point *point = NULL;
	struct user_regs_struct regs;
	const struct slot *slot;
	uint64_t offset;

	if (th->stop == STOP_SIGNAL && would_be_dropped(th)) {
		pause_hide(th);
		th->signal = 0;
	}
	if (thread_regs(th) < 0)
		return;
	regs = th->regs;
	slot = space_slot(space_of(th), regs.rip, &offset);
	if (slot)
		point = arch_copy_point(&slot->copy, offset);
	if (!point)
		return;
	if (th->stop == STOP_SIGNAL && th->signal)
		correct_info(th, slot, regs.rip - offset);
	regs.rip = point->pc;
	regs.rsp += point->sp;
	if (slot->is_syscall && point->pc != slot->from)
		regs.rcx = point->pc; /* the processor sets rcx to the pc after a syscall */
	thread_set_regs(th, &regs);
}

/* ---- return from a handler ------------------------------------------------------------------- */

static void forget_from(struct thread *th, size_t i)
{
	while (th->restarts.count > i)
		forget_last(th);
}

static void go_into_copy(struct thread *th, uint64_t pc)
{
	const struct site *site = space_site(space_of(th), pc);

	if (site && site->copy)
		thread_set_pc(th, site->copy);
	else if (moved_copy(space_of(th), pc))
		thread_set_pc(th, moved_copy(space_of(th), pc));
}

/*
 * Handles the return from a handler. A return to a followed address goes on in the copy.
 * Another one was chosen by the handler, and may lead into the middle of a jump, as past the
 * instruction that has faulted.
 */
static void take_up_again(struct thread *th, uint64_t pc, uint64_t sp, uint64_t handler_sp)
{
	for (size_t i = th->restarts.count; i-- > 0;) {
		const struct restart r = th->restarts.items[i];

		if (r.addr == pc && r.sp == sp) {
			go_into_copy(th, pc);
			forget_from(th, i + 1);
			th->restarts.count = i;
			return;
		}
		if (r.frame + RETURN_ADDRESS == handler_sp) {
			forget_from(th, i);
			break;
		}
	}
	th->tracee->on_exposed(th->tracee, space_of(th), pc);
}

void restart_syscall_stop(struct thread *th)
{
	struct __ptrace_syscall_info info;
	uint64_t handler_sp = th->sigreturn_sp;

	th->sigreturn_sp = 0;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, th->pub.tid, sizeof(info), &info) > 0) {
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_rt_sigreturn)
			th->sigreturn_sp = info.stack_pointer;
		if (handler_sp)
			take_up_again(th, info.instruction_pointer, info.stack_pointer, handler_sp);
		if (!th->sigreturn_sp)
			forget_left_frames(th, info.stack_pointer);
		if (th->pub.state != TRACEE_STOPPED) /* the thread was killed meanwhile */
			return;
		if (th->elisions.count || th->timed_argument || th->skips_wait)
			elide_syscall_stop(th, &info);
		if ((th->tracee->clock == CLOCK_OWN || th->elisions.count) &&
		    info.op == PTRACE_SYSCALL_INFO_EXIT)
			clock_syscall_exit(th);
		if (sleeps_syscall_stop(th, &info) ||
		    (info.op == PTRACE_SYSCALL_INFO_EXIT && call_exit(th->tracee, th)))
			return;
	}
	if (th->interrupted)
		pause_hide(th);
	thread_continue(th, 0);
}
