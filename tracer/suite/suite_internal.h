/* Parts of a suite. */
#ifndef GATECTL_SUITE_SUITE_INTERNAL_H
#define GATECTL_SUITE_SUITE_INTERNAL_H

#include "tracer/suite/suite.h"

#include "tracer/base/text/str.h"

/* ---- process.c ------------------------------------------------------------------------------ */

/* How a process ended. */
struct suite_end {
	bool out_of_time;
	bool not_started; /* `status` is its errno */
	bool interrupted; /* a signal to gatectl came */
	int signal;	  /* 0: it exited */
	int status;
	double seconds;
};

double suite_now(void); /* Returns the monotonic clock, in seconds. */
/* Runs a program in a session of its own, whose processes are killed at its end. Standard input is
   /dev/null. `out`: descriptor for both outputs, or -1 for /dev/null; `err`: for standard error
   alone, or -1. `limit`: seconds; 0: none. */
struct suite_end suite_process(char *const *argv, int out, int err, double limit);
/* Runs a program and appends its standard output. Returns 0 with *end set, or -1 with *err set. */
int suite_capture(char *const *argv, const char *dir, double limit, struct str *out,
		  struct suite_end *end, struct error *err);
/* Sets and unsets variables of this process; changes to the test's folder. Returns 0, or -1 with
   *err set. */
int suite_enter(const struct suite_test *test, struct error *err);
/* Returns a descriptor by which poll(2) sees the end of the child, or -1. */
int suite_pidfd(pid_t pid);

/* ---- bare.c --------------------------------------------------------------------------------- */

/* Memory that the process of a test shares with its parent. */
struct suite_shared {
	unsigned bare_runs, bare_failed;
	double bare_s;
	double search_begun; /* by suite_now(); 0: not yet */
	bool is_searched;    /* the search has ended */
	bool search_over;
	enum suite_verdict bare; /* SUITE_PASSED: the search begins */
	char reason[256];
};

/* True if the test prepares or clears what others need: it is run, not searched. */
bool suite_is_fixture(const struct suite_test *test);

/* Runs the test without gatectl until it passes, a few times at most. `log`: file for its output.
   Sets the members of *shared that begin with bare, and the reason. */
void suite_bare(const struct suite *s, const struct suite_test *test, const char *log,
		struct suite_shared *shared);

/* ---- result.c ------------------------------------------------------------------------------- */

/* Returns a digest of the test's command, its program's file and the options. */
uint64_t suite_key(const struct suite *s, const struct suite_test *test);
/* Reads the result that an earlier suite_run() has left. Returns false if there is none with the
   same key. */
bool suite_result_load(const struct suite *s, const struct suite_test *test,
		       struct suite_result *r);
/* Writes result.json. Returns 0, or -1 with *err set. */
int suite_result_save(const struct suite *s, const struct suite_test *test,
		      const struct suite_result *r, struct error *err);
/* Reads the report.json of the test's search into *r. Returns false if there is none. */
bool suite_result_search(const struct suite *s, const struct suite_test *test,
			 struct suite_result *r);
void suite_result_fini(struct suite_result *r);
/* Appends the path of a file in the test's folder; `name` may be "". */
void suite_path(const struct suite *s, const struct suite_test *test, const char *name,
		struct str *out);

/* ---- finish.c ------------------------------------------------------------------------------- */

/* Sets the result of a test whose process has ended. `hung`: it was killed, since it did not end.
   Returns true if the result is final: a later suite_run() does not search the test again. */
bool suite_finish(const struct suite *s, const struct suite_test *test,
		  const struct suite_shared *shared, int status, bool hung, struct suite_result *r);

/* ---- child.c -------------------------------------------------------------------------------- */

/* Makes the test's folder and its files. Returns 0, or -1 with *err set. */
int suite_prepare(const struct suite *s, const struct suite_test *test, struct error *err);
/* Runs and searches the test in this process, which ends. */
void suite_child(const struct suite *s, const struct suite_test *test, struct suite_shared *shared)
	__attribute__((noreturn));

/* ---- order.c -------------------------------------------------------------------------------- */

/* Tests to run, and those that are begun and over, by the index of the test. */
struct suite_plan {
	bool *is_wanted, *is_begun, *is_over;
};

/* Plans what the shard lacks, with the fixtures that it needs. */
void suite_plan_make(const struct suite *s, struct suite_plan *plan);
/* Returns the next test that can begin while `running` others run, or -1. */
long suite_plan_next(const struct suite *s, const struct suite_plan *plan, size_t running);
/* Returns why the test cannot be run, which the caller frees, or NULL. */
char *suite_plan_refusal(const struct suite *s, const struct suite_plan *plan, size_t test);
/* True if a test is wanted and not begun. */
bool suite_plan_left(const struct suite *s, const struct suite_plan *plan);
void suite_plan_fini(struct suite_plan *plan);

/* ---- tests.c -------------------------------------------------------------------------------- */

/* Adds a copy of the text. */
void suite_add(struct suite_texts *texts, const char *text);
/* Ends the words of a command with NULL. */
void suite_end_argv(struct suite_test *test);
bool suite_has(const struct suite_texts *texts, const char *text);
/* True if both have a text. */
bool suite_overlap(const struct suite_texts *a, const struct suite_texts *b);
/* Splits a line into words as the shell does: quotes and backslashes. Returns 0, 1 if the shell's
   own syntax is in it, or -1 if a quote is not closed. */
int suite_words(const char *line, struct suite_texts *out);

#endif
