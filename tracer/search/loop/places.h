/* Where the tester says that points are: places of the program, found before any run. */
#ifndef GATECTL_SEARCH_LOOP_PLACES_H
#define GATECTL_SEARCH_LOOP_PLACES_H

#include "tracer/search/explore.h"

/* Sets e->points_at as far as the options say. 0, or -1 with e->x.err: no such place. */
int explore_places(struct explore *e);

#endif
