/* --report of harness: what was searched and found, as JSON, JUnit and a page. */
#ifndef GATECTL_CLI_REPORT_HARNESS_REPORT_H
#define GATECTL_CLI_REPORT_HARNESS_REPORT_H

#include "tracer/cli/cli.h"

/* `status`: gatectl's. 0, or -1: one of them cannot be written. */
int harness_report(const struct cli *cli, const struct harness_hunt *h, int status,
		   struct error *err);

/* harness_page.c; `path` is where the page will be: it leads to the violations' folders from there */
void harness_page(const struct harness_hunt *h, int status, const char *path, struct str *out);

#endif
