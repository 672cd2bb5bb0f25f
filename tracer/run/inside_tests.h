/* What a function of the script asks before it does anything, as tests that are made inside the program. */
#ifndef GATECTL_RUN_INSIDE_TESTS_H
#define GATECTL_RUN_INSIDE_TESTS_H

#include "tracer/run/state.h"

/*
 * The thread stands at the place, whose place_idle() says what is asked; in `function` (NULL: not known). How many tests; 0: a variable that is
 * read is no integer there, or is in no place that can be told beforehand.
 */
size_t inside_tests(struct session_thread *t, const char *function, const struct place *place,
		    struct target_test out[IDLE_TESTS]);
/* Are the values that the script has given them still the same? */
bool inside_tests_hold(const struct session *s, const struct place *place,
		       const struct target_test *tests);

#endif
