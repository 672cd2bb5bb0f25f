/*
 * Functions of the C library that a program uses and that would show it that it is traced. A trap
 * stands in them only where something of the program refers to them.
 */
#ifndef GATECTL_SESSION_ASBARE_H
#define GATECTL_SESSION_ASBARE_H

#include "tracer/session/internal.h"

/* The program has to be looked at even if the script has no places. */
bool asbare_wanted(const struct session_process *p);
/* The libraries are loaded, or others have come. */
void asbare_settle(struct session *s, struct session_process *p, struct target_thread *t);

#endif
