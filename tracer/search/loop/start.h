/* Where schedules begin, if the tester says it: at the first arrival at a location. */
#ifndef GATECTL_SEARCH_LOOP_START_H
#define GATECTL_SEARCH_LOOP_START_H

#include "tracer/search/explore.h"

/*
 * Finds e->options.from, and brings the program there once. If it has other threads by then, schedules begin with the
 * program, and e->not_from says so. 0, or -1 with e->x.err: no such place, or nobody comes there.
 */
int explore_start(struct explore *e);

#endif
