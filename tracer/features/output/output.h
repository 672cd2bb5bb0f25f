/* Output of the program, captured for `expect` and trials. */
#ifndef GATECTL_FEATURES_OUTPUT_OUTPUT_H
#define GATECTL_FEATURES_OUTPUT_OUTPUT_H

#include "tracer/run/run.h"

/* Stores all output in the run's outcome. No process may still be writing. */
void capture_outcome(struct run *s);
/* After capture_outcome(): the digests of what was written; unchanged if it was not captured. */
void capture_sums(const struct run *s, struct digest_written *out, struct digest_written *err);

#endif
