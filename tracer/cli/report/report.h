/* What commands report besides their text: --report, folders of what was found, and annotations of CI systems. */
#ifndef GATECTL_CLI_REPORT_REPORT_H
#define GATECTL_CLI_REPORT_REPORT_H

#include "tracer/cli/cli.h"
#include "tracer/search/explore.h"

/* ---- reports.c: --report -------------------------------------------------------------------- */

/* Kinds that commands write: sets of 1 << kind. */
enum {
	REPORTS_RUN = 1 << REPORT_JSON | 1 << REPORT_TRACE | 1 << REPORT_HTML | 1 << REPORT_JUNIT,
	REPORTS_SEARCH = 1 << REPORT_JSON | 1 << REPORT_HTML | 1 << REPORT_JUNIT,
	REPORTS_AUDIT =
		1 << REPORT_SARIF | 1 << REPORT_JSON | 1 << REPORT_HTML | 1 << REPORT_BASELINE,
};
/* Before anything is run. Returns 0, or -1: one of them has another ending, or cannot be written. */
int reports_check(const struct cli *cli, unsigned kinds, struct error *err);
/* Writes those of a run, but for JUnit's, which covers all runs. Returns 0, or -1 with *err set. */
int reports_write(struct cli *cli, const struct run_result *r, struct error *err);
/* Writes JUnit's after the last run. Returns 0, or -1 with *err set. */
int reports_finish(struct cli *cli, struct error *err);

/* Record of a command that is no single run. */
struct cli_record {
	const char *command; /* "explore" */
	int status;	     /* gatectl's */
	/* Adds the members that follow the verdict. `page`: the path of the page that shows the record, NULL for JSON. */
	void (*add)(const void *of, const char *page, struct json *j);
	const void *of;
	/* JUnit's test case. */
	const struct experiment *x;
	char *const *argv;
	double seconds;
	const char *headline, *text;
	/* An audit's, in place of JUnit's. */
	void (*sarif)(const void *of, struct str *out);
	void (*baseline)(const void *of, struct str *out);
};
/* Returns 0, or -1: one of the reports cannot be written. */
int reports_write_record(const struct cli *cli, const struct cli_record *r, struct error *err);

/* ---- found.c: folders DIR/1/, DIR/2/, ... Existing ones stay as they are. ------------------- */

/* Before the search: can there be folders in `dir`? Creates it when there is one. Returns 0, or -1. */
int found_check(const char *dir, struct error *err);
/* Writes the folder of a failure, and sets f->folder. A new folder appears as a whole or not at all; in an existing one each
   file is replaced as a whole. */
int found_write(const struct explore *e, struct explore_failure *f, const char *dir,
		struct error *err);
/* Copies the folder of a failure of merged parts to a new one in `dir`, and sets f->folder. */
int found_copy(struct explore_failure *f, const char *dir, struct error *err);
/* Writes the folders of schedules that were cut, DIR/cut/1/, and sets their `folder`. Returns 0, or -1. */
int found_write_cuts(struct explore *e, struct error *err);

/* ---- one file a command --------------------------------------------------------------------- */

int explore_report(const struct cli *cli, const struct explore *e, int status, struct error *err);
int harness_report(const struct cli *cli, const struct harness_hunt *h, int status,
		   struct error *err);
int races_report(const struct cli *cli, const struct races_hunt *h, int status, struct error *err);
/* "3 races in 60 runs; the first: balance at bank.c:12 and bank.c:19" */
void races_headline(const struct races_hunt *h, struct str *out);
/* Three to five lines for each. */
void races_text(const struct races_hunt *h, struct str *out);

/* Result of an audit. */
struct audit_result {
	const struct cli *cli;
	const struct audit *audit;
	const struct audit_read *read;
	struct report_findings findings; /* that are reported */
	unsigned long known, hidden;	 /* in the baseline; of low confidence */
	unsigned long tried, confirmed;	 /* in runs of a program */
	double seconds;
};
struct report_place audit_place_shown(const struct audit_program *p, struct audit_place at);
/* Sets the findings and counts of the result, whose audit is over. */
void audit_collect(struct audit_result *r);
bool audit_is_reported(const struct cli *cli, const struct finding *f);
int audit_report(const struct audit_result *r, int status, struct error *err);
/* Marks the findings that are in the file. Returns 0, or -1 with *err set. */
int audit_baseline_read(struct audit *a, const char *path, struct error *err);

/* ---- annotate.c ----------------------------------------------------------------------------- */

/* Prints the error for GitHub, where gatectl runs there. `file` and `line`: as for output_verdict(). */
void annotate(const char *text, const char *file, unsigned long line);

#endif
