/*
 * What was done by hand, as a script that does it by itself: the lines that were accepted, then what
 * was done at rest, each when nobody can move (on "rest").
 */
#include "tracer/cli/file.h"
#include "tracer/cli/repl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void repl_quote(struct str *lua, const char *text)
{
	str_add(lua, "\"");
	for (; *text; text++)
		str_addf(lua, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	str_add(lua, "\"");
}

/* To be called before the program goes on. */
void repl_deed(struct repl *r, const char *command, const char *argument, const char *verb)
{
	*array_add(&r->deeds) = (struct repl_deed){
		.command = base_strdup(command),
		.argument = base_strdup(argument),
		.verb = verb,
		.state = live_state(r->live),
	};
}

static int add_file(struct str *out, const char *path, struct error *err)
{
	char *text = file_read(path, err);

	if (!text)
		return -1;
	str_add(out, "-- from ");
	str_add_on_line(out, path);
	str_addf(out, "\n%s", text);
	if (out->text[out->length - 1] != '\n')
		str_add(out, "\n");
	base_free(text);
	return 0;
}

/* Before its own code has run: where the gate has a name in Lua, it is just open. */
static bool opened_at_once(const struct repl *r, const struct repl_deed *d)
{
	struct str line = {0};
	bool found = false;

	str_addf(&line, "local %s = SimpleGate \"%s\"", d->argument, d->argument);
	array_each(const struct repl_entry, entry, &r->entries)
		found |= entry->lua && !entry->dropped && strcmp(entry->lua, str_text(&line)) == 0;
	str_fini(&line);
	return found && d->state == LIVE_READY;
}

static void add_deed(const struct repl *r, struct str *out, const struct repl_deed *d)
{
	if (!d->verb) {
		str_addf(out, "-- by hand: %s %s (a script has no word for it)\n", d->command,
			 d->argument);
	} else if (strcmp(d->verb, "open") == 0 && opened_at_once(r, d)) {
		str_addf(out, "%s:open()\n", d->argument);
	} else {
		str_addf(out, "on \"rest\" :%s ", d->verb);
		repl_quote(out, d->argument);
		str_add(out, d->state == LIVE_REST ? "\n"
						   : " -- by hand it was done while somebody could "
						     "still move\n");
	}
}

static int add_entry(struct str *out, const struct repl_entry *entry, struct error *err)
{
	if (entry->dropped)
		return 0;
	if (entry->late && (entry->made.places || entry->made.orders))
		str_add(out, "-- by hand, this was added when the program had run for a while:\n");
	if (entry->file)
		return add_file(out, entry->file, err);
	str_addf(out, "%s\n", entry->lua);
	return 0;
}

static int script_text(struct repl *r, struct str *out, struct error *err)
{
	str_add(out, "-- gatectl run -g THIS ");
	str_add_on_line(out, r->cli->session.argv[0]);
	str_add(out, "\n");
	array_each(const struct repl_entry, entry, &r->entries)
		if (add_entry(out, entry, err) < 0)
			return -1;
	if (r->deeds.count)
		str_add(out, "\n-- what was done by hand, each when nobody could move any more\n");
	array_each(const struct repl_deed, d, &r->deeds)
		add_deed(r, out, d);
	return 0;
}

int repl_save(struct repl *r, const char *path, struct error *err)
{
	struct str text = {0};
	int failed = script_text(r, &text, err);

	if (!failed)
		failed = file_replace(path, str_text(&text), err);
	str_fini(&text);
	return failed;
}

/* What stands in the script as a comment only. */
void repl_note_wordless(struct repl *r)
{
	struct str line = {0};

	array_each(const struct repl_deed, d, &r->deeds) {
		if (d->verb)
			continue;
		str_addf(&line,
			 "note: a script has no word for `%s %s`: try with `repeat 10` whether it "
			 "comes out the same\n",
			 d->command, d->argument);
		repl_say(str_text(&line));
		break;
	}
	str_fini(&line);
}

/* Who is held when it is saved is held in each run of the script, and nobody is there then. */
void repl_note_held(struct repl *r)
{
	struct str who = {0}, line = {0};

	if (live_held(r->live, &who)) {
		str_addf(&line, "note: %s: open its gate, or the script ends there, too\n",
			 str_text(&who));
		repl_say(str_text(&line));
	}
	str_fini(&who);
	str_fini(&line);
}

/* ---- run it by itself ----------------------------------------------------------------------- */

struct cli_words {
	char **items;
	size_t count, capacity;
};

static void add_argument(struct cli_words *words, const char *word)
{
	*array_add(words) = base_strdup(word);
}

static void add_seconds(struct cli_words *words, const char *option, double seconds)
{
	char text[32];

	if (seconds < 0) /* not given */
		return;
	snprintf(text, sizeof(text), "%.9g", seconds);
	add_argument(words, option);
	add_argument(words, text);
}

/* What the REPL itself was given, but for what is in the script. */
static void add_options(struct cli_words *words, const struct cli *cli)
{
	add_argument(words, cli->color ? "--color=always" : "--color=never");
	add_seconds(words, "--gate-limit", cli->session.gate_limit);
	add_seconds(words, "--time-limit", cli->session.time_limit);
	if (cli->session.no_follow)
		add_argument(words, "--no-follow");
	if (cli->session.verbose)
		add_argument(words, "--verbose");
	if (cli->session.quiet)
		add_argument(words, "--quiet");
}

/* In the child. On a pipe the commands are not for the program. */
static void exec_gatectl(struct repl *r, const char *command, const char *count, const char *script)
{
	struct cli_words words = {0};
	int null;

	add_argument(&words, "gatectl");
	add_argument(&words, command);
	add_argument(&words, "-g");
	add_argument(&words, script);
	if (count) {
		add_argument(&words, "--repeat");
		add_argument(&words, count);
	}
	add_options(&words, r->cli);
	add_argument(&words, "--");
	for (char *const *arg = r->cli->session.argv; *arg; arg++)
		add_argument(&words, *arg);
	*array_add(&words) = NULL;
	if (!r->terminal && (null = open("/dev/null", O_RDONLY)) >= 0)
		dup2(null, STDIN_FILENO);
	session_signals_as_found();
	execv("/proc/self/exe", words.items);
	_exit(125);
}

/* Beside the first script that was loaded, where `require` finds what that requires, if that may be. */
static char *temporary(const struct repl *r, struct error *err)
{
	array_each(const struct repl_entry, entry, &r->entries) {
		const char *slash = entry->file ? strrchr(entry->file, '/') : NULL;
		char *dir, *path;

		if (entry->dropped || !entry->file)
			continue;
		dir = slash ? base_strndup(entry->file, (size_t)(slash + 1 - entry->file))
			    : base_strdup(".");
		path = access(dir, W_OK) == 0 ? file_temporary(dir, ".gatectl-repl-", "", err)
					      : file_temporary(NULL, "gatectl-repl-", "", err);
		base_free(dir);
		return path;
	}
	return file_temporary(NULL, "gatectl-repl-", "", err);
}

/* In a process of its own: the program that is looked at stays as it is. */
static int run_script(struct repl *r, const char *command, const char *count, const char *script,
		      struct error *err)
{
	siginfo_t status = {0};
	pid_t pid = fork();

	if (pid < 0)
		return error_errno(err, ERROR_SYSTEM, "fork");
	if (pid == 0)
		exec_gatectl(r, command, count, script);
	while (waitid(P_PID, (id_t)pid, &status, WEXITED) < 0 && errno == EINTR)
		;
	r->status = status.si_code == CLD_EXITED ? status.si_status : 128 + status.si_status;
	return 0;
}

int repl_run_saved(struct repl *r, const char *command, const char *count, struct error *err)
{
	char *path = temporary(r, err);
	int failed;

	if (!path)
		return -1;
	failed = repl_save(r, path, err);
	if (!failed)
		failed = run_script(r, command, count, path, err);
	unlink(path);
	base_free(path);
	return failed;
}
