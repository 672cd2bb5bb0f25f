/* A condition of a place as comparisons that are made inside the program. */
#ifndef GATECTL_RUN_PLACES_INSIDE_COMPARED_H
#define GATECTL_RUN_PLACES_INSIDE_COMPARED_H

#include "tracer/run/run.h"
#include "tracer/tracee/fastpath/fastpath.h"

/*
 * The thread stands at the place, in `scope`. Arrivals for which the truth of the expression is `idle` are taken inside, all
 * others are reported. Returns how many comparisons; 0: some operand is no integer, pointer or bool at an address that can
 * be told beforehand.
 */
size_t inside_comparisons(struct run_thread *t, uint64_t scope, const char *expression, bool idle,
			  struct tracee_comparison out[INSPECT_TESTS]);

#endif
