/* races --ignore FILE: places whose races are left out. */
#ifndef GATECTL_SEARCH_RUNS_RACES_IGNORED_H
#define GATECTL_SEARCH_RUNS_RACES_IGNORED_H

#include "tracer/search/runs/races.h"

/* Fills h->at: what the locations mean in the program is looked up, too. */
int races_ignored_read(struct races_hunt *h, struct error *err);
bool races_is_ignored(struct races_hunt *h, const struct sched_race *r);
void races_ignored_fini(struct races_hunt *h);

#endif
