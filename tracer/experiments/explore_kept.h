/*
 * From a failure to its folder, step by step: the caller keeps what is known (explore.found) before
 * anything else is tried with it, so that a signal, an error or a long search for gates loses
 * nothing.
 */
#ifndef GATECTL_EXPERIMENTS_EXPLORE_KEPT_H
#define GATECTL_EXPERIMENTS_EXPLORE_KEPT_H

#include "tracer/experiments/explore.h"

/* A failure that was found just now: its schedule is kept. */
void explore_kept_first(struct explore *e, struct explore_failure *f);
/* Makes the report of each kept failure without one, by a run that follows its schedule. No other
   program may be traced meanwhile. Returns 0, or -1 if the experiment is over. */
int explore_kept_reports(struct explore *e);
/* The failure is made small, described, and made into gates, until f->until. `paths`: of the runs
   before the search. Returns 0; -1: the experiment is over. */
int explore_kept_script(struct explore *e, struct explore_failure *f, struct strategy *strategy,
			const struct controlled_paths *paths);
/* Sets f->until: the failure gets its part of the time, of `left` that have no script yet. */
void explore_kept_grant(const struct explore *e, size_t left, struct explore_failure *f);

#endif
