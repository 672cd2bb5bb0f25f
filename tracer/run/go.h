/* Lets a thread go on, or ends the run: what anybody may do to a run. */
#ifndef GATECTL_RUN_GO_H
#define GATECTL_RUN_GO_H

#include "tracer/run/state.h"

/* The run ends now; what is left of the program is killed. */
void session_end(struct session *s);
void session_fault(struct session *s, const struct error *err);
uint64_t session_now_us(void);
/* The thread goes on, unless somebody keeps it. */
void session_go(struct session *s, struct session_thread *t);
/* The thread is no longer held, or the run ends: notes for how long it was. */
void session_note_held(struct session *s, struct session_thread *t);

#endif
