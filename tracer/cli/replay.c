/* gatectl replay: one run, in which the threads take turns as a file says. */
#include "tracer/experiments/replay.h"
#include "tracer/cli/cli.h"
#include "tracer/features/features.h"

#include <string.h>

static int run(struct cli *cli, struct replay *r)
{
	struct modules *symbols = modules_new();
	struct session_result result;
	ERROR(err);
	int status;

	replay_run(r, symbols, &result, &err);
	status = run_tell(cli, &result, &err);
	session_result_fini(&result);
	modules_free(symbols);
	return status;
}

/* What follows the schedule; the `--` between them is nobody's. */
static char **program(const struct cli *cli)
{
	char **rest = cli->rest + 1;

	return rest[0] && strcmp(rest[0], "--") == 0 ? rest + 1 : rest;
}

int command_replay(struct cli *cli)
{
	struct replay r = {.options = &cli->session};
	ERROR(err);
	int status;

	cli->session.features = &controlled_features;
	cli->session.argv = program(cli);
	if (reports_check(cli, &err) < 0 || replay_load(&r, cli->rest[0], &err) < 0)
		status = output_error(cli, &err);
	else
		status = run(cli, &r);
	replay_fini(&r);
	return status;
}
