/* ended.c: what a script expects of the end of a run. */
#ifndef SESSION_ENDED_H
#define SESSION_ENDED_H

#include "tracer/session/internal.h"

/* Before the program starts: can what is expected come at all? 0, or -1 with an error. */
int ended_check(const struct session *s, struct error *err);
/* The run is over: a place that is expected to be never reached, and that is not in the object loaded for it,
   is misspelt. */
void ended_unfound(struct session *s);
/* The run is over: the script's functions are asked, where all else is as expected. */
void ended_ask(struct session *s);

#endif
