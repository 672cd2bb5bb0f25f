/* Between a run and watch.c. Nothing happens where session_options.record is NULL. */
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

/* ---- deeds.c ---- */

bool deeds_same_text(const char *a, const char *b);
bool deeds_same_line(const struct convert_line *a, const struct convert_line *b);
bool deeds_same_place(const struct convert_line *a,
		      const struct convert_line *b); /* and function */
/* A brace, or nothing: nobody would name it as what has happened. */
bool deeds_is_empty(struct symbols *symbols, const struct convert_line *at);
/* Has the thread, with `now` events, executed the statement of its event? */
bool deeds_is_done(const struct convert_record *r, const struct convert_thread *t, size_t event,
		   size_t now);
/* Of a thread that has ended: was nothing to be done any more when the last of `n` events was? */
bool deeds_is_all(const struct convert_record *r, const struct convert_thread *t, size_t n);
/* The first `n` events: the last of them that is a deed, and has a location. 0: none. */
size_t deeds_last(const struct convert_record *r, const struct convert_thread *t, size_t n,
		  size_t now);

#endif
