/* Reads-from pairs of runs, and RFF's corpus of abstract schedules that have shown something
   new. */
#ifndef GATECTL_SCHED_STRATEGY_RFF_CORPUS_H
#define GATECTL_SCHED_STRATEGY_RFF_CORPUS_H

#include "tracer/sched/strategy/strategy_internal.h"

/* ---- reads-from pairs of one run --------------------------------------------------------- */

/* Steps are events (op, place, object), equal for threads that make equal steps. READ, ATOMIC,
   LOCK and WAIT read from the last WRITE, ATOMIC, UNLOCK, SIGNAL or END of the object. */
#define READS_FROM_NOBODY ((uint64_t)0)

enum { READS_FROM_MOST = 4096 }; /* pairs of a run; later ones are ignored */

struct reads_from_pair {
	uint64_t object;
	uint64_t writer; /* event, or READS_FROM_NOBODY: the value before the run */
	uint64_t reader; /* event, or READS_FROM_NOBODY: the entry only records the write */
};

/* {0}: an empty run. */
struct reads_from {
	struct table last;    /* object -> event of its last write */
	struct table threads; /* object -> the only thread that accessed it, plus 1, or SHARED */
	struct table known;   /* set of pairs */
	ARRAY(struct reads_from_pair) pairs; /* each pair once */
};

/* Returns the event of a step, never 0. */
uint64_t reads_from_event(const struct strategy_point *p);
/* Returns the event of the object's last write, or READS_FROM_NOBODY. */
uint64_t reads_from_last(const struct reads_from *f, uint64_t object);
/* Adds the pairs of a step. */
void reads_from_step(struct reads_from *f, const struct strategy_point *moved);
/* Removes pairs of objects that only one thread accessed, at the end of a run. */
void reads_from_keep_shared(struct reads_from *f);
/* Makes the run empty; keeps the memory. */
void reads_from_clear(struct reads_from *f);
/* Frees the memory. */
void reads_from_fini(struct reads_from *f);

/* ---- the corpus -------------------------------------------------------------------------- */

/* An abstract schedule is a set of constraints: the read must see the write (positive) or must
   not (negative). Random choices use the caller's generator; knowledge comes from lessons alone. */
enum { RFF_CONSTRAINTS = 16 }; /* most constraints of one abstract schedule */

struct rff_constraint {
	struct reads_from_pair pair;
	bool positive;
};

struct rff_abstract {
	struct rff_constraint constraints[RFF_CONSTRAINTS];
	size_t count;
	uint64_t signature;   /* hash of all pairs of the run that added it */
	unsigned long chosen; /* number of its mutations */
};

struct rff_event {
	uint64_t object, event;
};

/* {0}: no knowledge, only the empty abstract schedule. */
struct rff_corpus {
	ARRAY(struct rff_abstract) kept; /* [0] is empty, once a lesson was learnt */
	ARRAY(struct rff_event) readers, writers;
	struct table events; /* set of known writers and readers */
	struct table pairs;  /* pair -> number of runs that had it */
	struct table runs;   /* signature -> number of runs */
	unsigned long total;
};

/* Draws an abstract schedule and mutates it. Returns the index of the parent. */
size_t rff_corpus_draw(const struct rff_corpus *c, struct prng *r, struct rff_abstract *mutated);

/* Adds a run of `a`, which was mutated from `parent`. Returns what was new in its pairs. */
struct rff_news rff_corpus_learn(struct rff_corpus *c, size_t parent, const struct rff_abstract *a,
				 bool failed, const struct reads_from_pair *pairs, size_t count);
/* Frees the memory. */
void rff_corpus_fini(struct rff_corpus *c);

#endif
