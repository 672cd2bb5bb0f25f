/* Where PCT may fall: who else counts the steps of a run for it counts these. */
#ifndef GATECTL_SCHED_STRATEGY_PCT_H
#define GATECTL_SCHED_STRATEGY_PCT_H

#include "tracer/sched/strategy/strategy.h"

bool pct_counts(const struct strategy_point *p);

#endif
