/* Lets a thread go on, or ends the run: what anybody may do to a run. */
#ifndef GATECTL_RUN_GO_H
#define GATECTL_RUN_GO_H

#include "tracer/run/state.h"

/* The run ends now; what is left of the program is killed. */
void run_end(struct run *s);
void run_fault(struct run *s, const struct error *err);
uint64_t run_now_us(void);
/* The thread goes on, unless somebody keeps it. */
void run_go(struct run *s, struct run_thread *t);
/* The thread is no longer held, or the run ends: notes for how long it was. */
void run_note_held(struct run *s, struct run_thread *t);

#endif
