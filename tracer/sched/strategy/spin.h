/*
 * Does a thread spin? It does if it does one and the same thing (place and object) forty times.
 *
 * One thing is watched at a time, another one from each power of two of the steps on if the old one did
 * not come again (Brent's way to find a cycle): a loop of any length is found, nothing is searched.
 */
#ifndef GATECTL_SCHED_STRATEGY_SPIN_H
#define GATECTL_SCHED_STRATEGY_SPIN_H

#include "tracer/sched/strategy/strategy.h"

enum { SPIN_HITS = 40 };

/* {0}: nobody has moved yet. */
struct spin_watch {
	unsigned thread;	/* the one that moves */
	unsigned long steps;	/* its own, since another one moved */
	uint64_t place, object; /* what is watched */
	unsigned hits, hits_before;
};

/* This one moves. True: it spins; it begins anew then, as it does when another thread moves. */
bool spin_step(struct spin_watch *s, const struct strategy_point *moved);
/* So many steps more of the same thread, whatever they are, are not enough. */
unsigned spin_left(const struct spin_watch *s);

#endif
