/* --report: files are checked before the start, and written as a whole or not at all. */
#include "tracer/cli/report/report.h"

#include "tracer/base/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_ending(const char *path, unsigned kinds, struct error *err)
{
	struct str endings = {0};

	if (kinds >> report_kind_of(path) & 1)
		return 0;
	report_endings(kinds, &endings);
	error_set(err, ERROR_USAGE, "--report: %s: the name has to end in %s", path,
		  str_text(&endings));
	str_fini(&endings);
	return error_hint(err, kinds == REPORTS_AUDIT ? "gatectl audit --report audit.sarif ..."
			       : kinds == REPORTS_SEARCH
				       ? "gatectl explore --report search.html ..."
				       : "gatectl run --report run.html ...");
}

int reports_check(const struct cli *cli, unsigned kinds, struct error *err)
{
	array_each(const char *, path, &cli->run.reports) {
		int fd;

		if (check_ending(*path, kinds, err) < 0)
			return -1;
		fd = open(*path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0) {
			error_errno(err, ERROR_USAGE, "--report: %s: cannot be written", *path);
			return error_hint(err, "a directory that exists and is yours");
		}
		close(fd);
	}
	return 0;
}

static int reports_put(const char *path, const struct str *text, struct error *err)
{
	struct stat now;

	if (file_replace(path, str_text(text), err) == 0)
		return 0;
	if (lstat(path, &now) == 0 && S_ISREG(now.st_mode) && !now.st_size)
		unlink(path); /* reports_check() has created it */
	return -1;
}

/* ---- of runs -------------------------------------------------------------------------------- */

int reports_write(struct cli *cli, const struct run_result *r, struct error *err)
{
	report_suite_add(&cli->junit, r->testcase, r->seconds, str_text(&r->reports[REPORT_JUNIT]));
	array_each(const char *, path, &cli->run.reports) {
		enum report_kind kind = report_kind_of(*path);

		if (kind != REPORT_JUNIT && reports_put(*path, &r->reports[kind], err) < 0)
			return -1;
	}
	return 0;
}

static void print_suite(const struct cli *cli, const struct report_suite *suite, char *const *argv,
			struct str *out)
{
	report_suite_print(suite, argv, &cli->run.scripts, &cli->run.orders, out);
}

int reports_finish(struct cli *cli, struct error *err)
{
	int failed = 0;

	array_each(const char *, path, &cli->run.reports) {
		struct str text = {0};

		if (failed || report_kind_of(*path) != REPORT_JUNIT)
			continue;
		print_suite(cli, &cli->junit, cli->run.argv, &text);
		failed = reports_put(*path, &text, err);
		str_fini(&text);
	}
	str_fini(&cli->junit.cases);
	return failed;
}

/* ---- of a record ---------------------------------------------------------------------------- */

static const char *record_verdict(const struct cli_record *r)
{
	if (r->status == VERDICT_OK || r->status == VERDICT_FOUND)
		return verdict_word((enum verdict)r->status);
	if (r->x->err->code)
		return run_error_word(r->x->err->code);
	if (r->status == VERDICT_ERROR)
		return "error";
	return r->x->last.interrupted ? "interrupted" : verdict_word(r->x->last.verdict);
}

/* Text of a search that has not come to its end; empty for others. */
static const char *record_message(const struct cli_record *r)
{
	if (r->status == VERDICT_OK || r->status == VERDICT_FOUND)
		return "";
	return r->x->err->code ? error_text(r->x->err) : str_text(&r->x->last.text);
}

static enum report_case set_outcome(const struct cli_record *r, struct report_test *test)
{
	if (!r->status)
		return CASE_PASSED;
	if (r->status == VERDICT_FOUND) {
		test->message = r->headline;
		test->type = "found";
		test->text = r->text;
		return CASE_FAILED;
	}
	test->message = error_text(r->x->err);
	test->type = record_verdict(r);
	test->text = "";
	if (r->status == RUN_SKIPPED && r->x->err->code == ERROR_CANNOT_TRACE)
		return CASE_SKIPPED;
	test->text = str_text(&r->x->last.text);
	return CASE_ERROR;
}

static void record_junit(const struct cli *cli, const struct cli_record *r, struct str *out)
{
	const char *program = str_base_name(r->argv[0]);
	struct str name = {0}, said = {0}, printed = {0};
	struct report_suite suite = {0};
	struct report_test test = {.class_name = program, .seconds = r->seconds, .out = &said};

	str_addf(&name, "%s %s", r->command, program);
	str_add(&said, r->headline);
	test.name = str_text(&name);
	if (r->cases) {
		r->cases(r->of, &suite);
	} else {
		test.outcome = set_outcome(r, &test);
		report_test_print(&test, &printed);
		report_suite_add(&suite, test.outcome, r->seconds, str_text(&printed));
	}
	print_suite(cli, &suite, r->argv, out);
	str_fini(&suite.cases);
	str_fini(&printed);
	str_fini(&said);
	str_fini(&name);
}

static void record_json(const struct cli_record *r, const char *page, struct str *out)
{
	struct json j = {0};

	json_object(&j, NULL);
	json_string(&j, "verdict", record_verdict(r));
	json_integer(&j, "status", r->status);
	if (page)
		json_string(&j, "message", record_message(r));
	r->add(r->of, page, &j);
	json_end_object(&j);
	str_add(&j.out, "\n");
	if (page)
		report_page(r->command, str_text(&j.out), out);
	else
		str_add(out, str_text(&j.out));
	json_fini(&j);
}

int reports_write_record(const struct cli *cli, const struct cli_record *r, struct error *err)
{
	int failed = 0;

	array_each(const char *, path, &cli->run.reports) {
		enum report_kind kind = report_kind_of(*path);
		struct str text = {0};

		if (kind == REPORT_SARIF)
			r->sarif(r->of, &text);
		else if (kind == REPORT_BASELINE)
			r->baseline(r->of, &text);
		else if (kind == REPORT_JUNIT)
			record_junit(cli, r, &text);
		else
			record_json(r, kind == REPORT_HTML ? *path : NULL, &text);
		if (reports_put(*path, &text, err) < 0)
			failed = -1;
		str_fini(&text);
	}
	return failed;
}
