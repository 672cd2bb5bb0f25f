/* What audit says besides its warnings: --report as SARIF, JSON, a page or a baseline; --baseline. */
#ifndef GATECTL_CLI_REPORT_AUDIT_REPORT_H
#define GATECTL_CLI_REPORT_AUDIT_REPORT_H

#include "tracer/cli/cli.h"

struct audit_told {
	const struct audit *audit;
	const struct audit_read *read;
	unsigned long known, hidden;	/* in the baseline; of low confidence */
	unsigned long tried, confirmed; /* in runs of a program */
	double seconds;
};

/* Before anything is read: can they be written? 0, or -1. */
int audit_reports_check(const struct cli *cli, struct error *err);
/* 0, or -1: one of them cannot be written. */
int audit_report(const struct cli *cli, const struct audit_told *t, int status, struct error *err);

/* Is it one that is told of? */
bool audit_is_told(const struct cli *cli, const struct finding *f);

/* Marks the findings that are in the file. 0, or -1. */
int audit_baseline_read(struct audit *a, const char *path, struct error *err);
void audit_baseline(const struct cli *cli, const struct audit_told *t, struct str *out);

/* audit_sarif.c, audit_page.c */
void audit_sarif(const struct cli *cli, const struct audit_told *t, struct str *out);
void audit_page(const struct cli *cli, const struct audit_told *t, int status, struct str *out);

#endif
