/*
 * The loop of gatectl repl. At the prompt the whole program is stopped; a command that lets it go
 * comes back when there is something to look at. On a terminal, lines are read by libedit; else they
 * are read as they are, and a fault ends the REPL, as it would a shell script under `set -e`.
 */
#include "tracer/cli/repl.h"

#include <editline/readline.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted, ended;

static void on_signal(int signal)
{
	if (signal == SIGINT)
		interrupted = 1;
	else
		ended = signal;
}

/* While a line is read; the target has handlers of its own for the time when the program runs. */
static void take_signals(struct sigaction before[3])
{
	struct sigaction mine = {.sa_handler = on_signal};

	interrupted = 0;
	sigaction(SIGINT, &mine, &before[0]);
	sigaction(SIGTERM, &mine, &before[1]);
	sigaction(SIGHUP, &mine, &before[2]);
}

static void give_signals_back(const struct sigaction before[3])
{
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGTERM, &before[1], NULL);
	sigaction(SIGHUP, &before[2], NULL);
}

/* ---- a line --------------------------------------------------------------------------------- */

/* Ctrl-C at the prompt empties the line: as if begin-of-line, kill-line and return were typed. */
static int next_key(FILE *in)
{
	static const char keys[] = "\001\013\n";
	static const char *pending;
	unsigned char c;
	ssize_t n;

	(void)in;
	for (;;) {
		if (interrupted) {
			interrupted = 0;
			pending = keys;
		}
		if (pending && *pending)
			return *pending++;
		if (ended)
			return EOF;
		n = read(STDIN_FILENO, &c, 1);
		if (n == 1)
			return c;
		if (n == 0 || errno != EINTR)
			return EOF;
	}
}

static char *read_terminal(void)
{
	char *line = readline("(gatectl) ");

	if (line && *line)
		add_history(line);
	return line;
}

static char *read_pipe(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	do {
		clearerr(stdin);
		errno = 0;
		n = getline(&line, &size, stdin);
	} while (n < 0 && errno == EINTR && !ended && !interrupted);
	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	return line;
}

void repl_say(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

/* ---- what a line does ----------------------------------------------------------------------- */

static void add_entry(struct repl *r, const char *lua, const char *file, size_t first, size_t count)
{
	*array_add(&r->entries) = (struct repl_entry){
		.lua = lua ? base_strdup(lua) : NULL,
		.file = file ? base_strdup(file) : NULL,
		.first = first,
		.count = count,
	};
}

int repl_lua(struct repl *r, const char *text, struct error *err)
{
	size_t first, count;
	char name[32];

	snprintf(name, sizeof(name), "line %u", r->number);
	if (live_line(r->live, text, name, NULL, &first, &count, err) < 0)
		return -1;
	add_entry(r, text, NULL, first, count);
	return 0;
}

int repl_value(struct repl *r, const char *expression, struct error *err)
{
	struct str out = {0};
	char name[32];
	int failed;

	snprintf(name, sizeof(name), "line %u", r->number);
	failed = live_line(r->live, expression, name, &out, NULL, NULL, err);
	if (!failed) {
		str_add(&out, "\n");
		repl_say(str_text(&out));
	}
	str_fini(&out);
	return failed;
}

int repl_file(struct repl *r, const char *path, struct error *err)
{
	if (live_load(r->live, path, err) < 0)
		return -1;
	add_entry(r, NULL, path, 0, 0);
	return 0;
}

static int again(struct repl *r, struct repl_entry *entry, struct error *err)
{
	char name[32];

	if (entry->file)
		return live_load(r->live, entry->file, err);
	snprintf(name, sizeof(name), "line %u", r->number);
	return live_line(r->live, entry->lua, name, NULL, &entry->first, &entry->count, err);
}

static void forget_deeds(struct repl *r)
{
	array_each(struct repl_deed, d, &r->deeds) {
		base_free(d->lua);
		base_free(d->command);
	}
	array_fini(&r->deeds);
}

int repl_restart(struct repl *r, struct error *err)
{
	forget_deeds(r);
	if (live_start(r->live, err) < 0)
		return -1;
	array_each(struct repl_entry, entry, &r->entries)
		if (!entry->dropped && again(r, entry, err) < 0)
			return -1;
	return 0;
}

/* Until there is something to look at, and what that is. */
int repl_go(struct repl *r)
{
	enum live_state state = live_go(r->live);
	struct str out = {0};

	if (state == LIVE_ENDED) {
		r->status = live_verdict(r->live, &out);
		r->quit |= live_was_interrupted(r->live);
	} else {
		if (state == LIVE_LOOK)
			str_add(&out, "stopped\n");
		live_threads(r->live, &out);
	}
	repl_say(str_text(&out));
	str_fini(&out);
	return 0;
}

int repl_do(struct repl *r, const char *line, struct error *err)
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
		return repl_lua(r, line, err);
	copy = base_strdup(line + word);
	rest = copy + strspn(copy, " \t");
	for (size_t n = strlen(rest); n && strchr(" \t", rest[n - 1]); n--)
		rest[n - 1] = '\0';
	failed = c->run(r, rest, err);
	base_free(copy);
	return failed;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void one_line(struct repl *r, const char *line)
{
	struct error err = {0};

	r->number++;
	if (repl_do(r, line, &err) == 0)
		return;
	r->status = output_error(r->cli, &err);
	r->quit |= !r->terminal;
}

static void loop(struct repl *r)
{
	while (!r->quit) {
		struct sigaction before[3];
		char *line;

		take_signals(before);
		line = r->terminal ? read_terminal() : read_pipe();
		give_signals_back(before);
		if (ended || (interrupted && !r->terminal))
			r->status = 128 + (ended ? ended : SIGINT);
		if (!line)
			break;
		one_line(r, line);
		free(line);
	}
	if (r->terminal && !r->quit)
		repl_say("\n");
}

/* What the program says while it goes. */
static void tell(void *ctx, const char *text)
{
	(void)ctx;
	fputs(text, stdout);
	fputc('\n', stdout);
	fflush(stdout);
}

static char *history_path(void)
{
	const char *home = getenv("HOME");
	char *path = NULL;

	if (!home || !*home || asprintf(&path, "%s/.gatectl_history", home) < 0)
		return NULL;
	return path;
}

static void use_terminal(struct repl *r)
{
	char *path = history_path();

	rl_catch_signals = 0; /* libedit would send Ctrl-C to the program, too */
	rl_getc_function = next_key; /* read by rl_initialize */
	rl_initialize();
	repl_completion(r);
	using_history();
	if (path)
		read_history(path);
	free(path);
}

static void keep_history(void)
{
	char *path = history_path();

	if (path)
		write_history(path);
	free(path);
}

static int begin(struct repl *r, struct error *err)
{
	if (live_start(r->live, err) < 0)
		return -1;
	array_each(const char *, path, &r->cli->session.scripts)
		if (repl_file(r, *path, err) < 0)
			return -1;
	array_each(const char *, order, &r->cli->session.orders) {
		struct str lua = {0};
		int failed;

		str_addf(&lua, "order [==[%s]==]", *order);
		failed = repl_lua(r, str_text(&lua), err);
		str_fini(&lua);
		if (failed)
			return -1;
	}
	return 0;
}

static void repl_fini(struct repl *r)
{
	forget_deeds(r);
	array_each(struct repl_entry, entry, &r->entries) {
		base_free(entry->lua);
		base_free(entry->file);
	}
	array_fini(&r->entries);
	live_free(r->live);
}

int command_repl(struct cli *cli)
{
	const struct live_ui ui = {NULL, tell};
	struct symbols *symbols = symbols_new();
	struct repl r = {.cli = cli, .terminal = isatty(STDIN_FILENO)};
	struct error err = {0};

	cli->session.no_stdin = !r.terminal;
	r.live = live_new(&cli->session, symbols, &ui);
	if (begin(&r, &err) < 0) {
		r.status = output_error(cli, &err);
	} else {
		if (r.terminal)
			use_terminal(&r);
		loop(&r);
		if (r.terminal)
			keep_history();
	}
	repl_fini(&r);
	symbols_free(symbols);
	return r.status;
}
