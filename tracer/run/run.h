/* The parts of a run, for features that make a run of their own (interactive/, query/). */
#ifndef GATECTL_RUN_RUN_H
#define GATECTL_RUN_RUN_H

#include "tracer/run/state.h"

/* Makes the engine, the script and its places. */
int session_prepare(struct session *s, struct error *err);
int session_launch(struct session *s, struct error *err);
void session_turn(struct session *s, const struct target_event *ev);
void session_judge(struct session *s, struct session_result *out);
void session_fini(struct session *s);

#endif
