/* ended.c: what a script expects of the end of a run. */
#ifndef GATECTL_FEATURES_EXPECT_EXPECT_H
#define GATECTL_FEATURES_EXPECT_EXPECT_H

#include "tracer/run/state.h"

/* The run is over: the script's functions are asked, where all else is as expected. */
void expected_ask(struct session *s);

#endif
