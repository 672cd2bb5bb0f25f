/* Rounds of threads that repeat a few steps in vain: README.md, Livelocks. */
#ifndef GATECTL_SCHED_TURNS_ROUNDS_H
#define GATECTL_SCHED_TURNS_ROUNDS_H

#include "tracer/base/table.h"
#include "tracer/sched/strategy/strategy.h"

struct scheduler;
struct sched_thread;

/* A step that a thread repeats. */
struct round_step {
	struct strategy_point point; /* `object` is an address of the process */
	unsigned times;
	uint64_t value; /* of the object before the step, at the first time */
	bool tries;	/* it enters a function that returns without the lock, too */
	bool constant;	/* the value was the same each time */
	bool still;	/* the step has not changed it */
};

/* Steps repeated so far. {0}: none. */
enum { ROUND_STEPS = 64 };
struct rounds {
	struct round_step steps[ROUND_STEPS];
	unsigned count;		 /* ROUND_STEPS + 1: there are more */
	struct round_step *last; /* the last step, whose effect is not known yet; or NULL */
	struct table values;	 /* set of objects with their values */
};

/* Steps of which none writes or is new, and states of threads in the second half of them. */
enum { QUIET_STEPS = 1024, QUIET_WATCHED = QUIET_STEPS / 2 };
struct quiet {
	struct rounds rounds;
	unsigned since; /* number of these steps */
	struct table states;
	unsigned news; /* states in the last quarter that were not there before */
};

/* Notes the step that the thread is about to make. */
void rounds_step(struct scheduler *c, struct sched_thread *t, const struct strategy_point *p);
/* Learns the effect of the last step, when its thread has stopped again. */
void rounds_stopped(struct scheduler *c);
/* Returns the number of steps until the thread must stop at each step. */
size_t rounds_unwatched(const struct scheduler *c);
/* Returns true if each thread that can go on waits for a value that no other thread can write. */
bool rounds_are_quiet(struct scheduler *c);
/* Returns true if, in the last steps of a run, each thread has given way again and again, because
   of a value that never changed. */
bool rounds_are_in_vain(const struct scheduler *c);
void rounds_fini(struct scheduler *c); /* Frees the rounds. */

#endif
