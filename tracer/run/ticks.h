/* As time passes: limits, and the question whether anything can still happen. */
#ifndef GATECTL_RUN_TICKS_H
#define GATECTL_RUN_TICKS_H

#include "tracer/run/state.h"

enum { TICKS_MS = 20 };
/* `who` (any address that is its own) wants a tick every `ms`; 0: no more. */
void ticks_wish(struct run *s, const void *who, unsigned ms);
void ticks_tick(struct run *s);

#endif
