/* A failure that was found, looked at: the same run once more, with everybody who can explain it. */
#ifndef GATECTL_SEARCH_SHRINK_EXAMINE_H
#define GATECTL_SEARCH_SHRINK_EXAMINE_H

#include "tracer/search/explore.h"

/* A strategy that follows the schedule exactly. */
struct strategy *explore_guide(const struct schedule *s);

/* 0: if it came again, its text is that of gatectl run, and its schedule is described; -1: the experiment is
   over. */
int explore_examine(struct explore *e, struct explore_failure *f);

#endif
