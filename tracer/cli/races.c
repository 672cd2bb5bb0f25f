/* gatectl races: prints races and a summary on standard error. */
#include "tracer/search/explore.h"
#include "tracer/cli/cli.h"
#include "tracer/cli/progress.h"
#include "tracer/cli/report/report.h"
#include "tracer/base/log.h"
#include "tracer/features/features.h"

enum { RUNS = 200, ENOUGH = 50 }; /* defaults */

/* True if there was time for one run only. A race shows when accesses come in two orders. */
static bool is_no_answer(const struct races_hunt *h)
{
	return !h->found.count && h->e.runs < 2 && h->e.options.seconds > 0 &&
	       h->e.options.runs != 1;
}

static void add_summary(const struct races_hunt *h, struct str *out)
{
	const struct explore *e = &h->e;

	str_addf(out, "%lu run%s in %.2f s; strategy %s, seed %llu\n", e->runs, str_plural(e->runs),
		 e->seconds, e->options.strategy, (unsigned long long)e->options.seed);
	if (e->alone == e->runs)
		str_add(out, "the program had one thread: no two of its accesses can race\n");
	output_no_debug(&e->x, out);
	if (h->failed)
		str_addf(out, "%lu of them failed: gatectl explore says how\n", h->failed);
	if (h->ignored)
		str_addf(out, "%lu pair%s of accesses ignored\n", h->ignored,
			 str_plural(h->ignored));
	if (is_no_answer(h))
		str_addf(out,
			 "no result: there was time for one run only, and races show in several; "
			 "use --for with more than %g seconds, or --points sync\n",
			 e->options.seconds);
	else if (!h->found.count)
		str_add(out, "no race: in these runs every two conflicting accesses were "
			     "ordered\n");
}

/* Reports misspelt locations, which exclude nothing. */
static void print_unknown(const struct races_hunt *h)
{
	array_each(const struct races_ignored, ignored, &h->at)
		if (ignored->is_nothing)
			log_line("gatectl: note: --ignore: %s:%u: neither the program nor the "
				 "libraries that it starts with have '%s'",
				 h->ignore, ignored->number, ignored->location.text);
}

static int races_tell_found(const struct cli *cli, const struct races_hunt *h)
{
	const struct sched_race_side *at = &h->found.items[0].seen->sides[1];
	struct str text = {0};

	str_add(&text, "gatectl: found: ");
	races_headline(h, &text);
	str_add(&text, "\n");
	races_text(h, &text);
	output_verdict(cli, str_text(&text), at->line ? at->file : NULL, at->line);
	str_fini(&text);
	return VERDICT_FOUND;
}

static int races_tell(struct cli *cli, struct races_hunt *h, int answer)
{
	int status = answer < 0 ? output_over(cli, &h->e.x) : 0;
	struct str summary = {0};
	ERROR(err);

	if (h->found.count)
		answer = races_tell_found(cli, h);
	if (h->e.runs && !cli->run.quiet) {
		add_summary(h, &summary);
		output_lines(cli, str_text(&summary));
		str_fini(&summary);
		print_unknown(h);
	}
	status = status ? status : answer;
	return races_report(cli, h, status, &err) < 0 ? output_error(cli, &err) : status;
}

/* Returns 0, or -1 with *err set if the strategy is not supported. */
static int races_settle(struct cli *cli, struct races_hunt *h, struct error *err)
{
	struct explore_options *o = &h->e.options;

	h->ignore = cli->ignore;
	o->seconds = cli->most_seconds > 0 ? cli->most_seconds : 0;
	/* ends a run that does not end by itself */
	cli->run.time_limit = o->seconds > 0 ? o->seconds : -1;
	h->enough = cli->runs || o->seconds > 0 ? 0 : ENOUGH;
	o->runs = cli->runs ? cli->runs : h->enough ? RUNS : 0;
	o->strategy = o->strategy ? o->strategy : RACES_STRATEGY;
	if (options_is_strategy(o->strategy))
		return 0;
	return error_set(err, ERROR_USAGE, "races: --strategy %s is not supported", o->strategy);
}

int command_races(struct cli *cli)
{
	struct races_hunt h = {.e = {.quick = &search_features, .options = cli->explore}};
	struct progress bar;
	ERROR(err);
	int status;

	if (races_settle(cli, &h, &err) < 0 || reports_check(cli, REPORTS_SEARCH, &err) < 0)
		return output_error(cli, &err);
	experiment_begin(&h.e.x, &cli->run, &err);
	progress_begin(&bar, cli, &h.e.x.view);
	status = races_hunt(&h);
	progress_end(&bar);
	status = races_tell(cli, &h, status);
	races_hunt_fini(&h);
	return experiment_end(&h.e.x, status);
}
