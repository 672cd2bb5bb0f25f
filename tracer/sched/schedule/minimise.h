/*
 * A failing schedule, made small: as few preemptions as will do, then as few switches.
 *
 * What is tried is a list of segments (strategy_guide_loose): parts of the schedule are left out, and
 * what their threads have missed they do in their next segments (Zeller, Hildebrandt: Simplifying and
 * isolating failure-inducing input, TSE 2002, on segments). What really happened then is what it goes on
 * from. Nothing here runs a program: the caller does, and says whether it failed in the same way.
 */
#ifndef GATECTL_SCHED_SCHEDULE_MINIMISE_H
#define GATECTL_SCHED_SCHEDULE_MINIMISE_H

#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/strategy/strategy.h"

struct segments {
	struct strategy_segment *items;
	size_t count, capacity;
};
/* Who went on for how long; array_fini() gives it back. */
void schedule_segments(const struct schedule *s, struct segments *out);
size_t schedule_preemptions(const struct schedule *s);

struct minimise {
	void *ctx;
	/* 1: the run failed in the same way, and `came` (empty before) is what happened; 0: it did not;
	   -1: stop. */
	int (*run)(void *ctx, const struct segments *wanted, struct schedule *came);
	bool (*is_over)(void *ctx); /* the time, or a signal ends it here; NULL: never */
	unsigned long most;	    /* tries */
	/* The result. */
	unsigned long tries;
	bool is_minimal; /* no single preemption can be left out; else the tries were used up */
};

/* In `s` is a schedule that fails, and afterwards the smallest one that was found. -1: it was stopped. */
int schedule_minimise(struct minimise *m, struct schedule *s);

#endif
