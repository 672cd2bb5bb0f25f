/* What is written of a violation: DIR/N with test.c, gates.lua, README.md and outcomes.txt. */
#ifndef GATECTL_HARNESS_CHECK_FOUND_H
#define GATECTL_HARNESS_CHECK_FOUND_H

#include "tracer/harness/harness.h"

/* Writes the test, compiles it and searches it, for a script. 0; -1: everything is over. */
int harness_found(struct harness_hunt *h, struct harness_violation *v);
void harness_violation_fini(struct harness_violation *v);

#endif
