/*
 * Reports (--report FILE). A command fills one record; the ending of the file's name chooses the printer: JSON prints
 * all of the record, HTML embeds it in a page whose script shows it, JUnit and SARIF print their part.
 */
#ifndef GATECTL_REPORT_REPORT_H
#define GATECTL_REPORT_REPORT_H

#include "tracer/base/array.h"
#include "tracer/base/text/json.h"

enum report_kind {
	REPORT_SARIF,	 /* .sarif: findings, as code hosts read them */
	REPORT_JSON,	 /* .json: the record */
	REPORT_TRACE,	 /* .trace.json: Chrome's trace format, which Perfetto opens */
	REPORT_HTML,	 /* .html */
	REPORT_JUNIT,	 /* .xml */
	REPORT_BASELINE, /* .baseline: known findings, which an audit leaves out */
	REPORT_KINDS,
};

/* Returns the kind with the longest ending that the path has, or REPORT_KINDS. */
enum report_kind report_kind_of(const char *path);
/* Adds the endings of the kinds, a set of 1 << kind: ".json, .html or .xml". */
void report_endings(unsigned kinds, struct str *out);

/* ---- html.c --------------------------------------------------------------------------------- */

/* Prints the page of a command. `json`: the record, an object. */
void report_page(const char *command, const char *json, struct str *out);
/* Adds an array of links from the page at `page` to those of the files that are in the folder; NULL ends the names.
   `folder`: NULL: there is none. */
void report_links(const char *page, const char *folder, const char *const *names, struct json *j);

/* ---- junit.c -------------------------------------------------------------------------------- */

enum report_case { CASE_PASSED, CASE_FAILED, CASE_ERROR, CASE_SKIPPED, CASES };

/* A test case: one run, or one search. */
struct report_test {
	const char *name, *class_name;
	double seconds;
	enum report_case outcome;
	const char *message, *type, *text; /* of an outcome other than CASE_PASSED */
	const struct str *out, *err;	   /* what was written; may contain NUL bytes; or NULL */
};

/* Test cases of a command, printed. {0} is the empty suite. */
struct report_suite {
	unsigned long count[CASES];
	double seconds;
	struct str cases;
};

void report_test_print(const struct report_test *test, struct str *out);
void report_suite_add(struct report_suite *suite, enum report_case outcome, double seconds,
		      const char *printed);
/* Prints the suite. `argv`: the program under test; `gates`, `orders`: its scripts. */
void report_suite_print(const struct report_suite *suite, char *const *argv,
			const struct texts *gates, const struct texts *orders, struct str *out);

/* ---- sarif.c -------------------------------------------------------------------------------- */

struct report_place {
	const char *file; /* relative to the working directory if it is below */
	unsigned line, column;
};

/* The path that a note is a step of: to the finding, or to what it conflicts with, whose last step is _OTHER_END. */
enum report_path { REPORT_NO_PATH, REPORT_PATH_HERE, REPORT_PATH_OTHER, REPORT_PATH_OTHER_END };

struct report_note {
	struct report_place at;
	enum report_path path;
	const char *text;
};

struct report_rule {
	const char *id, *name, *description;
};

struct report_finding {
	unsigned rule; /* index */
	const char *confidence;
	struct report_place at;
	const char *text;
	const char *record, *field, *function; /* record, field: may be NULL */
	bool is_tried, is_confirmed;	       /* in runs of a program */
	const char *script;		       /* that makes it happen; NULL: none */
	ARRAY(struct report_note) notes;
};

struct report_findings {
	const struct report_rule *rules;
	size_t rule_count;
	struct report_finding *items;
	size_t count, capacity;
};

void report_sarif(const struct report_findings *findings, struct str *out);
void report_findings_fini(struct report_findings *findings);

#endif
