/* The commands of the REPL: one table, from which help and completion are made also. */
#include "tracer/base/text/number.h"
#include "tracer/cli/repl/repl.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <editline/readline.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int repl_usage(const char *name, struct error *err)
{
	const struct repl_command *c = repl_find(name, strlen(name));

	error_set(err, ERROR_USAGE, "%s: an argument is missing or one too many", name);
	return error_hint(err, "%s %s", c->name, c->arguments);
}

static int surplus(const struct repl_command *c, const char *rest, struct error *err)
{
	error_set(err, ERROR_USAGE, "%s: '%s' is too much", c->name, rest);
	return *c->arguments ? error_hint(err, "%s %s", c->name, c->arguments)
			     : error_hint(err, "%s takes no argument", c->name);
}

static int no_number(const char *name, const char *text, struct error *err)
{
	const struct repl_command *c = repl_find(name, strlen(name));

	error_set(err, ERROR_USAGE, "%s: '%s' is not a number from 1 on", name, text);
	return error_hint(err, "%s %s", c->name, c->arguments);
}

/* Cuts off the first word, and returns it. */
static char *take_word(char **rest)
{
	char *word = *rest;

	*rest += strcspn(*rest, " \t");
	if (**rest)
		*(*rest)++ = '\0';
	*rest += strspn(*rest, " \t");
	return word;
}

static int say(struct str *text)
{
	repl_say(str_text(text));
	str_fini(text);
	return 0;
}

/* ---- gates ---------------------------------------------------------------------------------- */

/* Returns the number of the line that uses the variable made by this line, or 0. */
static size_t user_of(const struct repl *r, const struct repl_entry *entry)
{
	static const char local[] = "local ";
	size_t length, user = 0;
	char *name;

	if (!entry->lua || strncmp(entry->lua, local, sizeof(local) - 1) != 0)
		return 0;
	name = base_strdup(entry->lua + sizeof(local) - 1);
	length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	name[length] = '\0';
	for (size_t i = 0; i < r->entries.count && length && !user; i++) {
		const struct repl_entry *other = &r->entries.items[i];

		if (other != entry && !other->dropped && other->lua &&
		    word_find(other->lua, name, length))
			user = i + 1;
	}
	base_free(name);
	return user;
}

static int cmd_drop(struct repl *r, char *rest, struct error *err)
{
	struct repl_entry *entry;
	uint64_t n;
	size_t user;

	if (!number_read(rest, r->entries.count, &n) || !n || r->entries.items[n - 1].dropped) {
		error_set(err, ERROR_USAGE, "drop: there is no line %s", rest);
		return error_hint(err, "`gates` lists them");
	}
	entry = &r->entries.items[n - 1];
	user = user_of(r, entry);
	if (user) {
		error_set(err, ERROR_USAGE, "drop: line %zu uses what line %" PRIu64 " makes", user,
			  n);
		return error_hint(err, "drop %zu", user);
	}
	entry->dropped = true;
	interactive_drop(r->interactive, &entry->made);
	return 0;
}

static int repl_gates(struct repl *r, char *rest, struct error *err)
{
	struct str out = {0};
	size_t n = 0;

	(void)rest;
	(void)err;
	array_each(const struct repl_entry, entry, &r->entries) {
		n++;
		if (!entry->dropped)
			str_addf(&out, "%2zu  %s%s\n", n, entry->file ? "source " : "",
				 entry->file ? entry->file : entry->lua);
	}
	interactive_gates(r->interactive, &out);
	return say(&out);
}

static size_t line_of_place(const void *ctx, size_t place)
{
	const struct repl *r = ctx;
	size_t n = 0;

	array_each(const struct repl_entry, entry, &r->entries) {
		n++;
		if (place - entry->made.place < entry->made.places)
			return n;
	}
	return 0;
}

static int cmd_places(struct repl *r, char *rest, struct error *err)
{
	struct str out = {0};

	(void)rest;
	(void)err;
	interactive_places(r->interactive, line_of_place, r, &out);
	return say(&out);
}

static int cmd_open(struct repl *r, char *rest, struct error *err)
{
	bool ready = interactive_state(r->interactive) == INTERACTIVE_READY;

	if (interactive_open(r->interactive, rest, err) < 0)
		return -1;
	if (ready)
		return 0;
	interactive_release_all(r->interactive, false);
	return repl_go(r);
}

/* ---- going on ------------------------------------------------------------------------------- */

static int repl_commands_go_on(struct repl *r, size_t steps, struct error *err)
{
	if (interactive_state(r->interactive) == INTERACTIVE_ENDED && repl_restart(r, err) < 0)
		return -1;
	if (r->cli->schedule)
		replay_rest(&r->replay, steps);
	interactive_release_all(r->interactive, true);
	return repl_go(r);
}

static int cmd_run(struct repl *r, char *rest, struct error *err)
{
	(void)rest;
	return repl_commands_go_on(r, 0, err);
}

static int cmd_restart(struct repl *r, char *rest, struct error *err)
{
	(void)rest;
	return repl_restart(r, err);
}

static int cmd_hold(struct repl *r, char *rest, struct error *err)
{
	return interactive_hold(r->interactive, rest, err);
}

static int cmd_go(struct repl *r, char *rest, struct error *err)
{
	if (!*rest)
		return cmd_run(r, rest, err);
	return interactive_release(r->interactive, rest, err) < 0 ? -1 : repl_go(r);
}

static int cmd_only(struct repl *r, char *rest, struct error *err)
{
	return interactive_only(r->interactive, rest, err) < 0 ? -1 : repl_go(r);
}

static int cmd_until(struct repl *r, char *rest, struct error *err)
{
	char *thread = take_word(&rest);

	if (!*rest)
		return repl_usage("until", err);
	return interactive_until(r->interactive, thread, rest, err) < 0 ? -1 : repl_go(r);
}

static int cmd_next(struct repl *r, char *rest, struct error *err)
{
	return interactive_line_step(r->interactive, rest, INTERACTIVE_NEXT, err) < 0 ? -1
										      : repl_go(r);
}

/* Takes steps of the schedule. */
static int step_on(struct repl *r, const char *rest, struct error *err)
{
	uint64_t steps = 1;

	if (!*rest || (number_read(rest, ULONG_MAX, &steps) && steps))
		return repl_commands_go_on(r, steps, err);
	error_set(err, ERROR_USAGE, "step: '%s' is not a number from 1 on", rest);
	return error_hint(err, "step [N]: in a replay, the next N steps of the schedule");
}

static int cmd_step(struct repl *r, char *rest, struct error *err)
{
	if (r->cli->schedule)
		return step_on(r, rest, err);
	return interactive_line_step(r->interactive, rest, INTERACTIVE_STEP, err) < 0 ? -1
										      : repl_go(r);
}

/* ---- looking -------------------------------------------------------------------------------- */

/* True if the first word names a thread, or could only be a misspelt one: no operator is between it
   and the next word. */
static bool begins_with_thread(const struct repl *r, const char *text)
{
	OWNED(word) = base_strndup(text, strcspn(text, " \t"));
	const char *next = text + strlen(word);

	next += strspn(next, " \t");
	return interactive_is_thread(r->interactive, word) || isalnum((unsigned char)*next) ||
	       *next == '_';
}

static int cmd_print(struct repl *r, char *rest, struct error *err)
{
	char *thread = begins_with_thread(r, rest) ? take_word(&rest) : "";
	struct str out = {0};
	int failed;

	if (!*rest)
		return repl_usage("print", err);
	failed = interactive_print(r->interactive, thread, rest, &out, err);
	say(&out);
	return failed;
}

static int cmd_events(struct repl *r, char *rest, struct error *err)
{
	uint64_t most = 20;
	struct str out = {0};

	if (*rest && (!number_read(rest, SIZE_MAX, &most) || !most))
		return no_number("events", rest, err);
	interactive_events(r->interactive, most, &out);
	return say(&out);
}

/* ---- scripts -------------------------------------------------------------------------------- */

static int cmd_save(struct repl *r, char *rest, struct error *err)
{
	struct interactive_saving how = {0};
	int failed = repl_take_without(rest, &how, err);

	if (!failed)
		failed = *rest ? repl_save(r, rest, &how, err) : repl_usage("save", err);
	interactive_saving_fini(&how);
	return failed;
}

static int cmd_source(struct repl *r, char *rest, struct error *err)
{
	return repl_file(r, rest, err);
}

static int cmd_repeat(struct repl *r, char *rest, struct error *err)
{
	struct interactive_saving how = {0};
	int failed = repl_take_without(rest, &how, err);
	uint64_t runs;

	if (!failed && !*rest)
		failed = repl_usage("repeat", err);
	else if (!failed && (!number_read(rest, ULONG_MAX, &runs) || !runs))
		failed = no_number("repeat", rest, err);
	if (!failed)
		failed = repl_run_saved(r, "run", rest, &how, err);
	interactive_saving_fini(&how);
	return failed;
}

static int cmd_prove(struct repl *r, char *rest, struct error *err)
{
	struct interactive_saving how = {0};
	int failed = repl_take_without(rest, &how, err);

	if (!failed && *rest)
		failed = surplus(repl_find("prove", 5), rest, err);
	if (!failed)
		failed = repl_run_saved(r, "prove", NULL, &how, err);
	interactive_saving_fini(&how);
	return failed;
}

static int cmd_value(struct repl *r, char *rest, struct error *err)
{
	return repl_value(r, rest, err);
}

static int cmd_help(struct repl *r, char *rest, struct error *err)
{
	const struct repl_command *only = *rest ? repl_find(rest, strlen(rest)) : NULL;
	STR(out);

	if (*rest && !only)
		return error_set(err, ERROR_USAGE, "help: '%s' is no command", rest);
	for (const struct repl_command *c = repl_commands; c->name; c++) {
		char left[64];

		if (only && c != only)
			continue;
		snprintf(left, sizeof(left), "%s %s", c->name, c->arguments);
		str_addf(&out, "  %-23s %s\n", left, c->help);
	}
	if (!only)
		str_add(&out, "Every other line is Lua, as in a gate script.\n"
			      "T is a thread's id, or its number in `threads`; without T it is\n"
			      "the thread that `threads` marks with *.\n");
	repl_page(r, str_text(&out));
	return 0;
}

static int cmd_quit(struct repl *r, char *rest, struct error *err)
{
	(void)rest;
	(void)err;
	r->quit = true;
	r->status = 0;
	return 0;
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct repl_command repl_commands[] = {
	{"gate",
	 "LOCATION [wait|open NAME]",
	 "threads wait there at a gate, or open it",
	 {WORD_LOCATION, WORD_VERB, WORD_GATE},
	 .chooses = true,
	 .run = repl_gate},
	{"drop", "N", "undo line N of `gates`", .run = cmd_drop},
	{"gates", "", "the lines that made gates and places, and the gates", .run = repl_gates},
	{"places", "", "where threads are stopped, and how often they came", .run = cmd_places},
	{"open", "NAME", "open the gate and go on", {WORD_GATE}, .chooses = true, .run = cmd_open},
	{"run", "", "go on until there is something to look at", .run = cmd_run},
	{"restart", "", "kill the program, start it again with the same gates", .starts = true,
	 .run = cmd_restart},
	{"threads", "", "each thread and what it waits for", .show = interactive_threads},
	{"hold",
	 "T",
	 "keep T where it is until `go T`",
	 {WORD_THREAD},
	 .chooses = true,
	 .run = cmd_hold},
	{"go",
	 "[T]",
	 "let T go on, past its gate; without T: as `run`",
	 {WORD_THREAD},
	 .chooses = true,
	 .run = cmd_go},
	{"only", "T", "let T alone go on", {WORD_THREAD}, .chooses = true, .run = cmd_only},
	{"until",
	 "T LOCATION",
	 "go on until T is there; T stays there until `go`",
	 {WORD_THREAD, WORD_LOCATION},
	 .chooses = true,
	 .run = cmd_until},
	{"next",
	 "T",
	 "go on until T is at another line of its function",
	 {WORD_THREAD},
	 .chooses = true,
	 .run = cmd_next},
	{"step",
	 "T",
	 "the same, into calls; in a replay: [N], next N steps",
	 {WORD_THREAD},
	 .run = cmd_step},
	{"bt", "[T]", "the calls of T", {WORD_THREAD}, .ask = interactive_backtrace},
	{"locals",
	 "[T]",
	 "the variables of T's function",
	 {WORD_THREAD},
	 .ask = interactive_locals},
	{"print",
	 "[T] EXPR",
	 "the value of a C expression in T's function",
	 {WORD_THREAD},
	 .run = cmd_print},
	{"list",
	 "[T|LOCATION]",
	 "the source where T is, or there",
	 {WORD_SOURCE},
	 .ask = interactive_list},
	{"find",
	 "FUNC;TEXT",
	 "the lines of FUNC, or of a file, that have TEXT",
	 {WORD_LOCATION},
	 .ask = interactive_find},
	{"why", "", "what stops progress", .show = interactive_why},
	{"events", "[N]", "the last N events (20)", .run = cmd_events},
	{"repeat", "N", "run the script of `save` by itself, N times", .chooses = true,
	 .starts = true, .run = cmd_repeat},
	{"prove", "[--without N]", "which gates of that script matter", .chooses = true,
	 .starts = true, .run = cmd_prove},
	{"save",
	 "FILE [--without N]",
	 "write all this as a gate script, without step N",
	 {WORD_PATH},
	 .chooses = true,
	 .run = cmd_save},
	{"source", "FILE", "load a gate script", {WORD_PATH}, .run = cmd_source},
	{"=", "LUA", "the value of a Lua expression", .run = cmd_value},
	{"help", "[WORD]", "all commands, or one", {WORD_COMMAND}, .run = cmd_help},
	{"quit", "", "kill the program, or leave the process of --pid", .run = cmd_quit},
	{0},
};

const struct repl_command *repl_find(const char *name, size_t length)
{
	for (const struct repl_command *c = repl_commands; c->name; c++)
		if (strlen(c->name) == length && strncmp(c->name, name, length) == 0)
			return c;
	return NULL;
}

int repl_do(struct repl *r, const struct repl_command *c, char *rest, struct error *err)
{
	bool required =
		*c->arguments && *c->arguments != '[' && !(r->cli->schedule && c->run == cmd_step);
	struct str out = {0};
	int failed = 0;

	if (required && !*rest)
		return repl_usage(c->name, err);
	if (*rest && !*c->arguments)
		return surplus(c, rest, err);
	if (c->chooses && r->cli->schedule) {
		error_set(err, ERROR_USAGE, "%s: in a replay the schedule chooses the thread",
			  c->name);
		return error_hint(err, "`step` takes its next step, `run` all that are left");
	}
	if (c->starts && repl_refuse_start(r, err) < 0)
		return -1;
	if (c->run)
		return c->run(r, rest, err);
	if (c->show)
		c->show(r->interactive, &out);
	else
		failed = c->ask(r->interactive, rest, &out, err);
	if (failed)
		str_clear(&out);
	say(&out);
	return failed;
}

/* ---- completion: commands first, then kinds of arguments ------------------------------------- */

static struct repl *owner; /* libedit passes no context */

struct names {
	const char *begin;
	ARRAY(char *) items;
};
static struct names found;

static void repl_complete_offer(void *ctx, const char *name)
{
	(void)ctx;
	if (strncmp(name, found.begin, strlen(found.begin)) != 0)
		return;
	array_each(char *, old, &found.items)
		if (strcmp(*old, name) == 0)
			return;
	*array_add(&found.items) = strdup(name);
}

static void offer_names(enum interactive_names what)
{
	STR(name);

	for (size_t i = 0; interactive_name(owner->interactive, what, i, &name); i++) {
		repl_complete_offer(NULL, str_text(&name));
		str_clear(&name);
	}
}

/* Returns the kind of the argument that begins at `start`. */
static enum repl_word repl_complete_word_at(const char *line, int start)
{
	size_t length = strcspn(line, " \t");
	const struct repl_command *c = repl_find(line, length);
	unsigned n = 0;

	if (!c || start <= (int)length)
		return start <= (int)length ? WORD_COMMAND : WORD_NONE;
	for (int i = (int)length; i < start; i++)
		n += (line[i] == ' ' || line[i] == '\t') && line[i + 1] != ' ' &&
		     line[i + 1] != '\t';
	return n >= 1 && n <= 3 ? c->words[n - 1] : WORD_NONE;
}

static char *repl_complete_next(const char *text, int state)
{
	static size_t at;

	(void)text;
	if (!state)
		at = 0;
	return at < found.items.count ? strdup(found.items.items[at++]) : NULL;
}

static void repl_complete_collect(enum repl_word word)
{
	switch (word) {
	case WORD_COMMAND:
		for (const struct repl_command *c = repl_commands; c->name; c++)
			repl_complete_offer(NULL, c->name);
		break;
	case WORD_LOCATION:
		interactive_locations(owner->interactive, found.begin, repl_complete_offer);
		break;
	case WORD_THREAD:
		offer_names(INTERACTIVE_THREADS);
		break;
	case WORD_SOURCE:
		offer_names(INTERACTIVE_THREADS);
		interactive_locations(owner->interactive, found.begin, repl_complete_offer);
		break;
	case WORD_GATE:
		offer_names(INTERACTIVE_GATES);
		break;
	case WORD_VERB:
		repl_complete_offer(NULL, "wait");
		repl_complete_offer(NULL, "open");
		break;
	case WORD_PATH:
	case WORD_NONE:
		break;
	}
}

static char **complete(const char *text, int start, int end)
{
	enum repl_word word = repl_complete_word_at(rl_line_buffer, start);
	char **matches;

	(void)end;
	if (word == WORD_PATH)
		return NULL; /* libedit completes file names itself */
	rl_attempted_completion_over = 1;
	found.begin = text;
	repl_complete_collect(word);
	matches = rl_completion_matches(text, repl_complete_next);
	array_each(char *, name, &found.items)
		free(*name);
	array_fini(&found.items);
	return matches;
}

void repl_completion(struct repl *r)
{
	owner = r;
	rl_attempted_completion_function = complete;
	rl_basic_word_break_characters = " \t";
}
