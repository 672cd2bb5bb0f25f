/* Can anybody still move? What the rest of the session asks the judges. */
#ifndef GATECTL_SESSION_DEADLOCK_DEADLOCK_H
#define GATECTL_SESSION_DEADLOCK_DEADLOCK_H

#include "tracer/session/internal.h"

/* deadlock.c judges from /proc (`judge` of its observer); WAITS_MOVING is the answer where anything is in
   doubt. At any other answer everybody is described (waiting_look_all) and `cycle` is in words. */
/* Describes everybody; `cycle` are those who can never move any more, whatever the others do. */
void deadlock_explain(struct session *s);
/* Does nobody move, but those that are `aside`? Who waits for nobody knows what does not move, too. */
bool deadlock_rests(struct session *s,
		    bool (*aside)(const struct session *s, const struct session_thread *t));
/* What the thread waits for; WAIT_NOT where it can move, or might. */
void deadlock_wait_of(struct session *s, struct session_thread *t, const struct target_block *b,
		      struct wait *w);

/* timers.c: is a signal to come that could wake somebody? Whoever was stopped to be asked is added to
   `asked` and stays so until timers_let_go(). */
struct timers_asked {
	struct session_thread **items;
	size_t count, capacity;
};
bool timers_ask(struct session *s, struct timers_asked *asked);
bool timers_has_asked(const struct timers_asked *asked, const struct session_thread *t);
void timers_let_go(struct session *s, struct timers_asked *asked);
bool timers_is_helper(const struct session_thread *t, const struct target_block *b);

#endif
