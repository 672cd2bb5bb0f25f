/* A verdict in words: who waits for what, what came nearest, what to try. */
#ifndef GATECTL_FEATURES_EXPLAIN_EXPLAIN_H
#define GATECTL_FEATURES_EXPLAIN_EXPLAIN_H

#include "tracer/base/path.h"
#include "tracer/features/waiting/waiting.h"

/* infeasible.c: a circle of threads, one of which would have to open the gate that holds another: each
   one's line, and what to try. False: there is none. */
bool infeasible_lines(struct session *s, struct str *out);
bool infeasible_try(struct session *s, struct str *out);

/* loose_end.c: ... when it ended though it should not have, and somebody had just been let go; false: nobody */
bool loose_end_try(const struct session *s, struct str *out);

/* own_deadlock.c: what to try */
void own_deadlock_try(struct session *s, struct str *out);

/* livelock.c: where the time limit has passed, whether that is a livelock, and who moves where */
void livelock_line(struct session *s, struct str *out);

/* blame.c: the line that the verdict is about */
void blame_verdict(struct session *s, enum verdict v, struct session_result *out);

/* hints_opened.c: why the gates are closed at which somebody is held; what to do about it, for the
   line `try:` (false: nothing of its own) */
void hints_gates(struct session *s, struct str *out);
bool hints_gates_try(struct session *s, struct str *out);

/* hints_reached.c: why a place was not reached: in one sentence, what else there is to say, and what
   to do about it */
void hints_missing(struct session *s, const struct place *p, struct str *out);
void hints_missing_lines(struct session *s, const struct place *p, struct str *out);
void hints_missing_try(struct session *s, const struct place *p, struct str *out);

#endif
