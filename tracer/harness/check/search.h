/* One harness, searched. */
#ifndef GATECTL_HARNESS_CHECK_SEARCH_H
#define GATECTL_HARNESS_CHECK_SEARCH_H

#include "tracer/harness/harness.h"

struct harness_sought {
	struct schema schema;
	struct outcomes outcomes; /* the atomic ones, and those that came */
	unsigned long runs;
	unsigned level;	 /* how often it was searched */
	bool prepared;	 /* the atomic outcomes are there */
	bool in_threads; /* ... also those of orders in threads */
	bool concerned;	 /* as harness_atomic says; those that are come first */
	bool out;	 /* it is not searched any more */
};

/* So many runs more. 0; -1: everything is over. `*violated`: an outcome came that is not atomic, or the program
   failed; the violation is in h. */
int harness_search(struct harness_hunt *h, struct harness_sought *s, unsigned long runs,
		   bool *violated);
double
harness_left(const struct harness_hunt *h); /* seconds; 0: no limit. Negative: none are left */

#endif
