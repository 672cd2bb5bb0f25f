/* --report of harness: operations, extent of the search, and each violation. */
#include "tracer/cli/report/report.h"

#include "tracer/synth/synth.h"

#include <string.h>

/* Adds members for the page alone. */
static void add_script(const struct harness_violation *v, const char *page, struct json *j)
{
	static const char *const files[] = {"README.md", "test.c", "outcomes.txt", "gates.lua",
					    NULL};
	struct str runs = {0};

	json_string(j, "story", str_text(&v->story));
	report_links(page, v->folder, files, j);
	if (v->script) {
		explore_gates_runs(v->forced, v->asked, v->forced_s, &runs);
		json_string(j, "forced_in", str_text(&runs));
	}
	str_fini(&runs);
}

static void add_violation(const struct harness_hunt *h, const struct harness_violation *v,
			  const char *page, struct json *j)
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
	if (page)
		add_script(v, page, j);
	json_end_object(j);
	str_fini(&schema);
}

static void add_operations(const struct harness_hunt *h, struct json *j)
{
	struct str verdict = {0};

	json_array(j, "operations");
	array_each(const struct harness_op, op, &h->object.ops) {
		json_object(j, NULL);
		json_string(j, "function", op->function);
		json_bool(j, "reads", op->reads);
		json_bool(j, "varies", op->varies);
		json_bool(j, "unsure", op->is_unsure);
		harness_verdict(h, op, &verdict);
		json_string(j, "verdict", str_text(&verdict));
		json_integer(j, "harnesses", (long long)op->harnesses);
		json_integer(j, "schedules", (long long)op->schedules);
		json_integer(j, "tried", (long long)op->tried);
		json_number(j, "tried_seconds", op->tried_s);
		str_clear(&verdict);
		if (op->why || op->is_partial)
			json_string(j, "left_out", op->why ? op->why : "no schema calls it");
		json_end_object(j);
	}
	json_end_array(j);
	str_fini(&verdict);
}

static void add_left_out(const struct harness_hunt *h, struct json *j)
{
	json_array(j, "left_out");
	array_each(const struct signature, s, &h->signatures.items) {
		if (!s->why || harness_op_named(&h->object, s->name, strlen(s->name)))
			continue;
		json_object(j, NULL);
		json_string(j, "function", s->name);
		json_string(j, "why", s->why);
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

static void harness_add(const void *of, const char *page, struct json *j)
{
	const struct harness_hunt *h = of;

	json_string(j, "library", h->options.library);
	json_string(j, "object", page ? h->options.type : h->object.type);
	add_operations(h, j);
	add_left_out(h, j);
	add_sizes(h, j);
	json_integer(j, "harnesses", (long long)h->harnesses);
	json_integer(j, "schedules", (long long)h->runs);
	json_number(j, "seconds", h->seconds);
	json_number(j, "searched_after", h->searched_after_s);
	json_number(j, "computed_before", h->computed_before_s);
	json_bool(j, "out_of_time", h->out_of_time);
	json_array(j, "violations");
	array_each(const struct harness_violation, v, &h->violations)
		add_violation(h, v, page, j);
	json_end_array(j);
	json_string(j, "strategy", h->explore.strategy);
	json_integer(j, "seed", (long long)h->explore.seed);
}

int harness_report(const struct cli *cli, const struct harness_hunt *h, int status,
		   struct error *err)
{
	char *argv[] = {cli->rest[0], NULL};
	const struct harness_violation *v = h->violations.count ? h->violations.items : NULL;
	struct str headline = {0};
	int failed;

	str_addf(&headline, "%lu harness%s, %lu schedule%s", h->harnesses,
		 h->harnesses == 1 ? "" : "es", h->runs, str_plural(h->runs));
	if (v)
		str_addf(&headline, ": %zu violation%s; the first: %s", h->violations.count,
			 str_plural(h->violations.count), v->headline);
	failed = reports_write_record(cli,
				      &(struct cli_record){.command = "harness",
							   .status = status,
							   .add = harness_add,
							   .of = h,
							   .x = &h->x,
							   .argv = argv,
							   .seconds = h->seconds,
							   .headline = str_text(&headline),
							   .text = v ? str_text(&v->story) : ""},
				      err);
	str_fini(&headline);
	return failed;
}
