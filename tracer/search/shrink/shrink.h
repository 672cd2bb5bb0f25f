/* A failing schedule made small by trying: each candidate is run (sched/schedule/minimise.h). */
#ifndef GATECTL_SEARCH_SHRINK_SHRINK_H
#define GATECTL_SEARCH_SHRINK_SHRINK_H

#include "tracer/search/explore.h"
#include "tracer/search/loop/run.h"

/* Seconds that it may take, of those that there are until f->until. */
double explore_shrink_s(const struct explore_failure *f);
/* f->schedule becomes the smallest one that fails in the same way. 0; -1: the experiment is over. */
int explore_shrink(struct explore *e, struct explore_runs *runs, struct explore_failure *f);

#endif
