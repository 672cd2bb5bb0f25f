/*
 * gatectl convert, inside: convert.c leads from the first run to the script, convert_runs.c makes
 * runs and compares their outcomes, convert_choose.c finds out what the script needs,
 * convert_refusal.c says why there is none.
 */
#ifndef GATECTL_SEARCH_CONVERT_CONVERT_INTERNAL_H
#define GATECTL_SEARCH_CONVERT_CONVERT_INTERNAL_H

#include "tracer/search/convert/convert.h"

/* A run in which one site is elided, and nothing else is changed. */
struct convert_without {
	unsigned long times;	   /* how often it came by */
	unsigned long clock_reads; /* ... and how often the program asked for the time */
	const char *sleeps;	   /* why it sleeps even so; NULL: it does not */
};

/* ---- convert_runs.c: 1 the outcome is the test's own, 0 it is not, -1 stop -------------------- */

/* Finds out from the first runs what the outcome is. */
int convert_baseline(struct convert *c);
/* The record belongs to the convert. NULL: being watched changes the outcome. */
struct convert_record *convert_watch_run(struct convert *c);
/* With a script that only elides the site. */
int convert_alone(struct convert *c, size_t site, const char *script, struct convert_without *out);
int convert_use_script(struct convert *c, const char *text);
/* As many runs under the script, with nothing left out. */
struct oracle_question convert_question(struct convert *c, unsigned long runs);
int convert_judge(const struct oracle_question *q, struct run_result *r);
int convert_ask(struct convert *c, const struct oracle_question *q);
/* With this script, whose text is freed. */
int convert_try(struct convert *c, struct str *script, unsigned long runs);

/* ---- convert_choose.c: 0, or -1 stop ----------------------------------------------------------- */

/* Leaves alone the sites that cannot be converted, and drops the orders that the outcome does not
   depend on. */
int convert_choose(struct convert *c);
/* Takes back the orders that were dropped as superfluous: that may have been luck. False: there
   were none. */
bool convert_take_back(struct convert_plan *p);
/* With the plan's script; 1, 0 or -1. */
int convert_plan_same(struct convert *c, unsigned long runs);
/* Adds site by site, while the others sleep: a site whose gates spoil the outcome in so many runs
   is left alone. */
int convert_one_by_one(struct convert *c, int runs);
/* There is no time left: the sites that were not tried yet keep their sleeps. */
void convert_leave_untried(struct convert *c);

/* ---- convert_refusal.c: set the error, unless there is one already; -1 ------------------------- */

int convert_not_learned(struct convert *c); /* it cannot be seen what the sleeps order */
int convert_none(struct convert *c);	    /* nothing can be converted */
int convert_unverified(struct convert *c);  /* ... no script gives the test's outcome */
int convert_late(struct convert *c);	    /* ... there was no time for it */

#endif
