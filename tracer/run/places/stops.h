/* A check in sanitized builds, at the end of each turn: no thread is stopped without a reason. */
#ifndef GATECTL_RUN_PLACES_STOPS_H
#define GATECTL_RUN_PLACES_STOPS_H

#include "tracer/run/run.h"

#ifdef __SANITIZE_ADDRESS__
/* Asserts that every thread runs, is held, is parked by a user, or has a queued event; nothing
   would ever resume another stopped thread. */
void stops_check(const struct run *s);
#else
static inline void stops_check(const struct run *s)
{
	(void)s;
}
#endif

#endif
