/* A verdict in words: who waits for what, what came nearest, what to try. */
#ifndef SESSION_EXPLAIN_H
#define SESSION_EXPLAIN_H

#include "tracer/session/internal.h"

/* waiting.c */
const char *waiting_word(enum waiting_kind kind);
static inline bool waiting_is_alive(const struct waiting *w)
{
	return w->kind >= WAITING_RUNNING;
}
void waiting_look_all(struct session *s); /* before the tree is killed: what everybody does */
void waiting_sentence(const struct session_thread *t,
		      struct str *out); /* "T waits for ... at F:L" */
void waiting_fini(struct waiting *w);

/* explain.c: a file as it is shown: relative to the working directory where it is below */
const char *shown_path(const char *file);

/* infeasible.c: a circle of threads, one of which would have to open the gate that holds another: each
   one's line, and what to try. False: there is none. */
bool infeasible_lines(struct session *s, struct str *out);
bool infeasible_try(struct session *s, struct str *out);

/* own_deadlock.c: what to try */
void own_deadlock_try(struct session *s, struct str *out);

/* blame.c: the line that the verdict is about */
void blame_verdict(struct session *s, enum verdict v, struct session_result *out);

/* explain.c */
void explain_verdict(struct session *s, enum verdict v, struct str *out);

/* hints_opened.c: why the gates are closed at which somebody is held; what to do about it, for the
   line `try:` (false: nothing of its own) */
void hints_gates(struct session *s, struct str *out);
bool hints_gates_try(struct session *s, struct str *out);

/* hints_reached.c: why a place was not reached: in one sentence, what else there is to say, and what
   to do about it */
void hints_missing(struct session *s, const struct place *p, struct str *out);
void hints_missing_lines(struct session *s, const struct place *p, struct str *out);
void hints_missing_try(struct session *s, const struct place *p, struct str *out);
void hints_pass_by(struct session_place *place, const struct engine_thread *t);

#endif
