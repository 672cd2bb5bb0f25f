/* The first runs of a search: which accesses to memory race? Those are points from then on. */
#ifndef GATECTL_SEARCH_LOOP_RACES_H
#define GATECTL_SEARCH_LOOP_RACES_H

#include "tracer/search/explore.h"
#include "tracer/search/loop/run.h"

#define RACES_STRATEGY "pos" /* where nobody says */

struct explore_race_runs {
	const char *strategy;	  /* given; NULL: RACES_STRATEGY */
	struct explore_runs runs; /* the schedules have points where threads synchronise */
	struct races *races;
	unsigned long quiet; /* runs in a row that have found nothing new */
	unsigned long made;
	size_t pairs, atomic; /* races, and accesses that are atomic, found so far */
};

int explore_races_begin(struct explore_race_runs *x, struct explore *e);
/* After each run: what has raced is a point in those to come. False: enough is known. */
bool explore_races_more(struct explore_race_runs *x);
/* The points that the last run had, before explore_races_more(). */
void explore_races_points(const struct explore_race_runs *x, struct explore_points_at *points);
/* Those of the search: calls that free memory, too. */
void explore_races_choose(const struct explore_race_runs *x, struct explore_points_at *points);
void explore_races_end(struct explore_race_runs *x);

#endif
