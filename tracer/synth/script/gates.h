/* From a failure to a gate script that forces it, tried by plain runs (synth/plan/plan.h). */
#ifndef GATECTL_SYNTH_SCRIPT_GATES_H
#define GATECTL_SYNTH_SCRIPT_GATES_H

#include "tracer/search/explore.h"

/* Of a failure that was looked at (search/shrink/examine.h): sets f->gates, or f->no_script with the reason. 0; -1:
   the experiment is over. */
int explore_gates(struct explore *e, struct explore_failure *f);
/* In how many runs the script has forced it: "1000 of 1000 runs", or that there was no time for all. */
void explore_gates_runs(unsigned long forced, unsigned long asked, double seconds, struct str *out);
/* What there is to say of one with gates_cut. */
extern const char explore_gates_cut[];

#endif
