/* Who makes the runs of a search: in this process, or in one of several (jobs.h). */
#ifndef GATECTL_SEARCH_JOBS_WORKER_H
#define GATECTL_SEARCH_JOBS_WORKER_H

#include "tracer/search/loop/outcome.h"
#include "tracer/search/loop/run.h"
#include "tracer/sched/strategy/strategy.h"

struct explore_worker {
	struct explore *e;
	struct strategy *strategy;		/* owned by the search */
	struct error *fault;			/* of a strategy in Lua */
	const struct explore_points_at *points; /* NULL: those of the search */
	struct explore_runs runs;
	size_t paths; /* threads that have a number in all runs */
	bool counted; /* run 0 was done */
};

/* One run, under the strategy of `runs`. 0; -1: the experiment is over. */
int explore_make(struct explore *e, struct explore_runs *runs, uint64_t run,
		 struct explore_outcome *out);

/* Describes where a second run of the schedule differed from the first; the caller owns the text.
   `run` counts from 0. */
char *explore_difference(const struct strategy_difference *d, const struct schedule *first,
			 uint64_t run);

/* `worker`: which of the processors. `paths`: of the runs before the search. */
int explore_worker_begin(struct explore_worker *w, unsigned worker,
			 const struct sched_paths *paths);
/* Runs in any order, as far as the strategy permits. */
int explore_worker_run(struct explore_worker *w, uint64_t run, struct explore_outcome *out);
void explore_worker_end(struct explore_worker *w);

#endif
