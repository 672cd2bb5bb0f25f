/* What a run tells its interactive user. */
#ifndef GATECTL_FEATURES_INTERACTIVE_HOOKS_H
#define GATECTL_FEATURES_INTERACTIVE_HOOKS_H

#include "tracer/run/state.h"

/* The thread is where it was sent. */
void interactive_came(struct run *s, struct run_thread *t, uint64_t address);

void interactive_forget_stops(struct run *s);

#endif
