/* A verdict in words: who waits for what, what came nearest, what to try. */
#ifndef GATECTL_FEATURES_EXPLAIN_EXPLAIN_H
#define GATECTL_FEATURES_EXPLAIN_EXPLAIN_H

#include "tracer/features/waiting/waiting.h"

/* circle.c: a circle of threads, each of which waits for the next or is held by a gate that the
   next would open: a line for each, and what to try; nothing where there is none. */
void infeasible_lines(struct run *s, struct str *out);
bool infeasible_try(struct run *s, struct str *out);
/* ... what to try about a deadlock that is the program's own */
void own_deadlock_try(struct run *s, struct str *out);

/* hints_opened.c: why the gates that hold threads are closed; what to do about it, for the line
   `try:` (false: nothing specific) */
void hints_gates(struct run *s, struct str *out);
bool hints_gates_try(struct run *s, struct str *out);

#endif
