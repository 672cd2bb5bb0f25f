/* Which outcomes of a harness are atomic. */
#ifndef GATECTL_HARNESS_CHECK_ATOMIC_H
#define GATECTL_HARNESS_CHECK_ATOMIC_H

#include "tracer/harness/harness.h"

enum harness_use {
	HARNESS_USABLE,
	HARNESS_MAY_STOP, /* in some order whole calls end in a state where every thread waits for ever */
	HARNESS_FAILS, /* in some order whole calls crash, end the program, or differ from run to run */
};

struct harness_atomic {
	struct outcomes outcomes;
	enum harness_use use;
	bool concerned; /* the order matters, and whoever only reads sees what others do */
};

/* They are run together with others, at the next harness_atomic(). */
void harness_atomic_want(struct harness_hunt *h, const struct schema *s);
/* Every order that keeps each thread's own is run. 0 with the outcomes of those that end; -1. */
int harness_atomic(struct harness_hunt *h, const struct schema *s, struct harness_atomic *out);

/*
 * The same once more, each thread's calls made by a thread: an object may keep something for each of them, as a list of
 * what it has put in. What such orders give is added to *out, or explained there. 0, or -1.
 */
int harness_atomic_in_threads(struct harness_hunt *h, const struct schema *s, struct outcomes *out);

#endif
