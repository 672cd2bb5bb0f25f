/* What a function of the script asks before it does anything, as comparisons that are made inside the program. */
#ifndef GATECTL_RUN_PLACES_INSIDE_COMPARED_H
#define GATECTL_RUN_PLACES_INSIDE_COMPARED_H

#include "tracer/run/state.h"

/* What the tests of place_idle() compare with, as it is now; behind them 0. False: a local of the script's is no integer. */
bool inside_constants(const struct session *s, const struct place *place, int64_t out[IDLE_TESTS]);
/*
 * The thread stands at the place, in `function` (NULL: not known). How many comparisons; 0: a variable that is read
 * is no integer there, or is in no place that can be told beforehand.
 */
size_t inside_comparisons(struct session_thread *t, uint64_t scope, const struct place *place,
			  const int64_t constants[IDLE_TESTS],
			  struct tracee_comparison out[IDLE_TESTS]);

#endif
