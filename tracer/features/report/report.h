/* Reports of a run, for people and for programs. */
#ifndef GATECTL_FEATURES_REPORT_REPORT_H
#define GATECTL_FEATURES_REPORT_REPORT_H

#include "tracer/run/run.h"

/* The run as a whole. */
struct report_head {
	const char *verdict; /* "ok", its word, "interrupted" or "cannot-trace" */
	int status;
	const char *error;   /* gatectl's own, or NULL */
	const char *message; /* the verdict in words, as on standard error */
	const char *note;    /* about a run that was as expected; may be empty */
};
/* Writes all reports that were asked for to out->reports. */
void report_run(struct run *s, struct run_result *out);
/* Prints them, but for JUnit's, to reports[], by their kind. */
void report_print(struct run *s, const struct report_head *head, struct str *reports);
/* Adds the members of the record to the current object. */
void report_record(struct run *s, const struct report_head *head, struct json *j);

/* early.c: a function of the observer */
void report_slow_tick(struct run *s, uint64_t now, bool quiet);

/* html.c, trace.c */
void report_html(struct run *s, const struct report_head *head, struct str *out);
void report_trace(struct run *s, const struct report_head *head, struct str *out);

#endif
