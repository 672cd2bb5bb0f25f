/* The parts of a run, for features that make a run of their own (interactive/, query/). */
#ifndef GATECTL_RUN_PARTS_H
#define GATECTL_RUN_PARTS_H

#include "tracer/run/state.h"

/* Makes the engine, the script and its places. */
int run_prepare(struct run *s, struct error *err);
int run_launch(struct run *s, struct error *err);
/* The program is a copy of another run's, which was brought to where it is now and kept there
   (tracee_keep). Its only thread, stopped as that is; NULL with the error. The target stays the other run's. */
struct run_thread *run_copy(struct run *s, const struct run *from, struct error *err);
void run_loop(struct run *s); /* to the end */
void run_turn(struct run *s, const struct tracee_event *ev);
void run_judge(struct run *s, struct run_result *out);
void run_fini(struct run *s);

#endif
