/* What the program has written, where an expect or a trial asks for it. */
#ifndef GATECTL_FEATURES_OUTPUT_OUTPUT_H
#define GATECTL_FEATURES_OUTPUT_OUTPUT_H

#include "tracer/run/state.h"

/* Into s->outcome, for the judges: all of it, so nobody may be left who writes. */
void capture_outcome(struct session *s);
/* Behind that: of all that came (digest.h); 0 where nothing was kept. */
void capture_sums(const struct session *s, uint64_t *out, uint64_t *err);

#endif
