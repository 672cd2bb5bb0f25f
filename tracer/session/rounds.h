/* `hit` counts arrivals; where the compiler made one of several rounds of a loop, that is said. */
#ifndef GATECTL_SESSION_ROUNDS_H
#define GATECTL_SESSION_ROUNDS_H

#include "tracer/session/internal.h"

/* Writes a line for a place with a `hit` whose sites are such ones. */
void rounds_note(const struct session *s, const struct place *place,
		 const struct source_sites *sites);

#endif
