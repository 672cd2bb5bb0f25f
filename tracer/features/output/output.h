/* What the program has written, where an expect or a trial asks for it. */
#ifndef GATECTL_FEATURES_OUTPUT_OUTPUT_H
#define GATECTL_FEATURES_OUTPUT_OUTPUT_H

#include "tracer/run/run.h"

/* Stores all output in s->outcome, for the verdict: nobody may still be writing. */
void capture_outcome(struct run *s);
/* After that: what was written; 0: it was not kept. */
void capture_sums(const struct run *s, struct digest_written *out, struct digest_written *err);

#endif
