/* gatectl replay: runs whose threads are scheduled as a file says, once or several times. */
#include "tracer/search/explore.h"
#include "tracer/cli/report/report.h"
#include "tracer/features/features.h"

#include <string.h>

/* The result of the first run, which may be a failure, and how many runs agree with it. */
struct replayed {
	enum verdict verdict;
	int status;
	unsigned long agreed;
	bool over; /* a run has differed, could not be made, or was interrupted */
	bool interrupted;
};

static void cli_replay_compare(struct replayed *all, const struct replay *r,
			       const struct run_result *now, bool failed)
{
	bool agrees;

	if (r->made == 1) {
		all->verdict = now->verdict;
		all->status = now->status;
	}
	agrees = !failed && now->verdict == all->verdict && now->status == all->status &&
		 now->verdict != VERDICT_DIVERGED;
	all->interrupted = now->interrupted;
	all->agreed += agrees && !all->interrupted;
	all->over = !agrees || all->interrupted;
}

/* The line of the command follows the first line of the verdict, whose form the manual fixes. */
static void replay_add_command(const struct replay *r, struct run_result *result)
{
	struct str *text = &result->text, whole = {0};
	size_t first = strcspn(str_text(text), "\n");

	if (text->length) {
		str_add_bytes(&whole, text->text, first);
		str_add(&whole, "\n");
	}
	replay_tell(r, result, &whole);
	str_add(&whole, "\n");
	schedule_add_spurious(&r->schedule, strategy_guide_followed(r->sched->strategy), &whole);
	if (first < text->length)
		str_add(&whole, text->text + first + 1);
	str_fini(text);
	*text = whole;
}

/* Runs that agree are reported once. */
static int run_one(struct cli *cli, struct replay *r, struct modules *symbols, struct replayed *all)
{
	struct run_result result;
	ERROR(err);
	int status = replay_run(r, symbols, &result, &err);

	cli_replay_compare(all, r, &result, status < 0);
	if (status == 0 && !result.interrupted && !cli->run.quiet)
		replay_add_command(r, &result);
	if (r->made == 1 || all->over)
		status = run_tell(cli, &result, &err);
	else
		status = reports_write(cli, &result, &err) < 0 ? output_error(cli, &err)
							       : result.status;
	run_result_fini(&result);
	return status;
}

static int cli_replay_run(struct cli *cli, struct replay *r)
{
	struct modules *symbols = modules_new();
	struct replayed all = {0};
	int status = 0;

	while (!all.over && r->made < cli->run.repeat)
		status = run_one(cli, r, symbols, &all);
	if (cli->run.repeat > 1)
		run_agreed(cli, all.agreed, r->made - all.interrupted, all.interrupted);
	modules_free(symbols);
	return run_finish(cli, status);
}

/* Returns the program and its arguments: the words after the schedule and an optional `--`. */
static char **program(const struct cli *cli)
{
	char **rest = cli->rest + 1;

	return rest[0] && strcmp(rest[0], "--") == 0 ? rest + 1 : rest;
}

int command_replay(struct cli *cli)
{
	struct replay r = {.options = &cli->run};
	ERROR(err);
	int status;

	cli->run.features = &sched_features;
	cli->run.argv = program(cli);
	/* reports_check() creates files: a schedule that cannot be loaded must not leave an empty
	   report. */
	if (replay_load(&r, cli->rest[0], &err) < 0 || reports_check(cli, REPORTS_RUN, &err) < 0)
		status = output_error(cli, &err);
	else
		status = cli_replay_run(cli, &r);
	replay_fini(&r);
	return status;
}
