/* gatectl repl: shared by its files. */
#ifndef GATECTL_CLI_REPL_REPL_H
#define GATECTL_CLI_REPL_REPL_H

#include "tracer/cli/cli.h"
#include "tracer/search/explore.h"
#include "tracer/features/interactive/interactive.h"

/* A line or file of Lua that was accepted, in order; a restart does them again. */
struct repl_entry {
	char *lua;		      /* the line; NULL: `file` */
	char *file;		      /* a script */
	unsigned number;	      /* the line's, in messages */
	struct interactive_made made; /* in this run */
	bool dropped;
	bool late; /* made after the program had begun to run */
};

struct repl {
	struct cli *cli;
	struct interactive *interactive;
	struct replay replay; /* in use if cli->schedule */
	bool terminal;	      /* commands come from one */
	bool quit;
	bool begun;	 /* the scripts of the command line are loaded */
	int interrupted; /* the signal that has just ended a start, or 0 */
	int status;	 /* of the last run, or of an error on a pipe */
	unsigned number; /* of the line */
	unsigned first;	 /* of the statement that it belongs to */
	struct str
		statement; /* the lines of one that goes on in the next line; empty: there is none */
	unsigned gates;	   /* made without a name so far */
	ARRAY(struct repl_entry) entries;
};

enum repl_word { /* what an argument is, for completion */
		 WORD_NONE,
		 WORD_LOCATION,
		 WORD_THREAD,
		 WORD_GATE,
		 WORD_COMMAND,
		 WORD_PATH,
		 WORD_VERB, /* wait or open */
};

struct repl_command {
	const char *name;
	const char *arguments;
	const char *help;
	enum repl_word words[3];
	bool chooses; /* who goes on: in a replay the schedule does */
	bool starts;  /* the program: not a process that was attached to */
	/* One of: */
	int (*run)(struct repl *r, char *rest, struct error *err);
	void (*show)(struct interactive *interactive, struct str *out);
	int (*ask)(struct interactive *interactive, const char *argument, struct str *out,
		   struct error *err);
};
extern const struct repl_command repl_commands[]; /* ends with a NULL name */

const struct repl_command *repl_find(const char *name, size_t length);
int repl_do(struct repl *r, const struct repl_command *c, char *rest, struct error *err);

int repl_usage(const char *name, struct error *err);
void repl_completion(struct repl *r);

/* repl_gates.c */
int repl_gate(struct repl *r, char *rest, struct error *err);

/* repl.c */
int repl_lua(struct repl *r, const char *text, struct error *err);
int repl_value(struct repl *r, const char *expression, struct error *err); /* prints it */
int repl_file(struct repl *r, const char *path, struct error *err);
int repl_restart(struct repl *r, struct error *err);
/* 0, or -1: the program is a process that was attached to. */
int repl_refuse_start(const struct repl *r, struct error *err);
int repl_go(struct repl *r);

/* repl_terminal.c */
/* On standard output, and at once: a clock of the target interrupts writes, and stdio would lose them. */
void repl_say(const char *text);
int repl_said_errno(void);		 /* of the first write that failed, or 0 */
void repl_terminal_open(struct repl *r); /* sets r->terminal */
void repl_use_terminal(void);		 /* libedit */
void repl_terminal_close(struct repl *r);
/* A line, malloc'd; NULL at the end, or after a signal that ends. Commands are kept in the history. From a
   pipe: NULL with an error, too. */
char *repl_read_terminal(const char *question, bool is_command);
bool repl_line_is_emptied(void); /* the last one, by Ctrl-C */
char *repl_read_pipe(struct error *err);
void repl_terminal_to_program(struct repl *r);
void repl_terminal_back(struct repl *r);
void repl_signals_end(void *ctx, bool now);  /* the start of the program; else they wait */
void repl_tell(void *ctx, const char *line); /* while the program runs */
void repl_take_signals(const struct repl *r);
int repl_give_signals_back(void); /* the one that came meanwhile, or 0 */

/* repl_save.c */
/* Cuts `--without N` off the end of the words; those steps are to be left out. 0, or -1. */
int repl_take_without(char *words, struct interactive_saving *how, struct error *err);
int repl_save(struct repl *r, const char *path, struct interactive_saving *how, struct error *err);
int repl_run_saved(struct repl *r, const char *command, const char *count,
		   struct interactive_saving *how, struct error *err);

#endif
