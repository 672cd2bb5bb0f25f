/* Processes of the program that still run when its first process ends. The run is over then, as
 * without gatectl; --leftover decides whether they are killed, released or waited for. */
#ifndef GATECTL_FEATURES_LEFTOVER_LEFTOVER_H
#define GATECTL_FEATURES_LEFTOVER_LEFTOVER_H

#include "tracer/run/run.h"

/* Appends the names of these processes to the text of the verdict, or logs them
 * if `verdict` is empty. */
void leftover_tell(struct run *s, struct str *verdict);
/* Appends advice if a killed process could still have arrived at the unreached place. Returns
 * false if there is none. */
bool leftover_try(const struct run *s, const struct place *p, struct str *out);

#endif
