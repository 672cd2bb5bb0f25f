/*
 * Places in the code whose accesses to memory have no order with other threads': at most of them each thread is at
 * words of its own.
 *
 * Run 0 shows it. Two steps at one piece of memory conflict if they are by two threads, one writes, and neither is
 * before the other by threads being created and joined alone (vector clocks; Mattern 1988). Other synchronisation
 * counts for nothing: the next run may do it in another order. A place is own if none of its accesses conflicts.
 * Code that run 0 has not come to is not own; what it has not shown of code that it has come to remains unknown,
 * so now and then a run has to do without. So does what the system's libraries do: there are no points in them.
 */
#ifndef GATECTL_SCHED_STRATEGY_SHARING_H
#define GATECTL_SCHED_STRATEGY_SHARING_H

#include "tracer/base/array.h"
#include "tracer/sched/strategy/strategy.h"
#include "tracer/sched/strategy/table.h"

/* What a thread knows of the others: their steps up to there are before its next one. */
struct sharing_thread {
	bool is_here;
	uint64_t joined_by; /* object of its END; 0: it has not ended */
	ARRAY(uint64_t) clock;
};

/* The last steps of one thread on one piece of memory; 0: none. */
struct sharing_touch {
	unsigned thread;
	size_t next; /* another thread's on the same piece, as its index + 1 */
	uint64_t read, written;
};

struct sharing_been {
	uint64_t place, object;
	unsigned long times;
};

/* {0}: nothing is known. */
struct sharing {
	struct table places; /* OWN or not */
	struct table pieces; /* of memory: index + 1 of the first touch */
	struct table pairs;  /* a place at an object: index + 1 of it in `been` */
	ARRAY(struct sharing_been) been;
	ARRAY(struct sharing_touch) touches;
	ARRAY(struct sharing_thread) threads;
	struct table conflicts;	 /* pieces */
	unsigned long own_steps; /* accesses at own places, in that run */
	uint64_t step;
	unsigned last; /* who moved */
};

void sharing_begin(struct sharing *s); /* run 0 */
/* Of these points it was this one. */
void sharing_saw(struct sharing *s, const struct strategy_point *points, size_t count,
		 size_t chosen);
void sharing_settle(struct sharing *s); /* run 0 is over */
void sharing_fini(struct sharing *s);

/* Settled. */
bool sharing_is_own_place(const struct sharing *s, uint64_t place);
bool sharing_is_shared(const struct sharing *s, uint64_t object);

/* Is it an access to memory, as far as the strategies know? */
bool sharing_is_access(const struct strategy_point *p);

#endif
