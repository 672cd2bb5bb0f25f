/* Makes gate scripts that force failures, tried by plain runs (synth/plan/plan.h). */
#ifndef GATECTL_SYNTH_SYNTH_H
#define GATECTL_SYNTH_SYNTH_H

#include "tracer/search/explore.h"

/* Searches as explore_search(), then makes the script of each failure unless options.only_finds is
   set. Returns as explore_search(). */
int synth_explore(struct explore *e);

/* Appends how many runs the script has forced: "1000 of 1000 runs", or that there was no time for
   all. */
void explore_gates_runs(unsigned long forced, unsigned long asked, double seconds, struct str *out);
/* Message for a failure with gates_cut. */
extern const char explore_gates_cut[];

/* Makes a script later, from the schedule file of an earlier search. */
struct explore_later {
	struct replay replay; /* owns data of the failure and the options */
	const char *path;     /* path of the schedule file */
};

/* Reads l->path: *e gets its failure, and the program unless the options name one. Returns 0, or -1
   with *e->x.err set. */
int explore_later_read(struct explore_later *l, struct explore *e);
/* Makes the script of the failure that was read. Returns as explore_search(), and -1 also if the
   program does not fail like that any more. */
int explore_later_make(struct explore_later *l, struct explore *e);
/* Frees the replay. Precedes explore_fini(). */
void explore_later_fini(struct explore_later *l);

#endif
