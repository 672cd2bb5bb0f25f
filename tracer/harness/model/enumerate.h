/*
 * Harnesses in order of size. Of those that differ only in the order of threads, or in which of the values
 * stands for which, there is one; none consists of operations alone that only read.
 *
 * How many that is says Burnside's lemma. Of p operations that take one of v values and q that take none, shared
 * among threads that make n1 >= n2 >= ... calls, there are
 *
 *     1/|G| * sum over (r, s) in G of the product over the cycles c of s of (q + p * fix(r^|c|))^n(c)
 *
 * where G has all renamings r of the values and all orders s of threads that make as many calls, and fix(r) is how
 * many values r leaves as they are. From that go those that only read, and the whole is the sum over
 * all n1 + n2 + ... = size: it grows like (q + p * v)^size.
 */
#ifndef GATECTL_HARNESS_MODEL_ENUMERATE_H
#define GATECTL_HARNESS_MODEL_ENUMERATE_H

#include "tracer/harness/model/schema.h"

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
