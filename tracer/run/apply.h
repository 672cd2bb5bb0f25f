/* Carries out what the engine has decided. */
#ifndef GATECTL_RUN_APPLY_H
#define GATECTL_RUN_APPLY_H

#include "tracer/run/state.h"

void apply_decisions(struct session *s);
/* Carries out all decisions, and has what conditions have read watched. */
void session_settle(struct session *s);
void session_ask_again(struct session *s); /* memory that closed conditions have read has changed */

#endif
