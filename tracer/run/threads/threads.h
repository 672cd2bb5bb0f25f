/* The ids of threads and processes. */
#ifndef GATECTL_RUN_THREADS_THREADS_H
#define GATECTL_RUN_THREADS_THREADS_H

#include "tracer/run/state.h"

struct run_process *threads_process(struct run *s, struct tracee_process *p);
struct run_thread *threads_new(struct run *s, struct run_process *p, struct tracee_thread *t,
			       const char *start);
void threads_gone(struct run *s, struct run_thread *t, bool renamed);
void threads_become_main(struct run *s, struct run_thread *t);
/* Forgets the threads that died while held: no gate is at fault. */
void threads_forgive(struct run_process *p);
struct run_thread *threads_of(const struct engine_thread *t);
const char *threads_name(void *ctx, const struct engine_thread *t);
const char *threads_state(void *ctx, const struct engine_thread *t);
/* The function that was passed to its start routine, if that is a trampoline; NULL: not known. */
const char *threads_runs(void *ctx, const struct engine_thread *t);
void threads_free(struct run *s);

#endif
