/* What the strategies have in common: one table of functions each. */
#ifndef GATECTL_SCHED_STRATEGY_STRATEGY_INTERNAL_H
#define GATECTL_SCHED_STRATEGY_STRATEGY_INTERNAL_H

#include "tracer/base/array.h"
#include "tracer/sched/strategy/prng.h"
#include "tracer/sched/strategy/sharing.h"
#include "tracer/sched/strategy/spin.h"
#include "tracer/sched/strategy/strategy.h"

#define NOBODY ((unsigned)-1)

/* What a run has taught, and is not learnt yet. */
struct strategy_lesson {
	uint64_t run;
	uint64_t *words; /* owned */
	size_t count;
};

/* The first member of each strategy's own struct. */
struct strategy {
	const struct strategy_type *type;
	struct strategy_options options;
	uint64_t run;
	struct prng prng; /* of this run */
	bool is_done;
	unsigned long strayed;
	bool fair;
	struct sharing sharing;		       /* of those that look */
	const struct sharing *shown;	       /* the same; of auto and its members surw's */
	unsigned last;			       /* who moved */
	struct spin_watch walk;		       /* from one own place to the next */
	ARRAY(uint64_t) lesson;		       /* of the run that ended last: end() writes it */
	ARRAY(struct strategy_lesson) lessons; /* of this batch, and later ones */
};

struct strategy_type {
	const char *name;
	size_t size; /* of its own struct */
	enum strategy_memory memory;
	bool looks; /* in run 0: which places are own ones? */
	bool walks; /* ... and in later runs goes on with the same thread there, and does not choose */
	/* All but choose() may be NULL. */
	void (*begin)(struct strategy *s);
	size_t (*choose)(struct strategy *s, const struct strategy_point *points, size_t count);
	/* `avoid->elsewhere` is `most` before; of one that walks it counts only steps that are elsewhere. */
	size_t (*foresee)(struct strategy *s, const struct strategy_point *points, size_t count,
			  size_t chosen, size_t most, struct strategy_avoid *avoid);
	void (*end)(struct strategy *s, enum strategy_result result);
	/* Before the first run of a later batch, in the order of runs; run 0 before all others. */
	void (*learn)(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count);
	void (*fini)(struct strategy *s);
};

/* False: there is no room. Nothing alike is added twice, nor STRATEGY_NO_OBJECT. */
bool strategy_avoid_object(struct strategy_avoid *avoid, uint64_t object);
bool strategy_avoid_others(struct strategy_avoid *avoid, const struct strategy_point *points,
			   size_t count, size_t chosen);

/* Is it at an own place, in a run where that counts? Run 0 may not have shown all that threads share: some
   runs look everywhere. */
bool strategy_is_own(const struct strategy *s, const struct strategy_point *p);
bool strategy_looks_everywhere(const struct strategy *s);

/* lesson.c */
void strategy_keep_lesson(struct strategy *s); /* a run has ended */
void strategy_apply_lessons(struct strategy *s, uint64_t run);
void strategy_free_lessons(struct strategy *s);

struct strategy *strategy_alloc(const struct strategy_type *type,
				const struct strategy_options *options);

extern const struct strategy_type strategy_auto, strategy_random, strategy_pct, strategy_pos,
	strategy_surw, strategy_rff, strategy_dfs;

#endif
