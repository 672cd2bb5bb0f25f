/* The runs of a search: the program is brought to where schedules begin, and copied for each of
   them. */
#ifndef GATECTL_SEARCH_LOOP_RUN_H
#define GATECTL_SEARCH_LOOP_RUN_H

#include "tracer/search/explore.h"
#include "tracer/run/state.h"

struct explore_runs {
	struct run_options options; /* a copy of the caller's */
	struct modules *symbols;
	struct sched sched;
	struct run *kept; /* the program at its beginning; NULL: each run starts it anew ... */
	char *not_kept;	  /* ... for this reason */
	bool has_gates;	  /* ... as gates begin with the program */
	bool came;	  /* ... but it has been there */
	unsigned long made;
	unsigned worker;		/* whose processor they run on */
	ARRAY(struct module *) modules; /* of the last run that was described */
};

/* `keeps`: many runs will follow, so the program is brought to where schedules begin, at the latest
   by e->until. Returns 0, also if the program does not come there, or -1 with *e->x.err set: it
   cannot be started. */
int explore_runs_begin(struct explore *e, struct explore_runs *r, const struct run_options *o,
		       const struct features *features, bool keeps);
/* The accesses that are points, before that. */
void explore_runs_points(struct explore_runs *r, const struct explore_points_at *points);
/* Where threads have come often by now they need not stop, as far as r->sched.strategy says
   so; it is the search's. */
void explore_runs_grant(struct explore_runs *r);
/* One run under r->sched.strategy, which has begun. 0 with the result; -1: there was none, or
   a script is wrong. */
int explore_runs_one(struct explore_runs *r, struct run_result *out, struct error *err);
/* The same, but the run is ended at `until` (by explore_now_s(); 0: no limit), or half a second
   from now if that is later. */
int explore_runs_until(struct explore *e, struct explore_runs *r, double until,
		       struct run_result *out);
/* One run by itself, from explore_runs_begin() on, under r->sched.strategy; points NULL: those
   of the search. The caller ends `r` with explore_runs_end(). 0 with the result; -1: there was
   none. */
int explore_runs_alone(struct explore *e, struct explore_runs *r, const struct run_options *o,
		       const struct features *features, const struct explore_points_at *points,
		       struct run_result *out);
/* Accesses that come very often are not looked at any more, in the runs to come neither. */
void explore_runs_let_hot_go(struct explore_runs *r);
void explore_runs_end(struct explore_runs *r);

#endif
