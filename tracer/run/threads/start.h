/* The start routine of a thread. */
#ifndef GATECTL_RUN_THREADS_START_H
#define GATECTL_RUN_THREADS_START_H

#include "tracer/run/state.h"

/* The address of the start routine that libc calls, and its argument, of the thread with this
   thread pointer; 0: not known. */
uint64_t start_address(struct run_process *p, uint64_t thread_pointer, uint64_t *argument);
/* The start routine's name; malloc'd, never NULL. */
char *start_routine(struct run *s, struct run_process *p, struct tracee_thread *t);

#endif
