/* --report of a suite: a row, or a test case, for each test. */
#include "tracer/cli/report/report.h"

#include "tracer/suite/suite.h"

struct suite_shown {
	const struct suite *suite;
	const char *source;
	double seconds;
};

static const char *const suite_files[] = {"report.html", "report.json", "command", "expect.lua",
					  "bare",	 "log",		NULL};
static const char *const failure_files[] = {"report.html", "gates.lua", "schedule",
					    "stdout",	   "stderr",	NULL};

static void add_test(const struct suite_shown *x, size_t i, const char *page, struct json *j)
{
	const struct suite_test *test = &x->suite->tests.items[i];
	struct str folder = {0};

	str_addf(&folder, "%s/%s", x->suite->output, test->folder);
	json_object(j, NULL);
	json_string(j, "test", test->name);
	json_array(j, "command");
	for (char *const *arg = test->argv.items; arg && *arg; arg++)
		json_string(j, NULL, *arg);
	json_end_array(j);
	json_string(j, "folder_of_test", str_text(&folder));
	suite_result_write(&x->suite->results[i], j);
	if (page) {
		const struct suite_result *r = &x->suite->results[i];

		report_links(page, r->failure_folder ? r->failure_folder : str_text(&folder),
			     r->failure_folder ? failure_files : suite_files, j);
	}
	json_end_object(j);
	str_fini(&folder);
}

static void suite_add_record(const void *of, const char *page, struct json *j)
{
	const struct suite_shown *x = of;

	json_string(j, "program", x->source);
	json_number(j, "seconds", x->seconds);
	json_integer(j, "shard", x->suite->shard);
	json_integer(j, "shards", x->suite->shards);
	json_array(j, "tests");
	for (size_t i = 0; i < x->suite->tests.count; i++)
		if (x->suite->is_mine[i])
			add_test(x, i, page, j);
	json_end_array(j);
}

/* A failure without gatectl says nothing about the order of threads. */
static enum report_case case_of(const struct suite_result *r)
{
	switch (r->verdict) {
	case SUITE_PASSED:
	case SUITE_NO_THREADS:
		return CASE_PASSED;
	case SUITE_FAILED:
		return CASE_FAILED;
	case SUITE_ERROR:
		return CASE_ERROR;
	default:
		return CASE_SKIPPED;
	}
}

static void add_case(const struct suite_shown *x, size_t i, struct report_suite *suite)
{
	const struct suite_result *r = &x->suite->results[i];
	struct str printed = {0}, said = {0}, message = {0};
	bool failed = r->verdict == SUITE_FAILED;
	struct report_test test = {.name = x->suite->tests.items[i].name,
				   .class_name = str_base_name(x->source),
				   .seconds = r->seconds,
				   .outcome = case_of(r),
				   .out = &said};

	str_addf(&said, "%lu thread%s, %lu schedule%s", r->threads, str_plural(r->threads),
		 r->schedules, str_plural(r->schedules));
	str_add(&message, failed && r->where ? r->where : r->reason ? r->reason : "");
	if (failed && r->is_timed)
		str_add(&message, " (time-related)");
	test.type = failed && r->kind ? r->kind : suite_verdict_word(r->verdict);
	test.message = str_text(&message);
	test.text = r->text ? r->text : "";
	report_test_print(&test, &printed);
	report_suite_add(suite, test.outcome, r->seconds, str_text(&printed));
	str_fini(&printed);
	str_fini(&said);
	str_fini(&message);
}

static void suite_cases(const void *of, struct report_suite *suite)
{
	const struct suite_shown *x = of;

	for (size_t i = 0; i < x->suite->tests.count; i++)
		if (x->suite->is_mine[i])
			add_case(x, i, suite);
}

int suite_report(const struct cli *cli, const struct suite *s, const char *source, int status,
		 double seconds, struct error *err)
{
	const struct suite_shown x = {s, source, seconds};
	struct experiment none = {.err = err};
	char *argv[] = {(char *)source, NULL};

	none.last.interrupted = s->signal != 0;
	return reports_write_record(cli,
				    &(struct cli_record){.command = "suite",
							 .status = status,
							 .add = suite_add_record,
							 .of = &x,
							 .x = &none,
							 .argv = argv,
							 .seconds = seconds,
							 .headline = "",
							 .text = "",
							 .cases = suite_cases},
				    err);
}
