/* Reports of one run, as JSON, HTML, JUnit and Chrome trace. */
#ifndef GATECTL_FEATURES_REPORT_REPORT_H
#define GATECTL_FEATURES_REPORT_REPORT_H

#include "tracer/run/run.h"

/* Members that describe the run as a whole. */
struct report_head {
	const char *verdict; /* "ok", the word of the verdict, "interrupted" or "cannot-trace" */
	int status;
	const char *error;   /* error of gatectl itself, or NULL */
	const char *message; /* text of the verdict, as on standard error */
	const char *note;    /* remark about a run that passed; may be empty */
};
/* Writes all requested reports to out->reports. */
void report_run(struct run *s, struct run_result *out);
/* Writes the requested reports except JUnit's to reports[], indexed by kind. */
void report_print(struct run *s, const struct report_head *head, struct str *reports);
/* Adds the members of the record to the current JSON object. */
void report_record(struct run *s, const struct report_head *head, struct json *j);

/* Replaces the report files while the run goes on. Called at each slow tick (early.c). */
void report_slow_tick(struct run *s, uint64_t now, bool quiet);

/* Formats of one run, except JUnit's: report_NAME() appends the report. The record as JSON is in
 * report.c, the page in html.c, Chrome's trace format in trace.c. */
#define REPORT_RUN_FORMATS(ONE) ONE(JSON, json) ONE(HTML, html) ONE(TRACE, trace)
#define REPORT_DECLARED(kind, name)                                                                \
	void report_##name(struct run *s, const struct report_head *head, struct str *out);
REPORT_RUN_FORMATS(REPORT_DECLARED)

#endif
