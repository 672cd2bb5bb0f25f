/* Between a run and watch.c. Nothing happens where session_options.record is NULL. */
#ifndef GATECTL_FEATURES_CONVERT_RECORD_H
#define GATECTL_FEATURES_CONVERT_RECORD_H

#include "tracer/features/convert/convert.h"
#include "tracer/features/waiting/waiter.h"

/* TARGET_SLEEP and TARGET_SLEPT: the thread goes on, or does so in its turn. */
void convert_sleep(struct session *s, const struct target_event *ev);
void convert_born(struct session *s, const struct session_thread *t);
/* At a tick: who has slept goes on if it is its turn. */
void turns_look(struct session *s);

/* ---- sleeps.c ---- */

/* The thread in the record; made when it is asked for first. */
struct convert_thread *convert_thread_of(struct convert_record *r, const struct session_thread *t);
struct convert_sleep *convert_open_sleep(struct convert_record *r, size_t thread); /* or NULL */
/* After very many sleeps: it has had so many of them that it orders nothing by more. */
bool convert_sleeps_on(const struct convert_record *r, const struct session_thread *t);
void convert_note_arrivals(struct session *s, struct arrival_counts *out);
/* How the others stand; nobody is let go for it. */
void convert_look_round(struct session *s, struct convert_sleep *sleep);

/* ---- own.c ---- */

/* The run is over: each sleep gets its level, and events that are not of own code are forgotten. */
void own_settle(struct convert_record *r);
bool own_is(const struct convert_record *r, const char *file);
/* Its time was over, in code that a script can name. */
bool own_counts(const struct convert_sleep *s);
const struct convert_line *own_line(const struct convert_sleep *s);

/* ---- turns.c ---- */

void turns_begin(struct session *s, struct convert_sleep *sleep);
/* Its time is over; its thread stays stopped. */
void turns_wait(struct session *s, struct convert_sleep *sleep);
/* It has ended. */
void turns_end(struct session *s, struct convert_sleep *sleep);

/* ---- polls.c ---- */

enum { POLLS_MOST = 60 }; /* who sleeps more often on a line does not mean one order by it */
/* while (!ready) usleep(1000): how often it sleeps is left to chance, though it may be once in all the
   runs that were seen. */
bool polls_is(const struct convert_record *r, const struct convert_sleep *s);
/* The line is of a loop in which its thread looks again and again. */
bool polls_at(const struct convert_record *r, size_t thread, const struct convert_line *at);
/* Why the sleeps of that line are left: `otherwise`, or that the loop asks the clock. */
const char *polls_why(const struct convert_record *r, const struct convert_line *at,
		      const char *otherwise);
/* ... why it sleeps though it was elided. */
const char *polls_again(const struct convert_sleep *s);

/* ---- deeds.c ---- */

bool deeds_same_text(const char *a, const char *b);
bool deeds_sounds_like_sleep(const char *func); /* NULL: no */
bool deeds_same_line(const struct convert_line *a, const struct convert_line *b);
bool deeds_same_place(const struct convert_line *a,
		      const struct convert_line *b); /* and function */
/* A brace, or nothing: nobody would name it as what has happened. */
bool deeds_is_empty(struct modules *symbols, const struct convert_line *at);
/* It begins with "while (...)", and `with_body` has what that repeats on the same line. */
bool deeds_is_while(struct modules *symbols, const struct convert_line *at, bool with_body);
/* Has the thread, with `now` events, executed the statement of its event? */
bool deeds_is_done(const struct convert_record *r, const struct convert_thread *t, size_t event,
		   size_t now);
/* Of a thread that has ended: was nothing to be done any more when the last of `n` events was? */
bool deeds_is_all(const struct convert_record *r, const struct convert_thread *t, size_t n);
/* The first `n` events: the last of them that is a deed, and has a location. 0: none. */
size_t deeds_last(const struct convert_record *r, const struct convert_thread *t, size_t n,
		  size_t now);

#endif
