/* --report of harness: what was searched and found, as JSON and JUnit. */
#ifndef GATECTL_CLI_HARNESS_REPORT_H
#define GATECTL_CLI_HARNESS_REPORT_H

#include "tracer/cli/cli.h"

/* Before the search: can they be written? 0, or -1. */
int harness_reports_check(const struct cli *cli, struct error *err);
/* `status`: gatectl's. 0, or -1: one of them cannot be written. */
int harness_report(const struct cli *cli, const struct harness_hunt *h, int status,
		   struct error *err);

#endif
