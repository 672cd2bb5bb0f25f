/* Where the tester says that points are: places of the program, found before any run. */
#ifndef GATECTL_EXPERIMENTS_EXPLORE_PLACES_H
#define GATECTL_EXPERIMENTS_EXPLORE_PLACES_H

#include "tracer/experiments/explore.h"

/* Sets e->points_at as far as the options say. 0, or -1 with e->x.err: no such place. */
int explore_places(struct explore *e);

#endif
