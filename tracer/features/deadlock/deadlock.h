/* Can anybody still move? What the rest of the session asks the judges. */
#ifndef GATECTL_FEATURES_DEADLOCK_DEADLOCK_H
#define GATECTL_FEATURES_DEADLOCK_DEADLOCK_H

#include "tracer/run/state.h"

/* deadlock.c judges from /proc (`judge` of its observer); WAITS_MOVING is the answer where anything is in
   doubt. At any other answer everybody is described (waiting_look_all) and `cycle` is in words. */

/* Describes everybody; `cycle` are those who can never move any more, whatever the others do. */
void deadlock_explain(struct session *s);
/* Does nobody move, but those that are `aside`? Who waits for nobody knows what does not move, too. */
bool deadlock_rests(struct session *s,
		    bool (*aside)(const struct session *s, const struct session_thread *t));

#endif
