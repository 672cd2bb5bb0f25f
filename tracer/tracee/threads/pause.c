/*
 * Stops a thread that runs, to ask it something.
 *
 * An interrupted system call is mostly started again by the kernel itself. Some give up with EINTR
 * (epoll_wait, semop, sigtimedwait, msgrcv, calls on sockets with a time-out): those we start
 * again. A relative time-out begins anew then. But not if a handler will run, since EINTR says just
 * that, and not close(2), which has done its work by then.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"
#include "tracer/tracee/events/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static bool is_pause(int status)
{
	return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP &&
	       WSTOPSIG(status) == SIGTRAP;
}

/* An exec waits for the other threads to be reaped, by us: it cannot be interrupted meanwhile. */
static bool is_unable(const struct thread *th)
{
	struct tracee_block look;

	tracee_look(&th->pub, &look);
	return look.activity == TRACEE_DEAD || look.activity == TRACEE_DISK || !thread_is_alive(th);
}

/* False: it may stop later, and is let go on then. */
static bool await(struct thread *th, int *status)
{
	bool stopped = false;

	th->awaited = th->interrupted = true;
	do {
		signals_limit(WAIT_MOMENT_MS);
		stopped = wait_some(th->tracee, wait_is_awaited, status) != NULL;
	} while (!stopped && !is_unable(th));
	signals_limit(0);
	th->awaited = false;
	return stopped;
}

/* A thread whose system calls are traced stops at the end of the one that was interrupted first. Any
   stop takes the request back: it is made again before the thread goes on. */
static bool stops_again(struct tracee *t, struct thread *th, int status)
{
	bool again = WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80) &&
		     ptrace(PTRACE_INTERRUPT, th->pub.tid, 0, 0) == 0;

	t->on_status(t, th->pub.tid, status);
	return again && th->pub.state == TRACEE_RUNNING;
}

int tracee_pause(struct tracee *t, struct tracee_thread *thread)
{
	struct thread *th = thread_of(thread);
	int status;

	if (thread->state != TRACEE_RUNNING || ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) < 0)
		return -1;
	do {
		if (!await(th, &status))
			return -1; /* it stops for a reason of its own: that comes as an event */
	} while (!is_pause(status) && stops_again(t, th, status));
	if (!is_pause(status))
		return -1;
	thread_set_state(th, TRACEE_STOPPED);
	if (halt_overtakes(th, false)) {
		thread_continue(th, 0);
		return -1;
	}
	watch_agree(th);
	stub_leave(th);
	th->stop = STOP_PAUSE;
	return 0;
}

/* ---- and on --------------------------------------------------------------------------------- */

enum { SYSCALL_LENGTH = 2 };

static bool handler_will_run(const struct thread *th)
{
	struct tracee_signals has;

	return tracee_signals_of(th->pub.tid, &has) < 0 ||
	       (has.pending & has.caught & ~has.blocked);
}

/* poll(2) without a time-out: the kernel would make restart_syscall(2) of it, and nobody could tell any
   more what it waits for. */
static bool is_endless_poll(const struct user_regs_struct *regs)
{
	enum { RESTART_BLOCK = -516 };

	return (int64_t)regs->rax == RESTART_BLOCK && regs->orig_rax == SYS_poll &&
	       (int)regs->rdx < 0;
}

bool pause_shows(struct thread *th)
{
	uint8_t bytes[SYSCALL_LENGTH];

	if (thread_regs(th) < 0)
		return false;
	return ((int64_t)th->regs.rax == -EINTR || is_endless_poll(&th->regs)) &&
	       (int64_t)th->regs.orig_rax >= 0 && th->regs.orig_rax != SYS_close &&
	       !memory_read(space_of(th), th->regs.rip - SYSCALL_LENGTH, bytes, sizeof(bytes)) &&
	       !memcmp(bytes, slot_stub, sizeof(bytes));
}

void pause_hide(struct thread *th)
{
	struct user_regs_struct regs;
	const struct site *site;

	if (!pause_shows(th) || handler_will_run(th))
		return;
	regs = th->regs;
	regs.rip -= SYSCALL_LENGTH;
	site = space_site(space_of(th), regs.rip);
	if (site && site->copy) /* put there while it slept: no arrival */
		regs.rip = site->copy;
	regs.rax = regs.orig_rax;
	thread_set_regs(th, &regs);
}
