/* gatectl prove: prints the table, whether the outcome is forced, and which gates are
   superfluous. */
#include "tracer/search/runs/runs.h"
#include "tracer/cli/cli.h"
#include "tracer/cli/progress.h"

#include <stdio.h>
#include <string.h>

static const char *const judgements[] = {
	[PROVE_MATTERS] = "matters",
	[PROVE_IDLE] = "does not matter",
	[PROVE_UNKNOWN] = "not known",
};

static const char without[] = "without ", turned[] = "other way round: ";

static size_t name_width(const struct prove *p)
{
	size_t width = strlen("all gates");

	array_each(struct prove_line, line, &p->lines) {
		size_t n = strlen(line->name) + strlen(line->is_gate ? turned : without);

		width = n > width ? n : width;
	}
	return width;
}

static void print_row(const char *how, const char *name, size_t width, const struct prove_row *row,
		      const char *judgement)
{
	output_print("  %s%-*s %4lu of %lu%s%s\n", how, (int)(width - strlen(how)), name,
		     row->agreed, row->runs, *judgement ? "   " : "", judgement);
}

/* True if the file is the REPL's temporary one, whose name the user does not know. */
static bool is_typed(const char *path)
{
	const char *name = str_base_name(path);

	return strncmp(name + (*name == '.'), CLI_TYPED, strlen(CLI_TYPED)) == 0;
}

/* Shortens "gate g (FILE:2)" to "gate g". */
static void cut_typed(struct prove *p)
{
	array_each(const char *, script, &p->x.options->scripts)
		array_each(struct prove_line, line, &p->lines) {
			char *at = is_typed(*script) ? strstr(line->name, *script) : NULL;

			if (at && at - line->name > 2 && at[-1] == '(')
				at[-2] = '\0';
		}
}

static void print_head(const struct prove *p)
{
	const struct run_options *o = p->x.options;
	const char *comma = "";
	STR(line);

	array_each(const char *, script, &o->scripts) {
		str_addf(&line, "%s%s", comma, is_typed(*script) ? "what was typed" : *script);
		comma = ", ";
	}
	array_each(const char *, order, &o->orders) {
		str_addf(&line, "%s--order '%s'", comma, *order);
		comma = ", ";
	}
	str_addf(&line, " with %s: %lu runs each; expected: %s", o->argv[0], p->runs,
		 str_text(&p->expected));
	if (!p->has_expect && (p->outcome.same_out || p->outcome.same_err))
		str_add(&line, ", and the same output");
	output_line(&line);
}

static void print_table(struct prove *p)
{
	size_t width;

	cut_typed(p);
	width = name_width(p);
	print_head(p);
	print_row("", "all gates", width, &p->all, "");
	if (!p->none.without.runs)
		return;
	print_row("", "no gates", width, &p->none.without, "");
	array_each(struct prove_line, line, &p->lines) {
		if (line->without.runs)
			print_row(without, line->name, width, &line->without,
				  judgements[prove_judge(p, line)]);
		if (line->turned.runs)
			print_row(turned, line->name, width, &line->turned, "");
	}
}

static size_t count_of(const struct prove *p, enum prove_judgement judgement)
{
	size_t count = 0;

	array_each(const struct prove_line, line, &p->lines)
		count += prove_judge(p, line) == judgement;
	return count;
}

static void say_idle(const struct prove *p)
{
	size_t idle = count_of(p, PROVE_IDLE);
	const char *comma = "";

	if (idle == 0) {
		puts(p->lines.count == 1 ? "Its gate matters." : "Each of its gates matters.");
		return;
	}
	if (idle > 1)
		output_print("Each of these could be left out, one at a time: ");
	array_each(const struct prove_line, line, &p->lines) {
		if (prove_judge(p, line) != PROVE_IDLE)
			continue;
		output_print("%s%s", comma, line->name);
		comma = ", ";
	}
	puts(idle > 1 ? "." : " could be left out.");
}

static void say_chance(const struct prove *p)
{
	output_print("The outcome came in all %lu runs, but by chance: it does not come if, with "
		     "all gates,\nthe threads of %s are delayed.\n",
		     p->all.runs, p->luck);
}

static void say_all(const struct prove *p)
{
	if (p->all.agreed < p->all.runs) {
		output_print("The script does not force the outcome: it came in %lu of %lu runs.\n",
			     p->all.agreed, p->all.runs);
		if (p->none.without.runs && count_of(p, PROVE_UNKNOWN))
			puts("Not known: the difference may be chance; more runs (-n) may decide "
			     "it.");
	} else if (p->luck)
		say_chance(p);
	else if (p->lines.count)
		puts("The script forces the outcome.");
	else
		puts("The outcome came in every run; there is no gate that could be left out.");
	if (p->none.without.runs && p->all.agreed == p->all.runs)
		say_idle(p);
}

static void print_sentences(const struct prove *p)
{
	bool no_other = p->none.without.runs && p->none.without.agreed == p->none.without.runs &&
			count_of(p, PROVE_IDLE) == p->lines.count;

	if (!no_other || p->all.agreed < p->all.runs) {
		say_all(p);
		return;
	}
	if (p->luck)
		output_print("The outcome also came in all %lu runs without gates, but by chance: "
			     "it does not come\nif, with all gates, the threads of %s are "
			     "delayed.\n",
			     p->none.without.runs, p->luck);
	else
		puts("The outcome also comes without any gate: the program produces it by "
		     "itself.");
}

void prove_print_orders(const struct prove *p)
{
	array_each(char *, pair, &p->unordered)
		output_print("not ordered by the script: %s\n", *pair);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int not_as_expected(const struct cli *cli, const struct prove *p)
{
	STR(text);

	str_addf(
		&text,
		"gatectl: not-as-expected: with all gates the outcome came in %lu of %lu runs; one "
		"in which it did not:\n%s",
		p->all.agreed, p->all.runs, str_text(&p->failed));
	output_verdict(cli, str_text(&text), NULL, 0);
	return VERDICT_NOT_AS_EXPECTED;
}

static int report(const struct cli *cli, struct prove *p)
{
	print_table(p);
	print_sentences(p);
	prove_print_orders(p);
	if (output_flush() < 0)
		return VERDICT_ERROR; /* reported by output_end() */
	return p->all.agreed < p->all.runs ? not_as_expected(cli, p) : 0;
}

int command_prove(struct cli *cli)
{
	struct prove p = {.runs = cli->runs};
	struct progress progress;
	ERROR(err);
	int status;

	if (!cli->run.scripts.count && !cli->run.orders.count) {
		error_set(&err, ERROR_USAGE, "prove: no gate script was given");
		error_hint(&err, "gatectl prove -g FILE.lua PROG");
		return output_error(cli, &err);
	}
	experiment_begin(&p.x, &cli->run, &err);
	progress_begin(&progress, cli, &p.x.view);
	status = prove_runs(&p);
	progress_erase(&progress);
	status = status < 0 ? output_over(cli, &p.x) : report(cli, &p);
	status = experiment_end(&p.x, status);
	prove_fini(&p);
	return status;
}
