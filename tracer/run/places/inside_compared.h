/* Conditions of places as comparisons made inside the program. */
#ifndef GATECTL_RUN_PLACES_INSIDE_COMPARED_H
#define GATECTL_RUN_PLACES_INSIDE_COMPARED_H

#include "tracer/run/run.h"
#include "tracer/tracee/fastpath/fastpath.h"

/* The thread stands at the place, in `scope`. Arrivals for which the expression is `idle` are
   decided inside, all others are reported. Returns the number of comparisons, or 0 if an operand is
   no integer, pointer or bool at an address known beforehand. */
size_t inside_comparisons(struct run_thread *t, uint64_t scope, const char *expression, bool idle,
			  struct tracee_comparison out[INSPECT_TESTS]);

#endif
