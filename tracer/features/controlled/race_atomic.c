/*
 * Is an access atomic, as its statement is written? On this processor atomic loads and stores are plain
 * instructions; and a statement that makes one may access other variables, too.
 */
#include "tracer/features/controlled/controlled_internal.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

enum likeness { OTHER, SAME, UNKNOWN };

struct snippet {
	const char *at;
	size_t length;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- what is written ------------------------------------------------------------------------------- */

/* Up to the comma or the parenthesis that ends it; the rest of the line, if it goes on in the next one. */
static struct snippet argument(const char *at)
{
	struct snippet arg = {at, 0};

	for (int depth = 0; at[arg.length]; arg.length++) {
		char c = at[arg.length];

		if (!depth && (c == ',' || c == ')'))
			break;
		depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
	}
	return arg;
}

/* What is made of plain instructions: an update may be a loop that begins with a load, or, of nothing, a load alone. */
static const char *const reading[] = {"*atomic_load*", "*atomic_fetch_*", "*__atomic_*_fetch",
				      "*__sync_fetch_and_*", "*__sync_*_and_fetch"};
static const char *const writing[] = {"*atomic_store*", "*atomic_flag_clear*", "*__atomic_clear",
				      "*__sync_lock_release*"};

static bool is_operation(struct snippet word, bool writes)
{
	const char *const *names = writes ? writing : reading;
	size_t count =
		writes ? sizeof(writing) / sizeof(*writing) : sizeof(reading) / sizeof(*reading);
	char *text = base_strndup(word.at, word.length);
	bool found = false;

	for (size_t i = 0; i < count && !found; i++)
		found = fnmatch(names[i], text, 0) == 0;
	base_free(text);
	return found;
}

/* The first argument of the next of them: whose object is accessed. False: there is no more. */
static bool next_operation(const char **line, bool writes, struct snippet *arg)
{
	for (const char *at = *line; *at;) {
		struct snippet word = {at, 0};

		while (is_word(at[word.length]))
			word.length++;
		at += word.length ? word.length + strspn(at + word.length, " \t") : 1;
		if (word.length && *at == '(' && is_operation(word, writes)) {
			*arg = argument(at + 1);
			*line = at;
			return true;
		}
	}
	return false;
}

/* "lock" of "&shared->from[i].lock": the last word that is not in brackets. */
static struct snippet last_word(struct snippet in)
{
	struct snippet word = {in.at, 0};
	size_t i = in.length;
	int depth = 0;

	for (; i && (depth || !is_word(in.at[i - 1])); i--)
		depth += in.at[i - 1] == ']' ? 1 : in.at[i - 1] == '[' ? -1 : 0;
	while (i > 0 && is_word(in.at[i - 1])) {
		i--;
		word.length++;
	}
	word.at = in.at + i;
	return word;
}

static bool same(struct snippet a, struct snippet b)
{
	return a.length == b.length && strncmp(a.at, b.at, a.length) == 0;
}

static bool is_written(struct snippet in, struct snippet word)
{
	struct snippet here = {in.at, 0};

	for (const char *end = in.at + in.length; here.at < end; here.at += here.length + 1) {
		here.length = 0;
		while (here.at + here.length < end && is_word(here.at[here.length]))
			here.length++;
		if (same(here, word))
			return true;
	}
	return false;
}

/* ---- what is meant --------------------------------------------------------------------------------- */

/* To the thread that stands there. */
static enum likeness evaluate(const struct race_statement *s, struct snippet arg)
{
	struct inspect_value v;
	uint64_t address;
	ERROR(ignored);
	char *text = base_strndup(arg.at, arg.length);
	bool known = s->call && inspect_eval(s->call, text, &v, &ignored) == 0 &&
		     inspect_address(&v, &address, &ignored) == 0;

	base_free(text);
	if (!known)
		return UNKNOWN;
	return address == s->address ? SAME : OTHER;
}

/* By the name, where nobody stands there. Of a variable that is not written there nothing can be said. */
static enum likeness compare(const struct race_statement *s, struct snippet arg)
{
	const struct snippet variable = {s->variable, strlen(s->variable)};
	const struct snippet line = {s->line, strlen(s->line)};
	struct snippet name = last_word(variable);
	bool pointed = *variable.at == '*' || variable.at[variable.length - 1] == ']';

	if (!name.length || !arg.length)
		return UNKNOWN;
	if (pointed ? is_written(arg, name)
		    : same(last_word(arg), name) && memchr(arg.at, '&', arg.length))
		return SAME;
	return is_written(line, name) ? OTHER : UNKNOWN;
}

bool race_is_written_atomic(const struct race_statement *s)
{
	const char *line = s->line;
	bool is_atomic = false;
	struct snippet arg;

	while (line && !is_atomic && next_operation(&line, s->writes, &arg)) {
		enum likeness likeness = evaluate(s, arg);

		if (likeness == UNKNOWN && s->variable && *s->variable)
			likeness = compare(s, arg);
		is_atomic = likeness != OTHER;
	}
	return is_atomic;
}
