/*
 * What RFF remembers of runs: which write each read saw, and abstract schedules that have shown
 * something new.
 */
#ifndef GATECTL_SCHED_STRATEGY_RFF_CORPUS_H
#define GATECTL_SCHED_STRATEGY_RFF_CORPUS_H

#include "tracer/sched/strategy/strategy_internal.h"

/* ---- reads-from pairs of one run ---------------------------------------------------------------- */

/*
 * Steps are events (op, place, object): threads that do the same do the same event. READ, ATOMIC,
 * LOCK and WAIT read from the last WRITE, ATOMIC, UNLOCK, SIGNAL or END of the object.
 */
#define READS_FROM_NOBODY ((uint64_t)0)

enum { READS_FROM_MOST = 4096 }; /* pairs of a run: what is behind them is not looked at */

struct reads_from_pair {
	uint64_t object;
	uint64_t writer; /* event; NOBODY: what was there before the run */
	uint64_t reader; /* event; NOBODY: this line says only that there is the write */
};

/* {0}: nothing has been done. */
struct reads_from {
	struct table last;    /* object -> event that wrote it */
	struct table threads; /* object -> the one that touched it, plus 1; or SHARED */
	struct table known;   /* pairs */
	ARRAY(struct reads_from_pair) pairs; /* each once */
};

uint64_t reads_from_event(const struct strategy_point *p); /* not 0 */
uint64_t reads_from_last(const struct reads_from *f, uint64_t object);
void reads_from_step(struct reads_from *f, const struct strategy_point *moved);
/* At the end of a run: without those of objects that one thread has for itself. */
void reads_from_keep_shared(struct reads_from *f);
void reads_from_clear(struct reads_from *f);
void reads_from_fini(struct reads_from *f);

/* ---- the corpus ----------------------------------------------------------------------------------- */

/*
 * An abstract schedule is a set of constraints: this read has to see that write (positive), or must
 * not (negative). All random choices come from the generator given; all knowledge, from lessons.
 */
enum { RFF_CONSTRAINTS = 16 }; /* in one abstract schedule, at most */

struct rff_constraint {
	struct reads_from_pair pair;
	bool positive;
};

struct rff_abstract {
	struct rff_constraint constraints[RFF_CONSTRAINTS];
	size_t count;
	uint64_t signature;   /* of the run that was added: all its pairs */
	unsigned long chosen; /* how often it was mutated */
};

struct rff_event {
	uint64_t object, event;
};

/* {0}: the empty abstract schedule alone; nothing is known. */
struct rff_corpus {
	ARRAY(struct rff_abstract) kept; /* [0] is the empty one, once something has been learnt */
	ARRAY(struct rff_event) readers, writers;
	struct table events; /* which of them are known, as writer or as reader */
	struct table pairs;  /* how many runs had them */
	struct table runs;   /* signature -> how many runs */
	unsigned long total;
};

/* Draws an abstract schedule and mutates it; returns which one it was. */
size_t rff_corpus_draw(const struct rff_corpus *c, struct prng *r, struct rff_abstract *mutated);

/* A run of this abstract schedule, mutated from `parent`, had these pairs. What is new in them? */
struct rff_news rff_corpus_learn(struct rff_corpus *c, size_t parent, const struct rff_abstract *a,
				 bool failed, const struct reads_from_pair *pairs, size_t count);
void rff_corpus_fini(struct rff_corpus *c);

#endif
