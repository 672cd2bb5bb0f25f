/*
 * Strategies: of the threads that can go on, which one does?
 *
 * Points in, choice out: no ptrace, no clock, no threads, no file; a test drives them over made-up
 * programs. A search is
 *
 *	s = strategy_new("pos", &options);
 *	for (run = 0; !strategy_is_done(s); run++) {
 *		strategy_begin(s, run);
 *		while (some thread can go on) {
 *			i = strategy_choose(s, points, count);
 *			if (i == STRATEGY_STOP)
 *				break;		the rest of this run would show nothing new
 *			the thread of points[i] makes its step and runs to its next point
 *		}
 *		strategy_end(s, result);
 *	}
 *
 * The same options and the same points give the same choices on every machine. Random numbers
 * depend on the seed and the number of the run alone, so runs can be made in any order and in
 * parts, as far as strategy_memory() permits.
 *
 * A strategy that learns does it batch by batch: its choices in a run depend on the seed, the
 * number of the run, and the runs of earlier batches. The runs of one batch can be made in any
 * order by several workers, each with a strategy of its own, if the workers exchange lessons
 * (strategy_lesson()) before the next batch begins.
 */
#ifndef GATECTL_SCHED_STRATEGY_STRATEGY_H
#define GATECTL_SCHED_STRATEGY_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strategy_op {
	STRATEGY_START, /* a thread's first point */
	/* creates a thread, whose START is among the next points */
	STRATEGY_CREATE,
	STRATEGY_END, /* the object is what a join of the thread waits for */
	/* acquires, or can block: lock, rdlock (with `writes` false), sem_wait, join */
	STRATEGY_LOCK,
	STRATEGY_UNLOCK,  /* releases: unlock, sem_post */
	STRATEGY_WAIT,	  /* waits until another thread signals */
	STRATEGY_SIGNAL,  /* signal, broadcast, FUTEX_WAKE, pthread_kill */
	STRATEGY_READ,	  /* of memory */
	STRATEGY_WRITE,	  /* of memory */
	STRATEGY_ATOMIC,  /* an atomic instruction */
	STRATEGY_LINE,	  /* a statement that the user made a point, with any effects */
	STRATEGY_YIELD,	  /* sched_yield, PAUSE: another thread should go on */
	STRATEGY_BLOCK,	  /* a system call that can block */
	STRATEGY_TIMEOUT, /* ends the wait of a blocked thread by its time-out */
	/* no step: the thread that moved last wakes one of these threads. All points are WAKE
	   then */
	STRATEGY_WAKE,
	/* ends the wait of a blocked thread although nothing has ended it, as POSIX permits for
	   condition variables and Linux for futexes (a spurious wake-up) */
	STRATEGY_SPURIOUS,
};

/* NO_OBJECT: the step accesses no shared object. ANY_OBJECT: it may access every object. */
#define STRATEGY_NO_OBJECT  ((uint64_t)0)
#define STRATEGY_ANY_OBJECT UINT64_MAX

/* The effect of a LOCK, or of a return from a wait that takes a lock, if it is made now. Known only
   to strategies that ask (strategy_asks_acquires()), and of locks that the scheduler can read. */
enum strategy_acquire {
	STRATEGY_ACQUIRE_UNKNOWN, /* no lock, or one whose state is unknown */
	STRATEGY_ACQUIRE_FREE,	  /* takes it */
	/* only waits: no other thread sees a difference until one of them releases it */
	STRATEGY_ACQUIRE_HELD,
	STRATEGY_ACQUIRE_AGAIN, /* the thread holds it already, and goes on */
};

/* The next step of one thread. Each thread that can go on has one point. Points with SPURIOUS come
   after at least one other point; their threads cannot go on, or have a TIMEOUT, too. */
struct strategy_point {
	/* A small number, used as an index of arrays. It follows from the creator and the child
	   number, so a thread keeps its number in all runs. */
	unsigned thread;
	enum strategy_op op;
	uint64_t object; /* an address or another unique number */
	uint64_t place;	 /* address of the code, equal in all processes (schedule/schedule.h) */
	bool writes;	 /* other threads can observe the effect on the object */
	uint64_t size;	/* bytes accessed from `object` on; 0: unknown, compared by address alone */
	uint64_t fixed; /* `object` numbered like `place`; 0: memory outside of modules */
	bool ends_process; /* END of a process whose other threads live */
	/* Only for strategies that ask: */
	enum strategy_acquire acquires;
	/* WAIT on ANY_OBJECT: the condition and the mutex that it accesses; or 0. */
	uint64_t pair[2];
};

/* The address is unknown: the access may overlap any other access. */
#define STRATEGY_ANY_SIZE UINT64_MAX

/* Returns true if the order of both steps can make a difference. Always true for one thread. */
bool strategy_depends(const struct strategy_point *a, const struct strategy_point *b);
/* Like strategy_depends(), for random strategies: accesses meet only if their addresses are
   equal. */
bool strategy_meets(const struct strategy_point *a, const struct strategy_point *b);

struct strategy_options {
	uint64_t seed;
	unsigned depth;	     /* pct: ordering constraints of the bug; 0 means 1, for auto 3 */
	unsigned bound;	     /* dfs: preemptions in a run, or STRATEGY_UNBOUND */
	unsigned long steps; /* pct: estimated points of a run; 0: run 0 counts them */
	/* Steps of a run after which the thread that has waited longest goes on, at each step; 0:
	   never. What a fair run does not end is a livelock (Musuvathi, Qadeer: Fair stateless
	   model checking, 2008). */
	unsigned long fair_from;
};

#define STRATEGY_UNBOUND ((unsigned)-1)

struct strategy;

/* All strategies, in the order of --help. NAME is strategy_NAME of NAME.c, except random and auto
   (strategies.c). */
#define STRATEGIES(ONE)                                                                            \
	ONE(auto) ONE(random) ONE(pct) ONE(pos) ONE(surw) ONE(rff) ONE(dfs) ONE(dpor)

/*
 * auto    a portfolio of pct (at its depth, one less, one more), pos, surw, rff and random. Runs
 *	   are divided by what each finds new; never much worse than the best of them.
 * random  a random walk: each thread is equally likely, except where the choice cannot matter.
 * pct     Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic
 *	   guarantees of finding bugs, ASPLOS 2010. Finds a bug of depth d among n threads and k
 *	   steps in at least one of n * k^(d-1) runs.
 * pos     Yuan, Yang, Gu: Partial order aware concurrency sampling, CAV 2018.
 * surw    Zhao, Wolff, Mathur, Roychoudhury: Selectively uniform concurrency testing, ASPLOS
 *	   2025.
 * rff     Wolff, Shi, Duck, Mathur, Roychoudhury: Greybox fuzzing for concurrency testing, ASPLOS
 *	   2024. Schedules mutated towards reads-from pairs that no run has shown yet.
 * dfs     each schedule of at most `bound` preemptions; of those that differ only in the order of
 *	   independent steps one (sleep sets; Godefroid: Partial-order methods for the verification
 *	   of concurrent systems, 1996).
 * dpor	   one schedule of each Mazurkiewicz trace, without a bound (source sets; Abdulla, Aronis,
 *	   Jonsson, Sagonas: Optimal dynamic partial order reduction, POPL 2014).
 *
 * Returns a strategy, freed by strategy_free(), or NULL if no strategy has that name.
 */
struct strategy *strategy_new(const char *name, const struct strategy_options *options);
/* Returns the strategy of the first runs of a search by auto, freed by strategy_free(): a fixed set
   of schedules in runs 1 to 20 (extremes.c), pos in run 0 and in later ones. It needs run 0. */
struct strategy *strategy_extremes_new(const struct strategy_options *options);
/* Frees the strategy. NULL is allowed. */
void strategy_free(struct strategy *s);

/* Returns the i-th name in the order above, or NULL after the last one. */
const char *strategy_name(size_t i);

/* The runs that this strategy object must have seen before it can choose in another run. */
enum strategy_memory {
	STRATEGY_MEMORY_NONE,
	STRATEGY_MEMORY_FIRST, /* run 0, which counts; each worker makes run 0 itself */
	STRATEGY_MEMORY_BATCH, /* run 0, and the lessons of earlier batches */
	STRATEGY_MEMORY_ALL,   /* all earlier runs: a search cannot be divided */
};
/* Returns the runs that the strategy needs. */
enum strategy_memory strategy_memory(const struct strategy *s);

#define STRATEGY_STOP ((size_t)-1)

/*
 * Points with SPURIOUS: dfs and lists choose among all points. For other strategies
 * strategy_choose() draws them, with random numbers of their own, in one run of four, and hides
 * them otherwise: the choices of a run without such a step do not depend on them.
 */
/* Begins a run. Its points come in the same order wherever a run reaches the same state. */
void strategy_begin(struct strategy *s, uint64_t run);
/* Returns the index of the chosen point, or STRATEGY_STOP. `count` is at least 1. */
size_t strategy_choose(struct strategy *s, const struct strategy_point *points, size_t count);

/* Returns true if run 0 has shown no conflict between the place's memory accesses and other
   threads (sharing.c). Returns false for strategies that do not distinguish places. */
bool strategy_is_own_place(const struct strategy *s, uint64_t place);

/*
 * Objects that a thread must not reach in a batch of steps, and `elsewhere`, the most steps of the
 * batch that may be outside of own places.
 */
enum { STRATEGY_AVOID = 8 };
struct strategy_avoid {
	uint64_t objects[STRATEGY_AVOID];
	size_t count;
	size_t elsewhere;
};
/*
 * Returns how many times in a row, at most `most`, points[chosen].thread is certain to be chosen
 * again while all other threads stay at their points. The promise holds for steps that are no YIELD
 * and no END and whose object is neither ANY nor in `avoid`. Returns 0 if nothing is certain.
 */
size_t strategy_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			size_t chosen, size_t most, struct strategy_avoid *avoid);

enum strategy_result {
	STRATEGY_PASSED,
	STRATEGY_FAILED,
	STRATEGY_CUT, /* truncated by the strategy or by others: the outcome is unknown */
};
/* Ends the run and lets the strategy learn from its result. */
void strategy_end(struct strategy *s, enum strategy_result result);

/* Run r is in batch r / STRATEGY_BATCH. */
enum { STRATEGY_BATCH = 32 };

/* Returns the lesson of the run that ended last, valid until the next run begins, or NULL if
   there is none. */
const uint64_t *strategy_lesson(const struct strategy *s, size_t *count);
/* Adds the lesson of a run that another worker made; lessons are copied and come in any order. A
   search without the lessons of other workers is reproducible, but less effective. */
void strategy_learn(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count);

/* Returns true if the search has no more runs: dfs has made all schedules (except those that
   strategy_strayed() counts), or a callback has given up. */
bool strategy_is_done(const struct strategy *s);
/* Returns the number of dfs and dpor runs that diverged from an earlier run under the same choices:
   the program is not deterministic. */
unsigned long strategy_strayed(const struct strategy *s);
/* Returns true if dfs or dpor omitted schedules in which a thread that yields or spins takes
   another turn before the threads that it waits for. */
bool strategy_was_fair(const struct strategy *s);

/* Returns true if the strategy wants `acquires` and `pair` of points. */
bool strategy_asks_acquires(const struct strategy *s);

/* Behaviour that a program has and a search by dpor leaves out. */
enum strategy_left {
	STRATEGY_LEFT_TRACES = 1,   /* the search has not ended */
	STRATEGY_LEFT_TIME = 2,	    /* other lengths of time-outs; other clocks */
	STRATEGY_LEFT_SPURIOUS = 4, /* waits that end without a wake */
	STRATEGY_LEFT_CUT = 8,	    /* the rest of runs that were truncated by others */
	STRATEGY_LEFT_UNFAIR = 16,  /* strategy_was_fair() */
	STRATEGY_LEFT_STRAYED = 32, /* strategy_strayed() */
	STRATEGY_LEFT_POINTS = 64,  /* accesses to memory that the caller made no points */
	/* Stores that the processor delays past a later load. Only these are left out of a search
	   that is complete under sequential consistency. */
	STRATEGY_LEFT_STORES = 128,
};
/* Returns the bits of enum strategy_left; 0 for other strategies than dpor. */
unsigned strategy_left_out(const struct strategy *s);
/* Adds a bit that the points of a run do not show. */
void strategy_leave_out(struct strategy *s, enum strategy_left what);

/* ---- spinning ---------------------------------------------------------------------------- */

/* A thread spins if it repeats one step (place, op and object) SPIN_HITS times. One step is watched
   at a time; at each power of two of the steps another one, if the old one did not repeat
   (Brent's cycle detection): loops of any length are found without a search. */
enum { SPIN_HITS = 40 };

/* {0}: no thread has moved yet. */
struct spin_watch {
	unsigned thread;	/* the thread of the last step */
	unsigned long steps;	/* of `thread` since another one moved */
	uint64_t place, object; /* the watched step */
	enum strategy_op op;
	unsigned hits, hits_before;
};

/* Counts a step. Returns true if its thread spins. The watch restarts then, and when another
   thread moves. */
bool spin_step(struct spin_watch *s, const struct strategy_point *moved);
/* Returns how many more steps of the thread, of any kind, cannot make it spin. */
unsigned spin_left(const struct spin_watch *s);

/* ---- strategies that follow a list, in each run from its beginning ----------------------- */

/* Exact: each choice, WAKE included, must be the recorded thread with the same op at the same
   place, and with the same object if a module contains it. The run is stopped at the first
   difference, and after the last choice. The list is copied. */
struct strategy *strategy_guide_exact(const struct strategy_point *choices, size_t count);

struct strategy_difference {
	size_t step;			/* index of the first choice that differs */
	bool is_longer;			/* the run goes on after the last choice; no `recorded` */
	struct strategy_point recorded; /* the expected choice */
	bool has_come;			/* the recorded thread is at another point, `came` */
	struct strategy_point came; /* is_longer: a thread that can go on; else set if has_come */
};

/* Returns the first difference of the run that began last, or NULL. The strategy owns it.
   strategy_end() detects a run that ended before its last choice. */
const struct strategy_difference *strategy_guide_differs(const struct strategy *s);

/* Returns how many choices of the run that began last were as recorded. */
size_t strategy_guide_followed(const struct strategy *s);

/* Loose: the thread of each segment goes on until its steps are used up or until it cannot. Then no
   thread is preempted: the lowest number follows a blocked thread, and threads that yield or spin
   come last. Of the threads to wake, the first one in the remaining segments is woken. */
struct strategy_segment {
	unsigned thread;
	unsigned long steps; /* choices of WAKE do not count */
	bool spurious;	     /* the thread's wait ends by SPURIOUS, once; else never */
};
/* Returns a strategy that follows a copy of the segments. */
struct strategy *strategy_guide_loose(const struct strategy_segment *segments, size_t count);

/* ---- a strategy made of callbacks, such as a strategy in Lua ----------------------------- */

#define STRATEGY_GIVE_UP ((size_t)-2)

/* Callbacks with the meaning of the functions above. All but choose() may be NULL. */
struct strategy_callbacks {
	void *ctx;
	enum strategy_memory memory;
	void (*begin)(void *ctx, uint64_t run);
	/* STRATEGY_GIVE_UP stops the run and ends the search. */
	size_t (*choose)(void *ctx, const struct strategy_point *points, size_t count);
	void (*fini)(void *ctx); /* called by strategy_free() */
};

/* Returns a strategy that calls a copy of `callbacks`. */
struct strategy *strategy_custom_new(const struct strategy_callbacks *callbacks);

#endif
