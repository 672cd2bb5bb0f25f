/* The start routine of a thread. */
#ifndef GATECTL_RUN_THREADS_START_H
#define GATECTL_RUN_THREADS_START_H

#include "tracer/run/run.h"

/* The start routine's name; malloc'd, never NULL. */
char *start_routine(struct run *s, struct run_process *p, struct tracee_thread *t);

#endif
