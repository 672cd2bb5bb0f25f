/* The scripts of the failures that a search has found. */
#ifndef GATECTL_SYNTH_SCRIPT_SCRIPTS_H
#define GATECTL_SYNTH_SCRIPT_SCRIPTS_H

#include "tracer/search/explore.h"

/* Searches as explore_search() does, and makes the script of each failure, unless
   options.only_finds is set. Returns as explore_search(). */
int synth_explore(struct explore *e);
/* Makes the failure small, describes it, and makes gates of it, in its part of the time: `left`
   failures have no script yet. Returns 0, or -1 if the experiment is over. */
int synth_script(struct explore *e, size_t left, struct explore_failure *f);

#endif
