/*
 * gatectl convert, inside: convert.c leads from the first run to the script, convert_runs.c makes runs
 * and compares their outcomes, convert_choose.c finds out what the script needs, convert_refusal.c says why
 * there is none.
 */
#ifndef GATECTL_EXPERIMENTS_CONVERT_INTERNAL_H
#define GATECTL_EXPERIMENTS_CONVERT_INTERNAL_H

#include "tracer/experiments/convert.h"

/* A run in which nothing is changed but that one site is elided. */
struct convert_without {
	unsigned long times;	   /* it has come by so often */
	unsigned long clock_reads; /* ... and the program has asked for the time */
	const char *sleeps;	   /* why it sleeps nevertheless; NULL: it does not */
};

/* ---- convert_runs.c: 1 the outcome is the test's own, 0 it is not, -1 it is all over ---------- */

/* The first runs say what the outcome is. */
int convert_baseline(struct convert *c);
/* The record is kept. NULL where being watched changes the outcome. */
struct convert_record *convert_watch_run(struct convert *c);
/* With a script that only elides the site. */
int convert_alone(struct convert *c, size_t site, struct convert_without *out);
int convert_use_script(struct convert *c, const char *text);
/* `in_turn` is the convert's own; no `trial`: nothing is left out. */
int convert_series(struct convert *c, struct experiment_series s);
int convert_judge(const struct experiment_series *s,
		  struct session_result *r); /* s->ctx: the convert */
int convert_same(struct convert *c, unsigned long runs);
void convert_runs_fini(struct convert *c);

/* ---- convert_choose.c: 0, or -1 it is all over ------------------------------------------------- */

/* Sites that cannot be converted, and orders that the outcome does not depend on, are left. */
int convert_choose(struct convert *c);
/* By luck an order may have looked superfluous: all of those are taken back. False: there are none. */
bool convert_take_back(struct convert_plan *p);
/* With the plan's script; 1, 0 or -1. */
int convert_plan_same(struct convert *c, unsigned long runs);
/* Site by site, the others as they are: those whose gates spoil the outcome in so many runs are left. */
int convert_one_by_one(struct convert *c, int runs);
/* The time is over: what was not tried without its sleep sleeps on. */
void convert_leave_untried(struct convert *c);

/* ---- convert_refusal.c: the error, unless it is all over already; -1 --------------------------- */

int convert_not_learned(struct convert *c); /* what the sleeps order is not to be seen */
int convert_none(struct convert *c);	    /* nothing can be converted */
int convert_unverified(struct convert *c);  /* ... no script is the test's equal */
int convert_late(struct convert *c);	    /* ... there was no time for it */

#endif
