/* ended.c: what a script expects of the end of a run. */
#ifndef SESSION_ENDED_H
#define SESSION_ENDED_H

#include "tracer/session/internal.h"

/* The run is over: the script's functions are asked, where all else is as expected. */
void ended_ask(struct session *s);

#endif
