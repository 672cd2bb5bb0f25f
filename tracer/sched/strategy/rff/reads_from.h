/*
 * Who reads from whom: of a run's steps, in their order, which write each read saw.
 *
 * Steps are events (op, place, object): threads that do the same do the same event. READ, ATOMIC, LOCK
 * and WAIT read from the last WRITE, ATOMIC, UNLOCK, SIGNAL or END of the object.
 */
#ifndef GATECTL_SCHED_STRATEGY_RFF_READS_FROM_H
#define GATECTL_SCHED_STRATEGY_RFF_READS_FROM_H

#include "tracer/sched/strategy/strategy.h"
#include "tracer/sched/strategy/table.h"

#include "tracer/base/array.h"

#define READS_FROM_NOBODY ((uint64_t)0)

enum { READS_FROM_MOST = 4096 }; /* pairs of a run: what is behind them is not looked at */

struct reads_from_pair {
	uint64_t object;
	uint64_t writer; /* event; NOBODY: what was there before the run */
	uint64_t reader; /* event; NOBODY: this line says only that there is the write */
};

/* {0}: nothing has been done. */
struct reads_from {
	struct table last;    /* object -> event that wrote it */
	struct table threads; /* object -> the one that touched it, plus 1; or SHARED */
	struct table known;   /* pairs */
	ARRAY(struct reads_from_pair) pairs; /* each once */
};

uint64_t reads_from_event(const struct strategy_point *p); /* not 0 */
uint64_t reads_from_last(const struct reads_from *f, uint64_t object);
void reads_from_step(struct reads_from *f, const struct strategy_point *moved);
/* At the end of a run: without those of objects that one thread has for itself. */
void reads_from_keep_shared(struct reads_from *f);
void reads_from_clear(struct reads_from *f);
void reads_from_fini(struct reads_from *f);

#endif
