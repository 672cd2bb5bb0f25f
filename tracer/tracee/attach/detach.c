/*
 * Detaches from the program, as if it had never been traced. While all threads are stopped
 * each is put where it would be, and bytes, debug registers and mappings are restored.
 * README.md has the exceptions.
 */
#include "tracer/tracee/events/signals.h"
#include "tracer/tracee/tracee_internal.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static bool detach_is_stopped(const struct thread *th)
{
	return thread_is_alive(th) && th->pub.state == TRACEE_STOPPED;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void detach_leave(struct thread *th)
{
	const struct watch_set none = {0};

	if (th->watched.n)
		debugregs_set(th, &none);
	thread_settle(th);
	if (th->stop == STOP_PAUSE && !th->group_signal)
		pause_hide(th);
	restart_leave(th);
}

/* ---- memory --------------------------------------------------------------------------------- */

/*
 * Returns how well the thread can make a system call, 0: not at all. A signal to be taken would
 * lose its siginfo; a thread in a group stop would run for a moment.
 */
static int fitness(struct thread *th)
{
	if (!remote_possible(th) || (th->stop == STOP_SIGNAL && th->signal))
		return 0;
	if (th->group_signal)
		return 1;
	return th->stop == STOP_PAUSE || th->stop == STOP_SITE ? 3 : 2;
}

static struct thread *helper_in(struct tracee *t, const struct tracee_space *space)
{
	struct thread *th, *found = NULL;
	int best = 0;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (!thread_is_alive(th) || space_of(th) != space)
			continue;
		/* the thread may be in memory that would be unmapped */
		if (th->pub.state != TRACEE_STOPPED)
			return NULL;
		if (fitness(th) > best) {
			best = fitness(th);
			found = th;
		}
	}
	return found;
}

static void unmap_areas(struct tracee *t, struct tracee_space *space)
{
	struct thread *helper = space->areas.count ? helper_in(t, space) : NULL;

	while (helper && space->shared.count)
		remote_unmap(helper, space->shared.items[--space->shared.count].base, AREA_SIZE);
	while (helper && space->areas.count) {
		struct area *last = &space->areas.items[space->areas.count - 1];
		struct area gone = *last;

		space->areas.count--;
		remote_unmap(helper, gone.base, AREA_SIZE);
		array_fini(&gone.slots);
	}
}

static void clean(struct tracee *t, struct tracee_space *space)
{
	array_each(struct site_entry, entry, &space->sites)
		if (entry->site->state == SITE_ARMED) {
			memory_restore(t, space, entry->site);
			entry->site->state = SITE_RETIRED;
			entry->site->count = NULL;
		}
	unmap_areas(t, space);
}

/* ---- release --------------------------------------------------------------------------------- */

static void detach_let_go(struct thread *th)
{
	int signal = th->stop == STOP_SIGNAL ? th->signal : 0;

	if (signal && th->info)
		ptrace(PTRACE_SETSIGINFO, th->pub.tid, 0, th->info);
	ptrace(PTRACE_DETACH, th->pub.tid, 0, signal);
	thread_set_state(th, TRACEE_RUNNING);
	th->stop = STOP_NONE;
	th->reach = REACH_FREE;
}

/* True if the thread is waited for, whatever it does: its debug registers would outlive the tracer,
   or the kernel would kill the launched program with gatectl. */
static bool is_late(const struct thread *th)
{
	return thread_is_alive(th) && th->reach == REACH_BEYOND &&
	       (th->watched.n || !th->tracee->attached);
}

static void let_go_late(struct tracee *t)
{
	struct thread *th;
	int status;

	TAILQ_FOREACH(th, &t->threads, link)
	if (is_late(th))
		th->reach = REACH_AWAITED;
	signals_limit(0);
	while ((th = wait_some(t, wait_is_awaited, &status))) {
		th->reach = REACH_FREE;
		if (!WIFSTOPPED(status))
			continue;
		thread_set_state(th, TRACEE_STOPPED);
		th->stop = STOP_PAUSE;
		detach_leave(th);
		detach_let_go(th);
	}
}

static bool any_late(struct tracee *t)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (is_late(th))
		return true;
	return false;
}

void tracee_detach(struct tracee *t)
{
	struct process *p;
	struct thread *th;

	if (t->detached)
		return;
	family_bury(t);
	tracee_halt(t);
	TAILQ_FOREACH(p, &t->processes, link)
	p->pub.space->watched.n = 0;
	TAILQ_FOREACH(th, &t->threads, link)
	if (detach_is_stopped(th))
		detach_leave(th);
	orphan_let_go(t); /* while the tables still show which space their memory is a copy of */
	trap_leave(t);
	TAILQ_FOREACH(p, &t->processes, link)
	if (!p->gone)
		clean(t, p->pub.space);
	TAILQ_FOREACH(th, &t->threads, link)
	if (detach_is_stopped(th))
		detach_let_go(th);
	if (any_late(t))
		let_go_late(t);
	t->queue_head = t->queue.count = 0;
	t->detached = true;
}
