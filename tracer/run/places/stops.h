/* In sanitized builds each turn ends with a check that every stopped thread is stopped for a
   reason. */
#ifndef GATECTL_RUN_PLACES_STOPS_H
#define GATECTL_RUN_PLACES_STOPS_H

#include "tracer/run/run.h"

#ifdef __SANITIZE_ADDRESS__
/* Every thread runs, is held, is kept or parked by a user, or has an event in the queue; otherwise
   this ends gatectl by an assertion, since nobody would ever resume the thread. */
void stops_check(const struct run *s);
#else
static inline void stops_check(const struct run *s)
{
	(void)s;
}
#endif

#endif
