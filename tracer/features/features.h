/* Who takes part in a run: one line a feature. */
#ifndef GATECTL_FEATURES_FEATURES_H
#define GATECTL_FEATURES_FEATURES_H

struct features;
extern const struct features all_features;

#endif
