/*
 * Watched words, in every thread of an address space. A stopped thread gets them at once, a new one
 * before its first instruction, a running one by an interruption. README.md has the exceptions.
 */
#include "tracer/tracee/tracee_internal.h"

#include <string.h>

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

/* ---- running threads ------------------------------------------------------------------------- */

static bool lacks(const struct thread *th, const void *what)
{
	const struct tracee_space *space = what;

	return space_of(th) == space && th->pub.state == TRACEE_RUNNING &&
	       th->reach != REACH_ENDED && !watch_covers(&th->watched, &space->watched);
}

/* A thread gets the words as soon as it stops, before the stop is handled. */
static void agree_running(struct tracee *t, const struct tracee_space *space)
{
	struct paused paused = {0};

	halt_some(t, lacks, space, &paused);
	let_others_go(&paused);
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
