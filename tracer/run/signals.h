#ifndef GATECTL_RUN_SIGNALS_H
#define GATECTL_RUN_SIGNALS_H

#include "tracer/run/run.h"

/* After the end of a process: ends the run with an error if that process had stopped gatectl. */
void signals_note_frozen(struct run *s);

#endif
