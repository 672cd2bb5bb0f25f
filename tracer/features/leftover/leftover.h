/*
 * What the program leaves behind when it ends: processes that still run. The run is over then, as
 * it would be without gatectl; they are killed, let go, or waited for (--leftover), and named.
 */
#ifndef GATECTL_FEATURES_LEFTOVER_LEFTOVER_H
#define GATECTL_FEATURES_LEFTOVER_LEFTOVER_H

#include "tracer/run/run.h"

/* `verdict` has the verdict in words (or ""): appends what was left behind. */
void leftover_tell(struct run *s, struct str *verdict);
/* For a place that was never reached: a process that was left behind and killed might have come
   there. */
bool leftover_try(const struct run *s, const struct place *p, struct str *out);

#endif
