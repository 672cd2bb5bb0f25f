/* The observers and placers of each kind of run. A new feature is one line in features.c. */
#ifndef GATECTL_FEATURES_FEATURES_H
#define GATECTL_FEATURES_FEATURES_H

struct features;
extern const struct features all_features;
extern const struct features sched_features;  /* a run under the scheduler: explore, replay */
extern const struct features search_features; /* one run of a search */

#endif
