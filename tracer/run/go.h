/* What anybody may do to a run: a thread goes on, the run ends. */
#ifndef GATECTL_RUN_GO_H
#define GATECTL_RUN_GO_H

#include "tracer/run/state.h"

/* The run ends now; what is left is killed. */
void session_end(struct session *s);
void session_fault(struct session *s, const struct error *err);
uint64_t session_now_us(void);
/* The thread goes on, unless somebody has it stay. */
void session_go(struct session *s, struct session_thread *t);
/* The thread is not held any more, or the run ends: for how long was it? */
void session_note_held(struct session *s, struct session_thread *t);

#endif
