#include "tracer/cli/report/explore_report.h"

#include "tracer/base/text/json.h"
#include "tracer/base/text/xml.h"
#include "tracer/features/report/suite.h"

#include <inttypes.h>

int explore_reports_check(const struct cli *cli, struct error *err)
{
	array_each(const char *, path, &cli->run.reports)
		if (report_kind_of(*path) == REPORT_TRACE) {
			error_set(err, ERROR_USAGE,
				  "--report: %s: of a search there is a .json, .html or .xml",
				  *path);
			return error_hint(err, "gatectl explore --report search.html ...");
		}
	return reports_check(cli, err);
}

const char *explore_verdict(const struct explore *e, int status)
{
	if (status == VERDICT_OK || status == VERDICT_FOUND)
		return verdict_word((enum verdict)status);
	if (e->x.err->code)
		return run_error_word(e->x.err->code);
	if (status == VERDICT_ERROR)
		return "error";
	return e->x.last.interrupted ? "interrupted" : verdict_word(e->x.last.verdict);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static void add_failure(const struct explore_failure *f, struct json *j)
{
	json_object(j, NULL);
	json_string(j, "kind", f->kind);
	json_string(j, "where", f->where);
	json_integer(j, "status", f->status);
	json_integer(j, "schedule", (long long)f->run);
	json_string(j, "strategy", f->strategy);
	json_integer(j, "times", (long long)f->times);
	json_integer(j, "steps", f->steps);
	json_integer(j, "preemptions", f->preemptions);
	if (f->looked_at)
		json_bool(j, "again", f->again);
	json_string(j, "folder", f->folder);
	json_string(j, "script", f->script);
	if (f->no_script)
		json_string(j, "no_script", f->no_script);
	if (f->forced) {
		json_integer(j, "forced", (long long)f->forced);
		json_integer(j, "asked", (long long)f->asked);
	}
	json_string(j, "text", f->text);
	json_end_object(j);
}

static void add_samples(const struct explore *e, struct json *j)
{
	json_array(j, "samples");
	array_each(const struct explore_sample, s, &e->samples) {
		json_array(j, NULL);
		json_number(j, NULL, s->seconds);
		json_integer(j, NULL, (long long)s->runs);
		json_integer(j, NULL, (long long)s->distinct);
		json_end_array(j);
	}
	json_end_array(j);
}

static void add_numbers(const struct explore *e, struct json *j)
{
	struct str digest = {0};

	str_addf(&digest, "%016" PRIx64, e->digest);
	json_integer(j, "schedules", (long long)e->runs);
	json_integer(j, "distinct", (long long)e->distinct);
	json_string(j, "digest", str_text(&digest));
	json_integer(j, "points", (long long)e->points);
	json_integer(j, "barred", (long long)e->barred);
	json_integer(j, "cut", (long long)e->cut);
	if (e->cuts.count)
		json_string(j, "cut_folder", e->cuts.items[0].folder);
	json_integer(j, "late", (long long)e->late);
	json_number(j, "seconds", e->seconds);
	json_number(j, "rate", e->seconds > 0 ? (double)e->runs / e->seconds : 0);
	json_bool(j, "complete", e->complete);
	json_bool(j, "forked", e->forked);
	if (e->not_forked)
		json_string(j, "not_forked", e->not_forked);
	json_integer(j, "twice", (long long)e->twice);
	json_integer(j, "differed", (long long)e->differed);
	if (e->differs)
		json_string(j, "differs", e->differs);
	json_bool(j, "asks_ids", e->asks_ids);
	str_fini(&digest);
}

static void explore_report_as_json(const struct explore *e, int status, struct str *out)
{
	struct json j = {0};

	json_object(&j, NULL);
	json_string(&j, "verdict", explore_verdict(e, status));
	json_integer(&j, "status", status);
	json_string(&j, "program", e->x.options->argv[0]);
	json_array(&j, "command");
	for (char *const *arg = e->x.options->argv; *arg; arg++)
		json_string(&j, NULL, *arg);
	json_end_array(&j);
	json_integer(&j, "seed", (long long)e->options.seed);
	json_string(&j, "strategy", e->options.strategy);
	add_numbers(e, &j);
	json_array(&j, "failures");
	array_each(const struct explore_failure, f, &e->failures)
		add_failure(f, &j);
	json_end_array(&j);
	add_samples(e, &j);
	json_end_object(&j);
	str_addf(out, "%s\n", str_text(&j.out));
	json_fini(&j);
}

/* ---- JUnit ---------------------------------------------------------------------------------------------- */

static void add_problem(const char *tag, const char *message, const char *type, const char *text,
			struct str *out)
{
	str_addf(out, "      <%s", tag);
	xml_attribute(out, "message", message);
	xml_attribute(out, "type", type);
	str_add(out, ">");
	xml_text(out, text);
	str_addf(out, "</%s>\n", tag);
}

static enum report_case add_outcome(const struct explore *e, int status, const char *headline,
				    const char *text, struct str *out)
{
	if (!status)
		return CASE_PASSED;
	if (status == VERDICT_FOUND) {
		add_problem("failure", headline, "found", text, out);
		return CASE_FAILED;
	}
	if (status == RUN_SKIPPED && e->x.err->code == ERROR_CANNOT_TRACE) {
		add_problem("skipped", error_text(e->x.err), "cannot-trace", "", out);
		return CASE_SKIPPED;
	}
	add_problem("error", error_text(e->x.err), explore_verdict(e, status),
		    str_text(&e->x.last.text), out);
	return CASE_ERROR;
}

void explore_junit(const struct explore *e, int status, const char *command, const char *headline,
		   const char *text, struct str *out)
{
	struct report_suite suite = {.seconds = e->seconds};
	const char *program = str_base_name(e->x.options->argv[0]);
	struct str name = {0};

	str_addf(&name, "%s %s", command, program);
	str_add(&suite.cases, "    <testcase");
	xml_attribute(&suite.cases, "name", str_text(&name));
	xml_attribute(&suite.cases, "classname", program);
	str_addf(&suite.cases, " time=\"%.3f\">\n", e->seconds);
	suite.count[add_outcome(e, status, headline, text, &suite.cases)]++;
	str_add(&suite.cases, "      <system-out>");
	xml_text(&suite.cases, headline);
	str_add(&suite.cases, "</system-out>\n    </testcase>\n");
	report_suite_text(&suite, e->x.options, out);
	str_fini(&suite.cases);
	str_fini(&name);
}

static void as_junit(const struct explore *e, int status, struct str *out)
{
	const struct explore_failure *f = e->failures.items;
	struct str headline = {0};

	str_addf(&headline, "%lu schedules, %lu distinct", e->runs, e->distinct);
	if (e->failures.count)
		str_addf(&headline, ": %zu failures; the first: %s", e->failures.count, f->where);
	explore_junit(e, status, "explore", str_text(&headline), f ? f->text : "", out);
	str_fini(&headline);
}

int explore_report(const struct cli *cli, const struct explore *e, int status, struct error *err)
{
	int failed = 0;

	array_each(const char *, path, &cli->run.reports) {
		struct str text = {0};

		if (report_kind_of(*path) == REPORT_JSON)
			explore_report_as_json(e, status, &text);
		else if (report_kind_of(*path) == REPORT_JUNIT)
			as_junit(e, status, &text);
		else
			explore_page(e, status, *path, &text);
		if (reports_put(*path, &text, err) < 0)
			failed = -1;
		str_fini(&text);
	}
	return failed;
}
