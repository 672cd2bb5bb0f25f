/* The end of a run that a script expects. */
#ifndef GATECTL_FEATURES_EXPECT_EXPECT_H
#define GATECTL_FEATURES_EXPECT_EXPECT_H

#include "tracer/run/run.h"

/* Calls the script's end functions once, if nothing else of the run is unexpected. Sets the
 * outcome's `refused` to the function that returned false, or its fault. */
void expected_ask(struct run *s);

#endif
