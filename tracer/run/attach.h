/* Attaches to a running program, and detaches from it. */
#ifndef GATECTL_RUN_ATTACH_H
#define GATECTL_RUN_ATTACH_H

#include "tracer/run/run.h"

/* Checks the script and attaches to options.pid. Returns 0, or -1 with *err set. */
int attach_start(struct run *s, struct error *err);
/* TRACEE_ATTACHED: all threads are stopped */
void attach_begin(struct run *s, const struct tracee_event *ev);
/* No process is left: reports it if the exit status is unknown. */
void attach_ended(struct run *s);
void attach_check(struct run *s); /* After each turn: detaches once nothing is left to do. */

#endif
