/* gatectl harness: violations and a summary on standard error, violations also in folders; --list
   on standard output. */
#include "tracer/harness/harness.h"
#include "tracer/cli/cli.h"
#include "tracer/cli/report/report.h"
#include "tracer/cli/progress.h"
#include "tracer/synth/synth.h"
#include "tracer/features/features.h"

#include <stdio.h>
#include <string.h>

/* ---- --list ---------------------------------------------------------------------------------- */

static void print_signature(const struct signature *s)
{
	output_print("%s%s%s(", s->result.spelled, strchr(s->result.spelled, '*') ? "" : " ",
		     s->name);
	for (size_t i = 0; i < s->parameters.count; i++)
		output_print("%s%s", i ? ", " : "", s->parameters.items[i].spelled);
	output_print("%s)", s->is_variadic ? ", ..." : s->parameters.count ? "" : "void");
	if (s->file)
		output_print("  %s:%u", str_base_name(s->file), s->line);
}

static void print_second(const struct harness_object *o)
{
	struct str call = {0};

	if (o->fills)
		write_call(o, &o->fill, 1, &call);
	output_print("; a second object%s%s", o->fills ? ", after " : "", str_text(&call));
	str_fini(&call);
}

static void print_values(const struct harness_hunt *h, const struct harness_op *op)
{
	array_each(const struct harness_argument, a, &op->arguments) {
		if (a->kind == HARNESS_OUT)
			output_print("; %s: read after the call", a->type);
		if (a->kind == HARNESS_VISITS)
			output_print("; a function that counts its calls");
		if (a->kind == HARNESS_SECOND)
			print_second(&h->object);
		for (size_t i = 0; a->kind == HARNESS_VALUE && i < a->values.count; i++)
			output_print("%s%s", i ? "," : "; ", a->values.items[i]);
	}
}

static void print_role(struct harness_hunt *h, const struct signature *s)
{
	static const char *const roles[] = {
		[SIGNATURE_OPERATION] = "operation",	 [SIGNATURE_CONSTRUCTOR] = "constructor",
		[SIGNATURE_INITIALISER] = "initialiser", [SIGNATURE_DESTRUCTOR] = "destructor",
		[SIGNATURE_LEFT_OUT] = "left out",
	};
	const struct harness_op *op = harness_op_named(&h->object, s->name, strlen(s->name));

	output_print("  %-12s ", op ? roles[SIGNATURE_OPERATION] : roles[s->role]);
	print_signature(s);
	if (op)
		print_values(h, op);
	else if (s->why)
		output_print("; %s", s->why);
	else if (s->role == SIGNATURE_OPERATION)
		output_print("; not among --ops");
	putchar('\n');
}

/* Prints the code on one line. */
static void print_make(const char *text)
{
	struct str line = {0};

	str_add(&line, "created by: ");
	for (; *text; text++)
		if (*text != '\t')
			str_add_bytes(&line, *text == '\n' ? " " : text, 1);
	output_line(&line);
	str_fini(&line);
}

static void print_list(struct harness_hunt *h)
{
	const struct harness_object *o = &h->object;

	output_print("%s in %s: %zu operation%s\n", o->type, module_name(h->module), o->ops.count,
		     str_plural(o->ops.count));
	array_each(const struct signature, s, &h->signatures.items)
		print_role(h, s);
	if (o->make)
		print_make(o->make);
	else
		output_print("created by: %llu zero bytes\n", (unsigned long long)o->memory);
	if (o->end)
		output_print("destroyed by: %s(object);\n", o->end);
	else
		puts("destroyed by: nothing");
}

/* ---- the summary ----------------------------------------------------------------------------- */

enum harness_effect { CHANGES, READS, UNSURE };

static void add_names(const struct harness_hunt *h, enum harness_effect effect, struct str *out)
{
	const char *before = "";

	array_each(const struct harness_op, op, &h->object.ops)
		if (!op->is_out && !op->is_partial &&
		    (op->is_unsure ? UNSURE
		     : op->reads   ? READS
				   : CHANGES) == effect) {
			str_addf(out, "%s%s", before, op->name);
			before = ", ";
		}
	if (!*before)
		str_add(out, "none");
}

static bool any_unsure(const struct harness_hunt *h)
{
	bool any = false;

	array_each(const struct harness_op, op, &h->object.ops)
		any |= op->is_unsure;
	return any;
}

/* Adds a verdict for each operation, and why others are none. */
static void add_verdicts(const struct harness_hunt *h, struct str *out)
{
	array_each(const struct harness_op, op, &h->object.ops) {
		str_addf(out, "%s: ", op->name);
		harness_verdict(h, op, out);
		str_add(out, "\n");
	}
	array_each(const struct signature, s, &h->signatures.items)
		if (s->why && !h->options.ops &&
		    !harness_op_named(&h->object, s->name, strlen(s->name)))
			str_addf(out, "%s: not tried: %s\n", s->name, s->why);
}

static void add_final(const struct harness_hunt *h, struct str *out)
{
	if (!h->final.count && !h->takes)
		return;
	str_add(out, "; in the end");
	array_each(const unsigned, call, &h->final)
		str_addf(out, " %s", h->object.calls.items[*call].text);
	if (h->takes)
		str_addf(out, " %s until nothing is left", h->object.calls.items[h->taker].text);
}

static void add_size(const struct harness_size *s, struct str *out)
{
	str_addf(out, "%u calls: %s%lu harness%s, %lu searched", s->calls,
		 s->more ? "more than " : "", s->harnesses, s->harnesses == 1 ? "" : "es",
		 s->searched);
	if (s->unusable)
		str_addf(
			out,
			", %lu left out, since calls one after the other do not end normally there",
			s->unusable);
	str_add(out, "\n");
}

/* Says that there may be more, and what trying each operation has cost. */
static void add_tried(const struct harness_hunt *h, struct str *out)
{
	const char *before = "";

	str_addf(out, "the %.0f seconds are over: there may be more (--for); whole calls: ",
		 h->explore.seconds);
	array_each(const struct harness_op, op, &h->object.ops) {
		str_addf(out, "%s%s %lu in %.2f s", before, op->name, op->tried, op->tried_s);
		before = ", ";
	}
	str_add(out, "\n");
}

/* `is_whole`: no error has ended the search. */
static void add_extent(const struct harness_hunt *h, bool is_whole, struct str *out)
{
	array_each(const struct harness_size, s, &h->sizes)
		if (s->calls && s->harnesses)
			add_size(s, out);
	if (h->unusable && h->options.schemas.count)
		str_addf(
			out,
			"%lu left out, since calls one after the other do not end normally there\n",
			h->unusable);
	array_each(const struct harness_stuck, s, &h->stuck) {
		str_add(out, "left out: ");
		harness_say_stuck(h, s, true, out);
		str_add(out, "\n");
	}
	if (h->contained)
		str_addf(out, "%lu left out, since they contain a violation\n", h->contained);
	if (h->out_of_time)
		add_tried(h, out);
	if (is_whole && h->runs && !h->violations.count)
		str_add(out,
			"no violation: each outcome is also that of an order of whole calls\n");
}

static void add_summary(const struct harness_hunt *h, bool is_whole, struct str *out)
{
	array_each(char *const, note, &h->notes)
		str_addf(out, "%s\n", *note);
	str_add(out, "changes: ");
	add_names(h, CHANGES, out);
	str_add(out, "; only reads: ");
	add_names(h, READS, out);
	if (any_unsure(h)) {
		str_add(out, "; not known, since the trial of operations was over: ");
		add_names(h, UNSURE, out);
	}
	add_final(h, out);
	str_add(out, "\n");
	add_verdicts(h, out);
	str_addf(out, "%lu harness%s, %lu schedule%s in %.2f s", h->harnesses,
		 h->harnesses == 1 ? "" : "es", h->runs, str_plural(h->runs), h->seconds);
	if (h->seconds > 0)
		str_addf(out, " (%.1f harnesses/s, %.0f schedules/s)",
			 (double)h->harnesses / h->seconds, (double)h->runs / h->seconds);
	str_addf(out, "; strategy %s, seed %llu\n", h->explore.strategy,
		 (unsigned long long)h->explore.seed);
	add_extent(h, is_whole, out);
}

/* ---- violations ------------------------------------------------------------------------------ */

static void add_story(const struct harness_violation *v, struct str *out)
{
	str_addf(out, "after %.1f s, in %lu schedule%s of it\n", v->seconds, v->runs,
		 str_plural(v->runs));
	if (!v->folder)
		return;
	if (v->script) {
		str_add(out, "the script has forced it in ");
		explore_gates_runs(v->forced, v->asked, v->forced_s, out);
		str_add(out, "\n");
	} else {
		str_addf(out, "no script of gates: %s\n",
			 v->no_script ? v->no_script : "the test did not fail in its own search");
	}
	str_addf(out, "try: cat %s/README.md\n", v->folder);
}

static int harness_tell_found(const struct cli *cli, const struct harness_hunt *h)
{
	const struct harness_violation *first = h->violations.items;
	struct str text = {0};

	str_addf(&text, "gatectl: found: %zu violation%s in %lu harness%s; the first: %s",
		 h->violations.count, str_plural(h->violations.count), h->harnesses,
		 h->harnesses == 1 ? "" : "es", first->headline);
	if (first->script)
		str_addf(&text, "; its script: %s", first->script);
	else if (first->folder)
		str_addf(&text, "; its test: %s/test.c", first->folder);
	str_add(&text, "\n");
	add_story(first, &text);
	for (size_t i = 1; i < h->violations.count; i++)
		str_addf(&text, "%s: %s\n", h->violations.items[i].headline,
			 h->violations.items[i].folder ? h->violations.items[i].folder
						       : "not written");
	output_verdict(cli, str_text(&text), NULL, 0);
	str_fini(&text);
	return VERDICT_FOUND;
}

/* ---- options --------------------------------------------------------------------------------- */

enum { THREADS = 2, LEAST = 3, MOST = 6, SECONDS = 60 };

static int harness_settle(struct cli *cli, struct error *err)
{
	struct harness_options *o = &cli->harness;
	struct explore_options *e = &cli->explore;

	if (!o->type) {
		error_set(err, ERROR_USAGE, "harness: no --object TYPE was given");
		return error_hint(err, "gatectl harness --object 'struct queue' LIBRARY");
	}
	if (cli->rest_count > 1) {
		error_set(err, ERROR_USAGE, "harness: unexpected argument '%s' after the library",
			  cli->rest[1]);
		return error_hint(err, "gatectl harness --help");
	}
	o->library = cli->rest[0];
	o->threads = o->threads ? o->threads : THREADS;
	o->least = o->least ? o->least : LEAST > o->threads ? LEAST : o->threads;
	o->most = o->most ? o->most : MOST;
	explore_settle(cli);
	e->goes_on = false;
	e->runs = cli->runs ? cli->runs : explore_defaults.runs;
	e->seconds = cli->most_seconds < 0 ? SECONDS : cli->most_seconds;
	cli->run.time_limit = -1;
	return 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int harness_tell(struct cli *cli, struct harness_hunt *h, int answer)
{
	int status = answer < 0 ? output_over(cli, &h->x) : 0;
	const bool is_whole = answer == 0;
	struct str summary = {0};
	ERROR(err);

	if (h->violations.count)
		answer = harness_tell_found(cli, h);
	if (h->program && !cli->run.quiet)
		add_summary(h, is_whole, &summary);
	output_lines(cli, str_text(&summary));
	str_fini(&summary);
	status = status ? status : answer;
	return harness_report(cli, h, status, &err) < 0 ? output_error(cli, &err) : status;
}

static int list(struct cli *cli, struct harness_hunt *h)
{
	if (harness_discover(h) < 0)
		return output_over(cli, &h->x);
	print_list(h);
	return 0;
}

static int hunt(struct cli *cli, struct harness_hunt *h)
{
	struct progress bar;
	int answer;

	progress_begin(&bar, cli, &h->x.view);
	bar.noun = "schedule";
	answer = harness_discover(h);
	if (answer == 0)
		answer = harness_hunt(h);
	progress_end(&bar);
	return harness_tell(cli, h, answer);
}

int command_harness(struct cli *cli)
{
	struct harness_hunt h = {
		.quick = &search_features, .full = &sched_features, .plain = &all_features};
	ERROR(err);
	int status;

	if (harness_settle(cli, &err) < 0 || reports_check(cli, REPORTS_SEARCH, &err) < 0 ||
	    (!cli->harness.lists && found_check(cli->explore.output, &err) < 0))
		return output_error(cli, &err);
	explore_settle_gates(cli, cli->most_seconds, &cli->explore);
	h.explore = cli->explore;
	h.options = cli->harness;
	experiment_begin(&h.x, &cli->run, &err);
	status = cli->harness.lists ? list(cli, &h) : hunt(cli, &h);
	harness_hunt_fini(&h);
	return experiment_end(&h.x, status);
}
