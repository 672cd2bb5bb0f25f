/*
 * Strategies: of the threads that can go on, which one does?
 *
 * Points in, choice out: no ptrace, no clock, no threads, no file; a test drives them over made-up
 * programs. A search is
 *
 *	s = strategy_new("pos", &options);
 *	for (run = 0; !strategy_is_done(s); run++) {
 *		strategy_begin(s, run);
 *		while (somebody can go on) {
 *			i = strategy_choose(s, points, count);
 *			if (i == STRATEGY_STOP)
 *				break;		the rest of this run would show nothing new
 *			points[i].thread does what it is at, and goes on to its next point
 *		}
 *		strategy_end(s, result);
 *	}
 *
 * The same options and the same points give the same choices on every machine. What chance there is
 * comes from the seed and the number of the run alone, so runs can be done in any order and in parts,
 * as far as strategy_memory() permits.
 *
 * A strategy that learns does it batch by batch: what it does in a run depends on the seed, the number of
 * the run, and the runs of earlier batches. So the runs of one batch can be done in any order, too, and by
 * several workers, each with a strategy of its own, if they tell each other what they have learnt
 * (strategy_lesson()) before the next batch begins.
 */
#ifndef GATECTL_SCHED_STRATEGY_STRATEGY_H
#define GATECTL_SCHED_STRATEGY_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strategy_op {
	STRATEGY_START,	 /* a thread's first point */
	STRATEGY_CREATE, /* of a thread: that one's START is among the next points */
	STRATEGY_END,	 /* its object: what a join of the thread waits for */
	STRATEGY_LOCK, /* takes, or may block until it can: lock, rdlock (writes not), sem_wait, join */
	STRATEGY_UNLOCK,  /* gives: unlock, sem_post */
	STRATEGY_WAIT,	  /* until somebody signals */
	STRATEGY_SIGNAL,  /* signal, broadcast, FUTEX_WAKE, pthread_kill */
	STRATEGY_READ,	  /* of memory */
	STRATEGY_WRITE,	  /* of memory */
	STRATEGY_ATOMIC,  /* an atomic instruction */
	STRATEGY_LINE,	  /* a statement that the tester wants to be a point, whatever it does */
	STRATEGY_YIELD,	  /* sched_yield, PAUSE: somebody else is to go on */
	STRATEGY_BLOCK,	  /* a system call that can block */
	STRATEGY_TIMEOUT, /* the thread is blocked: choosing it ends its time */
	STRATEGY_WAKE, /* no step: the thread that moved last wakes one of these; all points are WAKE then */
};

/* An object that is like no other: nothing at all (a step of the thread's own), everything. */
#define STRATEGY_NO_OBJECT  ((uint64_t)0)
#define STRATEGY_ANY_OBJECT UINT64_MAX

/* What one thread would do next. Each thread that can go on has one point. */
struct strategy_point {
	unsigned
		thread; /* small numbers: arrays are indexed by them. A thread keeps its number from run to
			    run: made from who created it as which child, not from the order in time */
	enum strategy_op op;
	uint64_t object; /* address, or what else tells it from others */
	uint64_t place;	 /* in the code, the same number in every process (schedule/schedule.h) */
	bool writes;	 /* what it does to the object may be seen by others */
	uint64_t
		size; /* bytes from `object` on that an access is at; 0: known by its beginning alone */
	uint64_t fixed; /* `object` as `place` is numbered; 0: memory that belongs to no module */
};

/* It is nobody knows where, besides: it may be what any other access is at. */
#define STRATEGY_ANY_SIZE UINT64_MAX

/* May the order of the two make a difference? Of one thread always. */
bool strategy_depends(const struct strategy_point *a, const struct strategy_point *b);
/* The same for those who play with chance: of accesses only those that begin at the same address. */
bool strategy_meets(const struct strategy_point *a, const struct strategy_point *b);

struct strategy_options {
	uint64_t seed;
	unsigned depth;	     /* pct: how many orders make the bug; 0 is 1, auto: 3 */
	unsigned bound;	     /* dfs: preemptions in a run, or STRATEGY_UNBOUND */
	unsigned long steps; /* pct: points of a run, estimated; 0: run 0 counts them */
};

#define STRATEGY_UNBOUND ((unsigned)-1)

struct strategy;

/*
 * auto    a portfolio of pct (at its depth, one less, one more), pos, surw, rff and random, shared out by
 *	   what each finds new; never much worse than the best of them.
 * random  a random walk: each thread is as likely as each other, but for places where it can make no difference.
 * pct     Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic
 *	   guarantees of finding bugs, ASPLOS 2010. Finds a bug of depth d among n threads and k steps in
 *	   at least one of n * k^(d-1) runs.
 * pos     Yuan, Yang, Gu: Partial order aware concurrency sampling, CAV 2018.
 * surw    Zhao, Wolff, Mathur, Roychoudhury: Selectively uniform concurrency testing, ASPLOS 2025.
 * rff     Wolff, Shi, Duck, Mathur, Roychoudhury: Greybox fuzzing for concurrency testing, ASPLOS 2024.
 *	   Schedules mutated towards pairs of a write and a read not seen yet.
 * dfs     each schedule of at most `bound` preemptions; of those that differ only in the order of
 *	   independent steps one (sleep sets; Godefroid: Partial-order methods for the verification of
 *	   concurrent systems, 1996).
 *
 * NULL: there is none of that name.
 */
struct strategy *strategy_new(const char *name, const struct strategy_options *options);
void strategy_free(struct strategy *s); /* NULL is fine */

/* The names, in the order above; NULL behind the last one. */
const char *strategy_name(size_t i);

/* Which other runs has this very strategy to have seen before it can choose one? */
enum strategy_memory {
	STRATEGY_MEMORY_NONE,
	STRATEGY_MEMORY_FIRST, /* run 0, which counts: each part of a search does it by itself */
	STRATEGY_MEMORY_BATCH, /* run 0 as before, and the lessons of those of earlier batches */
	STRATEGY_MEMORY_ALL,   /* all before: there are no parts */
};
enum strategy_memory strategy_memory(const struct strategy *s);

#define STRATEGY_STOP ((size_t)-1)

/* Points are in the same order wherever a run comes to the same state; there is at least one. */
void strategy_begin(struct strategy *s, uint64_t run);
size_t strategy_choose(struct strategy *s, const struct strategy_point *points, size_t count);

/*
 * Are accesses to memory there of no interest to any other thread, as far as run 0 has shown (sharing.c)? False where the
 * strategy does not care.
 */
bool strategy_is_own_place(const struct strategy *s, uint64_t place);

/*
 * How many times in a row, `most` at most, is points[chosen].thread certain to be chosen, after it just was, if all others stay
 * at their points? What it is at each time is no YIELD and no END, and its object is neither ANY nor one of those in
 * `avoid`; so many times at most it is at no own place. 0: nobody knows.
 */
enum { STRATEGY_AVOID = 8 };
struct strategy_avoid {
	uint64_t objects[STRATEGY_AVOID];
	size_t count;
	size_t elsewhere;
};
size_t strategy_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			size_t chosen, size_t most, struct strategy_avoid *avoid);

enum strategy_result {
	STRATEGY_PASSED,
	STRATEGY_FAILED,
	STRATEGY_CUT, /* stopped by the strategy, or by others: nobody knows how it would have ended */
};
void strategy_end(struct strategy *s, enum strategy_result result);

/* Run r is in batch r / STRATEGY_BATCH. */
enum { STRATEGY_BATCH = 32 };

/* What the run that ended last has taught: numbers, good until the next run begins; NULL: nothing. */
const uint64_t *strategy_lesson(const struct strategy *s, size_t *count);
/* What another one's strategy has learnt from this run. Copied; runs in any order. Its own it knows.
   A part of a search that goes without the others' lessons is as reproducible, only less clever. */
void strategy_learn(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count);

/* All has been seen (dfs), but for what strategy_strayed() tells. */
bool strategy_is_done(const struct strategy *s);
/* Runs that went elsewhere though the choices were those of an earlier run (dfs): the program does not
   do the same each time. */
unsigned long strategy_strayed(const struct strategy *s);
/* ... and but for schedules in which a thread that yields, or goes round, would have gone on once more before the others. */
bool strategy_was_fair(const struct strategy *s);

/* ---- strategies that follow a list: in each run from its beginning -------------------------------- */

/*
 * Exactly: each choice, those of WAKE too, has to be the recorded thread with the same op at the same
 * place, about the same object if a module has it. At the first difference, and behind the last
 * choice, the run is stopped. The list is copied.
 */
struct strategy *strategy_guide_exact(const struct strategy_point *choices, size_t count);

struct strategy_difference {
	size_t step;			/* from 0: the first choice that is not as recorded */
	bool is_longer;			/* the run goes on behind the last choice: no `recorded` */
	struct strategy_point recorded; /* what was to come ... */
	bool has_come;			/* ... its thread is at another point: `came`; */
	struct strategy_point came;	/* else it cannot go on; longer: one that can */
};

/* Of the run that began last; NULL: none. It lives as long as the strategy. That a run ended before its
   last choice is known after strategy_end(). */
const struct strategy_difference *strategy_guide_differs(const struct strategy *s);

/* Returns how many choices of the run that began last were as recorded. */
size_t strategy_guide_followed(const struct strategy *s);

/*
 * Loosely: segments, one after the other. Its thread goes on until its steps are used up, or until it
 * cannot. Behind the last one nobody is preempted, and where somebody else has to go on it is the thread
 * of the lowest number; one that yields or spins goes behind all others. Of threads that may be woken it
 * is the one that comes first in the segments from there on. The list is copied.
 */
struct strategy_segment {
	unsigned thread;
	unsigned long steps; /* choices of WAKE are none */
};
struct strategy *strategy_guide_loose(const struct strategy_segment *segments, size_t count);

/* ---- a strategy made of other functions, as those of a Lua file ------------------------------------ */

#define STRATEGY_GIVE_UP ((size_t)-2)

/* As those above. All but choose() may be NULL. */
struct strategy_callbacks {
	void *ctx;
	enum strategy_memory memory;
	void (*begin)(void *ctx, uint64_t run);
	/* GIVE_UP: the run is stopped, and the search is done. */
	size_t (*choose)(void *ctx, const struct strategy_point *points, size_t count);
	void (*fini)(void *ctx); /* by strategy_free() */
};

struct strategy *strategy_custom_new(const struct strategy_callbacks *callbacks); /* copied */

#endif
