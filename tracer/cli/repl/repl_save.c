/* The session as a script: the accepted lines, and what interactive/ makes of manual steps. */
#include "tracer/base/files/file.h"
#include "tracer/base/signame.h"
#include "tracer/base/text/foreign.h"
#include "tracer/cli/repl/repl.h"
#include "tracer/synth/script/script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int repl_save_add_file(struct str *out, const char *path, struct error *err)
{
	OWNED(text) = file_read(path, err);

	if (!text)
		return -1;
	foreign_lua_comment(out, "from %s", path);
	str_add(out, text);
	if (out->text[out->length - 1] != '\n')
		str_add(out, "\n");
	return 0;
}

/* True if a line gives the gate a Lua variable of its own name. */
static bool is_variable(void *ctx, const char *gate)
{
	const struct repl *r = ctx;
	STR(line);
	bool found = false;

	str_addf(&line, "local %s = SimpleGate \"%s\"", gate, gate);
	array_each(const struct repl_entry, entry, &r->entries)
		found |= entry->lua && !entry->dropped && strcmp(entry->lua, str_text(&line)) == 0;
	return found;
}

static const char local[] = "local ";

static bool is_local(const struct repl_entry *entry)
{
	return entry->lua && !entry->dropped && strncmp(entry->lua, local, strlen(local)) == 0;
}

static size_t count_locals(const struct repl *r)
{
	size_t locals = 0;

	array_each(const struct repl_entry, entry, &r->entries)
		locals += is_local(entry);
	return locals;
}

/* With too many local variables for Lua, gates become global ones. */
static bool is_crowded_gate(const struct repl *r, const struct repl_entry *entry)
{
	return is_local(entry) && strstr(entry->lua, " = SimpleGate \"") &&
	       count_locals(r) > SCRIPT_MOST_LOCALS;
}

static int repl_save_add_entry(const struct repl *r, struct str *out,
			       const struct repl_entry *entry, struct error *err)
{
	if (entry->dropped)
		return 0;
	if (entry->late && (entry->made.places || entry->made.orders))
		foreign_lua_comment(out, "by hand, this was added after the program had begun:");
	if (entry->file)
		return repl_save_add_file(out, entry->file, err);
	str_addf(out, "%s\n", entry->lua + (is_crowded_gate(r, entry) ? strlen(local) : 0));
	return 0;
}

/* Returns a name for the steps that hides none of the user's. */
static const char *free_word(const char *text)
{
	static const char *const words[] = {"step", "turn", "stage", "phase", "stop"};
	size_t i = 0;

	while (i + 1 < sizeof(words) / sizeof(*words) && strstr(text, words[i]))
		i++;
	return words[i];
}

/* Arguments of the command line are added, so that the script alone is the test. */
static void add_args(const struct repl *r, struct str *out)
{
	char *const *argv = r->cli->run.argv;

	if (!argv[0] || !argv[1])
		return;
	str_add(out, "args {");
	for (size_t i = 1; argv[i]; i++) {
		str_add(out, i > 1 ? ", " : " ");
		foreign_lua_string(out, argv[i]);
	}
	str_add(out, " }\n");
}

/* A script that forces a crash or a deadlock expects it, unless the tester's lines have an expect.
   An exit status is passed on as it is. */
static void add_expect(const struct repl *r, struct str *out)
{
	int signal = 0;
	enum expect_end end = interactive_failure(r->interactive, &signal);

	if (end == EXPECT_ANY_END || interactive_has_expect(r->interactive))
		return;
	str_add(out, "\n");
	script_expect(end == EXPECT_SIGNAL ? SCRIPT_END_SIGNAL : SCRIPT_END_DEADLOCK, signal, NULL,
		      NULL, out);
	str_add(out, "\n");
}

static int script_text(struct repl *r, struct interactive_saving *how, struct str *out,
		       struct error *err)
{
	STR(entries);
	int failed = 0;

	array_each(const struct repl_entry, entry, &r->entries)
		failed = failed || repl_save_add_entry(r, &entries, entry, err) < 0;
	how->word = free_word(str_text(&entries));
	how->locals = count_locals(r) <= SCRIPT_MOST_LOCALS ? count_locals(r) : 0;
	how->is_variable = is_variable;
	how->ctx = r;
	failed = failed || interactive_save(r->interactive, how, err) < 0;
	if (!failed) {
		foreign_lua_comment(out, "gatectl run -g THIS %s", r->cli->run.argv[0]);
		if (!interactive_has_args(r->interactive))
			add_args(r, out);
		str_addf(out, "%s%s", str_text(&how->before), str_text(&entries));
		if (how->behind.length)
			str_addf(out, "\n-- what was done by hand\n%s", str_text(&how->behind));
		add_expect(r, out);
	}
	return failed ? -1 : 0;
}

/* A thread that is held now is held in each run of the script, where no user releases it. */
static void note_held(struct repl *r)
{
	STR(who);
	STR(line);

	if (interactive_held(r->interactive, &who)) {
		str_addf(&line, "note: %s: open its gate, or the script also ends there\n",
			 str_text(&who));
		repl_say(str_text(&line));
	}
}

static bool is_yes(struct repl *r, const char *question)
{
	char *answer = repl_ask(r, question);
	bool yes = answer && (answer[0] == 'y' || answer[0] == 'Y');

	free(answer);
	return yes;
}

/* Asks the user; on a pipe no user can answer. */
static bool leaves_out(struct repl *r, size_t step, struct error *err)
{
	STR(question);
	bool yes;

	if (!r->terminal) {
		error_hint(err, "leave it out: save FILE --without %zu", step);
		return false;
	}
	repl_say(err->text);
	repl_say("\n");
	str_addf(&question, "leave step %zu out? (y or n) ", step);
	yes = is_yes(r, str_text(&question));
	if (!yes)
		error_hint(err, "save FILE --without %zu", step);
	return yes;
}

/* Makes the text, without the steps that the user leaves out. */
static int make_script(struct repl *r, struct interactive_saving *how, struct str *text,
		       struct error *err)
{
	int failed;

	while ((failed = script_text(r, how, text, err)) < 0 && how->refused &&
	       leaves_out(r, how->refused, err)) {
		*array_add(&how->without) = how->refused;
		error_fini(err);
	}
	return failed;
}

static void say_notes(struct repl *r, const struct interactive_saving *how)
{
	repl_say(str_text(&how->notes));
	note_held(r);
}

/* Says what was written: "saved lost.lua: 2 gates, expects SIGSEGV". */
static void say_saved(const struct repl *r, const char *path, bool replaced, size_t gates)
{
	int signal = 0;
	enum expect_end end = interactive_failure(r->interactive, &signal);
	STR(line);

	str_addf(&line, "saved %s: %zu gate%s, ", path, gates, gates == 1 ? "" : "s");
	if (interactive_has_expect(r->interactive))
		str_add(&line, "with the expect of its lines");
	else if (end == EXPECT_SIGNAL)
		str_addf(&line, "expects SIG%s", signame_text(signal));
	else
		str_add(&line, end == EXPECT_DEADLOCK ? "expects a deadlock" : "without expect");
	str_add(&line, replaced ? " (it replaces an older file)\n" : "\n");
	repl_say(str_text(&line));
}

/* Asks the user before a file is replaced; commands on a pipe replace it, as a shell's do. */
static bool may_replace(struct repl *r, const char *path, struct error *err)
{
	STR(question);

	if (!r->terminal)
		return true;
	str_addf(&question, "%s exists: replace it? (y or n) ", path);
	if (is_yes(r, str_text(&question)))
		return true;
	error_set(err, ERROR_USAGE, "%s is left as it was, and nothing is saved", path);
	error_hint(err, "save to another file");
	return false;
}

int repl_save(struct repl *r, const char *path, struct interactive_saving *how, struct error *err)
{
	bool exists = access(path, F_OK) == 0;
	STR(text);

	if (make_script(r, how, &text, err) < 0 || (exists && !may_replace(r, path, err)) ||
	    file_replace(path, str_text(&text), err) < 0)
		return -1;
	say_saved(r, path, exists, interactive_gate_count(r->interactive) + how->gates);
	say_notes(r, how);
	return 0;
}

int repl_take_without(char *words, struct interactive_saving *how, struct error *err)
{
	static const char option[] = "--without";
	char *at = strstr(words, option), *rest = at ? at + sizeof(option) - 1 : NULL;

	if (!at || (at > words && at[-1] != ' ' && at[-1] != '\t'))
		return 0;
	while (*(rest += strspn(rest, " \t,"))) {
		unsigned long n = strtoul(rest, &rest, 10);

		if (!n || (*rest && !strchr(" \t,", *rest))) {
			error_set(err, ERROR_USAGE, "--without: '%s' is not the number of a step",
				  at + sizeof(option) - 1);
			return error_hint(err, "save FILE --without 3, 5");
		}
		*array_add(&how->without) = n;
	}
	while (at > words && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	*at = '\0';
	return 0;
}

/* ---- runs of the script ---------------------------------------------------------------------- */

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

/* Adds the options of the REPL, except those that the script contains. */
static void add_options(struct cli_words *words, const struct cli *cli)
{
	add_argument(words, cli->color ? "--color=always" : "--color=never");
	add_seconds(words, "--gate-limit", cli->run.gate_limit);
	add_seconds(words, "--time-limit", cli->run.time_limit);
	if (cli->run.leftover) {
		add_argument(words, "--leftover");
		add_argument(words, options_leftover[cli->run.leftover]);
	}
	if (cli->run.no_follow)
		add_argument(words, "--no-follow");
	if (cli->no_cache)
		add_argument(words, "--no-cache");
	if (cli->run.verbose)
		add_argument(words, "--verbose");
	if (cli->run.quiet)
		add_argument(words, "--quiet");
}

/* Runs in the child. On a pipe, commands for the REPL are not input for the program. */
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
	for (char *const *arg = r->cli->run.argv; *arg; arg++)
		add_argument(&words, *arg);
	*array_add(&words) = NULL;
	if (!r->terminal && (null = open("/dev/null", O_RDONLY)) >= 0)
		dup2(null, STDIN_FILENO);
	run_signals_as_found();
	execv("/proc/self/exe", words.items);
	_exit(125);
}

/* The file is put beside the first loaded script if possible, where `require` finds its modules. */
static char *temporary(const struct repl *r, struct error *err)
{
	array_each(const struct repl_entry, entry, &r->entries) {
		const char *slash = entry->file ? strrchr(entry->file, '/') : NULL;
		char *dir, *path;

		if (entry->dropped || !entry->file)
			continue;
		dir = slash ? base_strndup(entry->file, (size_t)(slash + 1 - entry->file))
			    : base_strdup(".");
		path = access(dir, W_OK) == 0 ? file_temporary(dir, "." CLI_TYPED, "", err)
					      : file_temporary(NULL, CLI_TYPED, "", err);
		base_free(dir);
		return path;
	}
	return file_temporary(NULL, CLI_TYPED, "", err);
}

/* gatectl runs in another process: the program at the prompt is not affected. */
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

int repl_run_saved(struct repl *r, const char *command, const char *count,
		   struct interactive_saving *how, struct error *err)
{
	char *path = temporary(r, err);
	STR(text);
	int failed;

	if (!path)
		return -1;
	failed = make_script(r, how, &text, err);
	if (!failed)
		failed = file_replace(path, str_text(&text), err);
	if (!failed) {
		say_notes(r, how);
		failed = run_script(r, command, count, path, err);
	}
	unlink(path);
	base_free(path);
	return failed;
}
