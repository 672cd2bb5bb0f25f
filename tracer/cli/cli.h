/*
 * The command line. The only room that prints to the user or exits; one file a command.
 */
#ifndef GATECTL_CLI_CLI_H
#define GATECTL_CLI_CLI_H

#include "tracer/session/session.h"

struct cli {
	struct session_options session;
	bool help;
	bool color;
	bool lock, fix;		   /* check: write the lock files; rewrite the scripts */
	struct report_suite suite; /* of the runs so far, for JUnit */
	unsigned long runs;	   /* of prove, each; of convert, to verify; 0: not given */
	const char *output;	   /* of convert; NULL: not given */
	bool all;		   /* convert: sleeps, too, that the outcome does not depend on */
	char **rest;		   /* what stands behind the options: PROG and its arguments */
	int rest_count;
};

/* A command: its name, one line of help, which options it takes, and what it does. */
struct command {
	const char *name;
	const char *usage;
	const char *summary;
	unsigned mask; /* CMD_... : which rows of the option table are its */
	int (*run)(struct cli *cli);
};

enum {
	CMD_RUN = 1,
	CMD_CHECK = 2,
	CMD_LINES = 4,
	CMD_PROVE = 8,
	CMD_REPL = 16,
	CMD_ATTACH = 32,
	CMD_CONVERT = 64
};

extern const struct command commands[]; /* ends with a NULL name */

/* One row of the table that parsing, --help and completions come from. */
struct option_row {
	const char *name;
	int key;	      /* the short letter, or one of OPT_ */
	const char *argument; /* NULL: none. FILE.lua, FILE and A|B are completed as such */
	unsigned commands;    /* CMD_... */
	const char *help;
};
extern const struct option_row option_rows[]; /* ends with a NULL name */
enum {
	OPT_ORDER = 256, /* from here on there is no short letter */
	OPT_GATE_LIMIT,
	OPT_TIME_LIMIT,
	OPT_REPEAT,
	OPT_REPORT,
	OPT_NO_FOLLOW,
	OPT_SKIP,
	OPT_LOCK,
	OPT_FIX,
	OPT_ALL,
	OPT_COLOR
};

/* options.c: 0, or -1 with a usage error. argv[0] is the command's name. */
int options_parse(const struct command *c, int argc, char **argv, struct cli *out,
		  struct error *err);
void options_help(const struct command *c); /* NULL: gatectl's own help */
void options_fini(struct cli *cli);

/* output.c: prints an error as the contract has it; returns the exit status. */
int output_error(const struct cli *cli, const struct error *err);
/* A verdict's lines on standard error; `file` and `line`: what it is about, NULL and 0: not known. */
void output_verdict(const struct cli *cli, const char *text, const char *file, unsigned line);

/* annotate.c: the same for GitHub, where gatectl runs there */
void annotate(const char *text, const char *file, unsigned long line);

/* reports.c: --report. 0, or -1 with an error. */
int reports_check(const struct cli *cli, struct error *err);
int reports_write(struct cli *cli, const struct session_result *r, struct error *err);
int reports_finish(struct cli *cli, struct error *err); /* behind the last run */

/* run.c. -1: there was a run, and *r says how it went. Else the status of an error before it. */
int run_one(struct cli *cli, struct symbols *symbols, unsigned long number,
	    struct session_result *r);
/* Behind session_signals_hold() and the last run: the status, or that of a signal which came later. */
int runs_end(int status);

/* completions.c: on standard output; the exit status */
int completions_print(const char *shell);

int command_run(struct cli *cli);
int command_attach(struct cli *cli);
int command_check(struct cli *cli);
int command_lines(struct cli *cli);
int command_prove(struct cli *cli);
int command_repl(struct cli *cli);
int command_convert(struct cli *cli);

#endif
