/* In sanitized builds each turn ends with a look at all threads: whoever is stopped is so for a reason. */
#ifndef GATECTL_RUN_STOPS_H
#define GATECTL_RUN_STOPS_H

#include "tracer/run/state.h"

#ifdef __SANITIZE_ADDRESS__
/* Every thread runs, is held, is kept or parked by hand, or waits in the queue of events; ends the program
   where one does not: nobody would ever let it go. */
void stops_check(const struct session *s);
#else
static inline void stops_check(const struct session *s)
{
	(void)s;
}
#endif

#endif
