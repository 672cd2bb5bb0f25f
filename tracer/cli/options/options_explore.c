/* The options of a search: their values, and which of them it cannot do yet. */
#include "tracer/cli/cli.h"

#include "tracer/sched/schedule/text.h"
#include "tracer/sched/strategy/strategy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds for the script of a failure. */
enum { GATES_S = 60 };
/* Scripts may be made for so much longer than --for says: half of what a command may be late, the
   larger one of 5 s and a tenth; what is begun then has to end, too. */
static const double PART_MORE = 0.05, LEAST_MORE_S = 2.5;

const struct explore_options options_explore_defaults = {
	.depth = 3,
	.bound = 2,
	.points = POINTS_RACES,
	.runs = 10000,
	.steps = 100000,
	.hang = 5,
	.verify = 100,
	.seed = 1,
	.shard = 1,
	.shards = 1,
};

static int parse_number(const char *name, const char *text, uint64_t most, uint64_t *out,
			struct error *err)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	if (end == text || *end || *text == '-' || errno || *out > most)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is not a number from 0 to %llu",
				 name, text, (unsigned long long)most);
	return 0;
}

static int parse_count(const char *name, const char *text, unsigned long *out, struct error *err)
{
	uint64_t number;

	if (parse_number(name, text, ULONG_MAX, &number, err) < 0)
		return -1;
	*out = number;
	return 0;
}

static int parse_small(const char *name, const char *text, unsigned *out, struct error *err)
{
	enum { MOST = 1000000 };
	uint64_t number;

	if (parse_number(name, text, MOST, &number, err) < 0)
		return -1;
	*out = (unsigned)number;
	return 0;
}

static int parse_positive(const char *name, const char *text, unsigned *out, struct error *err)
{
	if (parse_small(name, text, out, err) < 0)
		return -1;
	return *out ? 0
		    : error_set(err, ERROR_USAGE, "--%s: '%s' is not a positive number", name,
				text);
}

static bool ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), n = strlen(ending);

	return length > n && strcmp(text + length - n, ending) == 0;
}

bool options_is_strategy(const char *name)
{
	for (size_t i = 0; strategy_name(i); i++)
		if (strcmp(strategy_name(i), name) == 0)
			return true;
	return false;
}

static int parse_strategy(const char *text, struct explore_options *o, struct error *err)
{
	struct str names = {0};

	o->strategy = text;
	if (strcmp(text, "auto") == 0 || options_is_strategy(text) || ends_with(text, ".lua"))
		return 0;
	for (size_t i = 0; strategy_name(i); i++)
		if (strcmp(strategy_name(i), "auto") != 0)
			str_addf(&names, ", %s", strategy_name(i));
	error_set(err, ERROR_USAGE, "--strategy: '%s' is none of auto%s, and no FILE.lua", text,
		  str_text(&names));
	str_fini(&names);
	return -1;
}

/* FILE.c, FILE.c:LINE or FUNC, or several of these, are resolved when the program is known. */
static int parse_points(const char *text, struct explore_options *o, struct error *err)
{
	if (!*text)
		return error_set(err, ERROR_USAGE,
				 "--points: '' is none of sync, races and memory, no file, no "
				 "line and no function");
	o->points = strcmp(text, "sync") == 0	  ? POINTS_SYNC
		    : strcmp(text, "races") == 0  ? POINTS_RACES
		    : strcmp(text, "memory") == 0 ? POINTS_MEMORY
						  : POINTS_LOCATION;
	o->points_asked = true;
	o->location = text;
	return 0;
}

static int parse_shard(const char *text, struct explore_options *o, struct error *err)
{
	char *end = NULL;
	unsigned long k = strtoul(text, &end, 10), n = 0;

	if (end != text && *end == '/' && end[1] >= '0' && end[1] <= '9')
		n = strtoul(end + 1, &end, 10);
	if (*end || *text == '-' || k < 1 || n < k || n > UINT32_MAX)
		return error_set(err, ERROR_USAGE,
				 "--shard: '%s' is not K/N with K from 1 to N, as in 2/8", text);
	o->shard = (unsigned)k;
	o->shards = (unsigned)n;
	return 0;
}

static int parse_stdout(const char *text, struct run_options *o, struct error *err)
{
	enum stream_kind kind = stream_kind_named(text);

	if (kind != STREAM_TERMINAL && kind != STREAM_PIPE && kind != STREAM_FILE)
		return error_set(err, ERROR_USAGE, "--stdout: '%s' is none of tty, pipe and file",
				 text);
	o->kinds[STDOUT_FILENO] = kind;
	return 0;
}

int options_explore(int key, const char *value, struct cli *out, struct error *err)
{
	struct explore_options *o = &out->explore;

	switch (key) {
	case OPT_STRATEGY:
		return parse_strategy(value, o, err);
	case OPT_DEPTH:
		return parse_positive("depth", value, &o->depth, err);
	case OPT_BOUND:
		if (strcmp(value, "none") == 0)
			o->bound = STRATEGY_UNBOUND;
		else
			return parse_small("bound", value, &o->bound, err);
		return 0;
	case OPT_POINTS:
		return parse_points(value, o, err);
	case OPT_FROM:
		o->from = value;
		return 0;
	case OPT_STEPS:
		return options_count("--steps", value, &o->steps, err);
	case OPT_HANG:
		return options_seconds("hang", value, &o->hang, err);
	case OPT_SEED:
		return parse_number("seed", value, UINT64_MAX, &o->seed, err);
	case 'j':
		return parse_positive("jobs", value, &o->jobs, err);
	case OPT_SHARD:
		return parse_shard(value, o, err);
	case OPT_STDOUT:
		return parse_stdout(value, &out->run, err);
	case OPT_GATES_FOR:
		return options_seconds("gates-for", value, &out->gates_seconds, err);
	case OPT_VERIFY:
		return parse_count("verify", value, &o->verify, err);
	case OPT_REPLAY:
		out->schedule = value;
		return 0;
	case OPT_MERGE:
		out->merge = true;
		return 0;
	case OPT_IGNORE:
		out->ignore = value;
		return 0;
	default:
		return error_set(err, ERROR_USAGE, "an option without a meaning: %d", key);
	}
}

/* ---- --gates SCHEDULE ------------------------------------------------------------------------ */

/* A file that begins as schedules do, whatever its name. */
static bool is_schedule(const char *path)
{
	char line[sizeof(SCHEDULE_WORDS)] = "";
	FILE *file = ends_with(path, ".lua") ? NULL : fopen(path, "re");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	return strcmp(line, SCHEDULE_WORDS) == 0;
}

int options_explore_kept(struct cli *cli, struct error *err)
{
	size_t kept = 0, count = cli->run.scripts.count;

	for (size_t i = 0; i < count; i++) {
		const char *path = cli->run.scripts.items[i];

		if (!is_schedule(path)) {
			cli->run.scripts.items[kept++] = path;
			continue;
		}
		if (cli->schedule)
			return error_set(err, ERROR_USAGE, "--gates: %s and %s are two schedules",
					 cli->schedule, path);
		cli->schedule = path;
	}
	cli->run.scripts.count = kept;
	if (cli->schedule && cli->merge)
		return error_set(err, ERROR_USAGE,
				 "--gates: %s is a schedule, and --merge runs none", cli->schedule);
	return 0;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

void options_explore_settle(struct cli *cli)
{
	struct explore_options *o = &cli->explore;

	o->output = cli->output ? cli->output : "gatectl-found";
	o->goes_on = cli->output;
	o->all = cli->all;
	o->seconds = cli->most_seconds > 0 ? cli->most_seconds : 0;
	cli->run.time_limit = o->seconds > 0 ? o->seconds : -1; /* of one that does not end */
	if (cli->runs || o->seconds > 0)
		o->runs = cli->runs;
	if (!o->strategy || strcmp(o->strategy, "auto") == 0)
		o->strategy = options_is_strategy("auto") ? "auto" : "pos";
}

void options_gates_settle(const struct cli *cli, double seconds, struct explore_options *o)
{
	double more = seconds * PART_MORE > LEAST_MORE_S ? seconds * PART_MORE : LEAST_MORE_S;

	o->gates_s = cli->gates_seconds < 0 ? GATES_S : cli->gates_seconds;
	o->whole_s = cli->gates_seconds < 0 && seconds > 0 ? seconds + more : 0;
}
