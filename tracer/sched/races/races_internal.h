/* Data of the search for races: memory cells, locksets, freed spans. */
#ifndef GATECTL_SCHED_RACES_RACES_INTERNAL_H
#define GATECTL_SCHED_RACES_RACES_INTERNAL_H

#include "tracer/base/array.h"
#include "tracer/base/table.h"
#include "tracer/sched/races/races.h"

/* ---- shadow.c: memory, in cells of eight bytes ---------------------------------------------- */

/* An access, with the clock of its thread as epoch. */
struct shadow_seen {
	uint32_t clock; /* 0: no access */
	uint16_t thread;
	bool writes, atomic;
	uint32_t place, locks; /* numbers of the place and the lockset */
};

/* Bytes of a cell that have always been accessed together. */
struct shadow_variable {
	uint8_t bytes;		  /* a bit for each byte of the cell */
	uint32_t next;		  /* next variable of the cell */
	struct shadow_seen write; /* the last write */
	/* The last read since that write, if all other reads happen before it; else `reads` has
	   them. */
	struct shadow_seen read;
	uint32_t reads; /* list with the last read of each thread */
};

struct read_list {
	ARRAY(struct shadow_seen) list;
	uint32_t next; /* next free list */
};

/* Shadow memory. A variable or list is referred to by index + 1; 0 is none. */
struct shadow {
	struct table cells; /* cell -> its first variable */
	ARRAY(struct shadow_variable) variables;
	ARRAY(struct read_list) reads;
	uint32_t free_variable, free_reads;
};

void shadow_access(struct races *r, uint64_t address, uint64_t size, const struct shadow_seen *now);
/* Reports races with an access to the memory, without keeping the access. */
void shadow_compare(struct races *r, uint64_t address, uint64_t size,
		    const struct shadow_seen *now);
void shadow_forget(struct shadow *s, uint64_t address, uint64_t size);
void shadow_clear(struct shadow *s);
void shadow_fini(struct shadow *s);

/* ---- spans.c: locksets, each stored once and referred to by number ----------------------- */

/* Locks that a thread holds, once for each acquisition. */
struct lock_list {
	uint64_t *items;
	size_t count, capacity;
};

struct lock_set {
	uint64_t *locks; /* sorted */
	size_t count;
	uint32_t next; /* next set with the same hash */
};

struct lock_sets {
	ARRAY(struct lock_set) sets;
	struct table by_hash;
};

/* Returns the number of the lockset, or 0 for the empty one. */
uint32_t lock_sets_find(struct lock_sets *s, const struct lock_list *held);
const struct lock_set *lock_sets_get(const struct lock_sets *s, uint32_t number);
void lock_sets_fini(struct lock_sets *s);

/* ---- spans.c: freed memory that has not been allocated again ----------------------------- */

struct freed_span {
	uint64_t low, last;
	struct shadow_seen by;
};

struct freed_spans {
	struct freed_span *items; /* sorted by address, disjoint */
	size_t count, capacity;
};

/* Adds the span and removes older spans where they overlap. */
void freed_spans_add(struct freed_spans *g, const struct freed_span *span);
/* Removes memory that is in use again. */
void freed_spans_cut(struct freed_spans *g, uint64_t low, uint64_t last);
/* Returns the first span with one of these bytes, or NULL. Valid until a span is added or cut. */
const struct freed_span *freed_spans_find(const struct freed_spans *g, uint64_t low, uint64_t last);

/* ---- races.c -------------------------------------------------------------------------------- */

/* A vector clock, by thread. A missing entry is 0. */
struct clock {
	uint32_t *items;
	size_t count, capacity;
};

struct race_thread {
	bool begun;
	uint32_t clock;		 /* number of its vector clock */
	ARRAY(uint32_t) pending; /* clocks that it acquires at its next point */
	struct lock_list held;
	uint32_t locks; /* number of the lockset `held` */
};

struct races {
	ARRAY(struct race_thread) threads;
	ARRAY(struct clock) clocks; /* of threads and objects; numbers are index + 1 */
	size_t clock_count;	    /* clocks in use */
	struct table objects;	    /* object -> number of its clock */
	struct shadow shadow;
	struct freed_spans freed;
	/* Kept from run to run: */
	struct lock_sets locks;
	ARRAY(struct races_pair) pairs;
	struct table pair_numbers; /* both places -> index + 1 */
	ARRAY(uint64_t) counted;   /* by pair: the access that was counted last */
	uint64_t accesses;
	const struct clock *now; /* of the thread that makes the current access */
};

/* Returns true if `before` happens before the current access of the thread of r->now. */
bool races_is_ordered(const struct races *r, const struct shadow_seen *before);
void races_found(struct races *r, uint64_t address, const struct shadow_seen *before,
		 const struct shadow_seen *now);

#endif
