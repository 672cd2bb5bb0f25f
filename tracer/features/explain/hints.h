/* Shared by the files that explain a verdict; README.md lists the files. */
#ifndef GATECTL_FEATURES_EXPLAIN_HINTS_H
#define GATECTL_FEATURES_EXPLAIN_HINTS_H

#include "tracer/features/explain/explain.h"
#include "tracer/features/near_miss/near_miss.h"

/* ---- passers.c ------------------------------------------------------------------------------ */

/* A thread that arrived at a place, whether or not it matches the place's `thread` option. */
struct passer {
	const struct engine_thread *thread;
	unsigned long count;
};

struct passers {
	struct passer *items;
	size_t count, capacity;
	/* arrivals without a name: counted inside the program, or beyond PASSERS_MOST threads */
	unsigned long more;
};

/* A list that is freed at the end of its block. */
#define PASSERS(name) __attribute__((cleanup(passers_fini))) struct passers name = {0}
/* Frees the list. A struct passed is also accepted: its first member is a list. */
void passers_fini(void *list);
/* Counts an arrival of t. Returns false if the list is full and t is not in it. */
bool passers_count(struct passers *list, const struct engine_thread *t);

/* Observer hook: t arrives at the place, whether or not it matches the `thread` option. */
void passers_comes(struct run *s, struct run_thread *t, struct place *place);
/* Observer hook: `arrivals` were counted inside the program; `others` if their threads do not match
 * the place's `thread` option. */
void passers_passed(struct run *s, struct place *p, unsigned long arrivals, bool others);
/* Returns the number of arrivals of matching threads that were counted inside the program. */
unsigned long passers_inside(const struct place *p);
/* True if any thread has arrived, matching or not. */
bool passers_any(const struct place *p);
/* True if a thread arrived at FUNC%return at a tail call, whose function was still to run. */
bool passers_jumped(const struct place *p);
/* Collects the threads that match the place's `thread` option (`meant`) or do not, in order of
 * creation: the text does not depend on the order of arrival. */
void passers_of(struct run *s, const struct place *p, bool meant, struct passers *out);
/* Returns a thread that another place of the same trap, earlier in the script, holds there, or
 * NULL. */
const struct run_thread *passers_held_before(struct run *s, const struct place *p);
/* True if the thread has exited while other threads live. */
bool hints_exited(struct run *s, const struct engine_thread *t);
/* Appends "main (3 times) and worker#1", or "other threads (1000 times)" if some have no name. */
void passers_add(const struct passers *list, struct str *out);

/* Appends "once", "3 times". */
void hints_times(unsigned long n, struct str *out);
/* Appends the separator before item i of count items. */
void hints_and(size_t i, size_t count, struct str *out);
/* Appends "calc.c:7". */
void hints_line(const char *file, unsigned line, struct str *out);
/* Appends the ids and names of all threads of the run. */
void hints_threads(struct run *s, struct str *out);
/* Returns a thread of the run that matches the pattern, or NULL. */
const struct engine_thread *hints_match(struct run *s, const char *pattern);
/* Appends "; did you mean ...?" with similar names of threads. *best, if `best` is not NULL,
 * becomes the most similar one, freed by the caller with base_free(), or NULL. */
void hints_like(struct run *s, const char *pattern, struct str *out, char **best);

/* ---- hints_opened.c ------------------------------------------------------------------------- */

/* Returns p itself, or the place whose end p is. */
const struct place *hints_main(const struct place *p);
/* True if the script opens gate g at p. */
bool hints_opens(const struct place *p, const struct gate *g);

/* ---- hints_reached.c ------------------------------------------------------------------------ */

/* Appends why no thread has arrived at p: one sentence without a full stop. */
void hints_near(struct run *s, const struct place *p, struct str *out);
/* True if the thread is certainly still in the function that is watched for near misses. */
bool hints_inside(const struct near_misses *nm, const struct engine_thread *t);
/* Appends the threads that arrived without matching the place's `thread` option. Returns false if
 * there are none. */
bool hints_shut_out(struct run *s, const struct place *p, struct str *out);
/* Appends advice if FUNC%return was reached at a tail call, whose function was still to run.
 * Returns false if that did not happen. */
bool hints_jumped_try(const struct run *s, struct str *out);
/* True if an option of the place itself (`thread`, `hit`, the line) explains that it was not
 * reached. False if a thread may have been on its way there. */
bool hints_is_mistaken(struct run *s, const struct place *p);
/* Appends one sentence on why the place was not reached. */
void hints_missing(struct run *s, const struct place *p, struct str *out);
/* Appends further lines: the source line, and other copies of it that were executed. */
void hints_missing_lines(struct run *s, const struct place *p, struct str *out);
/* Appends what to try about the place. */
void hints_missing_try(struct run *s, const struct place *p, struct str *out);

/* ---- ends.c --------------------------------------------------------------------------------- */

/* Appends advice if the program ended just after a thread was released. Returns false if none
 * was. */
bool loose_end_try(const struct run *s, struct str *out);
/* Appends advice if a place opened a gate before its statement was executed. Returns false if none
 * did. */
bool opened_before_try(const struct run *s, struct str *out);
/* Appends that no thread made a step, and what each waits for. */
void hang_text(const struct run *s, struct str *out);
/* Appends, after the time limit, the threads of a livelock and their places; nothing if there is no
 * livelock. */
void livelock_line(struct run *s, struct str *out);
/* Sets file and line of *out to the one line that represents the verdict. */
void blame_verdict(struct run *s, enum verdict v, struct run_result *out);

#endif
