/* Writes the parts of gate scripts: places, orders, ends, comments, identifiers. */
#include "tracer/synth/script/script.h"

#include "tracer/base/array.h"
#include "tracer/base/signame.h"
#include "tracer/base/text/foreign.h"

#include <ctype.h>
#include <string.h>

enum { COLUMNS = 95 }; /* after "-- " */

/* ---- places ---- */

struct options {
	struct str *out;
	const char *before; /* separator before the next option */
};

static void add_option(struct options *o, const char *name)
{
	str_addf(o->out, "%s%s = ", o->before, name);
	o->before = ", ";
}

static void add_options(const struct script_place *place, struct str *out)
{
	struct options o = {out, ", { "};

	if (place->thread) {
		add_option(&o, "thread");
		foreign_lua_string(out, place->thread);
		str_add(out, place->numbered ? " .. i" : "");
	}
	if (place->hit) {
		add_option(&o, "hit");
		str_addf(out, "%lu", place->hit);
	}
	if (place->after) {
		add_option(&o, "after");
		str_add(out, "true");
	}
	if (place->optional) {
		add_option(&o, "optional");
		str_add(out, "true");
	}
	str_add(out, " })");
}

void script_place(const struct script_place *place, struct str *out)
{
	static const char *const events[] = {
		[SCRIPT_THREAD_START] = "thread-start",
		[SCRIPT_THREAD_EXIT] = "thread-exit",
		[SCRIPT_EXIT] = "exit",
	};
	bool options = place->thread || place->hit || place->after || place->optional;
	bool location = place->kind == SCRIPT_LOCATION;

	str_addf(out, "%s%s", location ? "at" : "on", options ? "(" : " ");
	foreign_lua_string(out, location ? place->location : events[place->kind]);
	if (options)
		add_options(place, out);
}

void script_order(const char *from, bool blocked, const char *to, struct str *out)
{
	str_addf(out, blocked ? "[%s] -> %s" : "%s -> %s", from, to);
}

static const char *const end_fields[] = {
	[SCRIPT_END_EXIT] = "exit",
	[SCRIPT_END_SIGNAL] = "signal",
	[SCRIPT_END_DEADLOCK] = "deadlock",
	[SCRIPT_END_LIVELOCK] = "livelock",
	[SCRIPT_END_TIME_LIMIT] = "time_limit",
};

void script_expect(enum script_expected end, int number, const char *at, const char *output,
		   struct str *out)
{
	if (end == SCRIPT_END_ANY)
		return;
	str_addf(out, "expect { %s = ", end_fields[end]);
	if (end == SCRIPT_END_EXIT)
		str_addf(out, "%d", number);
	else if (end == SCRIPT_END_SIGNAL)
		str_addf(out, "\"SIG%s\"", signame_text(number));
	else
		str_add(out, "true");
	if (at) {
		str_add(out, ", at = ");
		foreign_lua_string(out, at);
	}
	if (output) {
		str_add(out, ", stdout = ");
		foreign_lua_string(out, output);
	}
	str_add(out, " }");
}

/* ---- comments ---- */

void script_comment(const char *text, unsigned indent, struct str *out)
{
	STR(shown);
	STR(line);
	bool is_first = true; /* first word of its line */

	foreign_lines(&shown, text, "\t");
	for (const char *at = str_text(&shown); *at; is_first = false) {
		size_t n = strcspn(at, " \t");

		if (line.length && line.length + 1 + n > COLUMNS) {
			foreign_lua_comment(out, "%s", str_text(&line));
			str_clear(&line);
			str_addf(&line, "%*s", (int)indent, "");
			is_first = true;
		}
		str_addf(&line, is_first ? "%.*s" : " %.*s", (int)n, at);
		at += n + strspn(at + n, " \t");
	}
	foreign_lua_comment(out, "%s", str_text(&line));
}

void script_comments(const char *text, struct str *out)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		OWNED(line) = base_strndup(text, n);

		script_comment(line, 0, out);
		text += n + (text[n] == '\n');
	}
}

/* ---- names ---- */

void script_identifier(const char *text, const char *without, size_t most, struct str *out)
{
	size_t end = out->length + most;

	for (; *text && out->length < end; text++) {
		if (isalnum((unsigned char)*text))
			str_add_bytes(out, text, 1);
		else if (!strchr(without, *text) && out->length &&
			 out->text[out->length - 1] != '_')
			str_add(out, "_");
	}
	while (out->length && out->text[out->length - 1] == '_')
		out->text[--out->length] = '\0';
}
