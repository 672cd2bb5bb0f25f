/* From failures to gate scripts that force them, tried by plain runs (synth/plan/plan.h). */
#ifndef GATECTL_SYNTH_SYNTH_H
#define GATECTL_SYNTH_SYNTH_H

#include "tracer/search/explore.h"

/* Searches as explore_search() does, and makes the script of each failure, unless
   options.only_finds is set. Returns as explore_search(). */
int synth_explore(struct explore *e);

/* In how many runs the script has forced it: "1000 of 1000 runs", or that there was no time for
   all. */
void explore_gates_runs(unsigned long forced, unsigned long asked, double seconds, struct str *out);
/* What there is to say of a failure with gates_cut. */
extern const char explore_gates_cut[];

/* The script of a schedule that was kept: made when there is time for it, of the file that a
   search has written. */
struct explore_later {
	struct replay replay; /* owns what the failure and the options are made of */
	const char *path;     /* of the schedule */
};

/* Reads l->path: e gets its one failure, and the program, if the caller's options leave that open.
   Returns 0; -1 with e->x.err. */
int explore_later_read(struct explore_later *l, struct explore *e);
/* Makes the script of the failure that was read. Returns as explore_search(), and -1 also if the
   program does not fail like that any more. */
int explore_later_make(struct explore_later *l, struct explore *e);
/* Before explore_fini(). */
void explore_later_fini(struct explore_later *l);

#endif
