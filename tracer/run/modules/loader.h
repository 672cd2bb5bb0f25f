/* ld.so reports when libraries are loaded and unloaded. */
#ifndef GATECTL_RUN_MODULES_LOADER_H
#define GATECTL_RUN_MODULES_LOADER_H

#include "tracer/run/state.h"

/* The process has just exec'd; from now on what it loads is noticed. */
int loader_exec(struct run *s, struct run_process *p, struct tracee_thread *t, struct error *err);
/* The places of a program that has no ld.so are set: it may have a loader in itself, for dlopen. */
void loader_static(struct run *s, struct run_process *p, struct tracee_thread *t);
/* Does it matter which libraries the process loads? */
bool loader_is_wanted(struct run *s, const struct run_process *p);

#endif
