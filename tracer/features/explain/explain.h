/* Text that explains a verdict: the wait graph, the nearest miss, and what to try. */
#ifndef GATECTL_FEATURES_EXPLAIN_EXPLAIN_H
#define GATECTL_FEATURES_EXPLAIN_EXPLAIN_H

#include "tracer/features/waiting/waiting.h"

/* Appends a line for each thread of a cycle of the wait graph that contains a held thread, or
 * nothing if there is no such cycle. */
void infeasible_lines(struct run *s, struct str *out);
/* Appends what to try about that cycle. Returns false, and appends nothing, if there is none. */
bool infeasible_try(struct run *s, struct str *out);
/* No thread can move, and a gate is part of the reason: finds the held thread whose order cannot
 * come about, and appends that order and the reason as a line. Returns NULL, and appends nothing,
 * if no thread is held. */
struct run_thread *infeasible_order(struct run *s, struct str *out);
/* The program has ended: appends a line for each order of which a place was not reached. */
void infeasible_missing(struct run *s, struct str *out);
/* The program has ended: returns -1 with *err set if the script names threads that the run did not
 * have, and whose start routines the program does not have; else 0. */
int renamed_threads(struct run *s, struct error *err);
/* Appends what to try about a deadlock without gates. */
void own_deadlock_try(struct run *s, struct str *out);

/* Appends the first line of the program's own deadlock. */
void explain_deadlock(const struct run *s, struct str *out);
/* Appends that the attached process is not in a deadlock, or which of its threads are. */
void explain_looked(const struct run *s, struct str *out);

/* Appends, for each gate that holds a thread, why it is closed. */
void hints_gates(struct run *s, struct str *out);
/* Appends what to try about these gates. Returns false if there is no specific advice. */
bool hints_gates_try(struct run *s, struct str *out);

#endif
