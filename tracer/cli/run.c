/* gatectl run: one run, or several. */
#include "tracer/features/order_log/order_log.h"
#include "tracer/cli/report/report.h"

#include "tracer/base/log.h"
#include "tracer/search/runs/runs.h"

#include <string.h>

/* Prints the note of a run that was as expected, unless the run before had the same: the first
   line, or all of it with -v. */
static void say_note(struct cli *cli, const struct run_result *r)
{
	const char *text = str_text(&r->note);
	size_t length = strcspn(text, "\n");

	if (!*text || cli->run.quiet || (!r->note_always && !cli->run.verbose))
		return;
	if (cli->noted && strncmp(cli->noted, text, length) == 0 && !cli->noted[length])
		return;
	base_free(cli->noted);
	cli->noted = base_strndup(text, length);
	log_line("gatectl: %s", cli->noted);
	for (text += length; cli->run.verbose && *text; text += strcspn(text, "\n")) {
		text += *text == '\n';
		if (*text)
			log_line("%.*s", (int)strcspn(text, "\n"), text);
	}
}

void run_agreed(const struct cli *cli, unsigned long agreed, unsigned long done, bool interrupted)
{
	bool differed = agreed < done;

	if (cli->run.quiet && !differed)
		return;
	log_line("gatectl: %lu of %lu runs agreed%s", agreed, done,
		 interrupted			      ? "; the next one was interrupted"
		 : differed && done < cli->run.repeat ? "; the last one did not"
						      : "");
}

static int tell_one(void *ctx, const struct run_result *r, struct error *err)
{
	struct cli *cli = ctx;
	ERROR(ignored);

	if (err->code) {
		reports_write(cli, r, &ignored);
		return -1;
	}
	say_note(cli, r);
	output_verdict(cli, str_text(&r->text), r->line ? str_text(&r->file) : NULL, r->line);
	return reports_write(cli, r, err);
}

/* A difference is no failure: the outcome may not depend on the order. */
static void say_order(const struct cli *cli, struct order_log *log)
{
	const char *difference = order_log_difference(log);

	if (difference && !cli->run.quiet)
		log_line("gatectl: order of events: %s", difference);
	else if (cli->run.verbose)
		log_line("gatectl: the order of events was the same in all runs%s",
			 order_log_swapped(log)
				 ? ", except that threads of one start routine changed roles"
				 : "");
}

static int repeat(struct cli *cli)
{
	struct repeat r = {.x.view = {.ctx = cli, .ran = tell_one}};
	ERROR(err);
	int status;

	cli->run.order_log = order_log_new();
	experiment_begin(&r.x, &cli->run, &err);
	if (repeat_runs(&r) < 0) {
		status = output_over(cli, &r.x);
	} else {
		/* a run that a signal ended is not counted */
		run_agreed(cli, r.agreed, r.x.made - r.x.over, r.x.over);
		if (r.x.made > 1 && !r.x.over)
			say_order(cli, cli->run.order_log);
		status = r.status;
	}
	order_log_free(cli->run.order_log);
	return experiment_end(&r.x, status);
}

int run_finish(struct cli *cli, int status)
{
	ERROR(err);

	return reports_finish(cli, &err) < 0 ? output_error(cli, &err) : status;
}

int run_tell(struct cli *cli, const struct run_result *r, struct error *err)
{
	return tell_one(cli, r, err) < 0 ? output_error(cli, err) : r->status;
}

int run_once(struct cli *cli)
{
	struct modules *symbols = modules_new();
	struct run_result r;
	ERROR(err);
	int status;

	run_run(&cli->run, symbols, 1, &r, &err);
	status = run_finish(cli, run_tell(cli, &r, &err));
	run_result_fini(&r);
	modules_free(symbols);
	return status;
}

int command_run(struct cli *cli)
{
	ERROR(err);

	if (cli->most_seconds > 0)
		cli->run.until_us = run_now_us() + (uint64_t)(cli->most_seconds * 1e6);
	if (reports_check(cli, REPORTS_RUN, &err) < 0)
		return output_error(cli, &err);
	return cli->run.repeat > 1 ? run_finish(cli, repeat(cli)) : run_once(cli);
}
