/* What a search for races remembers: memory cells, sets of locks, freed spans. */
#ifndef GATECTL_SCHED_RACES_RACES_INTERNAL_H
#define GATECTL_SCHED_RACES_RACES_INTERNAL_H

#include "tracer/base/array.h"
#include "tracer/base/table.h"
#include "tracer/sched/races/races.h"

/* ---- shadow.c: memory, in cells of eight bytes ---------------------------------------------- */

/* An access, and its epoch: the clock of its thread. */
struct shadow_seen {
	uint32_t clock; /* 0: there was none */
	uint16_t thread;
	bool writes, atomic;
	uint32_t place, locks; /* numbers */
};

/* The bytes of a cell that have always been accessed together. */
struct shadow_variable {
	uint8_t bytes;		  /* of its cell, a bit each */
	uint32_t next;		  /* of the cell */
	struct shadow_seen write; /* the last one */
	/* The last read since that write, if all other reads happen before it; else `reads`. */
	struct shadow_seen read;
	uint32_t reads; /* each thread's last one */
};

struct read_list {
	ARRAY(struct shadow_seen) list;
	uint32_t next; /* of those that are free */
};

/* Numbers of variables and lists are index + 1, 0 is none. */
struct shadow {
	struct table cells; /* to the first variable */
	ARRAY(struct shadow_variable) variables;
	ARRAY(struct read_list) reads;
	uint32_t free_variable, free_reads;
};

void shadow_access(struct races *r, uint64_t address, uint64_t size, const struct shadow_seen *now);
/* Reports what races with an access there, and keeps nothing of it. */
void shadow_compare(struct races *r, uint64_t address, uint64_t size,
		    const struct shadow_seen *now);
void shadow_forget(struct shadow *s, uint64_t address, uint64_t size);
void shadow_clear(struct shadow *s);
void shadow_fini(struct shadow *s);

/* ---- spans.c: sets of locks, each kept once and called by a number -------------------------- */

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
	struct table by_hash;
};

/* The number of the set of these locks; 0: the empty set. */
uint32_t lock_sets_find(struct lock_sets *s, const struct lock_list *held);
const struct lock_set *lock_sets_get(const struct lock_sets *s, uint32_t number);
void lock_sets_fini(struct lock_sets *s);

/* ---- spans.c: freed memory that has not been allocated again -------------------------------- */

struct freed_span {
	uint64_t low, last;
	struct shadow_seen by;
};

struct freed_spans {
	struct freed_span *items; /* by address; none overlaps another one */
	size_t count, capacity;
};

/* In place of whatever was freed there. */
void freed_spans_add(struct freed_spans *g, const struct freed_span *span);
/* The memory is in use again. */
void freed_spans_cut(struct freed_spans *g, uint64_t low, uint64_t last);
/* The first span that has one of these bytes, or NULL. Valid until the next call of the above. */
const struct freed_span *freed_spans_find(const struct freed_spans *g, uint64_t low, uint64_t last);

/* ---- races.c -------------------------------------------------------------------------------- */

/* By thread: how much of what each has done is known. A missing entry is 0. */
struct clock {
	uint32_t *items;
	size_t count, capacity;
};

struct race_thread {
	bool begun;
	uint32_t clock;		 /* number of its clock */
	ARRAY(uint32_t) pending; /* clocks that it acquires at its next point */
	struct lock_list held;
	uint32_t locks; /* number of the set of those */
};

struct races {
	ARRAY(struct race_thread) threads;
	ARRAY(struct clock) clocks; /* of threads and objects; their number is index + 1 */
	size_t clock_count;	    /* that are in use */
	struct table objects;	    /* to clocks */
	struct shadow shadow;
	struct freed_spans freed;
	/* Of all runs: */
	struct lock_sets locks;
	ARRAY(struct races_pair) pairs;
	struct table pair_numbers; /* index + 1, by both places */
	ARRAY(uint64_t) counted;   /* the access that a pair was counted for last */
	uint64_t accesses;
	const struct clock *now; /* of the thread whose access is looked at */
};

/* Has what was seen happened before what the thread of r->now does now? */
bool races_is_ordered(const struct races *r, const struct shadow_seen *before);
void races_found(struct races *r, uint64_t address, const struct shadow_seen *before,
		 const struct shadow_seen *now);

#endif
