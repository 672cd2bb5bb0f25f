/* The start routine of a thread. */
#ifndef GATECTL_RUN_THREADS_START_H
#define GATECTL_RUN_THREADS_START_H

#include "tracer/run/run.h"

/* The name of a thread whose start routine is not known. */
#define START_UNKNOWN "thread"

/* Returns the start routine's name, never NULL. The caller frees it. */
char *start_routine(struct run *s, struct run_process *p, struct tracee_thread *t);
/* Removes anonymous namespaces, which users do not write. Returns the name. */
char *start_without_anonymous(char *name);

#endif
