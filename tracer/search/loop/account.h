/* What the runs of a search have shown, put together in their order. */
#ifndef GATECTL_SEARCH_LOOP_ACCOUNT_H
#define GATECTL_SEARCH_LOOP_ACCOUNT_H

#include "tracer/search/loop/outcome.h"
#include "tracer/search/loop/seen.h"

struct explore_account {
	struct explore *e; /* whose result it becomes */
	struct seen seen;
	double begun;	     /* by the clock; what earlier searches took is before it */
	unsigned long every; /* runs between two samples */
};

double explore_now_s(void);
/* NULL: nothing has failed like that. */
struct explore_failure *explore_known(struct explore *e, uint64_t key);
/* Takes what a new failure needs out of the outcome. */
void explore_account(struct explore_account *a, struct explore_outcome *o);

#endif
