/* --weaken: outcomes that no order of whole calls explains, but a contract allows. */
#ifndef GATECTL_HARNESS_CHECK_WEAKEN_H
#define GATECTL_HARNESS_CHECK_WEAKEN_H

#include "tracer/harness/harness.h"

/* Reads the files. 0, or -1 with h->x.err. */
int harness_weaken(struct harness_hunt *h);
/* Which of those that came are allowed? They count as atomic from now on. The number of them, or -1. */
int harness_allow(struct harness_hunt *h, struct outcomes *o);
void harness_weaken_fini(struct harness_hunt *h);

#endif
