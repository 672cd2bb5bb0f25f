/* What a script asks of the program: variables, frames, expressions, calls. */
#ifndef GATECTL_RUN_PROGRAM_H
#define GATECTL_RUN_PROGRAM_H

#include "tracer/run/state.h"

/* The table of functions for scripts; for a process, its own for symbols */
void program_functions(struct session *s, struct script_program *out);
void program_init(struct session_process *p);
/* The thread goes on: its frames are no more. */
void program_forget(struct session_thread *t);

#endif
