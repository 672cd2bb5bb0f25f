/*
 * System calls reported before they are made. A seccomp(2) filter stops the thread only for the
 * listed ones, at half the cost of PTRACE_SYSCALL. Runs of such a program are to be equal: no
 * address randomization, fixed random bytes, no vdso (clock.c).
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/snapshot/rewind.h"

#include <errno.h>
#include <signal.h>
#include <linux/audit.h>
#include <linux/auxvec.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS_MOST = 200 }; /* a BPF conditional jump reaches 255 instructions */

/* ---- the filter ------------------------------------------------------------------------------ */

/* Installs the filter. Without CAP_SYS_ADMIN, seccomp(2) requires no_new_privs. */
static int install(const struct sock_fprog *program)
{
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0)
		return 0;
	if (errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program);
}

int call_prepare(const long *calls)
{
	struct sock_filter code[CALLS_MOST + 6];
	unsigned short n = 0, count = 0;

	while (calls[count] >= 0 && count < CALLS_MOST)
		count++;
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, arch));
	code[n++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < count; i++)
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], (uint8_t)(count - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	personality(ADDR_NO_RANDOMIZE);
	return install(&(struct sock_fprog){n, code});
}

void call_exec(struct thread *th)
{
	static const char same[] = "gatectl's random"; /* 16 bytes, as AT_RANDOM has */
	uint64_t entry[2], at = th->tracee->calls ? clock_auxiliary(th, AT_RANDOM) : 0;

	if (at && memory_raw_read(space_of(th), at, entry, sizeof(entry)) == 0)
		tracee_write(th->pub.process, entry[1], same, sizeof(same) - 1);
}

/* ---- stops ----------------------------------------------------------------------------------- */

static void push(struct tracee *t, struct thread *th, enum tracee_event_kind kind)
{
	const struct user_regs_struct *regs = &th->regs;
	struct tracee_event *ev = event_push(t, kind, th);

	ev->call = (struct tracee_made){
		.number = (long)regs->orig_rax,
		.args = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9},
		.result = (int64_t)regs->rax,
		.pc = regs->rip,
		.sp = regs->rsp,
		.fs_base = regs->fs_base};
}

static bool call_seen_is_told(const struct tracee *t, uint64_t number)
{
	for (const long *call = t->calls; call && *call >= 0; call++)
		if ((uint64_t)*call == number)
			return true;
	return false;
}

void call_entry(struct tracee *t, struct thread *th)
{
	if (event_silent(th) || th->calling || thread_regs(th) < 0) {
		thread_continue(th, 0);
		return;
	}
	rewind_sees(th);
	if (!call_seen_is_told(t, th->regs.orig_rax)) {
		if (!rewind_ends(th))
			thread_continue(th, 0);
		return;
	}
	th->stop = STOP_CALL;
	push(t, th, TRACEE_CALL);
}

bool call_exit(struct tracee *t, struct thread *th)
{
	if (!t->calls || !th->call_end || thread_regs(th) < 0)
		return false;
	if (th->call_end == CALL_TIMES_OUT)
		timed_end(th);
	else if (remote_restarts(&th->regs) && !tracee_is_signalled(&th->pub))
		return false;
	th->call_end = CALL_UNSEEN;
	th->stop = STOP_CALLED;
	push(t, th, TRACEE_CALLED);
	return true;
}

void tracee_answer(struct tracee_thread *thread, int64_t result)
{
	struct thread *th = thread_of(thread);

	thread_set_register(th, offsetof(struct user, regs.rax), (uint64_t)result);
	if (th->stop == STOP_CALL)
		thread_set_register(th, offsetof(struct user, regs.orig_rax), (uint64_t)-1);
}

void tracee_argument(struct tracee_thread *thread, unsigned index, uint64_t value)
{
	struct thread *th = thread_of(thread);
	struct user_regs_struct regs;

	if (thread_regs(th) < 0)
		return;
	regs = th->regs;
	*remote_argument(&regs, index) = value;
	thread_set_regs(th, &regs);
}

bool tracee_is_signalled(const struct tracee_thread *thread)
{
	struct tracee_signals has;

	if (tracee_signals_of(thread->tid, &has) < 0)
		return false;
	has.pending &= ~has.blocked & ~has.ignored;
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		if (look_has(has.pending, signal) &&
		    (look_has(has.caught, signal) || look_fatal_by_default(signal)))
			return true;
	return false;
}

static bool call_seen_is_stopped(const struct process *p)
{
	struct thread *th;

	TAILQ_FOREACH(th, &p->tracee->threads, link)
	if (th->pub.process == &p->pub && th->pub.state == TRACEE_GROUP_STOPPED)
		return true;
	return false;
}

bool tracee_is_to_stop(const struct tracee_thread *thread)
{
	struct tracee_signals has;

	if (call_seen_is_stopped((const struct process *)thread->process))
		return true;
	if (tracee_signals_of(thread->tid, &has) < 0)
		return false;
	has.pending &= ~has.blocked & ~has.ignored & ~has.caught;
	return look_has(has.pending, SIGSTOP) || look_has(has.pending, SIGTSTP) ||
	       look_has(has.pending, SIGTTIN) || look_has(has.pending, SIGTTOU);
}

void tracee_tell_end(struct tracee_thread *thread)
{
	thread_of(thread)->call_end = CALL_TELLS_END;
}

bool tracee_unlimit(struct tracee_thread *thread, struct tracee_limit *out)
{
	struct thread *th = thread_of(thread);
	const struct elide_call *call;

	if (thread_regs(th) < 0)
		return false;
	call = elide_call_of(&th->regs);
	if (!call || !elide_waits(th, call, timed_argument_of(&th->regs, call)) ||
	    !timed_value(th, call, &out->ns))
		return false;
	out->is_absolute = timed_is_absolute(&th->regs, &out->clock);
	return elide_give_no_limit(th, call);
}

void tracee_time_out(struct tracee_thread *thread)
{
	thread_of(thread)->call_end = CALL_TIMES_OUT;
	ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
}

void tracee_call_again(struct tracee_thread *thread)
{
	struct thread *th = thread_of(thread);
	struct user_regs_struct regs;

	if (thread_regs(th) < 0)
		return;
	regs = th->regs;
	regs.rax = regs.orig_rax;
	regs.rip -= 2; /* length of the syscall instruction */
	regs.orig_rax = (uint64_t)-1;
	thread_set_regs(th, &regs);
}
