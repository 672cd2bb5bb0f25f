/* --report of a search: what it did and what it found, as JSON, JUnit and a page. */
#ifndef GATECTL_CLI_REPORT_EXPLORE_REPORT_H
#define GATECTL_CLI_REPORT_EXPLORE_REPORT_H

#include "tracer/cli/cli.h"

/* Before the search: can they be written? 0, or -1. */
int explore_reports_check(const struct cli *cli, struct error *err);
/* `status`: gatectl's. 0, or -1: one of them cannot be written. */
int explore_report(const struct cli *cli, const struct explore *e, int status, struct error *err);

/* One test case of this name; what was found in a headline and its text. */
void explore_junit(const struct explore *e, int status, const char *command, const char *headline,
		   const char *text, struct str *out);

/* "found", "ok", "error", "interrupted" ... */
const char *explore_verdict(const struct explore *e, int status);

/* explore_page.c; `path` is where the page will be: it leads to the failures' folders from there */
void explore_page(const struct explore *e, int status, const char *path, struct str *out);

#endif
