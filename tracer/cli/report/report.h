/* Reports besides a command's text: --report, folders of failures, and annotations for CI
   systems. */
#ifndef GATECTL_CLI_REPORT_REPORT_H
#define GATECTL_CLI_REPORT_REPORT_H

#include "tracer/cli/cli.h"
#include "tracer/search/explore.h"

/* ---- reports.c: --report -------------------------------------------------------------------- */

/* Checks the endings, and that the files can be written, before anything is run. Returns 0, or -1
   with *err set. */
int reports_check(const struct cli *cli, unsigned kinds, struct error *err);
/* Writes the reports of a run, except JUnit's, which covers all runs. Returns 0, or -1 with *err
   set. */
int reports_write(struct cli *cli, const struct run_result *r, struct error *err);
/* Writes the JUnit report after the last run. Returns 0, or -1 with *err set. */
int reports_finish(struct cli *cli, struct error *err);

/* The record of a command that is no single run. */
struct cli_record {
	const char *command; /* "explore" */
	int status;	     /* gatectl's */
	/* Adds the members after the verdict. `page`: path of the HTML page; NULL for JSON. */
	void (*add)(const void *of, const char *page, struct json *j);
	const void *of;
	/* For JUnit's test case. */
	const struct experiment *x;
	char *const *argv;
	double seconds;
	const char *headline, *text;
	/* Adds the test cases to JUnit's report; NULL: the command is one case. */
	void (*cases)(const void *of, struct report_suite *suite);
	/* Set by audit, which has no JUnit report. */
	void (*sarif)(const void *of, struct str *out);
	void (*baseline)(const void *of, struct str *out);
};
/* Writes all reports. Returns 0, or -1 with *err set if one cannot be written. */
int reports_write_record(const struct cli *cli, const struct cli_record *r, struct error *err);

/* ---- found.c: folders DIR/1/, DIR/2/, ... Existing ones stay as they are. -------------------- */

/* Checks that folders can be made in `dir`, before the search; a failure creates it. Returns 0, or
   -1 with *err set. */
int found_check(const char *dir, struct error *err);
/* Writes the folder of a failure, and sets f->folder and f->script. A new folder, and each file of
   an existing one, appears as a whole or not at all. Returns 0, or -1 with *err set. */
int found_write(const struct explore *e, struct explore_failure *f, const char *dir,
		struct error *err);
/* Copies the folder of a failure of merged parts to a new one in `dir`, and sets f->folder. Returns
   0, or -1 with *err set. */
int found_copy(struct explore_failure *f, const char *dir, struct error *err);
/* Writes the folders of truncated schedules, DIR/cut/1/, and sets their `folder`. Returns 0, or -1
   with *err set. */
int found_write_cuts(struct explore *e, struct error *err);

/* ---- reports of commands --------------------------------------------------------------------- */

/* Returns the i-th text of what a search by dpor has left out, or NULL. */
const char *explore_left_out(const struct explore *e, size_t i);
/* True if each schedule was cut: the search has no result. */
bool explore_none_ended(const struct explore *e);
/* Appends the summary, of several lines. */
void explore_summary(const struct explore *e, struct str *out);
/* Writes the reports of explore. Returns 0, or -1 with *err set. */
int explore_report(const struct cli *cli, const struct explore *e, int status, struct error *err);
struct suite;
/* Writes the reports of a suite. `source`: its folder, program or file. Returns 0, or -1 with *err
   set. */
int suite_report(const struct cli *cli, const struct suite *s, const char *source, int status,
		 double seconds, struct error *err);
/* Writes the reports of harness. Returns 0, or -1 with *err set. */
int harness_report(const struct cli *cli, const struct harness_hunt *h, int status,
		   struct error *err);
/* Writes the reports of races. Returns 0, or -1 with *err set. */
int races_report(const struct cli *cli, const struct races_hunt *h, int status, struct error *err);
/* Appends "3 races in 60 runs; the first: balance at bank.c:12 and bank.c:19". */
void races_headline(const struct races_hunt *h, struct str *out);
/* Appends three to five lines for each race. */
void races_text(const struct races_hunt *h, struct str *out);

/* Result of an audit. */
struct audit_result {
	const struct cli *cli;
	const struct audit *audit;
	const struct audit_read *read;
	struct report_findings findings; /* findings to report */
	unsigned long known;		 /* in the baseline */
	unsigned long hidden, medium;	 /* not reported: of low and of medium confidence */
	unsigned long tried, confirmed;	 /* in runs of a program */
	double seconds;
};
/* Returns the place, with its path as users see it; the program owns the path. */
struct report_place audit_place_shown(const struct audit_program *p, struct audit_place at);
/* Sets findings and counts of the result, after the audit. */
void audit_collect(struct audit_result *r);
/* True if the finding is not in the baseline, and of the confidence that is asked for. */
bool audit_is_reported(const struct cli *cli, const struct finding *f);
/* Writes the reports of an audit. Returns 0, or -1 with *err set. */
int audit_report(const struct audit_result *r, int status, struct error *err);
/* Marks the findings that are in the file. Returns 0, or -1 with *err set. */
int audit_baseline_read(struct audit *a, const char *path, struct error *err);

/* ---- annotate.c ----------------------------------------------------------------------------- */

/* Prints the error as an annotation if gatectl runs on GitHub. `file` and `line`: see
   output_verdict(). */
void annotate(const char *text, const char *file, unsigned long line);

#endif
