/* Can anybody still move? What other features ask. */
#ifndef GATECTL_FEATURES_DEADLOCK_DEADLOCK_H
#define GATECTL_FEATURES_DEADLOCK_DEADLOCK_H

#include "tracer/run/state.h"

/* deadlock.c judges from /proc (`judge` of its observer); in any doubt the answer is WAITS_MOVING.
   With any other answer, all threads are described (waiting_look_all) and `cycle` is in words. */

/* Describes all threads; `cycle` names those that can never move again, whatever the others do. */
void deadlock_explain(struct run *s);
/* Does nobody move, apart from those that are `aside`? A thread that waits for something unknown
   does not move either. */
bool deadlock_rests(struct run *s, bool (*aside)(const struct run *s, const struct run_thread *t));

#endif
