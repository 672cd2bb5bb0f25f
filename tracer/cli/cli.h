/*
 * The command line. The only room that prints to the user or exits; one file a command.
 */
#ifndef GATECTL_CLI_CLI_H
#define GATECTL_CLI_CLI_H

#include "tracer/audit/audit.h"

#include "tracer/search/explore.h"
#include "tracer/harness/harness.h"
#include "tracer/run/run.h"

/* Of audit; the files are in rest. Lists end with NULL. */
struct cli_audit {
	const char *folder, *baseline;
	const char *confirm; /* PROG; NULL: nothing is run */
	struct texts types, lock, unlock;
};

/* Of check: write the lock files; rewrite the scripts; run PROG, and name what is not ordered. */
struct cli_check {
	bool lock, fix, order;
};

struct cli {
	struct run_options run;
	bool help, version, color, no_cache;
	struct cli_check check;
	struct report_suite suite; /* of the runs so far, for JUnit */
	unsigned long runs;	   /* of prove, each; of convert, to verify; 0: not given */
	const char *output;	   /* of convert and explore; NULL: not given */
	bool all; /* explore, harness: go on after the first; audit: of any confidence; convert: --needed */
	double most_seconds; /* run, convert, explore: for all of it; 0: no limit; < 0: not given */
	double gates_seconds;		/* explore: for each script; 0: no limit; < 0: not given */
	struct explore_options explore; /* but for what has a place above */
	const char *schedule; /* repl: to be followed; explore: its script is made; or NULL */
	const char *ignore;   /* races: a file of locations; NULL: none */
	struct harness_options harness; /* of harness; `library` is in rest */
	struct cli_audit audit;
	bool merge;  /* explore: of folders, nothing is run */
	char **rest; /* what follows the options: PROG and its arguments */
	int rest_count;
	char *noted; /* of a run that was as expected: what was said last; or NULL */
};

/* A command: its name, one line of help, which options it takes, and what it does. */
struct command {
	const char *name;
	const char *usage;
	const char *summary;
	unsigned mask; /* CMD_... : its bit in the table of options */
	int (*run)(struct cli *cli);
	const char *wants; /* its first argument: "program" */
};

enum {
	CMD_RUN = 1,
	CMD_CHECK = 2,
	CMD_LINES = 4,
	CMD_PROVE = 8,
	CMD_REPL = 16,
	CMD_ATTACH = 32,
	CMD_CONVERT = 64,
	CMD_EXPLORE = 128,
	CMD_REPLAY = 256,
	CMD_RACES = 512,
	CMD_HARNESS = 1024,
	CMD_AUDIT = 2048,
	CMD_ALL = 4095,
};

/* options.c: 0, or -1 with a usage error. argv[0] is the command's name. */
int options_parse(const struct command *c, int argc, char **argv, struct cli *out,
		  struct error *err);
/* How the name of the file begins that the REPL gives what was typed to another gatectl in. */
#define CLI_TYPED "gatectl-repl-"

extern const char *const options_leftover[]; /* the word for each enum run_leftover */
void options_help(const struct command *c);
void options_fini(struct cli *cli);
bool options_read_pid(const char *text, int *out); /* false: it is no process's number */
bool options_is_strategy(const char *name);	   /* "auto", "pos", ...: none in Lua */

/* explore.c: its options where none is given */
extern const struct explore_options explore_defaults;
/* Moves a schedule from the scripts of --gates to cli->schedule. Returns -1: there are several, or --merge. */
int explore_take_schedule(struct cli *cli, struct error *err);
/* Sets the options of a search by what was given. */
void explore_settle(struct cli *cli);
/* Sets the time for scripts: that of --gates-for, or what a search of `seconds` leaves (0: no limit). */
void explore_settle_gates(const struct cli *cli, double seconds, struct explore_options *o);

/* output.c: prints an error as the contract has it; returns the exit status. */
int output_error(const struct cli *cli, const struct error *err);
/* Writes each line of the text on standard error in one write. */
void output_lines(const struct cli *cli, const char *text);
/* A verdict's lines on standard error; `file` and `line`: what it is about, NULL and 0: not known. */
void output_verdict(const struct cli *cli, const char *text, const char *file, unsigned line);

/* Says why an experiment ended early; the exit status. */
int output_over(const struct cli *cli, const struct experiment *x);

/* Standard output, before something is said on standard error. -1: it cannot be written. */
int output_flush(void);
/* A write to standard output that was not stdio's has failed, with this errno. */
void output_lost(int error);
/* On standard output; control characters as \n or \x1b: what it names cannot break it. */
void output_line(const struct str *line);
/* The same, but newlines and tabs are as they are. */
void output_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* At the end: the status, or the error's if standard output could not be written. */
int output_end(int status);

/* query.c, for lines and check: the location and its sites on standard output, or its error. Returns -1: an error. */
struct run_query;
int query_print(const struct cli *cli, const struct run_query *q, bool variables);

/* shrunk.c: a file that becomes shorter while it is read is an error, not death by SIGBUS. */
void shrunk_watch(void);

/* run.c: one run, and what there is to say of it; the exit status */
int run_once(struct cli *cli);
/* ... of one that has been made; `err` is set if there was none. */
int run_tell(struct cli *cli, const struct run_result *r, struct error *err);
/* How many of several runs agreed; all of them have been made, the last one with this status. */
void run_agreed(const struct cli *cli, unsigned long agreed, unsigned long done, bool interrupted);
int run_finish(struct cli *cli, int status);

/* completions.c: on standard output; the exit status. `commands` ends with a NULL name. */
int completions_print(const char *shell, const struct command *commands);

/* attach.c: runs a command on the process cli->run.pid, guarded by run_guard(); the exit status. */
int attach_guarded(struct cli *cli, bool steered, int (*run)(struct cli *cli));

/* prove.c: a line for each two arrivals that the script does not order */
void prove_print_orders(const struct prove *p);

int command_run(struct cli *cli);
int command_attach(struct cli *cli);
int command_check(struct cli *cli);
int command_lines(struct cli *cli);
int command_prove(struct cli *cli);
int command_repl(struct cli *cli);
int command_explore(struct cli *cli);
int command_replay(struct cli *cli);
int command_races(struct cli *cli);
int command_harness(struct cli *cli);
int command_audit(struct cli *cli);
int command_convert(struct cli *cli);

#endif
