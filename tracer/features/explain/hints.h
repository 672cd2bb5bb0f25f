/*
 * What would have had to happen: hints_reached.c tells what came nearest to a place, hints_opened.c
 * who could open a gate; both share the wording in hints_words.c.
 */
#ifndef GATECTL_FEATURES_EXPLAIN_HINTS_H
#define GATECTL_FEATURES_EXPLAIN_HINTS_H

#include "tracer/features/near_miss/near_miss.h"

/* hints_words.c */
void hints_times(unsigned long n, struct str *out); /* "once", "3 times" */
/* Adds how often the condition of the place was true and false. */
void hints_condition(const struct place *p, struct str *out);
#define HINTS_CONDITION_TRY                                                                        \
	":log \"{var.NAME}\" there without `when`, which prints what the condition sees"
void hints_and(size_t i, size_t count, struct str *out); /* separator before the i-th of count */
void hints_line(const char *file, unsigned line, struct str *out); /* "calc.c:7" */
void hints_threads(struct run *s, struct str *out);		   /* all of the run */
bool hints_any_matches(struct run *s, const char *pattern);
/* Is it on("exit") for threads that have all ended, but not the process? */
bool hints_means_thread_exit(struct run *s, const struct place *p);
/* Appends "; did you mean ...?" with names of threads similar to the pattern; `best` (may be NULL)
   gets the best one, to be freed with base_free(). */
void hints_like(struct run *s, const char *pattern, struct str *out, char **best);

/* hints_opened.c */
const struct place *hints_main(const struct place *p); /* itself, or the place whose end it is */
bool hints_opens(const struct place *p, const struct gate *g);

/* hints_reached.c: why nobody has arrived, in one sentence without a full stop. */
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

#endif
