/* The table of options, and the functions that read their values. */
#include "tracer/search/explore.h"
#include "tracer/cli/options/options.h"

#include "tracer/base/text/number.h"
#include "tracer/sched/strategy/strategy.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- readers of any option ------------------------------------------------------------------ */

static int read_string(const char *name, const char *text, void *out, struct error *err)
{
	(void)name, (void)err;
	*(const char **)out = text;
	return 0;
}

static int read_list(const char *name, const char *text, void *out, struct error *err)
{
	(void)name, (void)err;
	*array_add((struct texts *)out) = text;
	return 0;
}

static int read_switch(const char *name, const char *text, void *out, struct error *err)
{
	(void)name, (void)text, (void)err;
	*(bool *)out = true;
	return 0;
}

static int read_seconds(const char *name, const char *text, void *out, struct error *err)
{
	double *seconds = out;
	char *end;

	*seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(*seconds) || *seconds < 0)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is not a number of seconds", name,
				 text);
	return 0;
}

/* Reads an unsigned long from 1 on. */
static int read_count(const char *name, const char *text, void *out, struct error *err)
{
	uint64_t number = 0;

	if (!number_read(text, ULONG_MAX, &number) || !number)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is not a positive number", name,
				 text);
	*(unsigned long *)out = number;
	return 0;
}

static int read_up_to(const char *name, const char *text, uint64_t most, uint64_t *out,
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

/* Reads an unsigned long. */
static int read_number(const char *name, const char *text, void *out, struct error *err)
{
	uint64_t number;

	if (read_up_to(name, text, ULONG_MAX, &number, err) < 0)
		return -1;
	*(unsigned long *)out = number;
	return 0;
}

/* Reads an unsigned int. */
static int read_small(const char *name, const char *text, void *out, struct error *err)
{
	enum { MOST = 1000000 };
	uint64_t number;

	if (read_up_to(name, text, MOST, &number, err) < 0)
		return -1;
	*(unsigned *)out = (unsigned)number;
	return 0;
}

/* Reads an unsigned int from 1 on. */
static int read_positive(const char *name, const char *text, void *out, struct error *err)
{
	if (read_small(name, text, out, err) < 0)
		return -1;
	return *(unsigned *)out ? 0
				: error_set(err, ERROR_USAGE, "--%s: '%s' is not a positive number",
					    name, text);
}

/* ---- readers of runs' options --------------------------------------------------------------- */

/* The last of --verbose and --quiet counts. */
static int read_verbose(const char *name, const char *text, void *out, struct error *err)
{
	struct run_options *o = out;

	o->quiet = false;
	return read_switch(name, text, &o->verbose, err);
}

static int read_quiet(const char *name, const char *text, void *out, struct error *err)
{
	struct run_options *o = out;

	o->verbose = false;
	return read_switch(name, text, &o->quiet, err);
}

static int read_color(const char *name, const char *text, void *out, struct error *err)
{
	bool *color = out;

	if (strcmp(text, "always") != 0 && strcmp(text, "never") != 0 && strcmp(text, "auto") != 0)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is none of auto, always and never",
				 name, text);
	*color = strcmp(text, "auto") == 0 ? *color : strcmp(text, "always") == 0;
	return 0;
}

const char *const options_leftover[] = {"", "kill", "leave", "wait"};

static int read_leftover(const char *name, const char *text, void *out, struct error *err)
{
	for (int i = LEFTOVER_KILL; i <= LEFTOVER_WAIT; i++)
		if (strcmp(text, options_leftover[i]) == 0) {
			*(enum run_leftover *)out = (enum run_leftover)i;
			return 0;
		}
	return error_set(err, ERROR_USAGE, "--%s: '%s' is none of kill, leave and wait", name,
			 text);
}

static int read_fixed(const char *name, const char *text, void *out, struct error *err)
{
	(void)name, (void)text, (void)err;
	*(enum run_aim *)out = AIM_FIXED;
	return 0;
}

bool options_read_pid(const char *text, int *out)
{
	uint64_t pid = 0;

	if (!number_read(text, INT_MAX, &pid) || !pid)
		return false;
	*out = (int)pid;
	return true;
}

static int read_pid(const char *name, const char *text, void *out, struct error *err)
{
	if (options_read_pid(text, out))
		return 0;
	return error_set(err, ERROR_USAGE, "--%s: '%s' is not the number of a process", name, text);
}

/* ---- readers of searches' options ----------------------------------------------------------- */

static int read_seed(const char *name, const char *text, void *out, struct error *err)
{
	return read_up_to(name, text, UINT64_MAX, out, err);
}

static int read_bound(const char *name, const char *text, void *out, struct error *err)
{
	if (strcmp(text, "none") != 0)
		return read_small(name, text, out, err);
	*(unsigned *)out = STRATEGY_UNBOUND;
	return 0;
}

static int read_stdout(const char *name, const char *text, void *out, struct error *err)
{
	enum stream_kind kind = stream_kind_named(text), *kinds = out;

	if (kind != STREAM_TERMINAL && kind != STREAM_PIPE && kind != STREAM_FILE)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is none of tty, pipe and file", name,
				 text);
	kinds[STDOUT_FILENO] = kind;
	return 0;
}

static int read_time(const char *name, const char *text, void *out, struct error *err)
{
	bool ordered = strcmp(text, "ordered") == 0;

	if (!ordered && strcmp(text, "any") != 0)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is neither ordered nor any", name,
				 text);
	*(enum explore_time *)out = ordered ? EXPLORE_TIME_LIMITED : EXPLORE_TIME_ANY;
	return 0;
}

bool options_is_strategy(const char *name)
{
	for (size_t i = 0; strategy_name(i); i++)
		if (strcmp(strategy_name(i), name) == 0)
			return true;
	return false;
}

static int read_strategy(const char *name, const char *text, void *out, struct error *err)
{
	struct str names = {0};

	*(const char **)out = text;
	if (options_is_strategy(text) || str_wildcard("?*.lua", text))
		return 0;
	for (size_t i = 0; strategy_name(i); i++)
		if (strcmp(strategy_name(i), "auto") != 0)
			str_addf(&names, ", %s", strategy_name(i));
	error_set(err, ERROR_USAGE, "--%s: '%s' is none of auto%s, and no FILE.lua", name, text,
		  str_text(&names));
	str_fini(&names);
	return -1;
}

/* Locations, as FILE.c, FILE.c:LINE or FUNC, are resolved when the program is known. */
static int read_points(const char *name, const char *text, void *out, struct error *err)
{
	struct explore_options *o = out;

	if (!*text)
		return error_set(err, ERROR_USAGE,
				 "--%s: '' is none of sync, races and memory, no file, no line and "
				 "no function",
				 name);
	o->points = strcmp(text, "sync") == 0	  ? POINTS_SYNC
		    : strcmp(text, "races") == 0  ? POINTS_RACES
		    : strcmp(text, "memory") == 0 ? POINTS_MEMORY
						  : POINTS_LOCATION;
	o->points_asked = true;
	o->location = text;
	return 0;
}

static int read_leaks(const char *name, const char *text, void *out, struct error *err)
{
	(void)name;
	(void)text;
	(void)err;
	*(unsigned *)out |= SCHED_LEAKS;
	return 0;
}

static int read_shard(const char *name, const char *text, void *out, struct error *err)
{
	struct explore_options *o = out;
	char *end = NULL;
	unsigned long k = strtoul(text, &end, 10), n = 0;

	if (end != text && *end == '/' && isdigit((unsigned char)end[1]))
		n = strtoul(end + 1, &end, 10);
	if (*end || *text == '-' || k < 1 || n < k || n > UINT32_MAX)
		return error_set(err, ERROR_USAGE,
				 "--%s: '%s' is not K/N with K from 1 to N, as in 2/8", name, text);
	o->shard = (unsigned)k;
	o->shards = (unsigned)n;
	return 0;
}

/* ---- readers of harness's options ----------------------------------------------------------- */

static int read_threads(const char *name, const char *text, void *out, struct error *err)
{
	if (strlen(text) != 1 || *text < '2' || *text > '0' + SCHEMA_THREADS)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is not a number from 2 to %d", name,
				 text, SCHEMA_THREADS);
	*(unsigned *)out = (unsigned)(*text - '0');
	return 0;
}

/* Reads N..M, or N for N..N. */
static int read_calls(const char *name, const char *text, void *out, struct error *err)
{
	struct harness_options *o = out;
	char *end;
	unsigned long least = strtoul(text, &end, 10), most = least;

	if (end != text && strncmp(end, "..", 2) == 0 && isdigit((unsigned char)end[2]))
		most = strtoul(end + 2, &end, 10);
	if (end == text || *end || *text == '-' || least < 2 || most < least || most > SCHEMA_CALLS)
		return error_set(err, ERROR_USAGE,
				 "--%s: '%s' is not N..M with N from 2 and M up to %d", name, text,
				 SCHEMA_CALLS);
	o->least = (unsigned)least;
	o->most = (unsigned)most;
	return 0;
}

static int read_values(const char *name, const char *text, void *out, struct error *err)
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
				 "--%s: '%s' is not a list of numbers as in 0,1,2", name, text);
	return read_string(name, text, out, err);
}

static int read_none(const char *name, const char *text, void *out, struct error *err)
{
	(void)name, (void)text, (void)err;
	*(unsigned *)out = 0;
	return 0;
}

static int read_weaken(const char *name, const char *text, void *out, struct error *err)
{
	const char *colon = strchr(text, ':');

	if (!colon || colon == text || !colon[1])
		return error_set(err, ERROR_USAGE,
				 "--%s: '%s' is not OPERATION:FILE.lua, as in size:old.lua", name,
				 text);
	return read_list(name, text, out, err);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Commands that share options. */
enum {
	CMD_GATED =
		CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_PROVE | CMD_EXPLORE | CMD_REPLAY | CMD_RACES,
	CMD_SEARCHES = CMD_EXPLORE | CMD_RACES | CMD_HARNESS,
	CMD_RUNS = CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_PROVE | CMD_CONVERT,
};
#define INTO(reader, member) reader, offsetof(struct cli, member)

#define STRATEGY_WORD(name) "|" #name
#define STRATEGY_WORDS	    (&(STRATEGIES(STRATEGY_WORD))[1]) /* "auto|random|..." */

const struct option_row option_rows[OPTION_ROWS + 1] = {
	{"gates", 'g', "FILE.lua", CMD_GATED | CMD_CHECK, INTO(read_list, run.scripts),
	 "a gate script; may be repeated"},
	{"gates", 'g', "FILE.schedule", CMD_EXPLORE, INTO(read_list, run.scripts),
	 "no search: make the script of a kept schedule, DIR/N/schedule"},
	{"order", 0, "'A -> B'", CMD_GATED, INTO(read_list, run.orders),
	 "A has been executed before B may be; may be repeated"},
	{"order", 0, NULL, CMD_CHECK, INTO(read_switch, check.order),
	 "run PROG, and name arrivals that the scripts leave in any order"},
	{"replay", 0, "FILE.schedule", CMD_REPL, INTO(read_string, schedule),
	 "follow the schedule: by `step`, or `run` for all that is left"},
	{"pid", 0, "PID", CMD_REPL, INTO(read_pid, run.pid),
	 "a process that runs already, instead of PROG; it lives on"},
	{"output", 'o', "FILE.lua", CMD_CONVERT, INTO(read_string, output),
	 "where the script is written to"},
	{"runs", 'n', "N", CMD_PROVE, INTO(read_count, runs), "runs of each kind (20)"},
	{"runs", 'n', "N", CMD_CONVERT, INTO(read_count, runs), "runs that verify the script (20)"},
	{"output", 'o', "DIR", CMD_EXPLORE | CMD_HARNESS, INTO(read_string, output),
	 "where what is found goes: DIR/1/, DIR/2/, ... (gatectl-found)"},
	{"strategy", 0, STRATEGY_WORDS, CMD_EXPLORE | CMD_HARNESS,
	 INTO(read_strategy, explore.strategy), "or your own FILE.lua (auto)"},
	{"strategy", 0, STRATEGY_WORDS, CMD_RACES, INTO(read_strategy, explore.strategy),
	 "which thread is next (" RACES_STRATEGY ")"},
	{"depth", 0, "D", CMD_EXPLORE | CMD_HARNESS, INTO(read_positive, explore.depth),
	 "pct: how many orders make the bug (3)"},
	{"bound", 0, "K", CMD_EXPLORE | CMD_HARNESS, INTO(read_bound, explore.bound),
	 "dfs: preemptions in a schedule at most, or none for no bound (2)"},
	{"points", 0, "sync|races|memory", CMD_EXPLORE | CMD_HARNESS, INTO(read_points, explore),
	 "points in memory; or lines of FILE.c, FILE.c:LINE or FUNC (races)"},
	{"from", 0, "LOCATION", CMD_EXPLORE, INTO(read_string, explore.from),
	 "where schedules begin (main)"},
	{"runs", 'n', "N", CMD_EXPLORE, INTO(read_count, runs),
	 "schedules at most (10000; with --for as many as there is time for)"},
	{"for", 0, "SECONDS", CMD_EXPLORE | CMD_RACES, INTO(read_seconds, most_seconds),
	 "how long to search (no limit)"},
	{"gates-for", 0, "SECONDS", CMD_EXPLORE | CMD_HARNESS | CMD_AUDIT,
	 INTO(read_seconds, gates_seconds),
	 "time for each script; 0 = no limit (60, or what --for leaves)"},
	{"verify", 0, "N", CMD_EXPLORE | CMD_HARNESS | CMD_AUDIT, INTO(read_number, explore.verify),
	 "plain runs that verify a script; 0: make no scripts (100)"},
	{"runs", 'n', "N", CMD_HARNESS, INTO(read_count, runs),
	 "schedules of each harness at most (10000)"},
	{"for", 0, "SECONDS", CMD_HARNESS, INTO(read_seconds, most_seconds),
	 "how long to search all of them; 0 = no limit (60)"},
	{"steps", 0, "N", CMD_SEARCHES, INTO(read_count, explore.steps),
	 "points of a schedule before it is ended (100000)"},
	{"hang", 0, "SECONDS", CMD_SEARCHES, INTO(read_seconds, explore.hang),
	 "a schedule without a step for so long hangs; 0 = never (5)"},
	{"no-spurious", 0, NULL, CMD_SEARCHES, INTO(read_none, explore.spurious),
	 "no wait returns without a signal, though POSIX permits it"},
	{"time", 0, "ordered|any", CMD_EXPLORE, INTO(read_time, explore.time),
	 "time-outs end in the order of their ends, or at any point (any)"},
	{"stdout", 0, "tty|pipe|file", CMD_EXPLORE, INTO(read_stdout, run.kinds),
	 "kind of PROG's standard output (that of gatectl itself)"},
	{"seed", 0, "N", CMD_EXPLORE | CMD_RACES | CMD_HARNESS | CMD_AUDIT,
	 INTO(read_seed, explore.seed), "the same seed gives the same schedules (1)"},
	{"ctest", 0, "BUILD_DIR", CMD_EXPLORE, INTO(read_string, suite.ctest),
	 "every test of a build folder, --for seconds each (10)"},
	{"gtest", 0, "PROG", CMD_EXPLORE, INTO(read_string, suite.gtest),
	 "every test of a GoogleTest program, --for seconds each (10)"},
	{"list", 0, "FILE", CMD_EXPLORE, INTO(read_string, suite.list),
	 "every command of the file, one a line, --for seconds each (10)"},
	{"tests-regex", 'R', "REGEX", CMD_EXPLORE, INTO(read_string, suite.regex),
	 "only the tests of the suite whose names match"},
	{"all", 0, NULL, CMD_EXPLORE, INTO(read_switch, all),
	 "go on after the first failure; failures differ in kind or place"},
	{"leaks", 0, NULL, CMD_EXPLORE, INTO(read_leaks, explore.flags),
	 "threads that live when the process ends are a failure"},
	{"all", 0, NULL, CMD_HARNESS, INTO(read_switch, all),
	 "go on after the first violation, without harnesses that contain one"},
	{"object", 0, "TYPE", CMD_HARNESS, INTO(read_string, harness.type),
	 "the struct whose operations are called: 'struct queue', queue_t"},
	{"new", 0, "EXPR", CMD_HARNESS, INTO(read_string, harness.make),
	 "C expression that gives an object (a call of its constructor)"},
	{"delete", 0, "FUNC", CMD_HARNESS, INTO(read_string, harness.end),
	 "function that ends an object (its destructor)"},
	{"ops", 0, "OPS", CMD_HARNESS, INTO(read_string, harness.ops),
	 "f,g,h: only these operations (all that were found)"},
	{"core", 0, "OPS", CMD_HARNESS, INTO(read_string, harness.core),
	 "trusted operations: a harness has one call of another among them"},
	{"untrusted", 0, "OPS", CMD_HARNESS, INTO(read_string, harness.untrusted),
	 "operations that are checked against --core (all others)"},
	{"values", 0, "LIST", CMD_HARNESS, INTO(read_values, harness.values),
	 "values of integer parameters (0,1,2)"},
	{"threads", 0, "N", CMD_HARNESS, INTO(read_threads, harness.threads),
	 "threads of a harness, 2 to 4 (2)"},
	{"calls", 0, "N..M", CMD_HARNESS, INTO(read_calls, harness),
	 "calls of a harness, all threads together (3..6)"},
	{"schema", 0, "HARNESS", CMD_HARNESS, INTO(read_list, harness.schemas),
	 "'{ f(1); g() } || { h() } {0 < 1}': this one alone; may be repeated"},
	{"weaken", 0, "OP:FILE.lua", CMD_HARNESS, INTO(read_weaken, harness.weaken),
	 "FILE.lua allows further results of OP; may be repeated"},
	{"list", 0, NULL, CMD_HARNESS, INTO(read_switch, harness.lists),
	 "print which functions were found, and as what; run nothing"},
	{"include", 0, "FILE.h", CMD_HARNESS, INTO(read_list, harness.includes),
	 "declarations to use instead of debug information; may be repeated"},
	{"cflags", 0, "OPTIONS", CMD_HARNESS, INTO(read_string, harness.cflags),
	 "for the compiler, which is CC or cc"},
	{"build-dir", 'p', "BUILD_DIR", CMD_AUDIT, INTO(read_string, audit.folder),
	 "directory of compile_commands.json"},
	{"cflags", 0, "OPTIONS", CMD_AUDIT, INTO(read_string, harness.cflags),
	 "compiler options for files that it does not name"},
	{"type", 0, "TYPE", CMD_AUDIT, INTO(read_list, audit.types),
	 "only this struct (all with a lock or an atomic); may be repeated"},
	{"lock", 0, "FUNC", CMD_AUDIT, INTO(read_list, audit.lock),
	 "FUNC(LOCK) takes a lock; may be repeated"},
	{"unlock", 0, "FUNC", CMD_AUDIT, INTO(read_list, audit.unlock),
	 "FUNC(LOCK) releases one; may be repeated"},
	{"init", 0, "FUNC", CMD_AUDIT, INTO(read_list, audit.init),
	 "FUNC(LOCK) makes one: nothing else has its object; may be repeated"},
	{"confirm", 0, "PROG", CMD_AUDIT, INTO(read_string, audit.confirm),
	 "make findings happen in runs of PROG: 'PROG ARG...'"},
	{"output", 'o', "DIR", CMD_AUDIT, INTO(read_string, output),
	 "scripts of confirmed findings go to DIR/N/ (gatectl-found)"},
	{"for", 0, "SECONDS", CMD_AUDIT, INTO(read_seconds, most_seconds),
	 "how long to try each finding; 0 = no limit (20)"},
	{"runs", 'n', "N", CMD_AUDIT, INTO(read_count, runs),
	 "schedules of each finding at most (2000)"},
	{"baseline", 0, "FILE", CMD_AUDIT, INTO(read_string, audit.baseline),
	 "findings that are in FILE (a --report FILE.baseline) are left out"},
	{"all", 0, NULL, CMD_AUDIT, INTO(read_switch, all),
	 "findings of low confidence, too, and the fields that are safe"},
	{"high", 0, NULL, CMD_AUDIT, INTO(read_switch, audit.high),
	 "only findings of high confidence"},
	{"report", 0, "FILE", CMD_AUDIT, INTO(read_list, run.reports),
	 "findings as " REPORTS_AUDIT_TEXT "; may be repeated"},
	{"jobs", 'j', "N", CMD_EXPLORE | CMD_HARNESS | CMD_AUDIT, INTO(read_positive, explore.jobs),
	 "schedules at once (all CPUs)"},
	{"shard", 0, "K/N", CMD_EXPLORE | CMD_HARNESS, INTO(read_shard, explore),
	 "only the K-th of N disjoint parts (1/1)"},
	{"merge", 0, NULL, CMD_EXPLORE, INTO(read_switch, merge),
	 "one summary of the shards in DIR..., which replace PROG"},
	{"runs", 'n', "N", CMD_RACES, INTO(read_count, runs),
	 "runs (200, fewer if 50 show nothing new; with --for no limit)"},
	{"ignore", 0, "FILE", CMD_RACES, INTO(read_string, ignore),
	 "leave out races at these locations: one a line, # comments"},
	{"report", 0, "FILE", CMD_SEARCHES, INTO(read_list, run.reports),
	 "the search as " REPORTS_SEARCH_TEXT "; may be repeated"},
	{"needed", 0, NULL, CMD_CONVERT, INTO(read_switch, all),
	 "keep only the orders that the outcome depends on"},
	{"for", 0, "SECONDS", CMD_CONVERT, INTO(read_seconds, most_seconds),
	 "time for the whole command; 0 = no limit (60, or ten runs)"},
	{"gate-limit", 0, "SECONDS", CMD_RUN | CMD_ATTACH | CMD_PROVE | CMD_REPLAY,
	 INTO(read_seconds, run.gate_limit),
	 "longest hold of a thread at a gate; 0 = no limit (10)"},
	{"gate-limit", 0, "SECONDS", CMD_CONVERT, INTO(read_seconds, run.gate_limit),
	 "longest hold of a thread at a gate; 0 = no limit (from the test)"},
	{"time-limit", 0, "SECONDS", CMD_RUN | CMD_ATTACH | CMD_REPLAY,
	 INTO(read_seconds, run.time_limit), "longest run (no limit)"},
	{"time-limit", 0, "SECONDS", CMD_PROVE | CMD_CONVERT, INTO(read_seconds, run.time_limit),
	 "longest run; 0 = no limit (from the first runs)"},
	{"gate-limit", 0, "SECONDS", CMD_REPL, INTO(read_seconds, run.gate_limit),
	 "longest hold in runs that repeat and prove make (10)"},
	{"time-limit", 0, "SECONDS", CMD_REPL, INTO(read_seconds, run.time_limit),
	 "longest run that repeat and prove make (no limit)"},
	{"for", 0, "SECONDS", CMD_RUN, INTO(read_seconds, most_seconds),
	 "time for all runs together; 0 = no limit (no limit)"},
	{"repeat", 0, "N", CMD_RUN | CMD_REPLAY, INTO(read_count, run.repeat),
	 "N runs; stops at the first that differs (1)"},
	{"fixed", 0, NULL, CMD_RUN, INTO(read_fixed, run.aim),
	 "the failure that the script expects must not happen any more"},
	{"report", 0, "FILE", CMD_RUN | CMD_ATTACH | CMD_REPLAY, INTO(read_list, run.reports),
	 "a " REPORTS_RUN_TEXT " report; may be repeated"},
	{"leftover", 0, "kill|leave|wait",
	 CMD_RUN | CMD_REPL | CMD_PROVE | CMD_CONVERT | CMD_REPLAY,
	 INTO(read_leftover, run.leftover),
	 "processes that PROG leaves behind (leave; with expect, kill)"},
	{"leftover", 0, "leave|wait", CMD_ATTACH, INTO(read_leftover, run.leftover),
	 "processes that the program leaves behind (leave)"},
	{"no-follow", 0, NULL, CMD_RUNS, INTO(read_switch, run.no_follow),
	 "let child processes go untouched"},
	{"no-resident", 0, NULL, CMD_RUN | CMD_EXPLORE | CMD_REPLAY,
	 INTO(read_switch, run.no_resident), "decide no arrival inside the program"},
	{"no-cache", 0, NULL, CMD_ALL, INTO(read_switch, no_cache),
	 "use and keep no index of large debug information"},
	{"skip-if-unavailable", 0, NULL, CMD_ALL & ~(CMD_LINES | CMD_AUDIT),
	 INTO(read_switch, run.skip_unavailable),
	 "status 77 (skipped), not 118, where tracing is not permitted"},
	{"lock", 0, NULL, CMD_CHECK, INTO(read_switch, check.lock),
	 "write what locations mean now to FILE.lua.lock"},
	{"fix", 0, NULL, CMD_CHECK, INTO(read_switch, check.fix),
	 "correct line numbers of locations that have moved"},
	{"verbose", 'v', NULL, CMD_RUNS | CMD_REPLAY, INTO(read_verbose, run),
	 "a line for every arrival, hold, release and open"},
	{"verbose", 'v', NULL, CMD_EXPLORE, INTO(read_verbose, run),
	 "the whole text of every failure, not only of the first"},
	{"quiet", 'q', NULL, CMD_ALL & ~(CMD_CHECK | CMD_LINES), INTO(read_quiet, run),
	 "only verdicts"},
	{"color", 0, "auto|always|never", CMD_ALL, INTO(read_color, color),
	 "whether verdicts are coloured (auto)"},
	{"help", 'h', NULL, CMD_ALL, INTO(read_switch, help), "this text"},
	{"version", 0, NULL, CMD_ALL, INTO(read_switch, version), "which gatectl this is"},
	{0},
};
