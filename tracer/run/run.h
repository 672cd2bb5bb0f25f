/* The parts of a run, for features that make a run of their own (interactive/, query/). */
#ifndef GATECTL_RUN_RUN_H
#define GATECTL_RUN_RUN_H

#include "tracer/run/state.h"

/* Makes the engine, the script and its places. */
int session_prepare(struct session *s, struct error *err);
int session_launch(struct session *s, struct error *err);
/* The program is a copy of another run's, which was brought to where it is now and kept there
   (tracee_keep). Its only thread, stopped as that is; NULL with the error. The target stays the other run's. */
struct session_thread *session_copy(struct session *s, const struct session *from,
				    struct error *err);
void session_loop(struct session *s); /* to the end */
void session_turn(struct session *s, const struct tracee_event *ev);
void session_judge(struct session *s, struct session_result *out);
void session_fini(struct session *s);

#endif
