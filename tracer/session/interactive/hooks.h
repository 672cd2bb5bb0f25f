/* What a run tells the one who steers it by hand. */
#ifndef GATECTL_SESSION_LIVE_HOOKS_H
#define GATECTL_SESSION_LIVE_HOOKS_H

#include "tracer/session/internal.h"

/* It is where it was sent. */
void interactive_came(struct session *s, struct session_thread *t, uint64_t address);

void interactive_forget_stops(struct session *s);

#endif
