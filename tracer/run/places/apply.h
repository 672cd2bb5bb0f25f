/* Carries out what the engine has decided. */
#ifndef GATECTL_RUN_PLACES_APPLY_H
#define GATECTL_RUN_PLACES_APPLY_H

#include "tracer/run/state.h"

void apply_decisions(struct run *s);
/*
 * Of what comes next: who is let go, but for the thread that this turn is about, need not wait until everybody has been told
 * why, and traps are removed. Does nothing where somebody has to look at such a thread before it goes on.
 */
void apply_releases(struct run *s);
/* Carries out all decisions, and has what conditions have read watched. */
void run_settle(struct run *s);
void run_ask_again(struct run *s); /* memory that closed conditions have read has changed */

#endif
