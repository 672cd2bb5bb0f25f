/* Threads of the program, and the patterns that match them. */
#include "gates/engine_internal.h"

#include <string.h>

struct own_thread *engine_thread_own(struct engine_thread *t)
{
	return (struct own_thread *)t; /* `thread` is the first member of own_thread */
}

void engine_thread_release(struct own_thread *own)
{
	array_fini(&own->stop.places);
	array_fini(&own->stop.spots);
	str_fini(&own->stop.file);
	str_fini(&own->stop.func);
	array_fini(&own->watches);
	array_fini(&own->armed);
}

void engine_thread_free(struct own_thread *own)
{
	engine_thread_release(own);
	base_free(own->thread.id);
	base_free(own->thread.start);
	base_free(own);
}

struct engine_thread *engine_thread_at(const struct engine *e, size_t index)
{
	return index < e->threads.count ? &e->threads.items[index]->thread : NULL;
}

static bool matches(const char *pattern, const char *name)
{
	return name && *name && str_wildcard(pattern, name);
}

enum { NAME_MOST = 15 }; /* bytes: TASK_COMM_LEN - 1, the longest thread name of the kernel */

/*
 * True if the pattern can match a thread name. A name may have any bytes, "#" too; only its length
 * is limited.
 */
static bool fits_name(const char *pattern)
{
	size_t shortest = 0;

	for (; *pattern; pattern++)
		shortest += *pattern != '*';
	return shortest <= NAME_MOST;
}

/* The names that have to be read from the program are compared last. */
bool engine_thread_matches(struct engine *e, const struct engine_thread *t, const char *pattern)
{
	const struct engine_world *world = &e->world;

	if (!pattern || str_wildcard(pattern, t->id))
		return true;
	if (t->start && str_wildcard(pattern, t->start))
		return true;
	if (world->thread_name && fits_name(pattern) &&
	    matches(pattern, world->thread_name(world->ctx, t)))
		return true;
	return world->thread_runs && matches(pattern, world->thread_runs(world->ctx, t));
}

/* ---- state that a thread keeps from one stop to the next ---- */

void engine_thread_arm(struct engine_thread *t, struct place *companion)
{
	struct own_thread *own = engine_thread_own(t);

	array_each(struct place *, p, &own->armed)
		if (*p == companion)
			return;
	*array_add(&own->armed) = companion;
}

bool engine_thread_disarm(struct engine_thread *t, const struct place *companion)
{
	struct own_thread *own = engine_thread_own(t);

	for (size_t i = 0; i < own->armed.count; i++) {
		if (own->armed.items[i] != companion)
			continue;
		array_remove(&own->armed, i);
		return true;
	}
	return false;
}

void engine_thread_watch(struct engine_thread *t, struct gate *g)
{
	struct own_thread *own = engine_thread_own(t);

	array_each(struct gate *, w, &own->watches)
		if (*w == g)
			return;
	*array_add(&own->watches) = g;
}
