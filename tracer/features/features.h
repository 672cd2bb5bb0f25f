/* The list of everything that takes part in a run: one line per feature. */
#ifndef GATECTL_FEATURES_FEATURES_H
#define GATECTL_FEATURES_FEATURES_H

struct features;
extern const struct features all_features;
extern const struct features sched_features;  /* of a run under the scheduler: explore, replay */
extern const struct features search_features; /* of a run of a search */

#endif
