/* Makes the names of events and the descriptions of sleeps. */
#include "tracer/synth/sleeps/convert_internal.h"

#include "tracer/source/lines/source_lines.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

/* ---- names of events ---- */

enum { NAME_MOST = 200 };

/* A thread's name is its routine and, if several threads run that, its number. */
static void words_add_thread(const struct convert_plan *p, size_t thread, bool by_role,
			     struct str *out)
{
	const char *id = p->threads.items[thread];
	size_t n = strcspn(id, "#"), same = 0;
	char *base = base_strndup(id, n);

	array_each(char *, other, &p->threads)
		same += strncmp(*other, id, n) == 0 && ((*other)[n] == '#' || !(*other)[n]);
	script_identifier(same > 1 && !by_role ? id : base, "", NAME_MOST, out);
	base_free(base);
}

/* Returns the text after the parenthesis of "if (f(x) != 0)". */
static const char *condition(const char *text)
{
	size_t n = strncmp(text, "if", 2) == 0 ? 2 : strncmp(text, "while", 5) == 0 ? 5 : 0;
	size_t blanks = n ? strspn(text + n, " ") : 0;

	return n && text[n + blanks] == '(' ? text + n + blanks + 1 : text;
}

/* Appends the subject of the statement: the function that it calls, or the variable it sets. */
static void add_subject(const char *location, struct str *out)
{
	const char *text = strchr(location, ';'), *end;

	if (!text)
		return;
	text = condition(text + 1);
	end = text + strcspn(text, "=(");
	if (end > text && strchr("+-*/|&^", end[-1]))
		end--;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	text = word_before(location, end);
	if (end > text) {
		str_add(out, "_");
		str_add_bytes(out, text, (size_t)(end - text));
	}
}

void words_of_event(const struct convert_plan *p, const struct convert_order *o, bool to,
		    struct str *out)
{
	static const char *const ways[] = {
		[CONVERT_PAST] = "_past", [CONVERT_WAITS] = "_waits", [CONVERT_EXITS] = "_exits"};
	unsigned long time = to ? o->k : o->from_hit;

	words_add_thread(p, to ? o->to_thread : o->from_thread, !to && o->role, out);
	str_add(out, to ? "_goes_on" : ways[o->way]);
	if (!to && o->way != CONVERT_EXITS)
		add_subject(o->location, out);
	if (time > 1)
		str_addf(out, "_%lu", time);
}

/* ---- sites ---- */

/* Returns the name before this parenthesis; *length is 0 if there is none. */
static const char *called_at(const char *text, const char *bracket, size_t *length)
{
	const char *end = bracket, *from;

	while (end > text && end[-1] == ' ')
		end--;
	from = end;
	while (from > text && (word_char(from[-1]) || from[-1] == ':'))
		from--;
	*length = (size_t)(end - from);
	return from;
}

/* Returns the call by which the line sleeps, as written there, which may differ from libc's name
   (`known`); else the first call. Returns NULL if the text (of a macro) shows neither and `known`
   is better. The caller owns the result. */
static char *sleeping_call(const char *text, const struct convert_line *at, const char *known)
{
	char *found = NULL;

	for (const char *bracket = text; bracket && (bracket = strchr(bracket, '('));) {
		size_t n;
		const char *name = called_at(text, bracket++, &n);
		char *copy = base_strndup(name, n);
		bool sleeps = str_same(copy, known) || convert_sounds_like_sleep(copy) ||
			      strstr(copy, "wait");
		bool counts =
			n && strncmp(name, "if", 2) != 0 && strncmp(name, "while", 5) != 0 &&
			!str_same(copy, at->func); /* a function on one line names itself first */

		if (counts && (sleeps || !found)) {
			base_free(found);
			found = copy;
			copy = NULL;
		}
		base_free(copy);
		if (counts && sleeps)
			return found;
	}
	if (found && known) {
		base_free(found);
		return NULL;
	}
	return found;
}

/* True if the name is a function of the program: threads can be held there if its call cannot be
   told apart from the rest of the line. */
static bool words_is_function(struct modules *symbols, struct module *program, const char *name)
{
	struct source_sites sites = {0};
	enum location_kind kind;
	bool found = name && !strchr(name, '<') &&
		     location_resolve(symbols, program, name, &kind, &sites) &&
		     kind == LOCATION_FUNC;

	source_sites_fini(&sites);
	return found;
}

static void words_of_site(struct convert_site *site, struct modules *symbols,
			  struct module *program)
{
	const char *text = source_line(symbols, site->at.file, site->at.line);
	bool callee = words_is_function(symbols, program, site->callee);
	bool hidden = callee && text && !strstr(text, site->callee); /* in a macro */
	char *what = sleeping_call(text, &site->at, site->callee);

	if (what) {
		base_free(site->what);
		site->what = what;
	}
	if (!site->several && !hidden)
		site->location = location_of_line(symbols, program, &site->at);
	if (!site->location && callee) {
		site->location = base_strdup(site->callee);
		site->by_callee = true;
	}
	if (!site->location)
		convert_leave(site, site->several
					    ? "several sleeps are on this line; put each on a line "
					      "of its own"
					    : "no location selects the sleep alone; put it on a "
					      "line of its own, and build the test with -g -O0");
}

void convert_words(struct convert_plan *p, struct modules *symbols, struct module *program)
{
	array_each(struct convert_site, site, &p->sites)
		words_of_site(site, symbols, program);
	array_each(struct convert_order, o, &p->orders) {
		o->to_shared |= p->sites.items[o->site].by_callee;
		if (!o->location && o->way != CONVERT_EXITS)
			o->location = location_of_line(symbols, program, &o->from);
	}
}
