/* From signatures to an object with operations: what is guessed, and what the tester has said. */
#ifndef GATECTL_HARNESS_OBJECT_OBJECT_H
#define GATECTL_HARNESS_OBJECT_OBJECT_H

#include "tracer/harness/harness.h"

/* 0, or -1 with h->x.err. */
int harness_object(struct harness_hunt *h);

#endif
