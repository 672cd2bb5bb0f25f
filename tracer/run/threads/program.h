/* What a script asks of the program: variables, frames, expressions, calls. */
#ifndef GATECTL_RUN_THREADS_PROGRAM_H
#define GATECTL_RUN_THREADS_PROGRAM_H

#include "tracer/run/run.h"

/* Fills in the table of functions for scripts. */
void program_functions(struct run *s, struct script_program *out);
/* process_read.c: fills in a process's own, for inspect. */
void program_init(struct run_process *p);
/* Is the expression true where the thread arrived? 0, or -1. */
int program_condition(struct run *s, const struct arrival *a, const char *text, bool *out,
		      struct error *err);
/* A condition of this held thread is asked, until run.asker is NULL again. */
void program_asks(struct run *s, struct run_thread *t);
/* Is the thread being killed at this moment? Then a fault is none of the script's. */
bool program_dying(const struct arrival *a);
/* The thread goes on, so its frames are no longer valid. */
void program_forget(struct run_thread *t);

#endif
