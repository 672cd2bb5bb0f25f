/*
 * RFF's corpus: abstract schedules that have shown something new, and which one is mutated next.
 *
 * An abstract schedule is a set of constraints: this read is to see that write (positive), or is not to
 * (negative). All that is drawn comes from the generator given; all that is learnt, from lessons.
 */
#ifndef GATECTL_SCHED_STRATEGY_RFF_RFF_CORPUS_H
#define GATECTL_SCHED_STRATEGY_RFF_RFF_CORPUS_H

#include "tracer/sched/strategy/prng.h"
#include "tracer/sched/strategy/rff/reads_from.h"

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

struct rff_news {
	size_t pairs;	 /* not seen before */
	bool is_set_new; /* no run had all these pairs, and no others */
};

/* A run of this abstract schedule, mutated from `parent`, had these pairs. What is new in them? */
struct rff_news rff_corpus_learn(struct rff_corpus *c, size_t parent, const struct rff_abstract *a,
				 bool failed, const struct reads_from_pair *pairs, size_t count);
void rff_corpus_fini(struct rff_corpus *c);

#endif
