/* Declarations shared by the files of gatectl repl. */
#ifndef GATECTL_CLI_REPL_REPL_H
#define GATECTL_CLI_REPL_REPL_H

#include "tracer/cli/cli.h"
#include "tracer/search/explore.h"
#include "tracer/features/interactive/interactive.h"

/* An accepted line or file of Lua, in order; a restart executes them again. */
struct repl_entry {
	char *lua;		      /* the line; NULL: `file` was loaded */
	char *file;		      /* path of a script */
	unsigned number;	      /* number of the line, in messages (repl_line_number) */
	struct interactive_made made; /* places and gates that it made in this run */
	bool dropped;
	bool late; /* made after the program had started to run */
};

struct repl {
	struct cli *cli;
	struct interactive *interactive;
	struct replay replay; /* used if cli->schedule */
	bool terminal;	      /* commands come from a terminal */
	bool quit;
	bool begun;	      /* the scripts of the command line are loaded */
	int interrupted;      /* signal that has just ended a start, or 0 */
	int status;	      /* exit status of the last run, or of an error on a pipe */
	unsigned number;      /* number of the current line of the input */
	unsigned first;	      /* number of the first line of its statement */
	struct str statement; /* lines of an unfinished statement; empty: none */
	unsigned gates;	      /* number of gates made without a name */
	ARRAY(struct repl_entry) entries;
};

enum repl_word { /* Kinds of arguments, for completion. */
		 WORD_NONE,
		 WORD_LOCATION,
		 WORD_THREAD,
		 WORD_GATE,
		 WORD_COMMAND,
		 WORD_PATH,
		 WORD_VERB,   /* wait or open */
		 WORD_SOURCE, /* a thread or a location */
};

struct repl_command {
	const char *name;
	const char *arguments;
	const char *help;
	enum repl_word words[3];
	bool chooses; /* chooses the next thread: refused in a replay */
	bool starts;  /* starts the program: refused for an attached process */
	/* One of these is set: */
	int (*run)(struct repl *r, char *rest, struct error *err);
	void (*show)(struct interactive *interactive, struct str *out);
	int (*ask)(struct interactive *interactive, const char *argument, struct str *out,
		   struct error *err);
};
extern const struct repl_command repl_commands[]; /* ends with a NULL name */

/* Returns the command with this name of `length` bytes, or NULL. */
const struct repl_command *repl_find(const char *name, size_t length);
/* Checks the arguments and executes the command; `rest` may be changed. Returns 0, or -1 with *err
   set. */
int repl_do(struct repl *r, const struct repl_command *c, char *rest, struct error *err);

/* Sets an error about wrong arguments of the command `name`. Returns -1. */
int repl_usage(const char *name, struct error *err);
/* Sets up libedit's completion; `r` must stay valid. */
void repl_completion(struct repl *r);

/* The command `gate`: adds a line of Lua for the place. Returns 0, or -1 with *err set. */
int repl_gate(struct repl *r, char *rest, struct error *err);

/* Executes a line of Lua, and keeps it for restarts. Returns 0, or -1 with *err set. */
int repl_lua(struct repl *r, const char *text, struct error *err);
/* Prints the value of a Lua expression. Returns 0, or -1 with *err set. */
int repl_value(struct repl *r, const char *expression, struct error *err);
/* Loads a script, and keeps it for restarts. Returns 0, or -1 with *err set. */
int repl_file(struct repl *r, const char *path, struct error *err);
/* Starts the program again with all kept lines. Returns 0, or -1 with *err set. */
int repl_restart(struct repl *r, struct error *err);
/* Returns 0, or -1 with *err set if the program is an attached process. */
int repl_refuse_start(const struct repl *r, struct error *err);
/* Lets the program run until there is something to see, and prints that. Returns 0. */
int repl_go(struct repl *r);

/* Writes to standard output at once: the tracee's clock interrupts writes, and stdio would lose the
   text. */
void repl_say(const char *text);
/* Writes a text that may be longer than the screen: on a terminal one page after another. */
void repl_page(struct repl *r, const char *text);
int repl_said_errno(void); /* errno of the first write that failed, or 0 */
/* Saves the terminal's state and signal actions; sets r->terminal. */
void repl_terminal_open(struct repl *r);
/* Sets up libedit, with its history. */
void repl_use_terminal(void);
/* Restores the terminal's state, and writes the history. */
void repl_terminal_close(struct repl *r);
/* Reads a line with libedit. Commands are kept in the history. Returns NULL at the end, or after a
   signal that ends the REPL. The caller calls free(). */
char *repl_read_terminal(const char *question, bool is_command);
/* Asks the user on a terminal. Returns the answer, or NULL at the end or after Ctrl-C; a signal
   that ends the REPL sets r->quit. The caller calls free(). */
char *repl_ask(struct repl *r, const char *question);
/* True if Ctrl-C emptied the last line. */
bool repl_line_is_emptied(void);
/* Reads a line from a pipe. Returns NULL at the end, after such a signal, or with *err set. The
   caller calls free(). */
char *repl_read_pipe(struct error *err);
/* Gives the terminal to the program, and unblocks signals. */
void repl_terminal_to_program(struct repl *r);
/* Takes the terminal back from the program, and blocks signals. */
void repl_terminal_back(struct repl *r);
/* Unblocks signals (`now`) for the start of the program, or blocks them again. */
void repl_signals_end(void *ctx, bool now);
void repl_tell(void *ctx, const char *line); /* prints a line while the program runs */
/* Installs the REPL's signal handlers, while a line is read. */
void repl_take_signals(const struct repl *r);
/* Restores the signal actions. Returns the signal that came meanwhile, or 0. */
int repl_give_signals_back(void);

/* Cuts `--without N` off the end of the words; those steps are left out. Returns 0, or -1 with *err
   set. */
int repl_take_without(char *words, struct interactive_saving *how, struct error *err);
/* Writes the script of the session to `path`. Returns 0, or -1 with *err set. */
int repl_save(struct repl *r, const char *path, struct interactive_saving *how, struct error *err);
/* Runs `gatectl COMMAND` on the script of the session, and sets r->status; `count`: for --repeat,
   or NULL. Returns 0, or -1 with *err set. */
int repl_run_saved(struct repl *r, const char *command, const char *count,
		   struct interactive_saving *how, struct error *err);

#endif
