/* Reports (--report FILE). A command fills in one record; the ending of the file's name
 * selects the format: JSON has the whole record, HTML embeds it in a page, JUnit and
 * SARIF contain their part. */
#ifndef GATECTL_REPORT_REPORT_H
#define GATECTL_REPORT_REPORT_H

#include "tracer/base/array.h"
#include "tracer/base/text/json.h"

/* Formats, and the ending of the file's name. */
#define REPORT_FORMATS(ONE)                                                                        \
	ONE(SARIF, ".sarif")	   /* findings, for code hosts */                                  \
	ONE(JSON, ".json")	   /* the record */                                                \
	ONE(TRACE, ".trace.json")  /* Chrome's trace format, for Perfetto */                       \
	ONE(HTML, ".html")	   /* a page */                                                    \
	ONE(JUNIT, ".xml")	   /* test results, for CI */                                      \
	ONE(BASELINE, ".baseline") /* known findings, which an audit omits */

#define REPORT_NAMED(kind, ending) REPORT_##kind,
enum report_kind { REPORT_FORMATS(REPORT_NAMED) REPORT_KINDS };

/* Sets of 1 << kind: formats that commands can write, and how --help names them. */
enum {
	REPORTS_RUN = 1 << REPORT_JSON | 1 << REPORT_TRACE | 1 << REPORT_HTML | 1 << REPORT_JUNIT,
	REPORTS_SEARCH = 1 << REPORT_JSON | 1 << REPORT_HTML | 1 << REPORT_JUNIT,
	REPORTS_AUDIT =
		1 << REPORT_SARIF | 1 << REPORT_JSON | 1 << REPORT_HTML | 1 << REPORT_BASELINE,
};
#define REPORTS_RUN_TEXT    ".json, .trace.json, .html or .xml"
#define REPORTS_SEARCH_TEXT ".json, .xml or .html"
#define REPORTS_AUDIT_TEXT  ".sarif, .json, .html or .baseline"

/* Returns the kind whose ending is the longest one that the path has, or REPORT_KINDS if none. */
enum report_kind report_kind_of(const char *path);
/* Appends the endings of the kinds, a set of bits 1 << kind: ".json, .html or .xml". */
void report_endings(unsigned kinds, struct str *out);

/* ---- html.c --------------------------------------------------------------------------------- */

/* Appends the page of a command. `json` is the record, an object. */
void report_page(const char *command, const char *json, struct str *out);
/* Adds an array of links from the page at path `page` to the named files that exist in `folder`
 * (NULL: there is none). A NULL ends `names`. */
void report_links(const char *page, const char *folder, const char *const *names, struct json *j);

/* ---- junit.c -------------------------------------------------------------------------------- */

enum report_case { CASE_PASSED, CASE_FAILED, CASE_ERROR, CASE_SKIPPED, CASES };

/* A test case: one run, or one search. */
struct report_test {
	const char *name, *class_name;
	double seconds;
	enum report_case outcome;
	const char *message, *type, *text; /* for outcomes other than CASE_PASSED */
	const struct str *out, *err;	   /* output; may contain NUL bytes; may be NULL */
};

/* Printed test cases of a command. {0} is the empty suite. */
struct report_suite {
	unsigned long count[CASES];
	double seconds;
	struct str cases;
};

/* Appends the test case as an XML element. */
void report_test_print(const struct report_test *test, struct str *out);
/* Adds a test case, printed by report_test_print(), to the suite. */
void report_suite_add(struct report_suite *suite, enum report_case outcome, double seconds,
		      const char *printed);
/* Appends the suite as an XML document. `argv` is the program under test, `gates` and
 * `orders` its scripts. */
void report_suite_print(const struct report_suite *suite, char *const *argv,
			const struct texts *gates, const struct texts *orders, struct str *out);

/* ---- sarif.c -------------------------------------------------------------------------------- */

struct report_place {
	const char *file; /* relative to the working directory if the file is below it */
	unsigned line, column;
};

/* The path of which a note is a step: to the finding, or to the access that conflicts with it,
 * whose last step is REPORT_PATH_OTHER_END. */
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
	unsigned rule;			   /* index in `rules` */
	const char *confidence, *evidence; /* evidence: in one line */
	int score;			   /* of the evidence, of 100 */
	struct report_place at;
	const char *text;
	const char *record, *field, *function; /* record and field may be NULL */
	bool is_tried, is_confirmed;	       /* in runs of a program */
	const char *script;		       /* script that makes the finding happen, or NULL */
	ARRAY(struct report_note) notes;
};

struct report_findings {
	const struct report_rule *rules;
	size_t rule_count;
	struct report_finding *items;
	size_t count, capacity;
};

/* Appends the findings as a SARIF document. */
void report_sarif(const struct report_findings *findings, struct str *out);
/* Frees the findings and their notes. Texts belong to the caller. */
void report_findings_fini(struct report_findings *findings);

#endif
