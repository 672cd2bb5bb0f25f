/* Test suites: lists of tests, and a search of each in a process of its own.
 *
 * A test is run without gatectl first. What fails there is no finding. The search writes
 * report.json into the test's folder; suite_run() reads it and writes result.json, by which a later
 * suite_run() with the same folder knows what is done. */
#ifndef GATECTL_SUITE_SUITE_H
#define GATECTL_SUITE_SUITE_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- tests ----------------------------------------------------------------------------------- */

/* Owned texts. */
struct suite_texts {
	char **items;
	size_t count, capacity;
};

/* Which ends of a run the suite calls passed. {0}: exit status 0. */
struct suite_expects {
	bool will_fail; /* CTest's WILL_FAIL: the opposite; a signal fails nevertheless */
	bool skips;	/* exit status `skip` means skipped */
	int skip;
	/* CTest's regular expressions: one of these is required, none of these may match. */
	struct suite_texts pass, fail, skip_text;
};

struct suite_test {
	char *name;
	char *folder;		 /* its name below the suite's; set by suite_select() */
	struct suite_texts argv; /* ended by NULL if there are any */
	struct suite_texts env;	 /* NAME=VALUE sets, NAME unsets */
	char *dir;		 /* working directory; NULL: the suite's */
	double limit;		 /* seconds of a run without gatectl; 0: no limit of its own */
	char *not_run;		 /* why it cannot be run; or NULL */
	bool serial;		 /* no other test runs at the same time */
	struct suite_expects expects;
	struct suite_texts after;		      /* names of tests that come before it */
	struct suite_texts needs, sets_up, cleans_up; /* fixtures */
};

struct suite_tests {
	struct suite_test *items;
	size_t count, capacity;
};

/* Each reader adds its tests. Returns 0, or -1 with *err set. */
/* Tests of a build folder, by `ctest --show-only=json-v1`. */
int suite_read_ctest(const char *folder, struct suite_tests *tests, struct error *err);
/* Tests of a GoogleTest program; argv[0] is the program, the others are given to each test. */
int suite_read_gtest(char *const *argv, struct suite_tests *tests, struct error *err);
/* One command a line. */
int suite_read_list(const char *path, struct suite_tests *tests, struct error *err);
/* Tests in ctest's JSON. For suite_read_ctest(). */
int suite_parse_ctest(const char *json, struct suite_tests *tests, struct error *err);
/* Tests in the output of --gtest_list_tests. Returns their number. For suite_read_gtest(). */
size_t suite_parse_gtest(const char *text, char *const *argv, struct suite_tests *tests);
/* Tests in the lines of a list. `path` is for errors. For suite_read_list(). */
int suite_parse_list(const char *text, const char *path, struct suite_tests *tests,
		     struct error *err);

/* Frees the tests. */
void suite_tests_fini(struct suite_tests *tests);

/* ---- expectations ---------------------------------------------------------------------------- */

enum suite_judged { SUITE_AS_EXPECTED, SUITE_SKIPS, SUITE_NOT_AS_EXPECTED };

/* Judges a run that ended by itself. */
enum suite_judged suite_judge(const struct suite_expects *x, int status, const char *output);
/* Appends a gate script with the same expectations; nothing if exit status 0 is all. */
void suite_script(const struct suite_test *test, struct str *out);

/* ---- results --------------------------------------------------------------------------------- */

#define SUITE_VERDICTS(ONE)                                                                        \
	ONE(PASSED, "passed")	      /* no schedule failed */                                     \
	ONE(FAILED, "failed")	      /* a schedule failed */                                      \
	ONE(NO_THREADS, "no-threads") /* one thread: there is no order to search */                \
	ONE(SKIPPED, "skipped")	      /* by the test itself */                                     \
	ONE(FAILS_BARE, "fails-bare") /* without gatectl, too */                                   \
	ONE(NOT_RUN, "not-run")	      /* nothing could be, or had to be, searched */               \
	ONE(NO_RESULT, "no-result")   /* no schedule came to its end */                            \
	ONE(ERROR, "error")	      /* gatectl's own */                                          \
	ONE(UNFINISHED, "unfinished") /* a signal has ended the suite before */

#define SUITE_VERDICT_NAMED(name, word) SUITE_##name,
enum suite_verdict { SUITE_VERDICTS(SUITE_VERDICT_NAMED) SUITE_VERDICT_KINDS };

struct suite_result {
	enum suite_verdict verdict;
	bool is_earlier; /* made by an earlier suite_run() */
	/* Runs without gatectl, and how many of them failed. */
	unsigned bare_runs, bare_failed;
	double bare_s; /* the longest of them that passed */
	unsigned long threads, schedules, distinct, failures;
	unsigned long unended; /* schedules that were cut or had no time */
	double seconds;
	int status; /* of the search */
	/* The first failure; NULL if there is none. */
	char *kind, *where, *text, *script, *failure_folder;
	bool is_timed; /* the failure needs a pause of a thread */
	char *needs;   /* that pause, in words; NULL if report.json has none */
	char *reason;  /* what there is to say besides; NULL for nothing */
};

/* Returns the word of a verdict: "passed". */
const char *suite_verdict_word(enum suite_verdict verdict);
/* Adds the members of a result to the object. */
void suite_result_write(const struct suite_result *r, struct json *j);

/* ---- the suite ------------------------------------------------------------------------------- */

struct suite {
	/* Set by the caller. */
	char *output;  /* absolute path of the folder */
	unsigned jobs; /* tests at once */
	unsigned shard, shards;
	double seconds;	 /* of each search; 0: no limit */
	uint64_t digest; /* of the options that change what a search finds */
	/* Searches the test in the current process, which is the test's own: with its environment,
	   in its folder. `script`: path of a gate script; NULL: none. Returns gatectl's exit
	   status. */
	int (*search)(void *ctx, const struct suite_test *test, const char *folder,
		      const char *script);
	/* Called whenever a result is known. */
	void (*progress)(void *ctx);
	void *ctx;
	struct suite_tests tests;
	/* Results, by the index of the test. */
	struct suite_result *results;
	bool *is_done, *is_mine; /* has its result; belongs to this shard and selection */
	size_t done, mine;
	int signal; /* that has ended the suite; 0: none */
};

/* Chooses the tests whose names match `regex` (NULL: all), and of these the shard's; gives them
   folders. Returns 0, or -1 with *err set. */
int suite_select(struct suite *s, const char *regex, struct error *err);
/* Makes the searches that are not done. Returns 0, or -1 with *err set if none can be made. */
int suite_run(struct suite *s, struct error *err);
/* Frees what the suite owns, not *s. */
void suite_fini(struct suite *s);

#endif
