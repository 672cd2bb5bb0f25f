/* Turns a wait status into an event, or handles it without one. */
#include "tracer/tracee/fastpath/resident_internal.h"
#include "tracer/tracee/events/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void event_on_signal(struct tracee *t, struct thread *th, int signal)
{
	/* SA_RESETHAND may reset the signal's action */
	((struct process *)th->pub.process)->spoiled = true;
	th->stop = STOP_SIGNAL;
	th->signal = signal;
	th->pc = 0;
	if (space_of(th)->areas.count)
		thread_pc(th, &th->pc);
	if (event_silent(th) || th->killing == signal)
		restart_deliver(th);
	else
		event_push(t, TRACEE_SIGNAL, th)->signal = signal;
}

/* True if a trap raised the SIGTRAP, not a process that sent one while the
   thread was after the site. */
static bool raised_by_trap(const struct thread *th)
{
	siginfo_t info;

	return !ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) && info.si_code == SI_KERNEL;
}

static void on_watch(struct tracee *t, struct thread *th, bool current)
{
	bool told = current && !event_silent(th);

	th->stop = STOP_WATCH;
	if (told)
		event_push(t, TRACEE_WATCH, th);
	trap_put_back(th);
	if (!told)
		tracee_resume(t, &th->pub);
}

/* Handles a thread at a site; `trapped`: it has executed the trap. */
static void on_site(struct tracee *t, struct thread *th, struct site *site, bool trapped)
{
	bool told = site->state != SITE_RETIRED && !site->quiet && !event_silent(th);

	th->stop = STOP_SITE;
	th->site = site;
	th->settled = !trapped;
	if (told)
		event_push(t, TRACEE_SITE, th)->site = &site->pub;
	/* the program's own int3 would change SIGTRAP's state anyway */
	if (trapped && !site->is_trap)
		trap_put_back(th);
	if (!told)
		tracee_resume(t, &th->pub);
}

static void on_trap(struct tracee *t, struct thread *th)
{
	struct site *site;
	uint64_t pc;

	if (thread_pc(th, &pc) < 0) { /* dying */
		thread_continue(th, 0);
		return;
	}
	site = stub_site(space_of(th), pc - ARCH_TRAP_LEN);
	if (!site || (site->length == ARCH_TRAP_LEN && !th->trap_blocked && !raised_by_trap(th))) {
		event_on_signal(t, th, SIGTRAP);
		return;
	}
	on_site(t, th, site, true);
}

/* True if an instruction of the thread raised the signal. */
static bool is_fault(const struct thread *th, int status)
{
	siginfo_t info;

	return (status >> 8 == SIGSEGV || status >> 8 == SIGBUS) &&
	       !ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) && info.si_code > 0;
}

/* Handles a fault in a stub: a variable is unmapped at the moment, or the stack has no room. The
   site has a trap from now on, and gatectl reads the variable. */
static void on_fault(struct tracee *t, struct thread *th, struct site *site)
{
	on_site(t, th, site, false);
	site->exposed = true;
	resident_end(t, space_of(th), site, true);
}

/* ---- job control ---------------------------------------------------------------------------- */

static bool is_stop_signal(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static bool in_foreground(void)
{
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	bool foreground;

	if (tty < 0)
		return false;
	foreground = tcgetpgrp(tty) == getpgrp();
	close(tty);
	return foreground;
}

/* Stops gatectl as well: the shell waits for gatectl, not for the program, and has to see that the
   job is stopped, and by which signal. */
static void mirror_stop(const struct thread *th, int signal)
{
	if (th->pub.process->is_root && th->pub.tid == th->pub.process->pid && in_foreground())
		signals_stop_by(signal);
}

static void on_group_stop(struct thread *th, int signal)
{
	if (is_stop_signal(signal)) {
		thread_listen(th);
		if (th->tracee->calls && !event_silent(th))
			event_push(th->tracee, TRACEE_JOB_STOP, th);
		/* In a search, a SIGSTOP comes from the program itself and
		   does not concern the shell. */
		if (!th->tracee->calls || signal != SIGSTOP)
			mirror_stop(th, signal);
	} else {
		if (th->interrupted)
			pause_hide(th);
		thread_continue(th, 0);
	}
}

/* ---- exit stops ------------------------------------------------------------------------------ */

/* Resumes threads at their exit stop. The kernel does not wake them when a signal with a
   core dump ends the process. */
static void let_others_end(struct tracee *t, const struct thread *th)
{
	struct thread *other;

	TAILQ_FOREACH(other, &t->threads, link)
	if (other != th && other->pub.process == th->pub.process &&
	    other->pub.state == TRACEE_STOPPED && other->stop == STOP_EXIT)
		thread_continue(other, 0);
}

static bool ends_by_signal(const struct thread *th)
{
	unsigned long status;

	return ptrace(PTRACE_GETEVENTMSG, th->pub.tid, 0, &status) == 0 && WIFSIGNALED(status);
}

/* Handles an exit stop. The exit is reported if the thread ends by itself, not with
   the process or the image. */
static void on_exit(struct tracee *t, struct thread *th)
{
	long number;

	if (ends_by_signal(th))
		let_others_end(t, th);
	th->stop = STOP_EXIT;
	errno = 0;
	number = ptrace(PTRACE_PEEKUSER, th->pub.tid, offsetof(struct user, regs.orig_rax), 0);
	if (errno || number != SYS_exit || event_silent(th))
		thread_continue(th, 0);
	else
		event_push(t, TRACEE_THREAD_EXIT, th);
}

/* ---- dispatch ------------------------------------------------------------------------------- */

static void on_stop(struct tracee *t, struct thread *th, int event, int signal)
{
	switch (event) {
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		family_birth(t, th, event);
		break;
	case PTRACE_EVENT_EXEC:
		family_exec(t, th);
		break;
	case PTRACE_EVENT_EXIT:
		on_exit(t, th);
		break;
	case PTRACE_EVENT_SECCOMP:
		call_entry(t, th);
		break;
	case PTRACE_EVENT_STOP:
		on_group_stop(th, signal);
		break;
	case 0:
		if (signal == (SIGTRAP | 0x80))
			restart_syscall_stop(th);
		else if (signal == SIGTRAP)
			on_trap(t, th);
		else
			event_on_signal(t, th, signal);
		break;
	default: /* a stop that was not requested */
		thread_continue(th, 0);
	}
}

static void on_stopped(struct tracee *t, struct thread *th, int status)
{
	bool trap = stopped_by_trap(status), wrote = trap && debugregs_hit(th);
	bool current = wrote && watch_current(th); /* before the registers change */
	struct site *undecided = NULL;

	if (trap) {
		th->rewatched = false;
		/* Registers that were read at the last stop will be read again:
		   one request in place of two. */
		if (th->asked)
			thread_regs(th);
		th->asked = false;
	}
	if (status >> 16 == PTRACE_EVENT_SECCOMP)
		/* all registers are needed, so the pc is not read alone */
		thread_regs(th);
	if (status >> 16 != PTRACE_EVENT_EXEC) { /* an exec stop gets another address space soon */
		watch_agree(th);
		undecided = stub_leave(th);
	}
	if (wrote)
		on_watch(t, th, current);
	else if (undecided && is_fault(th, status))
		on_fault(t, th, undecided);
	else
		on_stop(t, th, status >> 16, WSTOPSIG(status));
}

void event_status(struct tracee *t, pid_t tid, int status)
{
	struct thread *th = thread_find(t, tid);

	if (granted_tell(t, tid, status))
		return;
	if (!th) {
		orphan_status(t, tid, status);
	} else if (WIFSTOPPED(status)) {
		thread_set_state(th, TRACEE_STOPPED);
		granted_regs(th);
		on_stopped(t, th, status);
	} else {
		family_death(t, th, status);
	}
}
