/*
 * Strategies that follow a list: a run that was, exactly, or one that is like it.
 *
 * To strategy_begin() and the rest they are strategies as others are; each run follows the list from
 * its beginning.
 */
#ifndef GATECTL_SCHED_STRATEGY_GUIDE_H
#define GATECTL_SCHED_STRATEGY_GUIDE_H

#include "tracer/sched/strategy/strategy.h"

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

#endif
