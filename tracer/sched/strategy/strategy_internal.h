/* What the strategies have in common, and what each of them supplies: a table of functions. */
#ifndef GATECTL_SCHED_STRATEGY_STRATEGY_INTERNAL_H
#define GATECTL_SCHED_STRATEGY_STRATEGY_INTERNAL_H

#include "tracer/base/array.h"
#include "tracer/base/table.h"
#include "tracer/sched/strategy/prng.h"
#include "tracer/sched/strategy/strategy.h"

#define NOBODY ((unsigned)-1)

/* ---- spinning ----------------------------------------------------------------------------------- */

/*
 * A thread spins if it does one and the same thing (place and object) forty times.
 *
 * One thing is watched at a time, another one from each power of two of the steps on if the old one
 * did not come again (Brent's way to find a cycle): a loop of any length is found, nothing is searched.
 */
enum { SPIN_HITS = 40 };

/* {0}: no thread has moved yet. */
struct spin_watch {
	unsigned thread;	/* the one that moves */
	unsigned long steps;	/* its own, since another one moved */
	uint64_t place, object; /* what is watched */
	unsigned hits, hits_before;
};

/* Notes a step. Returns true if its thread spins; the watch begins anew then, as it does when another
   thread moves. */
bool spin_step(struct spin_watch *s, const struct strategy_point *moved);
/* So many steps more of the same thread, whatever they are, are not enough. */
unsigned spin_left(const struct spin_watch *s);

/* ---- sharing.c ---------------------------------------------------------------------------------- */

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

/* ---- a strategy --------------------------------------------------------------------------------- */

/* What a run has taught, and is not learnt yet. */
struct strategy_lesson {
	uint64_t run;
	uint64_t *words; /* owned */
	size_t count;
};

/* The first member of each strategy's own struct. */
struct strategy {
	const struct strategy_type *type;
	enum strategy_memory memory;
	struct strategy_options options;
	uint64_t run;
	struct prng prng;	/* of this run */
	struct spin_watch spin; /* of this run, for choose() */
	bool is_done;
	unsigned long strayed;
	bool fair;
	struct sharing sharing;		       /* of those that look */
	const struct sharing *shown;	       /* the same; of auto and its members surw's */
	unsigned last;			       /* the thread that moved last */
	struct spin_watch walk;		       /* from one own place to the next */
	ARRAY(uint64_t) lesson;		       /* of the run that ended last: end() writes it */
	ARRAY(struct strategy_lesson) lessons; /* of this batch, and later ones */
};

enum {
	STRATEGY_LOOKS = 1, /* learns in run 0 which places are own ones */
	STRATEGY_WALKS = 2, /* goes on with the same thread at these, and does not choose */
	STRATEGY_COUNTS = 4 /* needs run 0 for options.steps alone */
};

struct strategy_type {
	const char *name;
	size_t size; /* of its own struct */
	enum strategy_memory memory;
	unsigned flags;
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

struct strategy *strategy_alloc(const struct strategy_type *type,
				const struct strategy_options *options);

/* False: there is no room. Nothing alike is added twice, nor STRATEGY_NO_OBJECT. */
bool strategy_avoid_object(struct strategy_avoid *avoid, uint64_t object);
bool strategy_avoid_others(struct strategy_avoid *avoid, const struct strategy_point *points,
			   size_t count, size_t chosen);

/* Is it at an own place, in a run where that counts? Run 0 may not have shown all that threads share: some
   runs look everywhere. */
bool strategy_is_own(const struct strategy *s, const struct strategy_point *p);
bool strategy_looks_everywhere(const struct strategy *s);

extern const struct strategy_type strategy_pct, strategy_pos, strategy_surw, strategy_rff,
	strategy_dfs;

/* ---- for auto ----------------------------------------------------------------------------------- */

bool pct_counts(const struct strategy_point *p); /* PCT can lower a priority there */

/* RFF observes a run in which another strategy chooses: in place of strategy_begin() and strategy_choose(). */
void rff_begin_watching(struct strategy *s, uint64_t run);
void rff_watch(struct strategy *s, const struct strategy_point *moved);
struct rff_news {
	size_t pairs;	 /* not seen before */
	bool is_set_new; /* no run had all these pairs, and no others */
};
/* What was new in the run whose lesson was learnt last. */
struct rff_news rff_news(const struct strategy *s);

#endif
