/*
 * Harnesses in order of size. Of those that differ only in the order of threads, or in which of the values
 * stands for which, there is one; none consists of operations alone that only read.
 */
#ifndef GATECTL_HARNESS_ENUMERATE_H
#define GATECTL_HARNESS_ENUMERATE_H

#include "tracer/harness/schema.h"

struct enumeration {
	const struct harness_object *object;
	unsigned threads, size; /* calls of all threads */
	/* Where it is: */
	bool begun, second; /* those come first in which some thread begins by changing something */
	unsigned counts[SCHEMA_THREADS];
	unsigned slots[SCHEMA_THREADS * SCHEMA_CALLS];
};

void enumerate_begin(struct enumeration *e, const struct harness_object *o, unsigned threads,
		     unsigned size);
bool enumerate_next(struct enumeration *e, struct schema *out);

#endif
