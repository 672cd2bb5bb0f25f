/* gatectl run: the main job, once or several times. */
#include "tracer/cli/cli.h"

#include "tracer/base/log.h"

struct first_run {
	enum verdict verdict;
	int status;
};

/* Is this run as the first one was, and as a test wants it? */
static bool agrees(const struct session_result *r, const struct first_run *first)
{
	return r->verdict == VERDICT_OK && r->verdict == first->verdict &&
	       r->status == first->status && !r->interrupted;
}

static void say_agreed(const struct cli *cli, unsigned long agreed, unsigned long done)
{
	if (cli->session.repeat < 2 || (cli->session.quiet && agreed == done))
		return;
	log_line("gatectl: %lu of %lu runs agreed%s", agreed, done,
		 done < cli->session.repeat ? "; the last one did not" : "");
}

int run_one(struct cli *cli, struct symbols *symbols, unsigned long number,
	    struct session_result *r)
{
	struct error err = {0};

	if (session_run(&cli->session, symbols, number, r, &err) < 0) {
		struct error ignored;

		reports_write(cli, r, &ignored);
		return output_error(cli, &err);
	}
	output_verdict(cli, str_text(&r->text), r->line ? str_text(&r->file) : NULL, r->line);
	if (reports_write(cli, r, &err) < 0)
		return output_error(cli, &err);
	return -1;
}

/* Nothing has failed where it differs: the outcome may not depend on what came first. */
static void say_order(const struct cli *cli, struct order_log *log)
{
	const char *difference = order_log_difference(log);

	if (difference && !cli->session.quiet)
		log_line("gatectl: order of events: %s", difference);
	else if (cli->session.verbose)
		log_line("gatectl: the order of events was the same in all runs");
}

static int all_runs(struct cli *cli, struct symbols *symbols)
{
	struct first_run first = {0};
	struct order_log *log = cli->session.order_log;
	unsigned long agreed = 0, done = 0;
	int status = 0;
	bool same = true;

	while (same && done < cli->session.repeat) {
		struct session_result r;
		int failed;

		if (log)
			order_log_begin(log);
		failed = run_one(cli, symbols, done + 1, &r);
		if (done++ == 0)
			first = (struct first_run){r.verdict, r.status};
		status = failed >= 0 ? failed : r.status;
		same = failed < 0 && agrees(&r, &first);
		agreed += same;
		session_result_fini(&r);
		if (failed >= 0)
			return status;
	}
	say_agreed(cli, agreed, done);
	if (log && done > 1)
		say_order(cli, log);
	return status;
}

int runs_end(int status)
{
	int signal = session_signals_release();

	return signal ? 128 + signal : status;
}

int command_run(struct cli *cli)
{
	struct symbols *symbols;
	struct error err = {0};
	int status;

	if (reports_check(cli, &err) < 0)
		return output_error(cli, &err);
	symbols = symbols_new();
	if (cli->session.repeat > 1) {
		cli->session.order_log = order_log_new();
		session_signals_hold();
	}
	status = all_runs(cli, symbols);
	if (cli->session.repeat > 1)
		status = runs_end(status);
	if (reports_finish(cli, &err) < 0)
		status = output_error(cli, &err);
	order_log_free(cli->session.order_log);
	symbols_free(symbols);
	return status;
}
