/* Lets a stopped thread run, or stay in a group stop, and updates the tables. */
#include "tracer/tracee/tracee_internal.h"

#include <assert.h>
#include <sys/ptrace.h>

void thread_went_on(struct thread *th, enum tracee_state state)
{
	thread_set_state(th, state);
	th->stop = STOP_NONE;
	th->site = NULL;
	th->settled = th->interrupted = false;
	th->signal = th->group_signal = 0;
	if (th->info) {
		base_free(th->info);
		th->info = NULL;
	}
}

void thread_continue(struct thread *th, int signal)
{
	bool syscalls = th->restarts.count || th->sigreturn_sp || th->elisions.count ||
			th->skips_wait || th->timed_argument || th->call_end ||
			th->tracee->clock == CLOCK_OWN;
	int request = syscalls ? PTRACE_SYSCALL : PTRACE_CONT;

	assert(th->pub.state == TRACEE_STOPPED);
	if (signal) {
		elide_signal(th, signal);
		returns_note(th);
	}
	ptrace(request, th->pub.tid, 0, signal);
	thread_went_on(th, TRACEE_RUNNING);
}

void thread_listen(struct thread *th)
{
	ptrace(PTRACE_LISTEN, th->pub.tid, 0, 0);
	thread_went_on(th, TRACEE_GROUP_STOPPED);
}

/* Sets the pc of a thread that stays at its site to the site: /proc and core files show it. */
void thread_settle(struct thread *th)
{
	if (th->stop != STOP_SITE || th->settled)
		return;
	thread_set_pc(th, th->site->pub.addr);
	th->settled = true;
}
