/* What to do about a deadlock that is the program's own. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/explain/explain.h"

#include <string.h>

static bool own_deadlock_waits_for_lock(const struct waiting *w)
{
	return (w->kind == WAITING_MUTEX || w->kind == WAITING_RWLOCK) && w->object;
}

/* For a circle of locks: names all that the verdict is about. */
static void try_order(struct run *s, struct str *out)
{
	size_t locks = 0;

	array_each(struct run_thread *, it, &s->threads) {
		const struct waiting *w = waiting_of(*it);

		if (w->in_cycle)
			str_addf(out, "%s%s", locks++ ? " and " : "", w->object);
	}
	str_add(out, " are taken in different orders: take them in the same order everywhere");
}

/* Does every thread that the verdict is about wait for another one of them? */
static bool is_circle(struct run *s)
{
	array_each(struct run_thread *, it, &s->threads) {
		const struct waiting *w = waiting_of(*it);
		const struct run_thread *owner;

		if (!w->in_cycle)
			continue;
		if (!own_deadlock_waits_for_lock(w) || w->gone || w->on.count != 1)
			return false;
		owner = threads_of(w->on.items[0]);
		if (owner == *it || !waiting_of(owner)->in_cycle)
			return false;
	}
	return true;
}

static void try_once(const struct run_thread *t, struct str *out)
{
	const struct waiting *w = waiting_of(t);

	str_addf(out, "%s takes %s again while it owns it: give it back before%s", t->engine->id,
		 w->object, w->kind == WAITING_MUTEX ? ", or make it recursive" : "");
}

/* The only thread that the verdict is about, if it waits for a lock that it owns; or NULL. */
static const struct run_thread *waits_for_itself(struct run *s)
{
	const struct run_thread *found = NULL;

	array_each(struct run_thread *, it, &s->threads) {
		const struct waiting *w = waiting_of(*it);

		if (!w->in_cycle)
			continue;
		if (found || !own_deadlock_waits_for_lock(w) || w->on.count != 1 ||
		    w->on.items[0] != (*it)->engine)
			return NULL;
		found = *it;
	}
	return found;
}

void own_deadlock_try(struct run *s, struct str *out)
{
	const struct run_thread *alone = waits_for_itself(s);

	if (alone)
		try_once(alone, out);
	else if (s->cycle.length && is_circle(s))
		try_order(s, out);
	else
		str_add(out, "the program deadlocks by itself");
	str_add(out, "; a test of the deadlock says `expect { deadlock = true }`");
}
