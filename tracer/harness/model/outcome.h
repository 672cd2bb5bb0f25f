/* Outcomes: what each call has given, and what was seen in the end. "push(1)=0 pop()=2 | size()=1" */
#ifndef GATECTL_HARNESS_MODEL_OUTCOME_H
#define GATECTL_HARNESS_MODEL_OUTCOME_H

#include "tracer/base/array.h"
#include "tracer/base/text/str.h"

#include <stdbool.h>
#include <stdint.h>

struct harness_outcome {
	char *text;
	char *order; /* of whole calls that explains it: "size() push(1) pop()"; NULL: none does */
	bool weakened;	     /* it does so but for what --weaken allows */
	unsigned long times; /* seen */
};

struct outcomes {
	struct harness_outcome *items;
	size_t count, capacity;
};

/* The one of this text, added if it is new; and explained by the order, if it was not. */
struct harness_outcome *outcomes_add(struct outcomes *o, const char *text, const char *order);
/* Stands for the text where there may be many long ones: on a command line. */
uint64_t outcome_sum(const char *text);
void outcomes_fini(struct outcomes *o);

/* Tab-separated with a header: outcome, times, atomic, explained by. */
void outcomes_print(const struct outcomes *o, struct str *out);

/* The atomic one that differs from `text` in the fewest calls; NULL: there are none. These calls, as they
   were and as they would have been, go to *differences, a line each. */
const struct harness_outcome *outcomes_nearest(const struct outcomes *o, const char *text,
					       struct str *differences);

/* What calls are allowed to give besides. */
struct outcome_contract {
	void *ctx;
	/* May the call ("size()") have given that ("1,2")? `atomic`: what orders of whole calls give there. */
	bool (*allows)(void *ctx, const char *call, const char *given, const char *const *atomic,
		       size_t count);
};

/* The atomic one from which `text` differs in nothing but calls of threads that were allowed to give what they
   gave; NULL: there is none. */
const struct harness_outcome *outcomes_allow(const struct outcomes *o, const char *text,
					     const struct outcome_contract *c);

#endif
