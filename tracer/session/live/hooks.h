/* What a run tells the one who steers it by hand. */
#ifndef GATECTL_SESSION_LIVE_HOOKS_H
#define GATECTL_SESSION_LIVE_HOOKS_H

#include "tracer/session/internal.h"

/* live.c: something happened that somebody who looks on is told of. */
void live_tell(struct live *l, const struct happened *h);
bool live_drops_signal(struct session_thread *t, int signal);
void live_came(struct session *s, struct session_thread *t); /* where it was sent */

/* step.c: did the thread get where it was sent? */
bool live_there(struct session *s, struct session_thread *t, const struct target_site *site,
		const struct arch_regs *regs);
void live_forget_stops(struct session *s);

#endif
