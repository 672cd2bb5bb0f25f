/*
 * From a failure to its folder, step by step: the caller keeps what is known (explore.found) before
 * anything else is tried with it, so that a signal, an error or a long search for gates loses
 * nothing.
 */
#ifndef GATECTL_SEARCH_JOURNAL_KEPT_H
#define GATECTL_SEARCH_JOURNAL_KEPT_H

#include "tracer/search/explore.h"

/* The caller writes the failure's folder as it is known now; the journal names the folder. */
void explore_keep_failure(struct explore *e, struct explore_failure *f);
/* Makes the report of each kept failure without one, by a run that follows its schedule. No other
   program may be traced meanwhile. Returns 0, or -1 if the experiment is over. */
int explore_reports(struct explore *e);
/* The error in e->x becomes the reason why the failure has no script; the failure stays. Returns 0,
   or -1 if a signal has come. */
int explore_no_script(struct explore *e, struct explore_failure *f);

#endif
