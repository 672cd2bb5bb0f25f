/* Answers to scripts about the program: variables, frames, expressions, calls. */
#ifndef GATECTL_RUN_THREADS_PROGRAM_H
#define GATECTL_RUN_THREADS_PROGRAM_H

#include "tracer/run/run.h"

/* Fills in the table of functions for scripts. */
void program_functions(struct run *s, struct script_program *out);
/* Fills in the process's functions for inspect (process_read.c). */
void program_init(struct run_process *p);
/* Evaluates the expression where the thread arrived. Returns 0, or -1 with *err set. */
int program_condition(struct run *s, const struct arrival *a, const char *text, bool *out,
		      struct error *err);
/* Begins to observe a condition of this held thread, until run.asker is NULL again. */
void program_asks(struct run *s, struct run_thread *t);
/* True if the thread is being killed: a fault is then not the script's. */
bool program_dying(const struct arrival *a);
/* Frees the thread's frames, which are invalid once it is resumed. */
void program_forget(struct run_thread *t);

#endif
