/* What is found out about operations by calling them. */
#ifndef GATECTL_EXPERIMENTS_HARNESS_PROBE_H
#define GATECTL_EXPERIMENTS_HARNESS_PROBE_H

#include "tracer/experiments/harness.h"

/*
 * Compiles, and finds: does the constructor give an object, which operations can be called at all, which only
 * read, which give something else every time, and which make the final observation. 0, or -1.
 */
int harness_probe(struct harness_hunt *h);

#endif
