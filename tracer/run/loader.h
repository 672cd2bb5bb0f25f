/* ld.so tells when libraries come and go. */
#ifndef GATECTL_RUN_LOADER_H
#define GATECTL_RUN_LOADER_H

#include "tracer/run/state.h"

/* What the process has execed, and what it loads is seen from now on. */
int loader_exec(struct session *s, struct session_process *p, struct target_thread *t,
		struct error *err);
/* Are its libraries of interest? */
bool loader_is_wanted(struct session *s, const struct session_process *p);

#endif
