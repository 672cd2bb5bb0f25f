/* Sets of locks, each kept once and called by a number, for as long as the table lives. */
#ifndef GATECTL_SCHED_RACES_LOCKS_H
#define GATECTL_SCHED_RACES_LOCKS_H

#include "tracer/base/array.h"
#include "tracer/sched/races/map.h"

struct lock_list { /* a thread's, as often as it has taken each */
	uint64_t *items;
	size_t count, capacity;
};

struct lock_set {
	uint64_t *locks; /* sorted */
	size_t count;
	uint32_t next; /* of the same hash */
};

struct lock_sets {
	ARRAY(struct lock_set) sets;
	struct map by_hash;
};

/* The number of the set of these locks; 0: the empty set. */
uint32_t lock_sets_find(struct lock_sets *s, const struct lock_list *held);
const struct lock_set *lock_sets_get(const struct lock_sets *s, uint32_t number);
void lock_sets_fini(struct lock_sets *s);

#endif
