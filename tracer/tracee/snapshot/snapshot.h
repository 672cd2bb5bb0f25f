/* A snapshot of the program, and copies of it. */
#ifndef GATECTL_TRACEE_SNAPSHOT_SNAPSHOT_H
#define GATECTL_TRACEE_SNAPSHOT_SNAPSHOT_H

#include "tracer/tracee/tracee.h"

/*
 * Makes the process of this thread the snapshot. The thread, the only one, stays stopped at its
 * site. tracee_kill_all() spares it and TRACEE_EMPTY does not count it. Returns 0, or -1 if the
 * process has other threads or cannot be prepared.
 */
int tracee_keep(struct tracee *t, struct tracee_thread *thread);
/* Makes a new process, a copy of the snapshot: a root that is stopped as the snapshot is. No event
   is reported for it. Returns NULL with ERROR_SYSTEM. */
struct tracee_process *tracee_copy(struct tracee *t, struct tracee_thread **thread,
				   struct error *err);

#endif
