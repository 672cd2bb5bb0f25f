/* The list of everything that takes part in a run: one line per feature. */
#ifndef GATECTL_FEATURES_FEATURES_H
#define GATECTL_FEATURES_FEATURES_H

struct features;
extern const struct features all_features;

#endif
