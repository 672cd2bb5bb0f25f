/* The engine's decisions are carried out. */
#ifndef GATECTL_RUN_APPLY_H
#define GATECTL_RUN_APPLY_H

#include "tracer/run/state.h"

void apply_decisions(struct session *s);
/* All decisions are carried out, and what conditions have read is watched. */
void session_settle(struct session *s);
void session_ask_again(struct session *s); /* memory that closed conditions have read has changed */

#endif
