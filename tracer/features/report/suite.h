/* Reports as the command line sees them: by the names of files, over all runs. */
#ifndef GATECTL_FEATURES_REPORT_SUITE_H
#define GATECTL_FEATURES_REPORT_SUITE_H

#include "tracer/run/run.h"

enum report_kind report_kind_of(const char *path); /* REPORT_KINDS: none of them */

void report_suite_text(const struct report_suite *suite, const struct run_options *o,
		       struct str *out);

#endif
