/* Where PCT may fall: who else counts the steps of a run for it counts these. */
#ifndef GATECTL_EXPLORE_PCT_H
#define GATECTL_EXPLORE_PCT_H

#include "tracer/explore/strategy/strategy.h"

bool pct_counts(const struct strategy_point *p);

#endif
