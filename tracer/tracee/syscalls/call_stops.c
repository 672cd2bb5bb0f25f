/* Stops of a thread inside tracee_call(): return, crash, exit, longjmp, traps, system calls. */
#include "tracer/tracee/syscalls/call.h"
#include "tracer/tracee/fastpath/resident_internal.h"
#include "tracer/base/signame.h"

#include <inttypes.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static enum inside_answer call_stops_fail(struct inside *in, const char *what)
{
	error_set(in->err, ERROR_STATE, "%s", what);
	return INSIDE_FAILED;
}

/* ---- leaving -------------------------------------------------------------------------------- */

/* True if sp is above the call's frame, on the same stack. */
static bool is_outside(const struct inside *in, uint64_t sp)
{
	struct tracee_mapping stack;

	return sp > in->frame + sizeof(uint64_t) &&
	       !tracee_mapping_at(in->r.th->pub.process, in->frame, &stack) && sp < stack.end;
}

/* At the entry of a longjmp: true if the target is outside the call. The saved stack pointer may be
   mangled with the pointer guard. */
static bool jumps_outside(const struct inside *in, const struct user_regs_struct *regs)
{
	struct tracee_space *space = space_of(in->r.th);
	uint64_t sp, guard;

	if (memory_read(space, regs->rdi + ARCH_JMP_BUF_SP * sizeof(sp), &sp, sizeof(sp)) < 0 ||
	    memory_read(space, regs->fs_base + ARCH_GUARD_AT, &guard, sizeof(guard)) < 0)
		return false;
	return is_outside(in, sp) || is_outside(in, arch_reveal(sp, guard));
}

static bool is_one_of(uint64_t addr, const uint64_t *list, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (list[i] == addr)
			return true;
	return false;
}

/* ---- signals -------------------------------------------------------------------------------- */

static bool is_raised_by_instruction(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
	       signal == SIGTRAP || signal == SIGSYS;
}

static bool is_own_fault(const struct inside *in, const siginfo_t *info)
{
	if (info->si_signo == SIGABRT)
		return true;
	if (!is_raised_by_instruction(info->si_signo))
		return false;
	return info->si_code > 0 ||
	       (info->si_code == SI_TKILL && info->si_pid == in->r.th->pub.process->pid);
}

static enum inside_answer crashed(struct inside *in, int signal)
{
	struct thread *th = in->r.th;
	uint64_t pc = 0, sp = 0;

	if (!thread_pc(th, &pc))
		space_original(th, &pc, &sp);
	in->call->failed_at = pc;
	error_set(in->err, ERROR_STATE, "it crashed with SIG%s at 0x%" PRIx64, signame_text(signal),
		  pc);
	return INSIDE_FAILED;
}

/* ---- traps ---------------------------------------------------------------------------------- */

static enum inside_answer on_site(struct inside *in, const struct site *site)
{
	const struct tracee_call *call = in->call;
	struct thread *th = in->r.th;

	if (is_one_of(site->pub.addr, call->ending, call->ending_count))
		return call_stops_fail(in, "it was about to exit");
	if (is_one_of(site->pub.addr, call->leaving, call->leaving_count) &&
	    jumps_outside(in, &th->regs))
		return call_stops_fail(in, "it was left by longjmp");
	if (thread_pass(th, site))
		return INSIDE_GOES_ON;
	thread_set_pc(th, site->pub.addr);
	return crashed(in, site->is_trap ? SIGTRAP : SIGSEGV);
}

/* In the stub of a site nothing is decided yet, so the site is passed as one with a trap. */
static enum inside_answer on_fault(struct inside *in, const siginfo_t *info)
{
	const struct site *site =
		info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS)
			? stub_leave(in->r.th)
			: NULL;

	return site ? on_site(in, site) : crashed(in, info->si_signo);
}

static enum inside_answer call_stops_on_signal(struct inside *in, int signal)
{
	siginfo_t info = {.si_signo = signal};

	if (ptrace(PTRACE_GETSIGINFO, in->r.th->pub.tid, 0, &info) < 0)
		return INSIDE_GOES_ON; /* dying */
	info.si_signo = signal;
	if (is_own_fault(in, &info))
		return on_fault(in, &info);
	*array_add(&in->put_off) = info;
	return INSIDE_GOES_ON;
}

static enum inside_answer on_trap(struct inside *in)
{
	struct thread *th = in->r.th;
	const struct site *site;
	siginfo_t info = {0};

	if (ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) < 0)
		return INSIDE_GOES_ON; /* dying */
	if (info.si_code == TRAP_HWBKPT) {
		in->call->wrote = true;
		return INSIDE_GOES_ON;
	}
	if (info.si_code != SI_KERNEL)
		return call_stops_on_signal(in, SIGTRAP);
	if (th->regs.rip == in->r.stub + STUB_TRAP + ARCH_TRAP_LEN)
		return th->regs.rsp == in->frame + sizeof(uint64_t)
			       ? INSIDE_RETURNED
			       : call_stops_fail(in, "it did not return to its caller");
	site = stub_site(space_of(th), th->regs.rip - ARCH_TRAP_LEN);
	return site ? on_site(in, site) : crashed(in, SIGTRAP);
}

/* ---- system calls --------------------------------------------------------------------------- */

static bool starts_by_vfork(const struct inside *in, const struct __ptrace_syscall_info *info)
{
	uint64_t flags = info->entry.args[0];

	if (info->entry.nr == SYS_clone3 &&
	    memory_read(space_of(in->r.th), info->entry.args[0], &flags, sizeof(flags)) < 0)
		return false;
	return flags & CLONE_VFORK;
}

/* Fails for a system call that must not be made inside the call. */
static enum inside_answer on_entry(struct inside *in, const struct __ptrace_syscall_info *info)
{
	switch (info->entry.nr) {
	case SYS_exit:
	case SYS_exit_group:
		return call_stops_fail(in, "it was about to exit");
	case SYS_execve:
	case SYS_execveat:
		return call_stops_fail(in, "it was about to run another program");
	case SYS_clone:
	case SYS_clone3:
		if (!starts_by_vfork(in, info))
			return INSIDE_GOES_ON;
		/* fallthrough */
	case SYS_vfork: /* the thread would wait for a child that waits for gatectl */
		return call_stops_fail(in,
				       "it was about to start a process and wait for it (vfork)");
	/* these always write the restart block; on_syscall() detects the others */
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		in->restart_lost = true;
	}
	return INSIDE_GOES_ON;
}

/*
 * Replaces the mask that the program reads. All signals are blocked in the call, but pthread_create
 * and fork give the current mask to what they create, which must get the thread's own.
 */
static void show_own_mask(const struct inside *in)
{
	/* signals that cannot be blocked, and 32 and 33, which the C library does not let block */
	const uint64_t others = 1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1) | 3ull << 31;
	const struct thread *th = in->r.th;
	uint64_t shown, mask = remote_blocked() & ~others;

	if (!in->old_mask || memory_raw_read(space_of(th), in->old_mask, &shown, sizeof(shown)) ||
	    (shown & mask) != mask)
		return;
	tracee_write(th->pub.process, in->old_mask, &in->r.mask, sizeof(in->r.mask));
}

static enum inside_answer on_syscall(struct inside *in)
{
	enum { RESTART_BLOCK = -516 };
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, in->r.th->pub.tid, sizeof(info), &info) <= 0)
		return INSIDE_GOES_ON;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.rval == RESTART_BLOCK)
		in->restart_lost = true;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && !info.exit.rval)
		show_own_mask(in);
	in->old_mask = info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_rt_sigprocmask
			       ? info.entry.args[2]
			       : 0;
	return info.op == PTRACE_SYSCALL_INFO_ENTRY ? on_entry(in, &info) : INSIDE_GOES_ON;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static enum inside_answer on_plain(struct inside *in, int signal)
{
	if (thread_regs(in->r.th) < 0)
		return INSIDE_GOES_ON; /* dying */
	if (is_outside(in, in->r.th->regs.rsp))
		return call_stops_fail(in, "it was left for the function outside");
	if (signal == (SIGTRAP | 0x80))
		return on_syscall(in);
	return signal == SIGTRAP ? on_trap(in) : call_stops_on_signal(in, signal);
}

enum inside_answer inside_stop(struct inside *in, int status)
{
	struct thread *th = in->r.th;
	int event = status >> 16, signal = WSTOPSIG(status);

	th->regs_known = false;
	switch (event) {
	case 0:
		return on_plain(in, signal);
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
		family_birth(th->tracee, th, event);
		return INSIDE_GOES_ON;
	case PTRACE_EVENT_STOP: /* job control: deferred */
		if (signal != SIGTRAP)
			in->r.stopped = true;
		return INSIDE_GOES_ON;
	default:
		return INSIDE_GOES_ON;
	}
}
