/* gatectl run --repeat: the same run again and again, until one differs from the first. */
#ifndef GATECTL_SEARCH_RUNS_REPEAT_H
#define GATECTL_SEARCH_RUNS_REPEAT_H

#include "tracer/search/runs/experiment.h"

struct repeat {
	struct experiment x;
	unsigned long agreed; /* of x.made runs */
	int first, status;    /* exit statuses of the first and the last run */
};

/* Makes options->repeat runs; options->order_log (may be NULL) compares the order of their events.
   0, or -1 with an error. */
int repeat_runs(struct repeat *r);

#endif
