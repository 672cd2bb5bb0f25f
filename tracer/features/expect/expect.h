/* What a script expects of the end of a run. */
#ifndef GATECTL_FEATURES_EXPECT_EXPECT_H
#define GATECTL_FEATURES_EXPECT_EXPECT_H

#include "tracer/run/run.h"

/* Asks the script's functions after the run, if everything else is as expected. */
void expected_ask(struct run *s);

#endif
