/* Parts that strategies share, and the table of functions that each strategy supplies. */
#ifndef GATECTL_SCHED_STRATEGY_STRATEGY_INTERNAL_H
#define GATECTL_SCHED_STRATEGY_STRATEGY_INTERNAL_H

#include "tracer/base/array.h"
#include "tracer/base/table.h"
#include "tracer/sched/strategy/prng.h"
#include "tracer/sched/strategy/strategy.h"

#define NOBODY ((unsigned)-1)

/* ---- fairness.c -------------------------------------------------------------------------- */

/* Numbers of steps in this run; 0: never. */
struct fairness_thread {
	unsigned long moved_at, yielded_at;
	unsigned long behind; /* threads without a step since this one go first */
	struct spin_watch spin;
};

/* A thread that yields or spins twice comes after threads that could go on and did not. */
struct fairness {
	ARRAY(struct fairness_thread) threads;
	unsigned long step;
};

/* Begins a run. */
void fairness_begin(struct fairness *f);
/* Precedes the next two functions at each choice. */
void fairness_meet(struct fairness *f, const struct strategy_point *points, size_t count);
/* Returns true if another point's thread, which can go on, comes before points[i].thread. */
bool fairness_is_behind(const struct fairness *f, const struct strategy_point *points, size_t count,
			size_t i);
/* Counts a step. */
void fairness_step(struct fairness *f, const struct strategy_point *moved);
void fairness_fini(struct fairness *f);

/* Returns true if both points are the same step of the same thread. */
bool strategy_is_same(const struct strategy_point *a, const struct strategy_point *b);

/* ---- sharing.c --------------------------------------------------------------------------- */

/* Own places: code at which each thread accesses memory of its own. Run 0 shows them: accesses to
   one piece of memory conflict if two threads make them, one writes, and creation and join of
   threads alone do not order them (vector clocks; Mattern 1988). */

/* Steps of other threads, up to clock[i] of thread i, that happen before the thread's next step. */
struct sharing_thread {
	bool is_here;
	uint64_t joined_by; /* object of the thread's END; 0: the thread has not ended */
	ARRAY(uint64_t) clock;
};

/* The last steps of one thread on one piece of memory; 0 for none. */
struct sharing_touch {
	unsigned thread;
	size_t next; /* index + 1 of another thread's touch of the piece */
	uint64_t read, written;
};

struct sharing_been {
	uint64_t place, object;
	unsigned long times;
};

/* {0}: no knowledge. */
struct sharing {
	struct table places; /* place -> OWN or NOT_OWN */
	struct table pieces; /* piece of memory -> index + 1 of its first touch */
	struct table pairs;  /* place and object -> index + 1 in `been` */
	ARRAY(struct sharing_been) been;
	ARRAY(struct sharing_touch) touches;
	ARRAY(struct sharing_thread) threads;
	struct table conflicts;	 /* set of pieces */
	unsigned long own_steps; /* accesses of run 0 at own places */
	uint64_t step;
	unsigned last; /* the thread that moved last */
};

/* Begins run 0. */
void sharing_begin(struct sharing *s);
/* Adds the step that was chosen among these points. */
void sharing_saw(struct sharing *s, const struct strategy_point *points, size_t count,
		 size_t chosen);
/* Classifies the places at the end of run 0. */
void sharing_settle(struct sharing *s);
void sharing_fini(struct sharing *s);

/* Results of run 0, after sharing_settle(). */
bool sharing_is_own_place(const struct sharing *s, uint64_t place);
bool sharing_is_shared(const struct sharing *s, uint64_t object);

/* Returns true for an access to memory with a known address. */
bool sharing_is_access(const struct strategy_point *p);

/* ---- bias.c ------------------------------------------------------------------------------ */

/* Steps that a thread has made since another thread moved. */
enum { BIAS_TURN = 64 };
struct bias_turn {
	unsigned thread;
	bool yielded;
	size_t count; /* of all steps, of which the last BIAS_TURN are kept */
	struct {
		uint64_t place, object;
	} steps[BIAS_TURN];
};

/* How a run departs from its strategy; drawn by seed and number of the run. */
struct bias {
	bool ends_last;		       /* the end of the process comes after all other steps */
	unsigned long passed;	       /* choices that have passed over the end of the process */
	bool spun;		       /* the last choice was that a spinner goes on */
	uint64_t spins_left;	       /* steps of spins that may follow each other in this run */
	struct bias_turn turn;	       /* of the thread that moved last, while spins_left */
	unsigned long step;	       /* steps of this run */
	ARRAY(unsigned long) moved_at; /* by thread: its last step */
	/* The points that the strategy is asked about, if it is not asked about all. */
	ARRAY(struct strategy_point) points;
	ARRAY(size_t) indexes;
};

void bias_begin(struct bias *b, uint64_t seed, uint64_t run);
void bias_fini(struct bias *b);
/* Returns the index of the thread that moved last if it spins and goes on, or STRATEGY_STOP. */
size_t bias_spinner(struct bias *b, const struct strategy_point *points, size_t count);
/* Returns the points that the strategy is asked about, and sets their number. */
const struct strategy_point *bias_points(struct bias *b, const struct strategy_point *points,
					 size_t *count);
/* Returns the index among all points of the i-th point of bias_points(). */
size_t bias_index(const struct bias *b, size_t i);
/* Returns false if the points that the strategy is asked about can change; lowers *most to the
   number of choices for which they cannot. */
bool bias_foresees(const struct bias *b, const struct strategy_point *points, size_t count,
		   size_t *most);
/* Returns true if the rest of the run is fair. */
bool bias_is_fair(const struct bias *b, unsigned long fair_from);
size_t bias_fair(struct bias *b, const struct strategy_point *points, size_t count);
/* Notes the step that was chosen. */
void bias_moved(struct bias *b, const struct strategy_point *moved);

/* ---- a strategy -------------------------------------------------------------------------- */

/* A lesson that is not applied yet. */
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
	unsigned left;		     /* bits of enum strategy_left */
	struct sharing sharing;	     /* filled by strategies with STRATEGY_LOOKS */
	const struct sharing *shown; /* &sharing; for auto and its members that of SURW */
	unsigned last;		     /* the thread that moved last */
	struct spin_watch walk;	     /* spinning at own places */
	struct bias bias;
	struct prng chance;		       /* of this run, for SPURIOUS points */
	unsigned one_of;		       /* a SPURIOUS point is chosen so seldom; 0: never */
	ARRAY(uint64_t) lesson;		       /* of the run that ended last, written by end() */
	ARRAY(struct strategy_lesson) lessons; /* of this batch and later ones */
};

enum {
	STRATEGY_LOOKS = 1,	  /* learns own places in run 0 */
	STRATEGY_WALKS = 2,	  /* does not choose at own places: the same thread goes on */
	STRATEGY_COUNTS = 4,	  /* needs run 0 for options.steps alone */
	STRATEGY_BIASED = 8,	  /* samples: bias.c may choose before it */
	STRATEGY_LOCKS = 16,	  /* asks for `acquires` of points */
	STRATEGY_SPURIOUSLY = 32, /* its choose() gets SPURIOUS points, too */
};

struct strategy_type {
	const char *name;
	size_t size; /* of the strategy's own struct */
	enum strategy_memory memory;
	unsigned flags;
	/* All but choose() may be NULL. */
	void (*begin)(struct strategy *s);
	size_t (*choose)(struct strategy *s, const struct strategy_point *points, size_t count);
	/* Implements strategy_foresee(). `avoid->elsewhere` is `most` at the call; strategies
	   with STRATEGY_WALKS count only steps outside own places. */
	size_t (*foresee)(struct strategy *s, const struct strategy_point *points, size_t count,
			  size_t chosen, size_t most, struct strategy_avoid *avoid);
	void (*end)(struct strategy *s, enum strategy_result result);
	/* Applies a lesson before the first run of a later batch, in the order of runs, run 0
	   first. */
	void (*learn)(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count);
	void (*fini)(struct strategy *s);
};

struct strategy *strategy_alloc(const struct strategy_type *type,
				const struct strategy_options *options);

/* Adds an object once, except STRATEGY_NO_OBJECT. Returns false if there is no room. */
bool strategy_avoid_object(struct strategy_avoid *avoid, uint64_t object);
/* Adds the objects of all other points. Returns false if there is no room. */
bool strategy_avoid_others(struct strategy_avoid *avoid, const struct strategy_point *points,
			   size_t count, size_t chosen);

/* Returns true if the point is at an own place and this run distinguishes own places. */
bool strategy_is_own(const struct strategy *s, const struct strategy_point *p);
/* Returns true in runs that treat own places as shared, since run 0 may not show all sharing. */
bool strategy_looks_everywhere(const struct strategy *s);

#define STRATEGY_DECLARED(name) extern const struct strategy_type strategy_##name;
STRATEGIES(STRATEGY_DECLARED)

extern const struct strategy_type strategy_extremes;

/* ---- for auto ---------------------------------------------------------------------------- */

/* Returns true for steps at which PCT can lower a priority. */
bool pct_counts(const struct strategy_point *p);

/* RFF observes a run of another strategy: in place of strategy_begin() and strategy_choose(). */
void rff_begin_watching(struct strategy *s, uint64_t run);
void rff_watch(struct strategy *s, const struct strategy_point *moved);
struct rff_news {
	size_t pairs;	 /* seen in no earlier run */
	bool is_set_new; /* no earlier run had exactly these pairs */
};
/* Returns what was new in the run whose lesson was applied last. */
struct rff_news rff_news(const struct strategy *s);

#endif
