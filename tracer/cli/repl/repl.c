/* The loop of gatectl repl. At the prompt the whole program is stopped. On a pipe, without libedit,
   an error ends the REPL, like a shell script under `set -e`. */
#include "tracer/cli/repl/repl.h"

#include "lua/script.h"
#include "tracer/base/files/io.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/text/suggest.h"
#include "tracer/base/text/word.h"
#include "tracer/features/features.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lines ----------------------------------------------------------------------------------- */

struct open_gates {
	const char **items;
	size_t count, capacity;
};

/* Number of the line in messages. Of typed lines `gates` has the numbers; on a pipe the line is
   found in the input by it. */
static unsigned repl_line_number(const struct repl *r)
{
	return r->terminal ? (unsigned)r->entries.count + 1 : r->first;
}

static void repl_add_entry(struct repl *r, const char *lua, const char *file,
			   const struct interactive_made *made)
{
	const unsigned number = repl_line_number(r);

	*array_add(&r->entries) = (struct repl_entry){
		.lua = lua ? base_strdup(lua) : NULL,
		.file = file ? base_strdup(file) : NULL,
		.number = number,
		.made = *made,
		.late = interactive_state(r->interactive) != INTERACTIVE_READY,
	};
}

/* Empty lines before the text make Lua count lines as the user does. */
static int do_line(struct repl *r, unsigned number, const char *text, struct str *out,
		   struct interactive_made *made, struct error *err)
{
	STR(lines);
	int failed;

	for (unsigned i = 1; i < number; i++)
		str_add(&lines, "\n");
	str_add(&lines, text);
	failed = interactive_line(r->interactive, str_text(&lines), out, made, err);
	return failed;
}

/* The program has ended: a new place is for its next run. */
static int start_again(struct repl *r, struct error *err)
{
	if (repl_restart(r, err) < 0)
		return -1;
	repl_say("the program is started again: `run`\n");
	return 0;
}

/* True if the line is nothing but GATE:open() while the program runs. It opens the gate without
   resuming threads; as a line of the script it would be executed before the start. */
static bool opens_by_hand(const struct repl *r, const char *text)
{
	static const char call[] = ":open()";
	size_t length =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");

	return interactive_state(r->interactive) != INTERACTIVE_READY &&
	       interactive_state(r->interactive) != INTERACTIVE_ENDED && length &&
	       strcmp(text + length, call) == 0;
}

/* Returns a gate that is open and not in `before`, or NULL. */
static const char *newly_open(const struct repl *r, const struct open_gates *before)
{
	const char *name;

	for (size_t i = 0; (name = interactive_open_gate(r->interactive, i)); i++)
		if (i >= before->count || before->items[i] != name)
			return name;
	return NULL;
}

static int open_by_lua(struct repl *r, const char *text, struct error *err)
{
	struct open_gates before = {0};
	const char *name;
	int failed;

	for (size_t i = 0; (name = interactive_open_gate(r->interactive, i)); i++)
		*array_add(&before) = name;
	failed = do_line(r, repl_line_number(r), text, NULL, NULL, err);
	name = failed ? NULL : newly_open(r, &before);
	if (name)
		interactive_opened(r->interactive, name);
	array_fini(&before);
	return failed;
}

static int again(struct repl *r, struct repl_entry *entry, struct error *err)
{
	entry->late = false;
	if (entry->file)
		return interactive_load(r->interactive, entry->file, &entry->made, err);
	return do_line(r, entry->number, entry->lua, NULL, &entry->made, err);
}

/* A signal that ends the start is distinguished from an error. */
static int begin_program(struct repl *r, struct error *err)
{
	int failed = interactive_start(r->interactive, err);

	if (failed)
		r->interrupted = interactive_interrupted(r->interactive);
	return failed;
}

static int repl_start(struct repl *r, struct error *err)
{
	ERROR(later);
	int failed = 0;

	array_each(struct repl_entry, entry, &r->entries)
		entry->made = (struct interactive_made){0}; /* of the previous run */
	if (begin_program(r, err) < 0)
		return -1;
	array_each(struct repl_entry, entry, &r->entries)
		if (!entry->dropped && again(r, entry, failed ? &later : err) < 0)
			failed = -1;
	return failed;
}

/* The program has just been started, but its scripts now give it other arguments, environment or
   input. No output was shown yet, so it is started again. */
static int start_with_given(struct repl *r, struct error *err)
{
	bool muted;
	int failed;

	if (!r->begun || interactive_state(r->interactive) != INTERACTIVE_READY ||
	    !interactive_gives_other(r->interactive))
		return 0;
	muted = interactive_mute(r->interactive, true);
	failed = repl_start(r, err);
	interactive_mute(r->interactive, muted);
	return failed;
}

int repl_refuse_start(const struct repl *r, struct error *err)
{
	if (!r->cli->run.pid)
		return 0;
	error_set(err, ERROR_USAGE, "process %d was attached to: gatectl does not start it again",
		  r->cli->run.pid);
	return error_hint(err, "gatectl repl PROG");
}

int repl_restart(struct repl *r, struct error *err)
{
	ERROR(later);
	int failed = repl_refuse_start(r, err) < 0 ? -1 : repl_start(r, err);

	return start_with_given(r, failed ? &later : err) < 0 ? -1 : failed;
}

int repl_lua(struct repl *r, const char *text, struct error *err)
{
	struct interactive_made made;
	int failed;

	if (opens_by_hand(r, text))
		return open_by_lua(r, text, err);
	failed = do_line(r, repl_line_number(r), text, NULL, &made, err);

	if (failed == INTERACTIVE_NEEDS_PROGRAM) {
		error_fini(err);
		failed = start_again(r, err);
		if (!failed)
			failed = do_line(r, repl_line_number(r), text, NULL, &made, err);
	}
	if (failed)
		return -1;
	if (!made.seen || made.places || made.orders)
		repl_add_entry(r, text, NULL, &made);
	return start_with_given(r, err);
}

int repl_value(struct repl *r, const char *expression, struct error *err)
{
	STR(out);
	int failed = do_line(r, repl_line_number(r), expression, &out, NULL, err);

	if (!failed) {
		str_add(&out, "\n");
		repl_say(str_text(&out));
	}
	return failed;
}

int repl_file(struct repl *r, const char *path, struct error *err)
{
	struct interactive_made made;

	if (interactive_state(r->interactive) == INTERACTIVE_ENDED && start_again(r, err) < 0)
		return -1;
	if (interactive_load(r->interactive, path, &made, err) < 0)
		return -1;
	repl_add_entry(r, NULL, path, &made);
	return start_with_given(r, err);
}

/* Prints why the program has stopped, and its threads. */
static void tell_stop(struct repl *r)
{
	enum interactive_state state = interactive_state(r->interactive);
	STR(out);

	if (state == INTERACTIVE_ENDED) {
		r->status = interactive_verdict(r->interactive, &out);
	} else {
		interactive_crash(r->interactive, &out);
		if (state == INTERACTIVE_TURN) {
			replay_next(&r->replay, &out);
			str_add(&out, "\n");
		} else if (state != INTERACTIVE_THERE)
			interactive_reason(r->interactive, &out);
		interactive_threads(r->interactive, &out);
		interactive_there_line(r->interactive, &out);
	}
	repl_say(str_text(&out));
}

/* Ends when there is something to see, and prints that. */
int repl_go(struct repl *r)
{
	repl_terminal_to_program(r);
	interactive_go(r->interactive);
	repl_terminal_back(r);
	tell_stop(r);
	if (interactive_interrupted(r->interactive)) {
		r->status = 128 + interactive_interrupted(r->interactive);
		r->quit = true;
	}
	return 0;
}

/* True for a word such as `at` that Lua knows: Lua's error message is better then. */
static bool is_known_to_lua(struct repl *r, const char *word)
{
	ERROR(ignored);
	STR(value);
	bool known = do_line(r, repl_line_number(r), word, &value, NULL, &ignored) == 0 &&
		     strcmp(str_text(&value), "nil") != 0;

	return known;
}

/* Returns the command for a word of other debuggers, or NULL. */
static const char *word_of_others(const char *word)
{
	static const char *const words[][2] = {
		{"b break breakpoint", "gate LOCATION"},
		{"tbreak advance", "until T LOCATION"},
		{"c continue r start", "run"},
		{"n", "next T"},
		{"s", "step T"},
		{"finish", "until T FUNC%return"},
		{"p", "print T EXPR"},
		{"info i", "threads, gates, places or locals T"},
		{"thread t", "threads"},
		{"backtrace where frame", "bt T"},
		{"l", "list T|LOCATION"},
		{"delete d clear", "drop N"},
		{"kill", "restart"},
		{"exit q", "quit"},
		{"h", "help"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (word_find(words[i][0], word, strlen(word)))
			return words[i][1];
	return NULL;
}

/* A line that is not Lua, and begins with a word that could be a command, is reported as one. */
static int no_command(struct repl *r, const char *line, struct error *err)
{
	size_t length =
		strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-");
	const char *behind = line + length + strspn(line + length, " \t");
	struct suggestions like = {0};
	STR(text);
	const char *here;
	char word[32];

	if (err->code != ERROR_SCRIPT || !length || length >= sizeof(word) ||
	    (line[length] && behind == line + length) || (*behind && strchr("=([{.:,\"'", *behind)))
		return -1;
	snprintf(word, sizeof(word), "%.*s", (int)length, line);
	here = word_of_others(word);
	if ((!here && !strstr(err->text, ": syntax error")) || is_known_to_lua(r, word))
		return -1;
	if (here) {
		error_fini(err);
		error_set(err, ERROR_USAGE, "there is no command '%s'; here that is: %s", word,
			  here);
		return error_hint(err, "`help` lists them");
	}
	like.wanted = word;
	for (const struct repl_command *c = repl_commands; c->name; c++)
		suggest_offer(&like, c->name);
	str_addf(&text, "there is no command '%s'", word);
	suggest_take(&like, &text);
	error_fini(err);
	error_set(err, ERROR_USAGE, "%s", str_text(&text));
	return error_hint(err, "`help` lists them; every other line is Lua, as in a gate script");
}

/* On a pipe the user does not see which line an error is about. */
static void name_line(const struct repl *r, struct error *err)
{
	if (r->terminal || err->code == ERROR_FAILED || strncmp(error_text(err), "input:", 6) == 0)
		return;
	error_prefix(err, "input:%u: ", r->first);
}

static int do_command(struct repl *r, const char *line, struct error *err)
{
	const struct repl_command *c;
	char *copy, *rest;
	size_t word;
	int failed;

	line += strspn(line, " \t");
	word = strcspn(line, " \t");
	if (!*line || *line == '#' || strncmp(line, "--", 2) == 0)
		return 0;
	if (*line == '=')
		word = 1;
	c = repl_find(line, word);
	if (!c)
		return repl_lua(r, line, err) < 0 ? no_command(r, line, err) : 0;
	copy = base_strdup(line + word);
	rest = copy + strspn(copy, " \t");
	for (size_t n = strlen(rest); n && strchr(" \t", rest[n - 1]); n--)
		rest[n - 1] = '\0';
	failed = repl_do(r, c, rest, err);
	base_free(copy);
	return failed;
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* SIGTERM ends gatectl without a message, as in a run. Ctrl-C returns to the prompt of a
   terminal. */
static void tell_fault(struct repl *r, const struct error *err)
{
	bool ends = r->interrupted && (!r->terminal || r->interrupted != SIGINT);

	r->status = ends ? 128 + r->interrupted : output_error(r->cli, err);
	r->quit |= ends || !r->terminal;
	r->interrupted = 0;
}

static void repl_fault(struct repl *r, struct error *err)
{
	name_line(r, err);
	if (err->code == ERROR_SCRIPT && !err->hint && strncmp(error_text(err), "input:", 6) == 0)
		error_hint(err, "correct the line; gatectl-gates(5) says what it can use");
	tell_fault(r, err);
}

/* Executes a line, or keeps it if its statement is unfinished. `last`: no line follows. */
static void one_statement(struct repl *r, const char *line, bool last)
{
	OWNED(text) = NULL;
	ERROR(err);

	if (!r->statement.length)
		r->first = r->number;
	else if (line)
		str_add(&r->statement, "\n");
	str_add(&r->statement, line ? line : "");
	text = base_strdup(str_text(&r->statement));
	str_clear(&r->statement);
	if (do_command(r, text, &err) == 0)
		r->quit |= repl_said_errno() && !r->terminal;
	else if (!last && err.code == ERROR_SCRIPT && script_line_goes_on(text))
		str_add(&r->statement, text);
	else
		repl_fault(r, &err);
}

static void loop(struct repl *r)
{
	while (!r->quit) {
		ERROR(err);
		char *line;
		int signal;

		repl_take_signals(r);
		line = r->terminal
			       ? repl_read_terminal(
					 r->statement.length ? "       >> " : "(gatectl) ", true)
			       : repl_read_pipe(&err);
		signal = repl_give_signals_back();
		if (signal)
			r->status = 128 + signal;
		if (!line && !err.code) {
			if (!signal && r->statement.length && !r->quit)
				one_statement(r, NULL, true);
			break;
		}
		r->number++;
		if (!line) {
			r->first = r->number;
			repl_fault(r, &err);
			break;
		}
		if (r->terminal && repl_line_is_emptied())
			str_clear(&r->statement);
		else
			one_statement(r, line, false);
		free(line);
	}
	if (r->terminal && !r->quit)
		repl_say("\n");
}

/* Says in one line where the program stands, unless it has ended. */
static void say_banner(const struct repl *r)
{
	STR(line);

	if (interactive_state(r->interactive) == INTERACTIVE_ENDED)
		return;
	if (r->cli->run.pid)
		str_addf(&line, "process %d is stopped: `run` lets it go on", r->cli->run.pid);
	else
		str_addf(&line, "the program has not begun: %s",
			 r->cli->schedule ? "`step` takes the first step" : "`run` starts it");
	str_add(&line, ", `help` lists the commands\n");
	repl_say(str_text(&line));
}

/* The order of the option was executed as a line; the user has typed none. Returns -1. */
static int name_order(struct error *err)
{
	const char *text = error_text(err), *what = strstr(text, ": ");
	ERROR(named);

	what = what && strncmp(text, "input:", 6) == 0 ? what + 2 : text;
	error_set(&named, err->code, "--order: %s",
		  strncmp(what, "order: ", 7) == 0 ? what + 7 : what);
	error_hint(&named, "%s",
		   err->hint ? err->hint : "gatectl(1), --order, says how an order is written");
	return error_move(err, &named);
}

static int repl_begin(struct repl *r, struct error *err)
{
	if (begin_program(r, err) < 0)
		return -1;
	if (r->cli->run.pid)
		tell_stop(r);
	array_each(const char *, path, &r->cli->run.scripts)
		if (repl_file(r, *path, err) < 0)
			return -1;
	array_each(const char *, order, &r->cli->run.orders) {
		STR(lua);
		int failed;

		str_addf(&lua, "order [==[%s]==]", *order);
		failed = repl_lua(r, str_text(&lua), err);
		if (failed)
			return name_order(err);
	}
	r->begun = true;
	return start_with_given(r, err);
}

static void replay_begins(void *ctx)
{
	ERROR(ignored); /* the streams exist since the first run */

	replay_begin(&((struct repl *)ctx)->replay, &ignored);
}

static void replay_ends(void *ctx, struct run *s)
{
	replay_compare(&((struct repl *)ctx)->replay, s);
}

static const char *replay_is_next(void *ctx)
{
	return replay_next_thread(&((struct repl *)ctx)->replay);
}

static int take_schedule(struct repl *r, struct interactive_ui *ui, struct error *err)
{
	struct cli *cli = r->cli;

	if (!cli->schedule)
		return 0;
	r->replay.options = &cli->run;
	if (replay_load(&r->replay, cli->schedule, err) < 0)
		return -1;
	cli->run.features = &sched_features;
	if (replay_begin(&r->replay, err) < 0)
		return -1;
	ui->begins = replay_begins;
	ui->ends = replay_ends;
	ui->next = replay_is_next;
	return 0;
}

static void repl_fini(struct repl *r)
{
	array_each(struct repl_entry, entry, &r->entries) {
		base_free(entry->lua);
		base_free(entry->file);
	}
	array_fini(&r->entries);
	str_fini(&r->statement);
	interactive_free(r->interactive);
	if (r->cli->schedule)
		replay_fini(&r->replay);
}

/* If standard input was closed, main.c has opened a descriptor there that cannot be read. */
static int check_input(struct error *err)
{
	int flags = fcntl(STDIN_FILENO, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) != O_WRONLY)
		return 0;
	error_set(err, ERROR_USAGE, "standard input is closed: commands cannot be read");
	return error_hint(err, "give it a terminal, a pipe or a file of commands");
}

static int repl_run(struct cli *cli)
{
	struct modules *symbols;
	struct repl r = {.cli = cli};
	/* a terminal that is gone is reported by SIGHUP */
	bool screen = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	struct interactive_ui ui = {.ctx = &r, .line = repl_tell, .starts = repl_signals_end};
	ERROR(err);

	if (check_input(&err) < 0 || take_schedule(&r, &ui, &err) < 0) {
		replay_fini(&r.replay);
		return output_error(cli, &err);
	}
	symbols = modules_new();
	repl_terminal_open(&r);
	ui.rests_at_crash = r.terminal;
	cli->run.no_stdin = !r.terminal;
	r.interactive = interactive_new(&cli->run, symbols, &ui);
	if (repl_begin(&r, &err) < 0) {
		tell_fault(&r, &err);
	} else {
		if (r.terminal) {
			repl_use_terminal();
			repl_completion(&r);
			say_banner(&r);
		}
		loop(&r);
	}
	repl_fini(&r);
	repl_terminal_close(&r);
	modules_free(symbols);
	if (repl_said_errno() && !screen)
		output_lost(repl_said_errno());
	return r.status;
}

int command_repl(struct cli *cli)
{
	ERROR(err);

	if (!cli->run.pid)
		return repl_run(cli);
	if (!cli->rest_count && !cli->schedule)
		return attach_guarded(cli, isatty(STDIN_FILENO), repl_run);
	error_set(&err, ERROR_USAGE, "repl: --pid takes no %s",
		  cli->schedule ? "--replay" : "program: its process runs already");
	error_hint(&err, "gatectl repl --pid PID");
	return output_error(cli, &err);
}
