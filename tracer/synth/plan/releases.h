/*
 * Which locks were released, step by step: of each object and thread the pairs of the step that
 * took the lock and the one that released it. A wait for a condition releases the locks that its
 * thread holds.
 */
#ifndef GATECTL_SYNTH_PLAN_RELEASES_H
#define GATECTL_SYNTH_PLAN_RELEASES_H

#include "tracer/synth/plan/plan_internal.h"

struct release {
	size_t lock, by;
};

/* The releases of one object by one thread; those of the object are linked. */
struct releases_list {
	uint64_t object;
	unsigned thread;
	size_t next;		     /* NONE: the last list of the object */
	ARRAY(struct release) items; /* both steps ascend */
};

struct held_lock {
	uint64_t object;
	size_t lock;
};
struct held_locks {
	ARRAY(struct held_lock) items;
};

struct releases {
	const struct plan_view *v;
	ARRAY(struct releases_list) lists;
	size_t *slots; /* by object: 1 + its first list; 0: there is none */
	size_t size;   /* ... of these, a power of 2 */
	size_t objects;
	struct held_locks *held; /* by thread */
};

void releases_init(struct releases *r, const struct plan_view *v);
void releases_fini(struct releases *r);
/* Steps are added in their order. */
void releases_add(struct releases *r, size_t step);

/* The lists of the step's object; NONE: there is no other. */
size_t releases_first(const struct releases *r, size_t step);
size_t releases_next(const struct releases *r, size_t list);
unsigned releases_thread(const struct releases *r, size_t list);
/* The last release of a lock that was taken before the step `before`; NONE. */
size_t releases_after(const struct releases *r, size_t list, size_t before);

#endif
