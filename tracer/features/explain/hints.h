/*
 * Between the files that put a verdict in words.
 *
 *	explain.c	the whole text
 *	ends.c		how the run ended: a hang, a livelock, too early; the line to blame
 *	hints_reached.c	what came nearest to a place
 *	hints_opened.c	who could open a gate
 *	circle.c	circles of threads that wait and are held
 *	passers.c	who has been at a place, and lists of threads in words
 */
#ifndef GATECTL_FEATURES_EXPLAIN_HINTS_H
#define GATECTL_FEATURES_EXPLAIN_HINTS_H

#include "tracer/features/explain/explain.h"
#include "tracer/features/near_miss/near_miss.h"

/* ---- passers.c ------------------------------------------------------------------------------ */

/* A thread that came by, whether `thread` means it or not. */
struct passer {
	const struct engine_thread *thread;
	unsigned long count;
};

struct passers {
	struct passer *items;
	size_t count, capacity;
	/* times by others: decided inside the program, or these are too many to name */
	unsigned long more;
};

/* A list that is freed at the end of its block. */
#define PASSERS(name) __attribute__((cleanup(passers_fini))) struct passers name = {0}
void passers_fini(void *list);
/* Counts the thread. False: the list is full. */
bool passers_count(struct passers *list, const struct engine_thread *t);

/* Notes that a thread is at the place, whether it is meant or not. */
void passers_comes(struct run *s, struct run_thread *t, struct place *place);
/* How many were decided inside the program; `others`: of threads whom the place is not meant for. */
void passers_passed(struct run *s, struct place *p, unsigned long arrivals, bool others);
unsigned long passers_inside(const struct place *p);
bool passers_any(const struct place *p); /* has anybody been there? */
/* FUNC%return: did a thread arrive at a jump to a function that was still to run? */
bool passers_jumped(const struct place *p);
/* The threads that the place's `thread` option means, or those that it does not, in order of
   creation: so runs that differ only in who came first are described in the same words. */
void passers_of(struct run *s, const struct place *p, bool meant, struct passers *out);
/* A thread that is held where the place is, by another place of the same stop, which acts first; or
   NULL. */
const struct run_thread *passers_held_before(struct run *s, const struct place *p);
/* "main (3 times) and worker#1"; where not all is known "other threads (1000 times)". */
void passers_add(const struct passers *list, struct str *out);

void hints_times(unsigned long n, struct str *out);	 /* "once", "3 times" */
void hints_and(size_t i, size_t count, struct str *out); /* separator before the i-th of count */
void hints_line(const char *file, unsigned line, struct str *out); /* "calc.c:7" */
void hints_threads(struct run *s, struct str *out);		   /* all of the run */
/* Any thread of the run that the pattern means; or NULL. */
const struct engine_thread *hints_match(struct run *s, const char *pattern);
/* Appends "; did you mean ...?" with names of threads similar to the pattern; `best` (may be NULL)
   gets the best one, to be freed with base_free(). */
void hints_like(struct run *s, const char *pattern, struct str *out, char **best);

/* ---- hints_opened.c ------------------------------------------------------------------------- */

const struct place *hints_main(const struct place *p); /* itself, or the place whose end it is */
bool hints_opens(const struct place *p, const struct gate *g);

/* ---- hints_reached.c ------------------------------------------------------------------------ */

/* Why nobody has arrived, in one sentence without a full stop. */
void hints_near(struct run *s, const struct place *p, struct str *out);
/* Is it certain that the thread is now in the function that is watched for near misses? */
bool hints_inside(const struct near_misses *nm, const struct engine_thread *t);
/* Appends the threads that came to the place without matching its `thread` option; false: none. */
bool hints_shut_out(struct run *s, const struct place *p, struct str *out);
/* FUNC%return was reached at a jump from FUNC to another function (a tail call), which was still to
   run; optimised code does not show that. False: nothing of the kind happened. */
bool hints_jumped_try(const struct run *s, struct str *out);
/* Is the place itself (its thread, its hit, its line) what kept everybody away? If not, some thread
   may have been on its way there. */
bool hints_is_mistaken(struct run *s, const struct place *p);
/* Why a place was not reached: one sentence, further lines, and what to do about it. */
void hints_missing(struct run *s, const struct place *p, struct str *out);
void hints_missing_lines(struct run *s, const struct place *p, struct str *out);
void hints_missing_try(struct run *s, const struct place *p, struct str *out);

/* ---- ends.c --------------------------------------------------------------------------------- */

/* What to try for a program that ended too early, just after some thread was let go; false: none
   was. */
bool loose_end_try(const struct run *s, struct str *out);
/* That no thread made a step, and what each of them waits for. */
void hang_text(const struct run *s, struct str *out);
/* After the time limit, whether it is a livelock, and which threads move where. */
void livelock_line(struct run *s, struct str *out);
/* The line that the verdict is about, for reports that can show only one. */
void blame_verdict(struct run *s, enum verdict v, struct run_result *out);

#endif
