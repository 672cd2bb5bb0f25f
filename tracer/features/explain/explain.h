/* A verdict in words: who waits for what, what came nearest, what to try. */
#ifndef GATECTL_FEATURES_EXPLAIN_EXPLAIN_H
#define GATECTL_FEATURES_EXPLAIN_EXPLAIN_H

#include "tracer/base/files/path.h"
#include "tracer/features/waiting/waiting.h"

/* infeasible.c: a circle of threads, each of which waits for the next or is held by a gate that the
   next would open: a line for each, and what to try. False: there is none. */
bool infeasible_lines(struct run *s, struct str *out);
bool infeasible_try(struct run *s, struct str *out);

/* loose_end.c: what to try for a program that ended too early, just after some thread was let go;
   false: none was */
bool loose_end_try(const struct run *s, struct str *out);

/* own_deadlock.c: what to try */
void own_deadlock_try(struct run *s, struct str *out);

/* hang.c: that no thread made a step, and what each of them waits for */
void hang_text(const struct run *s, struct str *out);
/* livelock.c: after the time limit, whether it is a livelock, and which threads move where */
void livelock_line(struct run *s, struct str *out);

/* blame.c: the line that the verdict is about */
void blame_verdict(struct run *s, enum verdict v, struct run_result *out);

/* hints_opened.c: why the gates that hold threads are closed; what to do about it, for the line
   `try:` (false: nothing specific) */
void hints_gates(struct run *s, struct str *out);
bool hints_gates_try(struct run *s, struct str *out);

/* hints_reached.c: why a place was not reached: one sentence, further lines, and what to do about
   it */
void hints_missing(struct run *s, const struct place *p, struct str *out);
void hints_missing_lines(struct run *s, const struct place *p, struct str *out);
void hints_missing_try(struct run *s, const struct place *p, struct str *out);

#endif
