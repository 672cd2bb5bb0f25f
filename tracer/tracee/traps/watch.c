/*
 * Watched words, in every thread of an address space.
 *
 * A thread that is stopped gets them at once, a new one before its first instruction, one that is
 * stopped by job control when it reports that it may go on. One that runs is interrupted for it,
 * but not for words that are no longer wanted: those are cleared when the thread next stops, and
 * what they report until then is dropped.
 *
 * Nobody waits for a thread that cannot be interrupted (a parent in vfork, an exec that waits for
 * the other threads to end): it will stop before its next instruction and gets them there.
 */
#include "tracer/tracee/tracee_internal.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static bool is_sound(const struct tracee_watch *w)
{
	return (w->size == 1 || w->size == 2 || w->size == 4 || w->size == 8) &&
	       w->addr % w->size == 0;
}

static void agree_stopped(struct tracee *t, const struct tracee_space *space)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (space_of(th) == space && th->pub.state == TRACEE_STOPPED)
		watch_agree(th);
}

/* ---- those that run ------------------------------------------------------------------------- */

static size_t interrupt_running(struct tracee *t, const struct tracee_space *space)
{
	struct thread *th;
	size_t n = 0;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (space_of(th) != space || th->pub.state != TRACEE_RUNNING || th->dead ||
		    !thread_is_alive(th) || watch_covers(&th->watched, &space->watched))
			continue;
		th->awaited = th->interrupted = !ptrace(PTRACE_INTERRUPT, th->pub.tid, 0, 0);
		n += th->awaited;
	}
	return n;
}

/* A moment has passed: those that have not stopped yet may be unable to. */
static void give_up_unable(struct tracee *t)
{
	struct tracee_block look;
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (!th->awaited)
			continue;
		tracee_look(&th->pub, &look);
		th->dead = look.activity == TRACEE_DEAD;
		if (th->dead || look.activity == TRACEE_DISK)
			th->awaited = false;
	}
}

/* Whatever it stops for, it gets them then, before that is dealt with. */
static void on_status(struct tracee *t, pid_t tid, int status)
{
	struct thread *th = thread_find(t, tid);

	if (th)
		th->awaited = false;
	t->on_status(t, tid, status);
}

static void agree_running(struct tracee *t, const struct tracee_space *space)
{
	if (interrupt_running(t, space))
		wait_awaited(t, on_status, give_up_unable);
}

int tracee_watch(struct tracee *t, struct tracee_process *process,
		 const struct tracee_watch *watches, size_t n)
{
	struct tracee_space *space = process->space;
	bool sound = n <= TRACEE_WATCHES;

	for (size_t i = 0; i < n && sound; i++)
		sound = is_sound(&watches[i]);
	space->refused = n && !tracee_watch_works();
	space->watched.n = sound && !space->refused ? n : 0;
	if (space->watched.n)
		memcpy(space->watched.items, watches, n * sizeof(*watches));
	agree_stopped(t, space);
	if (!space->refused)
		agree_running(t, space);
	if (sound && !space->refused)
		return 0;
	space->watched.n = 0;
	agree_stopped(t, space);
	return -1;
}
