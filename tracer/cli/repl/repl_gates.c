/* The REPL's `gate`: a place that waits or opens, as a line of Lua, with an existing or new
   gate. */
#include "tracer/cli/repl/repl.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	return !s[word_length(s)];
}

static void cut_blanks(char *text)
{
	size_t length = strlen(text);

	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
}

/* Returns the last word of the first `length` bytes. */
static char *last_word(char *text, size_t length)
{
	while (length && !isspace((unsigned char)text[length - 1]))
		length--;
	return text + length;
}

/* LOCATION may contain blanks, so the verb and the name are the last two words. */
static const char *split_verb(char *rest, char **name)
{
	char *last = last_word(rest, strlen(rest)), *verb;
	size_t length = (size_t)(last - rest);

	while (length && isspace((unsigned char)rest[length - 1]))
		length--;
	verb = last_word(rest, length);
	if (verb == rest || rest + length - verb != 4 ||
	    (strncmp(verb, "wait", 4) != 0 && strncmp(verb, "open", 4) != 0))
		return NULL;
	rest[length] = verb[-1] = '\0';
	*name = last;
	return verb;
}

/* A location contains blanks only after a ; or in a comment. */
static bool lacks_name(char *rest)
{
	const char *last = last_word(rest, strlen(rest));

	return last > rest && !strchr(rest, ';') && strncmp(rest, "//", 2) != 0 &&
	       (strcmp(last, "wait") == 0 || strcmp(last, "open") == 0);
}

static bool is_gate(struct repl *r, const char *name)
{
	STR(known);
	bool found = false;

	for (size_t i = 0; !found && interactive_name(r->interactive, INTERACTIVE_GATES, i, &known);
	     i++) {
		found = strcmp(str_text(&known), name) == 0;
		str_clear(&known);
	}
	return found;
}

/* Returns the last line with this text, dropped or not. */
static struct repl_entry *entry_of(struct repl *r, const char *lua)
{
	struct repl_entry *found = NULL;

	array_each(struct repl_entry, entry, &r->entries)
		if (entry->lua && strcmp(entry->lua, lua) == 0)
			found = entry;
	return found;
}

/* A dropped line is restored if its gate still exists. */
static int make_gate(struct repl *r, const char *name, struct repl_entry **line, struct error *err)
{
	struct repl_entry *entry;
	STR(lua);
	int failed = 0;

	str_addf(&lua, "local %s = SimpleGate \"%s\"", name, name);
	entry = entry_of(r, str_text(&lua));
	if (entry && entry->dropped && is_gate(r, name)) {
		entry->dropped = false;
		interactive_take_up(r->interactive, &entry->made);
	} else {
		failed = repl_lua(r, str_text(&lua), err);
		entry = entry_of(r, str_text(&lua));
	}
	if (!failed)
		*line = entry;
	return failed;
}

static void bad_name(const char *name, const char *why, struct error *err)
{
	error_set(err, ERROR_USAGE, "'%s' cannot be the name of a gate%s", name, why);
	error_hint(err, "letters, digits and _: gate calc.c:7 wait done");
}

/* Returns the variable that holds the gate, or NULL with *err set. *line: the line that has just
   made it, or NULL. The caller frees the result. */
static char *gate_variable(struct repl *r, const char *name, struct repl_entry **line,
			   struct error *err)
{
	const char *variable = name;

	switch (interactive_gate(r->interactive, name, &variable)) {
	case INTERACTIVE_GATE_KNOWN:
		return base_strdup(variable);
	case INTERACTIVE_GATE_NAMELESS:
		error_set(err, ERROR_USAGE, "gate '%s': no variable of the script holds it", name);
		error_hint(err, "declare it at the start of a line: local g = SimpleGate \"%s\"",
			   name);
		return NULL;
	case INTERACTIVE_GATE_TAKEN:
		bad_name(name, is_name(name) ? ": scripts use that word" : "", err);
		return NULL;
	case INTERACTIVE_GATE_NONE:
		break;
	}
	if (!is_name(name)) {
		bad_name(name, "", err);
		return NULL;
	}
	return make_gate(r, name, line, err) < 0 ? NULL : base_strdup(name);
}

static int make_place(struct repl *r, const char *location, const char *verb, const char *name,
		      const char *variable, struct error *err)
{
	bool opens = strcmp(verb, "open") == 0;
	STR(lua);
	int failed;

	str_add(&lua, "at ");
	foreign_lua_string(&lua, location);
	str_addf(&lua, ":%s(%s)", verb, variable);
	failed = repl_lua(r, str_text(&lua), err);
	if (!failed) {
		str_clear(&lua);
		str_addf(&lua, "%zu: %s %s gate %s\n", r->entries.count, location,
			 opens ? "opens" : "waits at", name);
		repl_say(str_text(&lua));
	}
	return failed;
}

int repl_gate(struct repl *r, char *rest, struct error *err)
{
	struct repl_entry *line = NULL;
	char made[32], *name = made, *variable;
	const char *verb;
	int failed;

	cut_blanks(rest);
	verb = split_verb(rest, &name);
	cut_blanks(rest);
	if (!*rest || (!verb && lacks_name(rest)))
		return repl_usage("gate", err);
	if (!verb) {
		do
			snprintf(made, sizeof(made), "g%u", ++r->gates);
		while (is_gate(r, made));
	}
	variable = gate_variable(r, name, &line, err);
	if (!variable)
		return -1;
	failed = make_place(r, rest, verb ? verb : "wait", name, variable, err);
	base_free(variable);
	if (failed && line) { /* a saved script must not contain it */
		line->dropped = true;
		interactive_drop(r->interactive, &line->made);
	}
	return failed;
}
