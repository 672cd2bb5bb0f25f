#ifndef GATECTL_RUN_SIGNALS_H
#define GATECTL_RUN_SIGNALS_H

#include "tracer/run/run.h"

/* A process has ended: if it had stopped gatectl, the run ends with an error. */
void signals_note_frozen(struct run *s);

#endif
