/* The options that only harness has. */
#include "tracer/cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, LEAST = 3, MOST = 6, SECONDS = 60 };

static int parse_threads(const char *text, struct harness_options *o, struct error *err)
{
	if (strlen(text) != 1 || *text < '2' || *text > '0' + SCHEMA_THREADS)
		return error_set(err, ERROR_USAGE, "--threads: '%s' is not a number from 2 to %d",
				 text, SCHEMA_THREADS);
	o->threads = (unsigned)(*text - '0');
	return 0;
}

/* N..M, or N for N..N */
static int parse_calls(const char *text, struct harness_options *o, struct error *err)
{
	char *end;
	unsigned long least = strtoul(text, &end, 10), most = least;

	if (end != text && strncmp(end, "..", 2) == 0 && isdigit((unsigned char)end[2]))
		most = strtoul(end + 2, &end, 10);
	if (end == text || *end || *text == '-' || least < 2 || most < least || most > SCHEMA_CALLS)
		return error_set(err, ERROR_USAGE,
				 "--calls: '%s' is not N..M with N from 2 and M up to %d", text,
				 SCHEMA_CALLS);
	o->least = (unsigned)least;
	o->most = (unsigned)most;
	return 0;
}

static int parse_values(const char *text, struct harness_options *o, struct error *err)
{
	bool wrong = !*text;

	for (const char *at = text; *at && !wrong;) {
		char *end;

		strtoll(at, &end, 0);
		wrong = end == at || (*end && *end != ',') || (*end == ',' && !end[1]);
		at = end + (*end == ',');
	}
	if (wrong)
		return error_set(err, ERROR_USAGE,
				 "--values: '%s' is not a list of numbers as in 0,1,2", text);
	o->values = text;
	return 0;
}

static int parse_weaken(const char *text, struct harness_options *o, struct error *err)
{
	const char *colon = strchr(text, ':');

	if (!colon || colon == text || !colon[1])
		return error_set(err, ERROR_USAGE,
				 "--weaken: '%s' is not OPERATION:FILE.lua, as in size:old.lua",
				 text);
	*array_add(&o->weaken) = text;
	return 0;
}

int options_harness(int key, const char *value, struct cli *out, struct error *err)
{
	struct harness_options *o = &out->harness;

	switch (key) {
	case OPT_OBJECT:
		o->type = value;
		return 0;
	case OPT_NEW:
		o->make = value;
		return 0;
	case OPT_DELETE:
		o->end = value;
		return 0;
	case OPT_OPS:
		o->ops = value;
		return 0;
	case OPT_VALUES:
		return parse_values(value, o, err);
	case OPT_THREADS:
		return parse_threads(value, o, err);
	case OPT_CALLS:
		return parse_calls(value, o, err);
	case OPT_SCHEMA:
		*array_add(&o->schemas) = value;
		return 0;
	case OPT_WEAKEN:
		return parse_weaken(value, o, err);
	case OPT_LIST:
		o->lists = true;
		return 0;
	case OPT_INCLUDE:
		*array_add(&o->includes) = value;
		return 0;
	case OPT_CFLAGS:
		o->cflags = value;
		return 0;
	default:
		return error_set(err, ERROR_USAGE, "an option without a meaning: %d", key);
	}
}

int options_harness_settle(struct cli *cli, struct error *err)
{
	struct harness_options *o = &cli->harness;
	struct explore_options *e = &cli->explore;

	if (!o->type) {
		error_set(err, ERROR_USAGE, "harness: no --object TYPE was given");
		return error_hint(err, "gatectl harness --object 'struct queue' LIBRARY");
	}
	if (cli->rest_count > 1) {
		error_set(err, ERROR_USAGE, "harness: '%s' comes behind the library", cli->rest[1]);
		return error_hint(err, "gatectl harness --help");
	}
	o->library = cli->rest[0];
	o->threads = o->threads ? o->threads : THREADS;
	o->least = o->least ? o->least : LEAST > o->threads ? LEAST : o->threads;
	o->most = o->most ? o->most : MOST;
	options_explore_settle(cli);
	e->goes_on = false;
	e->runs = cli->runs ? cli->runs : options_explore_defaults.runs;
	e->seconds = cli->most_seconds < 0 ? SECONDS : cli->most_seconds;
	cli->run.time_limit = -1;
	return 0;
}

void options_harness_fini(struct cli *cli)
{
	array_fini(&cli->harness.schemas);
	array_fini(&cli->harness.includes);
	array_fini(&cli->harness.weaken);
}
