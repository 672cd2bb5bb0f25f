/* How a schedule ended, and which failures are the same one. */
#ifndef GATECTL_SEARCH_LOOP_FAILURE_H
#define GATECTL_SEARCH_LOOP_FAILURE_H

#include "tracer/search/explore.h"
#include "tracer/sched/sched.h"

enum explore_ended {
	EXPLORE_PASSED,
	EXPLORE_FAILED,
	EXPLORE_BARRED, /* by the script's gates */
	EXPLORE_CUT,	/* by the step limit while something still moved, or by the strategy */
};

/* If it has failed: `kind` (a constant), and what tells the failure from others of its kind. */
enum explore_ended explore_judge(const struct sched *c, const struct run_result *r,
				 const char **kind, uint64_t *key);

/* In so many words: "SIGSEGV", "exit status 3", "a deadlock". */
char *explore_where(const struct run_result *r, const char *kind);

void explore_points_clear(struct explore_points_at *points); /* but for where schedules begin */
void explore_points_fini(struct explore_points_at *points);
void explore_failure_fini(struct explore_failure *f);

#endif
