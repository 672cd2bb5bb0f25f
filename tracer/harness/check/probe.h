/* What is found out about operations by calling them. */
#ifndef GATECTL_HARNESS_CHECK_PROBE_H
#define GATECTL_HARNESS_CHECK_PROBE_H

#include "tracer/harness/check/orders.h"

/*
 * Compiles, and finds: does the constructor give an object, which operations can be called at all, which only
 * read, which give something else every time, and which make the final observation. 0, or -1.
 */
int harness_probe(struct harness_hunt *h);
/* The calls behind the threads: those that only read, then what is left is taken out. The number of them. */
unsigned harness_final(const struct harness_hunt *h, const struct schema *s,
		       unsigned calls[ORDER_CALLS]);

#endif
