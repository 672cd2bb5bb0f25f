/*
 * DPOR: one schedule of each Mazurkiewicz trace, by source sets and sleep sets. dpor.c is the
 * search, dpor_races.c has happens-before and races, dpor_stores.c what the memory model permits
 * besides.
 *
 * A node is a state before a step. After a run each race of its new steps is reversed: the source
 * set of the node before the race gets a thread that begins a schedule in which the second step
 * comes first. What the paper leaves to its reader:
 *
 * Locks	An acquisition is possible only while it does not wait, so threads wait for a lock
 *		only where no thread can go on. A release and the next acquisition are no race, and
 *		hide none before them: that of two acquisitions.
 * Waits	A thread that could not go on before a step and can after it happens after the step.
 * Wakes	Which thread a step wakes is a choice of its own; all are tried.
 * The end	A step that ends the program while others could go on depends on all steps.
 * Sharing	Memory that one thread alone has accessed, in all runs so far, is its own. Clocks
 *		of a run are made with what is shared by then, and a run that shares more has the
 *		races itself.
 */
#ifndef GATECTL_SCHED_STRATEGY_DPOR_H
#define GATECTL_SCHED_STRATEGY_DPOR_H

#include "tracer/sched/strategy/strategy_internal.h"

/* Bits of dpor_choice.flags. */
enum {
	DPOR_WANTED = 1, /* in the source set: tried at this node, or to be tried */
	DPOR_ASLEEP = 2, /* schedules that go on like this were tried, here or at an earlier node */
	DPOR_BEHIND = 4, /* yielded; other threads go first */
	DPOR_ENDS = 8,	 /* the step has ended the program while other threads could go on */
};

struct dpor_choice {
	struct strategy_point point;
	unsigned flags;
};

/* items[t]: the number, which is an index of nodes + 1, of thread t's last step that happens before
   the clock's owner goes on; 0: none. */
struct dpor_clock {
	size_t *items;
	size_t count, capacity;
};

/* A choice: among steps, or, with points of op WAKE, among threads that the step before wakes. */
struct dpor_node {
	struct dpor_choice *choices; /* owned */
	size_t count, chosen;
	struct dpor_clock clock; /* after the chosen step */
};

struct dpor_delay {
	uint64_t store, load; /* places */
};

/* Stores of a thread since its last fence. */
struct dpor_pending {
	struct strategy_point *items;
	size_t count, capacity;
};

struct dpor_stores {
	struct table raced;		    /* places of accesses that were reordered */
	struct table known;		    /* pairs in `delays` */
	ARRAY(struct dpor_delay) delays;    /* a load that follows the store without a fence */
	ARRAY(struct dpor_pending) pending; /* by thread */
};

struct dpor {
	struct strategy base;
	ARRAY(struct dpor_node) nodes;
	size_t depth; /* nodes passed in this run */
	size_t known; /* nodes with a clock */
	size_t step;  /* number of the last node in this run that is a step; 0: none */
	bool has_strayed, has_stopped;
	struct fairness fairness;
	struct dpor_stores stores;
	/* For dpor_races.c: */
	struct table owners;	      /* piece of memory -> thread + 1, or SHARED */
	bool has_any_size;	      /* accesses of unknown size: all memory is shared */
	ARRAY(struct dpor_clock) now; /* by thread: before its next step */
	ARRAY(size_t) last;	      /* by thread: number of its last step */
	ARRAY(size_t) first;	      /* by thread: number of its first step in a part of the run */
	ARRAY(size_t) all, shared, wide; /* indexes of steps, by what may depend on them */
};

static inline const struct dpor_choice *dpor_chosen(const struct dpor_node *n)
{
	return &n->choices[n->chosen];
}

static inline bool dpor_is_step(const struct dpor_node *n)
{
	return n->choices[0].point.op != STRATEGY_WAKE;
}

/* ---- dpor.c ---- */

/* Returns the thread's choice, or NULL. */
struct dpor_choice *dpor_choice_of(const struct dpor_node *n, unsigned thread);
/* Writes the step once for each object that it accesses. Returns their number. */
size_t dpor_objects(const struct strategy_point *p, struct strategy_point objects[2]);
/* Returns true if the order of both steps can make a difference. */
bool dpor_depends(const struct dpor_choice *a, const struct dpor_choice *b);
/* Returns true if the step is possible, and no other thread has to go first. */
bool dpor_is_possible(const struct dpor_choice *c);

/* ---- dpor_races.c ---- */

/* Adds to the source sets what reverses the races of the run's new steps. */
void dpor_find_races(struct dpor *d);
/* Returns true if threads share memory that the step accesses, as far as the search has seen. */
bool dpor_is_shared(const struct dpor *d, const struct strategy_point *p);
/* Frees what dpor_find_races() keeps. */
void dpor_races_fini(struct dpor *d);

/* ---- dpor_stores.c ---- */

/* Notes that the search reorders the access. */
void dpor_stores_raced(struct dpor_stores *s, const struct strategy_point *p);
/* Collects, in the run, the loads that a processor may make before an earlier store. */
void dpor_stores_look(struct dpor *d);
/* Returns true if such a load and store were both reordered with other threads' accesses. */
bool dpor_stores_matter(const struct dpor_stores *s);
/* Frees what `s` owns. */
void dpor_stores_fini(struct dpor_stores *s);

#endif
