/* Between a run and convert_watch.c. Nothing happens where session_options.record is NULL. */
#ifndef GATECTL_SESSION_CONVERT_INSIDE_H
#define GATECTL_SESSION_CONVERT_INSIDE_H

#include "tracer/session/convert/convert.h"
#include "tracer/session/explain/waiting.h"

/* At the program's exec: traps at its functions. */
void convert_exec(struct session *s, struct session_process *p, struct target_thread *t);
/* ACT_SEEN */
void convert_site(struct session *s, struct session_thread *t, const struct act *a,
		  struct target_site *site);
/* TARGET_SLEEP and TARGET_SLEPT: the thread goes on. */
void convert_sleep(struct session *s, const struct target_event *ev);
void convert_end(struct session *s);

#endif
