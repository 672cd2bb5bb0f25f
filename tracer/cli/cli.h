/* The command line: the only folder that prints to the user or exits, with one file for each
   command. */
#ifndef GATECTL_CLI_CLI_H
#define GATECTL_CLI_CLI_H

#include "tracer/audit/audit.h"

#include "tracer/search/explore.h"
#include "tracer/harness/harness.h"
#include "tracer/run/run.h"

/* Options of audit; source files are in cli.rest. Lists end with NULL. */
struct cli_audit {
	const char *folder, *baseline;
	const char *confirm; /* program to confirm findings with; NULL: no program is run */
	bool high;	     /* findings of high confidence alone */
	struct texts types, lock, unlock, init;
};

/* Options of check: write the lock files; rewrite the scripts; run PROG and report arrivals that
   the scripts do not order. */
struct cli_check {
	bool lock, fix, order;
};

/* Options of explore for a suite: where its tests come from, and which. NULL: not given. */
struct cli_suite {
	const char *ctest, *gtest, *list, *regex;
	bool is_test; /* this process searches one test of a suite */
};

struct cli {
	struct run_options run;
	bool help, version, color, no_cache;
	struct cli_check check;
	struct report_suite junit; /* the runs so far */
	unsigned long runs;	   /* given by --runs; 0: not given */
	const char *output;	   /* given by --output; NULL: not given */
	/* explore, harness: go on after the first failure; audit: any confidence; convert:
	   --needed */
	bool all;
	double most_seconds;  /* seconds for the whole command; 0: no limit; < 0: not given */
	double gates_seconds; /* seconds for each script; 0: no limit; < 0: not given */
	struct explore_options explore; /* without the options that have a member above */
	const char *schedule;		/* repl: to follow; explore: to make a script of; or NULL */
	const char *ignore;		/* races: a file of locations; NULL: none */
	struct harness_options harness; /* of harness; `library` is in `rest` */
	struct cli_audit audit;
	struct cli_suite suite;
	bool merge;  /* explore: merge folders, run nothing */
	char **rest; /* words after the options: PROG and its arguments */
	int rest_count;
	char *noted; /* note printed last, of a run that was as expected; or NULL */
};

/* A command: name, help texts, options and function. */
struct command {
	const char *name;
	const char *usage;
	const char *summary;
	const char *examples[2]; /* commands for --help, the first two of the manual page */
	unsigned mask;		 /* CMD_... : its bit in the table of options */
	int (*run)(struct cli *cli);
	const char *wants; /* its first argument, for errors: "program" */
};

/* All commands: bit CMD_NAME, and command_NAME() of NAME.c, which returns the exit status. */
#define COMMANDS(ONE)                                                                              \
	ONE(RUN, run)                                                                              \
	ONE(CHECK, check)                                                                          \
	ONE(LINES, lines)                                                                          \
	ONE(PROVE, prove)                                                                          \
	ONE(REPL, repl)                                                                            \
	ONE(ATTACH, attach)                                                                        \
	ONE(CONVERT, convert)                                                                      \
	ONE(EXPLORE, explore)                                                                      \
	ONE(REPLAY, replay)                                                                        \
	ONE(RACES, races)                                                                          \
	ONE(HARNESS, harness)                                                                      \
	ONE(AUDIT, audit)

#define COMMAND_NUMBERED(bit, name) COMMAND_##bit,
#define COMMAND_BIT(bit, name)	    CMD_##bit = 1 << COMMAND_##bit,
#define COMMAND_DECLARED(bit, name) int command_##name(struct cli *cli);
enum { COMMANDS(COMMAND_NUMBERED) COMMAND_COUNT };
enum { COMMANDS(COMMAND_BIT) CMD_ALL = (1 << COMMAND_COUNT) - 1 };
COMMANDS(COMMAND_DECLARED)

/* Parses the options after argv[0], the command's name. Returns 0, or -1 with a usage error in
   *err. options_fini() frees *out in both cases. */
int options_parse(const struct command *c, int argc, char **argv, struct cli *out,
		  struct error *err);
/* Prints a note if no gates were given, and PROG has an argument that would be a gate before it. */
void misplaced_note(const struct command *c, const struct cli *cli);
/* Prefix of the temporary file in which the REPL gives typed gates to another gatectl. */
#define CLI_TYPED "gatectl-repl-"

extern const char *const options_leftover[];	   /* words for enum run_leftover */
void options_help(const struct command *c);	   /* prints the command's --help */
void options_fini(struct cli *cli);		   /* frees the members, not `cli` */
bool options_read_pid(const char *text, int *out); /* false: no process id */
bool options_is_strategy(const char *name);	   /* "auto", "pos", ...: not FILE.lua */

/* Defaults of explore's options. */
extern const struct explore_options explore_defaults;
/* Moves a schedule from the scripts of --gates to cli->schedule. Returns 0, or -1 with *err set if
   there are several, or with --merge. */
int explore_take_schedule(struct cli *cli, struct error *err);
/* Sets the options of a search from those given. */
void explore_settle(struct cli *cli);
/* Sets the time for scripts: --gates-for, or what a search of `seconds` (0: no limit) leaves. */
void explore_settle_gates(const struct cli *cli, double seconds, struct explore_options *o);

/* True if explore is to search a suite of tests, by --ctest, --gtest or --list. */
bool suite_is_asked(const struct cli *cli);
/* Checks the options of a suite against the others. Returns 0, or -1 with *err set. */
int suite_check(const struct cli *cli, struct error *err);
/* gatectl explore of a suite. Returns the exit status. */
int command_suite(struct cli *cli);

/* Prints an error and its hint in the manual's form. Returns the exit status. */
int output_error(const struct cli *cli, const struct error *err);
/* Writes each line of the text to standard error in one write. */
void output_lines(const struct cli *cli, const char *text);
/* Prints a verdict on standard error. `file` and `line`: source line of the verdict; NULL and 0:
   unknown. */
void output_verdict(const struct cli *cli, const char *text, const char *file, unsigned line);

/* Adds a line that names -g if the program has no debug information. */
void output_no_debug(const struct experiment *x, struct str *out);
/* Prints why an experiment ended early. Returns the exit status. */
int output_over(const struct cli *cli, const struct experiment *x);

/* Flushes standard output, before output on standard error. Returns 0, or -1 after a write
   error. */
int output_flush(void);
/* Records a failed write to standard output outside of stdio, with its errno. */
void output_lost(int error);
/* Prints a line on standard output, with control characters as \n or \x1b: names cannot break
   it. */
void output_line(const struct str *line);
/* Prints on standard output, with control characters escaped except newlines and tabs. */
void output_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Flushes standard output at the end. Returns `status`, or an error's if output was lost. */
int output_end(int status);

struct run_query;
/* Prints the location and its sites on standard output, or its error, for lines and check. Returns
   0, or -1 after an error. */
int query_print(const struct cli *cli, const struct run_query *q, bool variables);

/* Handles SIGBUS: a file that becomes shorter while it is read is an error (shrunk.c). */
void shrunk_watch(void);

/* Makes one run and prints its result. Returns the exit status. */
int run_once(struct cli *cli);
/* Prints the result of a run; *err is set if there was none. Returns the exit status. */
int run_tell(struct cli *cli, const struct run_result *r, struct error *err);
/* Prints how many of `done` runs agreed. */
void run_agreed(const struct cli *cli, unsigned long agreed, unsigned long done, bool interrupted);
/* Writes the JUnit report after the last run. Returns the exit status. */
int run_finish(struct cli *cli, int status);

/* Prints completions for a shell. Returns the exit status. `commands` ends with a NULL name. */
int completions_print(const char *shell, const struct command *commands);

/* Runs a command on the process cli->run.pid, guarded by run_guard(). Returns the exit status. */
int attach_guarded(struct cli *cli, bool steered, int (*run)(struct cli *cli));

/* Prints a line for each two arrivals that the script does not order. */
void prove_print_orders(const struct prove *p);

#endif
