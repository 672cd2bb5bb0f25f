#include "tracer/cli/report/harness_report.h"

#include "tracer/base/text/json.h"
#include "tracer/cli/report/explore_report.h"
#include "tracer/features/report/suite.h"

/* ---- JSON ------------------------------------------------------------------------------------------- */

static void add_violation(const struct harness_hunt *h, const struct harness_violation *v,
			  struct json *j)
{
	struct str schema = {0};

	schema_print(&h->object, &v->schema, &schema);
	json_object(j, NULL);
	json_string(j, "schema", str_text(&schema));
	json_string(j, "kind", v->kind);
	json_string(j, "headline", v->headline);
	json_integer(j, "schedules", (long long)v->runs);
	json_number(j, "seconds", v->seconds);
	json_string(j, "folder", v->folder);
	json_string(j, "script", v->script);
	if (v->no_script)
		json_string(j, "no_script", v->no_script);
	json_integer(j, "forced", (long long)v->forced);
	json_integer(j, "asked", (long long)v->asked);
	json_array(j, "outcomes");
	array_each(const struct harness_outcome, o, &v->outcomes) {
		json_object(j, NULL);
		json_string(j, "outcome", o->text);
		json_integer(j, "times", (long long)o->times);
		json_bool(j, "atomic", o->order != NULL);
		json_bool(j, "weakened", o->weakened);
		json_string(j, "order", o->order);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
	str_fini(&schema);
}

static void add_operations(const struct harness_hunt *h, struct json *j)
{
	json_array(j, "operations");
	array_each(const struct harness_op, op, &h->object.ops) {
		json_object(j, NULL);
		json_string(j, "function", op->function);
		json_bool(j, "reads", op->reads);
		json_bool(j, "varies", op->varies);
		if (op->why || op->is_partial)
			json_string(j, "left_out", op->why ? op->why : "no schema calls it");
		json_end_object(j);
	}
	json_end_array(j);
}

static void add_sizes(const struct harness_hunt *h, struct json *j)
{
	json_array(j, "sizes");
	array_each(const struct harness_size, s, &h->sizes) {
		json_object(j, NULL);
		json_integer(j, "calls", s->calls);
		json_integer(j, "harnesses", (long long)s->harnesses);
		json_integer(j, "searched", (long long)s->searched);
		json_integer(j, "unusable", (long long)s->unusable);
		json_end_object(j);
	}
	json_end_array(j);
}

static const char *hunt_verdict(const struct harness_hunt *h, int status)
{
	const struct explore e = {.x = h->x};

	return explore_verdict(&e, status);
}

static void harness_report_as_json(const struct harness_hunt *h, int status, struct str *out)
{
	struct json j = {0};

	json_object(&j, NULL);
	json_string(&j, "verdict", hunt_verdict(h, status));
	json_integer(&j, "status", status);
	json_string(&j, "library", h->options.library);
	json_string(&j, "object", h->object.type);
	add_operations(h, &j);
	add_sizes(h, &j);
	json_integer(&j, "harnesses", (long long)h->harnesses);
	json_integer(&j, "schedules", (long long)h->runs);
	json_number(&j, "seconds", h->seconds);
	json_bool(&j, "out_of_time", h->out_of_time);
	json_array(&j, "violations");
	array_each(const struct harness_violation, v, &h->violations)
		add_violation(h, v, &j);
	json_end_array(&j);
	json_end_object(&j);
	str_addf(out, "%s\n", str_text(&j.out));
	json_fini(&j);
}

/* ---- JUnit -------------------------------------------------------------------------------------------- */

static void as_junit(const struct cli *cli, const struct harness_hunt *h, int status,
		     struct str *out)
{
	char *words[] = {cli->rest[0], NULL};
	struct run_options options = cli->run;
	struct explore e = {.x = h->x, .seconds = h->seconds};
	const struct harness_violation *v = h->violations.items;
	struct str headline = {0};

	options.argv = words;
	e.x.options = &options;
	str_addf(&headline, "%lu harnesses, %lu schedules", h->harnesses, h->runs);
	if (h->violations.count)
		str_addf(&headline, ": %zu violations; the first: %s", h->violations.count,
			 v->headline);
	explore_junit(&e, status, "harness", str_text(&headline), v ? str_text(&v->story) : "",
		      out);
	str_fini(&headline);
}

int harness_report(const struct cli *cli, const struct harness_hunt *h, int status,
		   struct error *err)
{
	int failed = 0;

	array_each(const char *, path, &cli->run.reports) {
		struct str text = {0};

		if (report_kind_of(*path) == REPORT_JSON)
			harness_report_as_json(h, status, &text);
		else if (report_kind_of(*path) == REPORT_JUNIT)
			as_junit(cli, h, status, &text);
		else
			harness_page(h, status, *path, &text);
		if (reports_put(*path, &text, err) < 0)
			failed = -1;
		str_fini(&text);
	}
	return failed;
}
