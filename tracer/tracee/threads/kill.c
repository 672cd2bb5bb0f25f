/* The end of a process by a chosen signal, of the whole tree, and of the tracee. */
#include "tracer/base/leave.h"
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"
#include "tracer/tracee/events/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct thread *stopped_thread(struct tracee *t, const struct tracee_process *p)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (th->pub.process == p && th->pub.state == TRACEE_STOPPED && th->stop != STOP_EXIT &&
	    th->stop != STOP_VFORK)
		return th;
	return NULL;
}

/* Sets the signal's action to the default if the program catches or ignores it. */
static int make_default(struct thread *th, int signal)
{
	uint64_t nothing[4] = {0}; /* the kernel's struct sigaction: SIG_DFL */
	uint64_t args[6] = {(uint64_t)signal, 0, 0, 8};
	struct tracee_signals has;

	if (tracee_signals_of(th->pub.tid, &has) < 0)
		return -1;
	if (!look_has(has.caught | has.ignored, signal))
		return 0;
	return remote_call_with(th, false, SYS_rt_sigaction, args, 1, nothing, sizeof(nothing));
}

static int unblock(struct thread *th, int signal)
{
	uint64_t mask;

	if (ptrace(PTRACE_GETSIGMASK, th->pub.tid, sizeof(mask), &mask) < 0)
		return -1;
	mask &= ~(1ull << (signal - 1));
	return ptrace(PTRACE_SETSIGMASK, th->pub.tid, sizeof(mask), &mask) < 0 ? -1 : 0;
}

/* Makes the thread take the signal before its next instruction, where it stands. */
static int die_here(struct thread *th, int signal)
{
	if (signal == SIGTRAP)
		tracee_trap_action(&th->pub, NULL); /* no handler is to be restored */
	if (make_default(th, signal) < 0 || unblock(th, signal) < 0)
		return -1;
	thread_settle(th);
	th->killing = signal;
	if (syscall(SYS_tgkill, th->pub.process->pid, th->pub.tid, signal) < 0)
		return -1;
	thread_continue(th, 0);
	return 0;
}

void tracee_kill(struct tracee *t, struct tracee_process *process, int signal)
{
	struct thread *th = stopped_thread(t, process);

	if (signal == SIGKILL || !look_fatal_by_default(signal) || !th || die_here(th, signal) < 0)
		kill(process->pid, SIGKILL);
}

void tracee_kill_all(struct tracee *t)
{
	struct process *p;

	granted_drop(t);
	TAILQ_FOREACH(p, &t->processes, link)
	if (!p->gone && !p->kept)
		kill(p->pub.pid, SIGKILL);
	array_each(struct parked, parked, &t->parked)
		kill(parked->tid, SIGKILL);
}

/* Reaps until no child is left. A task that appears only now is killed as well. */
static void reap_all(void)
{
	for (;;) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL);

		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			return;
		if (!WIFSTOPPED(status))
			continue;
		kill(tid, SIGKILL);
		ptrace(PTRACE_CONT, tid, 0, 0);
	}
}

void tracee_free(struct tracee *t)
{
	struct thread *th;
	struct process *p;

	if (!t)
		return;
	family_bury(t);
	if (t->attached) {
		leave_ask(NULL, NULL);
		tracee_detach(t);
	} else if (!t->detached) {
		template_end(t);
		tracee_kill_all(t);
		reap_all();
	}
	frozen_end();
	signals_close();
	while ((th = TAILQ_FIRST(&t->threads))) {
		if (thread_is_alive(th))
			thread_unhash(th);
		thread_free(th);
	}
	while ((p = TAILQ_FIRST(&t->processes)))
		process_free(t, p);
	array_fini(&t->queue);
	orphan_free(t);
	resident_free(t);
	granted_free(t);
	array_fini(&t->taken);
	base_free(t);
}

void tracee_tick(struct tracee *t, unsigned tick_ms)
{
	(void)t;
	signals_period(tick_ms);
}

int tracee_pending_death(struct tracee *t, struct tracee_process *process)
{
	struct tracee_thread *thread = NULL;
	struct tracee_signals has;

	while ((thread = tracee_next_thread(t, thread))) {
		if (thread->process != process || thread->state != TRACEE_STOPPED ||
		    tracee_signals_of(thread->tid, &has) < 0)
			continue;
		for (int signal = 1; signal < 32; signal++)
			if (look_has(has.pending & ~(has.blocked | has.ignored | has.caught),
				     signal) &&
			    signal != SIGKILL && look_fatal_by_default(signal))
				return signal;
	}
	return 0;
}

bool tracee_is_pending(const struct tracee_process *process, int signal)
{
	struct tracee_signals has;

	return tracee_signals_of(process->pid, &has) == 0 && look_has(has.pending, signal);
}
