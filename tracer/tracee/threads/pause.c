/*
 * Restarts system calls that a pause has made fail with EINTR (epoll_wait, semop, sigtimedwait,
 * msgrcv, sockets with a timeout); the kernel itself restarts most others. Not restarted are
 * close(2), which is then done, and a call in which a handler will run: EINTR reports that.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

enum { SYSCALL_LENGTH = 2 };

static bool handler_will_run(const struct thread *th)
{
	struct tracee_signals has;

	return tracee_signals_of(th->pub.tid, &has) < 0 ||
	       (has.pending & has.caught & ~has.blocked);
}

/* True for poll(2) without a timeout. The kernel would continue it as restart_syscall(2), which
   does not show what the thread waits for. */
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
	if (site && site->copy) /* the site was added while the thread slept: no arrival */
		regs.rip = site->copy;
	regs.rax = regs.orig_rax;
	thread_set_regs(th, &regs);
}

void pause_end(struct thread *th)
{
	if (th->group_signal) {
		thread_listen(th);
		return;
	}
	pause_hide(th);
	thread_continue(th, 0);
}
