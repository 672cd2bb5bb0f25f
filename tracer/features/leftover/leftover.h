/*
 * What the program leaves behind when it ends: processes that still run. The run is over then, as it
 * is without gatectl; they are ended, let go, or waited for (--leftover), and named.
 */
#ifndef GATECTL_FEATURES_LEFTOVER_LEFTOVER_H
#define GATECTL_FEATURES_LEFTOVER_LEFTOVER_H

#include "tracer/run/state.h"

/* The verdict is known, in words (or ""): what was left behind is told, below it or alone. */
void leftover_tell(struct session *s, struct str *verdict);
/* For a place that was never reached: somebody who was left behind, and ended, was still to come there. */
bool leftover_try(const struct session *s, const struct place *p, struct str *out);

#endif
