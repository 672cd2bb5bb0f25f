/* Takes over a program that runs already, and lets it go. */
#ifndef GATECTL_RUN_ATTACH_H
#define GATECTL_RUN_ATTACH_H

#include "tracer/run/run.h"

int attach_start(struct run *s, struct error *err);
void attach_begin(struct run *s, const struct tracee_event *ev); /* TRACEE_ATTACHED */
void attach_ended(struct run *s);				 /* nothing is left of it */
void attach_check(struct run *s); /* after each turn: lets go once nothing is left to do */

#endif
