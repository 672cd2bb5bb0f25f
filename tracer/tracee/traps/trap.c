/*
 * The program's own action and mask of SIGTRAP, which the kernel changes when an int3 traps, and
 * how they are restored. README.md lists the cases.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

enum {
	DEFAULT = 0,
	IGNORED = 1,
	ACTION_SIZE = 32,
};
static const uint64_t trap_bit = 1ull << (SIGTRAP - 1);

static struct own_trap *own_trap(const struct thread *th)
{
	return &((struct process *)th->pub.process)->trap;
}

/* ---- state reported by the run --------------------------------------------------------------- */

void tracee_trap_action(struct tracee_thread *thread, const uint64_t action[4])
{
	struct own_trap *own = own_trap(thread_of(thread));

	*own = (struct own_trap){0};
	if (!action)
		return;
	own->handler = action[0];
	own->whole = true;
	memcpy(own->action, action, sizeof(own->action));
}

void tracee_trap_blocked(struct tracee_thread *thread, bool blocked)
{
	thread_of(thread)->trap_blocked = blocked;
}

static bool is_ignored(const struct thread *th)
{
	return own_trap(th)->handler == IGNORED;
}

bool trap_is_handled(const struct thread *th)
{
	return own_trap(th)->handler > IGNORED;
}

/* ---- state read from the kernel -------------------------------------------------------------- */

static void look_at_mask(struct thread *th)
{
	uint64_t mask;

	if (!ptrace(PTRACE_GETSIGMASK, th->pub.tid, sizeof(mask), &mask))
		th->trap_blocked = mask & trap_bit;
}

/* Reads the kernel's sigaction. A trap resets only the handler; the other words are still valid. */
static int read_action(struct thread *th, uint64_t action[4])
{
	uint64_t args[6] = {SIGTRAP, 0, 0, 8};

	return remote_call_with(th, is_ignored(th), SYS_rt_sigaction, args, 2, action, ACTION_SIZE);
}

static void write_action(struct thread *th)
{
	struct own_trap *own = own_trap(th);
	uint64_t args[6] = {SIGTRAP, 0, 0, 8};

	if (!own->whole && read_action(th, own->action) < 0)
		return;
	own->whole = true;
	own->action[0] = own->handler;
	own->lost = remote_call_with(th, is_ignored(th), SYS_rt_sigaction, args, 1, own->action,
				     ACTION_SIZE) < 0;
}

void trap_begin(struct thread *th)
{
	struct own_trap *own = own_trap(th);
	struct tracee_signals has;

	*own = (struct own_trap){0};
	look_at_mask(th);
	if (tracee_signals_of(th->pub.tid, &has) < 0)
		return;
	if (look_has(has.ignored, SIGTRAP))
		own->handler = IGNORED;
	if (look_has(has.caught, SIGTRAP) && !read_action(th, own->action)) {
		own->handler = own->action[0];
		own->whole = true;
	}
}

void trap_found(struct tracee *t)
{
	struct process *p;
	struct thread *th;

	TAILQ_FOREACH(p, &t->processes, link)
	{
		th = thread_find(t, p->pub.pid);
		if (th && th->pub.state == TRACEE_STOPPED)
			trap_begin(th);
	}
	TAILQ_FOREACH(th, &t->threads, link)
	if (thread_is_alive(th) && th->pub.state == TRACEE_STOPPED)
		look_at_mask(th);
}

void trap_inherit(struct thread *th, const struct thread *from)
{
	th->trap_blocked = from->trap_blocked;
	if (th->pub.process != from->pub.process)
		*own_trap(th) = *own_trap(from);
}

void trap_exec(struct thread *th)
{
	struct own_trap *own = own_trap(th);

	if (own->handler == IGNORED && own->lost)
		write_action(th);
	else if (own->handler != IGNORED)
		*own = (struct own_trap){0};
}

/* ---- restoring ------------------------------------------------------------------------------- */

static void block(struct thread *th)
{
	uint64_t mask;

	th->trap_blocked = true;
	if (ptrace(PTRACE_GETSIGMASK, th->pub.tid, sizeof(mask), &mask) < 0)
		return;
	mask |= trap_bit;
	ptrace(PTRACE_SETSIGMASK, th->pub.tid, sizeof(mask), &mask);
}

/* Sends the program's SIGTRAP again if it was pending while blocked: the kernel has delivered it
   in place of the trap's own. */
static void send_again(struct thread *th, siginfo_t *info)
{
	uint64_t args[6] = {(uint64_t)th->pub.process->pid, (uint64_t)th->pub.tid, SIGTRAP};

	remote_call_with(th, true, SYS_rt_tgsigqueueinfo, args, 3, info, sizeof(*info));
}

static bool handler_is_gone(const struct thread *th)
{
	struct tracee_signals has;

	return !tracee_signals_of(th->pub.tid, &has) && !look_has(has.caught, SIGTRAP);
}

void trap_put_back(struct thread *th)
{
	const struct own_trap *own = own_trap(th);
	siginfo_t info;

	if (!th->trap_blocked && own->handler == DEFAULT)
		return;
	if (ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) < 0)
		return;
	if (trap_is_handled(th)) {
		bool gone = handler_is_gone(th);

		/* with more threads, another one's trap may have reset it */
		if (th->pub.process->threads == 1)
			th->trap_blocked = gone;
		if (gone)
			write_action(th);
	}
	if (th->trap_blocked)
		block(th);
	if (th->trap_blocked && info.si_code <= 0)
		send_again(th, &info);
	if (is_ignored(th))
		own_trap(th)->lost = true;
}

/* True if no other thread of the process can reach a trap. */
static bool traps_alone(const struct thread *th)
{
	struct thread *other;

	if (th->pub.process->threads == 1)
		return true;
	TAILQ_FOREACH(other, &th->tracee->threads, link)
	if (other != th && other->pub.process == th->pub.process &&
	    !look_is_exiting(other->pub.tid))
		return false;
	return true;
}

void trap_go_on(struct thread *th)
{
	if (own_trap(th)->lost && traps_alone(th))
		write_action(th);
}

bool trap_drops(const struct thread *th)
{
	siginfo_t info = {0};

	if (!is_ignored(th))
		return false;
	if (th->info)
		info = *th->info;
	else if (ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) < 0)
		return false;
	return info.si_code <= 0; /* a trap instruction of the program is fatal even if ignored */
}

/* With SA_RESETHAND the kernel resets the action when the handler begins. */
static void handler_begins(struct thread *th)
{
	struct own_trap *own = own_trap(th);

	if (trap_is_handled(th) && own->whole && own->action[1] & SA_RESETHAND)
		*own = (struct own_trap){0};
}

/* Restores a handler that a trap has reset, or records one set by an unseen system call. */
static void handler_ready(struct thread *th)
{
	struct own_trap *own = own_trap(th);

	if (!remote_possible(th))
		return;
	if (trap_is_handled(th) && handler_is_gone(th)) {
		write_action(th); /* another thread's trap has just been executed */
	} else if (own->handler == DEFAULT && !handler_is_gone(th) &&
		   !read_action(th, own->action)) {
		own->handler = own->action[0];
		own->whole = true;
	}
}

void trap_deliver(struct thread *th, void (*deliver)(struct thread *th))
{
	struct paused paused = {0};

	if (!space_of(th)->areas.count) { /* no traps in this address space */
		deliver(th);
		handler_begins(th);
		return;
	}
	if (th->pub.process->threads > 1)
		halt_others(th->tracee, th, &paused);
	handler_ready(th);
	if (thread_is_alive(th) && th->pub.state == TRACEE_STOPPED)
		deliver(th);
	handler_begins(th);
	let_others_go(&paused);
}

void trap_leave(struct tracee *t)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (thread_is_alive(th) && own_trap(th)->lost && remote_possible(th) &&
	    !(th->stop == STOP_SIGNAL && th->signal))
		write_action(th);
}
