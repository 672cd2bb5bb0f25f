/*
 * What would have had to happen: hints_reached.c tells what came nearest to a place, hints_opened.c
 * who could open a gate, hints_words.c has the small words of both.
 */
#ifndef GATECTL_FEATURES_EXPLAIN_HINTS_H
#define GATECTL_FEATURES_EXPLAIN_HINTS_H

#include "tracer/features/near_miss/near_miss.h"

/* hints_words.c */
void hints_times(unsigned long n, struct str *out);	 /* "once", "3 times" */
void hints_and(size_t i, size_t count, struct str *out); /* what goes before the i-th of count */
void hints_line(const char *file, unsigned line, struct str *out); /* "calc.c:7" */
void hints_threads(struct session *s, struct str *out);		   /* all of the run */
bool hints_any_matches(struct session *s, const char *pattern);
/* Appends "; did you mean ...?" with names of threads that are like the pattern; the best one is
   also put in `best` (may be NULL; base_free). */
void hints_like(struct session *s, const char *pattern, struct str *out, char **best);

/* hints_opened.c */
const struct place *hints_main(const struct place *p); /* itself, or whose statement it ends */
bool hints_opens(const struct place *p, const struct gate *g);

/* hints_reached.c: why nobody has arrived, one sentence without a full stop. */
void hints_near(struct session *s, const struct place *p, struct str *out);
/* Is it known that the thread is in the function now that is watched for near misses? */
bool hints_inside(const struct near_misses *nm, const struct engine_thread *t);
/* Appends who came to the place, but is not meant by its `thread` option; false: nobody. */
bool hints_shut_out(struct session *s, const struct place *p, struct str *out);
/* FUNC%return was reached where FUNC ends in a jump to another function (a tail call): what it is left for
   was still to run, which optimised code does not show. False: nothing of the kind happened. */
bool hints_jumped_try(const struct session *s, struct str *out);
/* Is it the place as it was asked for (its thread, its hit, its line) that kept everybody away? Else
   somebody may yet have been on the way there. */
bool hints_is_mistaken(struct session *s, const struct place *p);

#endif
