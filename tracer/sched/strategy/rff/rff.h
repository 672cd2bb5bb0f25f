/* RFF watches runs of others, too: `auto` hands it each of them. */
#ifndef GATECTL_SCHED_STRATEGY_RFF_RFF_H
#define GATECTL_SCHED_STRATEGY_RFF_RFF_H

#include "tracer/sched/strategy/rff/rff_corpus.h"
#include "tracer/sched/strategy/strategy_internal.h"

/* Instead of strategy_begin() and strategy_choose(): another strategy chooses in this run. */
void rff_begin_watching(struct strategy *s, uint64_t run);
void rff_watch(struct strategy *s, const struct strategy_point *moved);

/* What was new in the run whose lesson was learnt last. */
struct rff_news rff_news(const struct strategy *s);

#endif
