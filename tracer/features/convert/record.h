/* Between the files that watch a run. Nothing happens if run_options.record is NULL. */
#ifndef GATECTL_FEATURES_CONVERT_RECORD_H
#define GATECTL_FEATURES_CONVERT_RECORD_H

#include "tracer/features/convert/convert.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/synth/script/script.h"

/* TRACEE_SLEEP and TRACEE_SLEPT: the thread goes on now, or when it is its turn. */
bool convert_sleep(struct run *s, const struct tracee_event *ev);
void convert_born(struct run *s, struct run_thread *t);
/* At a tick: a thread that has slept goes on if it is its turn. */
void turns_look(struct run *s);

/* ---- sleeps.c ---- */

/* The thread in the record, made when first asked for. The record owns it. */
struct convert_thread *convert_thread_of(struct convert_record *r, const struct run_thread *t);
void convert_note_arrivals(struct run *s, struct arrival_counts *out);

/* ---- own.c ---- */

/* After the run: gives each sleep its level, and drops events outside the test's own code. */
void own_settle(struct convert_record *r);
bool own_is(const struct convert_record *r, const char *file);
/* Was its time up, in code that a script can name? */
bool own_counts(const struct convert_sleep *s);
const struct convert_line *own_line(const struct convert_sleep *s);

/* ---- polls.c ---- */

enum { POLLS_MOST = 60 }; /* a line that sleeps more often does not mean one order by it */
/* Is this a sleep of a loop like while (!ready) usleep(1000)? How often it sleeps is left to
   chance, even if it was once in all runs that were seen. */
bool polls_is(const struct convert_record *r, const struct convert_sleep *s);
/* Is the line part of a loop in which the thread checks again and again? */
bool polls_at(const struct convert_record *r, size_t thread, const struct convert_line *at);
/* Why the sleeps of that line are left alone: `otherwise`, or that the loop asks the clock. */
const char *polls_why(const struct convert_record *r, const struct convert_line *at,
		      const char *otherwise);
/* ... why it sleeps though it is elided. */
const char *polls_again(const struct convert_sleep *s);

/* ---- script.c ---- */

/* A place that does nothing, but is counted. */
void script_add_counted(struct script_place place, struct str *out);

/* ---- words.c ---- */

/* The sites that the text means in the program; for the caller to free also if it means none. */
bool words_resolve(struct modules *symbols, struct module *program, const char *text,
		   enum location_kind *kind, struct source_sites *out);

/* ---- deeds.c ---- */

bool deeds_sounds_like_sleep(const char *func); /* NULL: no */
bool deeds_same_line(const struct convert_line *a, const struct convert_line *b);
bool deeds_same_place(const struct convert_line *a,
		      const struct convert_line *b); /* and in the same function */
/* Is it a brace, or nothing? Nobody would name that as something that has happened. */
bool deeds_is_empty(struct modules *symbols, const struct convert_line *at);
/* Does it begin with "while (...)" and, if `with_body`, have the body on the same line? */
bool deeds_is_while(struct modules *symbols, const struct convert_line *at, bool with_body);
/* Has the thread, with `now` events, executed the statement of its event? */
bool deeds_is_done(const struct convert_record *r, const struct convert_thread *t, size_t event,
		   size_t now);
/* For a thread that has ended: was nothing left to do after the last of `n` events? */
bool deeds_is_all(const struct convert_record *r, const struct convert_thread *t, size_t n);
/* How many of the first `n` events there are up to the last that is executed and has a location. 0:
   none is. */
size_t deeds_last(const struct convert_record *r, const struct convert_thread *t, size_t n,
		  size_t now);

#endif
