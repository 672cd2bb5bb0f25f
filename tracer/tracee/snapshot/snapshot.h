/* A program kept as it is now, and copies of it. */
#ifndef GATECTL_TRACEE_SNAPSHOT_SNAPSHOT_H
#define GATECTL_TRACEE_SNAPSHOT_SNAPSHOT_H

#include "tracer/tracee/tracee.h"

/*
 * Keeps the program for others to begin with: its only thread stands at a site, and stays there.
 * tracee_kill_all() spares it, tracee_wait() does not count it: TRACEE_EMPTY means that all others
 * are gone. 0, or -1: it has other threads.
 */
int tracee_keep(struct tracee *t, struct tracee_thread *thread);
/* A new process, a copy of the kept one, a root, stopped as that is: no event comes for it. NULL
   with ERROR_SYSTEM. */
struct tracee_process *tracee_copy(struct tracee *t, struct tracee_thread **thread,
				   struct error *err);

#endif
