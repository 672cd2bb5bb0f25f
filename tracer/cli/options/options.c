/* One table of options: parsing and help come from it. */
#include "tracer/base/text/number.h"
#include "tracer/cache/cache.h"
#include "tracer/search/loop/races.h"
#include "tracer/features/features.h"
#include "tracer/cli/cli.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct option_row option_rows[] = {
	{"gates", 'g', "FILE.lua",
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_CHECK | CMD_PROVE | CMD_EXPLORE | CMD_REPLAY |
		 CMD_RACES,
	 "a gate script; may be repeated"},
	{"gates", 'g', "FILE.schedule", CMD_EXPLORE,
	 "... or a kept schedule (DIR/N/schedule): no search, its script is made, or made smaller"},
	{"order", OPT_ORDER, "'A -> B'",
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_PROVE | CMD_EXPLORE | CMD_REPLAY | CMD_RACES,
	 "A has been executed before B may be; may be repeated"},
	{"replay", OPT_REPLAY, "FILE.schedule", CMD_REPL,
	 "who goes on is what the schedule says: `step` by step, or `run`"},
	{"output", 'o', "FILE.lua", CMD_CONVERT, "where the script is written to"},
	{"runs", 'n', "N", CMD_PROVE | CMD_CONVERT,
	 "prove: N runs of each kind; convert: N runs to verify the script (20)"},
	{"output", 'o', "DIR", CMD_EXPLORE | CMD_HARNESS,
	 "where what is found goes: DIR/1/, DIR/2/, ... (gatectl-found)"},
	{"strategy", OPT_STRATEGY, "auto|random|pct|pos|surw|rff|dfs", CMD_EXPLORE | CMD_HARNESS,
	 "who chooses, or FILE.lua with a strategy of your own (auto)"},
	{"strategy", OPT_STRATEGY, "auto|random|pct|pos|surw|rff|dfs", CMD_RACES,
	 "who chooses (" RACES_STRATEGY ")"},
	{"depth", OPT_DEPTH, "D", CMD_EXPLORE | CMD_HARNESS,
	 "of pct: how many orders make the bug (3)"},
	{"bound", OPT_BOUND, "K", CMD_EXPLORE | CMD_HARNESS,
	 "of dfs: preemptions in a schedule at most (2)"},
	{"points", OPT_POINTS, "sync|races|memory", CMD_EXPLORE | CMD_HARNESS,
	 "accesses to memory that are points, or FILE.c or FUNC: every line there; "
	 "FILE.c:LINE,..."},
	{"from", OPT_FROM, "LOCATION", CMD_EXPLORE, "where schedules begin (main)"},
	{"runs", 'n', "N", CMD_EXPLORE,
	 "schedules at most (10000; with --for as many as there is time for)"},
	{"for", OPT_FOR, "SECONDS", CMD_EXPLORE | CMD_RACES, "how long to search (no limit)"},
	{"gates-for", OPT_GATES_FOR, "SECONDS", CMD_EXPLORE | CMD_HARNESS | CMD_AUDIT,
	 "how long to look for the script of a failure; 0 = as long as it needs (60; with --for "
	 "what "
	 "that leaves, and 5 s or a tenth more)"},
	{"verify", OPT_VERIFY, "N", CMD_EXPLORE | CMD_HARNESS | CMD_AUDIT,
	 "plain runs in which a script has to force the failure; 0: none is made (100)"},
	{"runs", 'n', "N", CMD_HARNESS, "schedules of each harness at most (10000)"},
	{"for", OPT_FOR, "SECONDS", CMD_HARNESS,
	 "how long to search all of them; 0 = as long as it needs (60)"},
	{"steps", OPT_STEPS, "N", CMD_EXPLORE | CMD_RACES | CMD_HARNESS,
	 "points of a schedule before it counts as one that does not end (100000)"},
	{"hang", OPT_HANG, "SECONDS", CMD_EXPLORE | CMD_RACES | CMD_HARNESS,
	 "a schedule in which no thread makes a step for so long hangs; 0 = never (5)"},
	{"stdout", OPT_STDOUT, "tty|pipe|file", CMD_EXPLORE,
	 "the kind of PROG's standard output, which schedules record (as gatectl's own)"},
	{"seed", OPT_SEED, "N", CMD_EXPLORE | CMD_RACES | CMD_HARNESS | CMD_AUDIT,
	 "the same seed gives the same schedules (1)"},
	{"all", OPT_ALL, NULL, CMD_EXPLORE,
	 "go on after the first failure; failures are told apart by kind and place"},
	{"all", OPT_ALL, NULL, CMD_HARNESS,
	 "go on after the first violation; harnesses that contain one are left out"},
	{"object", OPT_OBJECT, "TYPE", CMD_HARNESS,
	 "the struct whose operations are called: 'struct queue', queue_t"},
	{"new", OPT_NEW, "EXPR", CMD_HARNESS, "of C: gives an object (a call of its constructor)"},
	{"delete", OPT_DELETE, "FUNC", CMD_HARNESS, "ends an object (its destructor)"},
	{"ops", OPT_OPS, "OPS", CMD_HARNESS, "f,g,h: only these operations (all that were found)"},
	{"values", OPT_VALUES, "LIST", CMD_HARNESS, "what parameters get (0,1,2)"},
	{"threads", OPT_THREADS, "N", CMD_HARNESS, "threads of a harness, 2 to 4 (2)"},
	{"calls", OPT_CALLS, "N..M", CMD_HARNESS,
	 "calls of a harness, all threads together (3..6)"},
	{"schema", OPT_SCHEMA, "HARNESS", CMD_HARNESS,
	 "'{ f(1); g() } || { h() }': this one alone; may be repeated"},
	{"weaken", OPT_WEAKEN, "OP:FILE.lua", CMD_HARNESS,
	 "FILE.lua says what this operation may give besides; may be repeated"},
	{"list", OPT_LIST, NULL, CMD_HARNESS, "only say which functions were found, and what for"},
	{"include", OPT_INCLUDE, "FILE.h", CMD_HARNESS,
	 "declares the functions (what debug information says); may be repeated"},
	{"cflags", OPT_CFLAGS, "OPTIONS", CMD_HARNESS, "for the compiler, which is CC or cc"},
	{"build-dir", 'p', "BUILD_DIR", CMD_AUDIT,
	 "where compile_commands.json says what is compiled, and how"},
	{"cflags", OPT_CFLAGS, "OPTIONS", CMD_AUDIT,
	 "how files are compiled that it does not name"},
	{"type", OPT_TYPE, "TYPE", CMD_AUDIT,
	 "this struct (those with a lock or an atomic); may be repeated"},
	{"lock", OPT_LOCKS, "FUNC", CMD_AUDIT, "FUNC(LOCK) takes a lock; may be repeated"},
	{"unlock", OPT_UNLOCKS, "FUNC", CMD_AUDIT, "FUNC(LOCK) releases one; may be repeated"},
	{"confirm", OPT_CONFIRM, "PROG", CMD_AUDIT,
	 "make findings happen in runs of PROG: 'PROG ARG...'"},
	{"output", 'o', "DIR", CMD_AUDIT,
	 "where scripts of what happened go: DIR/N/, N the finding's number (gatectl-found)"},
	{"for", OPT_FOR, "SECONDS", CMD_AUDIT, "how long to try each finding; 0 = no limit (20)"},
	{"runs", 'n', "N", CMD_AUDIT, "schedules of each finding at most (2000)"},
	{"baseline", OPT_BASELINE, "FILE", CMD_AUDIT,
	 "findings that are in FILE (a --report FILE.baseline) are left out"},
	{"all", OPT_ALL, NULL, CMD_AUDIT,
	 "findings of low confidence, too, and the fields that are safe, and why"},
	{"report", OPT_REPORT, "FILE", CMD_AUDIT,
	 "what was found as .sarif, .json, .html or .baseline; may be repeated"},
	{"jobs", 'j', "N", CMD_EXPLORE | CMD_HARNESS | CMD_AUDIT,
	 "that many schedules at once (all CPUs)"},
	{"shard", OPT_SHARD, "K/N", CMD_EXPLORE | CMD_HARNESS,
	 "only the K-th of N disjoint parts (1/1)"},
	{"merge", OPT_MERGE, NULL, CMD_EXPLORE,
	 "one summary of what shards found: the DIRs come instead of PROG"},
	{"runs", 'n', "N", CMD_RACES,
	 "how many (200; fewer if 50 in a row show nothing new; with --for as many as there is "
	 "time "
	 "for)"},
	{"ignore", OPT_IGNORE, "FILE", CMD_RACES,
	 "races there are left out: one location a line, # begins a comment"},
	{"report", OPT_REPORT, "FILE", CMD_EXPLORE | CMD_RACES | CMD_HARNESS,
	 "the search as .json, .xml or .html; may be repeated"},
	{"all", OPT_ALL, NULL, CMD_CONVERT,
	 "convert sleeps, too, on whose order the outcome does not depend"},
	{"for", OPT_FOR, "SECONDS", CMD_CONVERT,
	 "how long the whole command may take; 0 = as long as it needs (60)"},
	{"gate-limit", OPT_GATE_LIMIT, "SECONDS", CMD_RUN | CMD_ATTACH | CMD_PROVE | CMD_REPLAY,
	 "how long one thread may be held at one gate; 0 = for ever (10)"},
	{"gate-limit", OPT_GATE_LIMIT, "SECONDS", CMD_CONVERT,
	 "how long one thread may be held at one gate; 0 = for ever (from the test's time)"},
	{"time-limit", OPT_TIME_LIMIT, "SECONDS", CMD_RUN | CMD_ATTACH | CMD_REPLAY,
	 "how long the whole run may last (no limit)"},
	{"time-limit", OPT_TIME_LIMIT, "SECONDS", CMD_PROVE | CMD_CONVERT,
	 "how long each run may last; 0 = for ever (from the first runs' time)"},
	{"gate-limit", OPT_GATE_LIMIT, "SECONDS", CMD_REPL,
	 "of the runs that repeat and prove make; whoever looks on has no limit"},
	{"time-limit", OPT_TIME_LIMIT, "SECONDS", CMD_REPL,
	 "of the runs that repeat and prove make"},
	{"repeat", OPT_REPEAT, "N", CMD_RUN | CMD_REPLAY,
	 "N runs; stops at the first that differs (1)"},
	{"report", OPT_REPORT, "FILE", CMD_RUN | CMD_ATTACH | CMD_REPLAY,
	 "a .json, .trace.json, .html or .xml report; may be repeated"},
	{"leftover", OPT_LEFTOVER, "kill|leave|wait",
	 CMD_RUN | CMD_REPL | CMD_PROVE | CMD_CONVERT | CMD_REPLAY,
	 "what becomes of processes that PROG leaves behind (leave; with expect, kill)"},
	{"leftover", OPT_LEFTOVER, "leave|wait", CMD_ATTACH,
	 "what becomes of processes that the program leaves behind (leave)"},
	{"no-follow", OPT_NO_FOLLOW, NULL,
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_PROVE | CMD_CONVERT,
	 "let child processes go untouched"},
	{"no-resident", OPT_NO_RESIDENT, NULL, CMD_RUN | CMD_EXPLORE | CMD_REPLAY,
	 "every arrival ends in gatectl, none is decided inside the program"},
	{"no-cache", OPT_NO_CACHE, NULL,
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_CHECK | CMD_LINES | CMD_PROVE | CMD_CONVERT |
		 CMD_EXPLORE | CMD_REPLAY | CMD_RACES | CMD_HARNESS | CMD_AUDIT,
	 "nothing of large debug information is kept for later runs, or taken from earlier ones"},
	{"skip-if-unavailable", OPT_SKIP, NULL,
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_CHECK | CMD_PROVE | CMD_CONVERT | CMD_EXPLORE |
		 CMD_REPLAY | CMD_RACES | CMD_HARNESS,
	 "status 77 (skipped), not 118, where tracing is not permitted"},
	{"lock", OPT_LOCK, NULL, CMD_CHECK, "write beside each script what its locations mean now"},
	{"fix", OPT_FIX, NULL, CMD_CHECK, "rewrite line numbers of locations that have moved"},
	{"verbose", 'v', NULL,
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_PROVE | CMD_CONVERT | CMD_REPLAY,
	 "a line for every arrival, hold, release and open"},
	{"verbose", 'v', NULL, CMD_EXPLORE, "the whole text of every failure, not of the first"},
	{"quiet", 'q', NULL,
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_PROVE | CMD_CONVERT | CMD_EXPLORE | CMD_REPLAY |
		 CMD_RACES | CMD_HARNESS | CMD_AUDIT,
	 "only verdicts"},
	{"color", OPT_COLOR, "auto|always|never",
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_CHECK | CMD_LINES | CMD_PROVE | CMD_CONVERT |
		 CMD_EXPLORE | CMD_REPLAY | CMD_RACES | CMD_HARNESS | CMD_AUDIT,
	 "whether verdicts are coloured (auto)"},
	{"help", 'h', NULL,
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_CHECK | CMD_LINES | CMD_PROVE | CMD_CONVERT |
		 CMD_EXPLORE | CMD_REPLAY | CMD_RACES | CMD_HARNESS | CMD_AUDIT,
	 "this text"},
	{"version", OPT_VERSION, NULL,
	 CMD_RUN | CMD_ATTACH | CMD_REPL | CMD_CHECK | CMD_LINES | CMD_PROVE | CMD_CONVERT |
		 CMD_EXPLORE | CMD_REPLAY | CMD_RACES | CMD_HARNESS | CMD_AUDIT,
	 "which gatectl this is"},
	{0},
};
enum { ROWS = sizeof(option_rows) / sizeof(option_rows[0]) - 1 };

static void fill_getopt(const struct command *c, struct option *longs, char *shorts)
{
	size_t n = 0;

	*shorts++ = '+'; /* options of PROG are PROG's */
	*shorts++ = ':';
	for (size_t i = 0; i < ROWS; i++) {
		if (!(option_rows[i].commands & c->mask))
			continue;
		longs[n++] =
			(struct option){option_rows[i].name,
					option_rows[i].argument ? required_argument : no_argument,
					NULL, option_rows[i].key};
		if (option_rows[i].key < OPT_ORDER)
			*shorts++ = (char)option_rows[i].key;
		if (option_rows[i].key < OPT_ORDER && option_rows[i].argument)
			*shorts++ = ':';
	}
	longs[n] = (struct option){0};
	*shorts = '\0';
}

static int usage(struct error *err, const struct command *c)
{
	return error_hint(err, "gatectl %s --help", c->name);
}

int options_seconds(const char *name, const char *text, double *out, struct error *err)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !isfinite(*out) || *out < 0)
		return error_set(err, ERROR_USAGE, "--%s: '%s' is not a number of seconds", name,
				 text);
	return 0;
}

int options_count(const char *name, const char *text, unsigned long *out, struct error *err)
{
	uint64_t number = 0;

	if (!number_read(text, ULONG_MAX, &number) || !number)
		return error_set(err, ERROR_USAGE, "%s: '%s' is not a positive number", name, text);
	*out = number;
	return 0;
}

static int parse_color(const char *text, struct cli *out, struct error *err)
{
	if (strcmp(text, "always") == 0)
		out->color = true;
	else if (strcmp(text, "never") == 0)
		out->color = false;
	else if (strcmp(text, "auto") != 0)
		return error_set(err, ERROR_USAGE,
				 "--color: '%s' is none of auto, always and never", text);
	return 0;
}

const char *const options_leftover[] = {"", "kill", "leave", "wait"};

static int parse_leftover(const char *text, struct run_options *out, struct error *err)
{
	for (int i = LEFTOVER_KILL; i <= LEFTOVER_WAIT; i++)
		if (strcmp(text, options_leftover[i]) == 0) {
			out->leftover = (enum run_leftover)i;
			return 0;
		}
	return error_set(err, ERROR_USAGE, "--leftover: '%s' is none of kill, leave and wait",
			 text);
}

/* What is on or off; NULL: it is none of these. */
static bool *switch_of(int key, struct cli *out)
{
	switch (key) {
	case OPT_NO_FOLLOW:
		return &out->run.no_follow;
	case OPT_NO_RESIDENT:
		return &out->run.no_resident;
	case OPT_NO_CACHE:
		return &out->no_cache;
	case OPT_SKIP:
		return &out->run.skip_unavailable;
	case 'v':
		return &out->run.verbose;
	case 'q':
		return &out->run.quiet;
	case OPT_ALL:
		return &out->all;
	case OPT_LOCK:
		return &out->lock;
	case OPT_FIX:
		return &out->fix;
	case 'h':
		return &out->help;
	case OPT_VERSION:
		return &out->version;
	default:
		return NULL;
	}
}

static int one_option(int key, struct cli *out, struct error *err)
{
	struct run_options *s = &out->run;
	bool *on = switch_of(key, out);

	if (on) {
		*on = true;
		/* The last of these two counts. */
		s->verbose = s->verbose && key != 'q';
		s->quiet = s->quiet && key != 'v';
		return 0;
	}
	switch (key) {
	case 'g':
		*array_add(&s->scripts) = optarg;
		return 0;
	case OPT_ORDER:
		*array_add(&s->orders) = optarg;
		return 0;
	case OPT_GATE_LIMIT:
		return options_seconds("gate-limit", optarg, &s->gate_limit, err);
	case OPT_TIME_LIMIT:
		return options_seconds("time-limit", optarg, &s->time_limit, err);
	case OPT_REPEAT:
		return options_count("--repeat", optarg, &s->repeat, err);
	case 'n':
		return options_count("--runs", optarg, &out->runs, err);
	case OPT_REPORT:
		*array_add(&s->reports) = optarg;
		return 0;
	case OPT_LEFTOVER:
		return parse_leftover(optarg, s, err);
	case 'o':
		out->output = optarg;
		return 0;
	case OPT_FOR:
		return options_seconds("for", optarg, &out->most_seconds, err);
	case OPT_COLOR:
		return parse_color(optarg, out, err);
	default:
		if (key >= OPT_TYPE || key == 'p')
			return options_audit(key, optarg, out, err);
		return key >= OPT_OBJECT ? options_harness(key, optarg, out, err)
					 : options_explore(key, optarg, out, err);
	}
}

static bool wants_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

static int bad_option(const struct command *c, char **argv, int key, struct error *err)
{
	const char *what = key == ':' ? "needs a value" : "is not an option of this command";

	if (optopt && optopt < OPT_ORDER && strncmp(argv[optind - 1], "--", 2) != 0)
		error_set(err, ERROR_USAGE, "%s: -%c %s", c->name, optopt, what);
	else
		error_set(err, ERROR_USAGE, "%s: %s %s", c->name, argv[optind - 1], what);
	return usage(err, c);
}

/* As `shorts` has it: up to the first word that is none, or wherever they are. 1: `--` has ended them. */
static int take_options(const struct command *c, int argc, char **argv, const char *shorts,
			const struct option *longs, struct cli *out, struct error *err)
{
	int key, at = optind;

	for (; (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1; at = optind) {
		if (key == '?' || key == ':')
			return bad_option(c, argv, key, err);
		if (one_option(key, out, err) < 0)
			return usage(err, c);
	}
	return optind > at; /* one word more, though it was no option */
}

/* With --merge, and behind a library, there is no PROG whose options the ones behind it could be. */
static int take_all_options(const struct command *c, int argc, char **argv, struct cli *out,
			    struct error *err)
{
	struct option longs[ROWS + 1];
	char shorts[2 * ROWS + 3];
	int passed, ended;

	fill_getopt(c, longs, shorts);
	optind = 1;
	ended = take_options(c, argc, argv, shorts, longs, out, err);
	if (ended < 0)
		return -1;
	passed = optind - 1;
	if (ended || (!out->merge && c->mask != CMD_HARNESS && c->mask != CMD_AUDIT))
		return optind;
	optind = 0; /* getopt(3): begins anew, in the other way */
	if (take_options(c, argc - passed, argv + passed, shorts + 1, longs, out, err) < 0)
		return -1;
	return passed + optind;
}

int options_parse(const struct command *c, int argc, char **argv, struct cli *out,
		  struct error *err)
{
	int passed;

	*out = (struct cli){
		.run = {.features = &all_features, .gate_limit = -1, .time_limit = -1, .repeat = 1},
		.explore = options_explore_defaults,
		.most_seconds = -1,
		.gates_seconds = -1,
		.color = wants_color()};
	passed = take_all_options(c, argc, argv, out, err);
	if (passed < 0 || (c->mask == CMD_EXPLORE && options_explore_kept(out, err) < 0))
		return -1;
	out->rest = argv + passed;
	out->rest_count = argc - passed;
	out->run.argv = out->rest;
	if (out->no_cache)
		cache_refuse();
	if (out->help || out->version || out->rest_count || out->schedule || out->audit.folder)
		return 0;
	error_set(err, ERROR_USAGE, "%s: no %s was given", c->name,
		  c->mask == CMD_ATTACH	   ? "process"
		  : c->mask == CMD_REPLAY  ? "schedule"
		  : c->mask == CMD_HARNESS ? "library"
		  : c->mask == CMD_AUDIT   ? "file, and no -p BUILD_DIR,"
		  : out->merge		   ? "folder"
					   : "program");
	return usage(err, c);
}

void options_fini(struct cli *cli)
{
	array_fini(&cli->run.scripts);
	array_fini(&cli->run.orders);
	array_fini(&cli->run.reports);
	base_free(cli->noted);
	options_harness_fini(cli);
	options_audit_fini(cli);
}

void options_help(const struct command *c)
{
	printf("usage: gatectl %s\n%s\n\noptions:\n", c->usage, c->summary);
	for (size_t i = 0; i < ROWS; i++) {
		char left[64];

		if (!(option_rows[i].commands & c->mask))
			continue;
		snprintf(left, sizeof(left), "%s%c%s--%s%s%s",
			 option_rows[i].key < OPT_ORDER ? "-" : "  ",
			 option_rows[i].key < OPT_ORDER ? option_rows[i].key : ' ',
			 option_rows[i].key < OPT_ORDER ? ", " : " ", option_rows[i].name,
			 option_rows[i].argument ? " " : "",
			 option_rows[i].argument ? option_rows[i].argument : "");
		printf("  %-30s %s\n", left, option_rows[i].help);
	}
}
