/* A violation told: the interleaving in two columns, and what is wrong with what came. */
#ifndef GATECTL_HARNESS_CHECK_STORY_H
#define GATECTL_HARNESS_CHECK_STORY_H

#include "tracer/harness/harness.h"

/* `f`: the failure of the test, whose steps are described; NULL: it was not found again. */
void harness_story(const struct harness_hunt *h, const struct harness_violation *v,
		   const struct explore_failure *f, struct str *out);
/* The outcome that the failing run printed, without its newline; NULL: it printed none. base_free. */
char *harness_outcome_of(const struct explore_failure *f);

#endif
