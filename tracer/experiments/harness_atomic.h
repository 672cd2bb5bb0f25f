/* Which outcomes of a harness are atomic. */
#ifndef GATECTL_EXPERIMENTS_HARNESS_ATOMIC_H
#define GATECTL_EXPERIMENTS_HARNESS_ATOMIC_H

#include "tracer/experiments/harness.h"

enum harness_use {
	HARNESS_USABLE,
	HARNESS_MAY_STOP, /* in some order whole calls end in a state where every thread waits for ever */
	HARNESS_FAILS, /* in some order whole calls crash, end the program, or differ from run to run */
};

/* Every order that keeps each thread's own is run. 0 with the outcomes of those that end; -1. */
int harness_atomic(struct harness_hunt *h, const struct schema *s, struct outcomes *out,
		   enum harness_use *use);

#endif
