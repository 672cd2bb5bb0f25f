/* Takes over a program that runs already, and lets it go. */
#ifndef GATECTL_RUN_ATTACH_H
#define GATECTL_RUN_ATTACH_H

#include "tracer/run/state.h"

int attach_start(struct session *s, struct error *err);
void attach_begin(struct session *s, const struct tracee_event *ev); /* TRACEE_ATTACHED */
void attach_ended(struct session *s);				     /* nothing is left of it */
void attach_check(struct session *s); /* after each turn: lets go once nothing is left to do */

#endif
