/* Locations and names as a person would write them. */
#include "tracer/features/convert/record.h"

#include "tracer/source/lines/source_lines.h"
#include "tracer/source/names/names.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

enum { SAME_MOST = 9 }; /* after that, numbers */

/* ---- locations ------------------------------------------------------------------------------ */

bool words_resolve(struct modules *symbols, struct module *program, const char *text,
		   enum location_kind *kind, struct source_sites *out)
{
	struct location location;
	ERROR(ignored);
	bool found;

	if (location_parse(text, &location, &ignored) < 0)
		return false;
	found = source_resolve(symbols, &program, 1, &location, out, &ignored) == SOURCE_FOUND;
	*kind = location.kind;
	location_fini(&location);
	return found;
}

/* Is it in this copy of the code? Several lambdas may be on one line. */
static bool is_code_of(const struct source_site *site, const struct convert_line *at)
{
	array_each(const struct module_range, r, &site->ranges)
		if (at->offset >= r->low && at->offset < r->high)
			return true;
	return !at->offset || site->kind == SOURCE_ENTRY || at->offset == site->offset;
}

/* The line that is to be named. */
struct line_naming {
	struct modules *symbols;
	struct module *program;
	const struct convert_line *at;
};

/* Does the text mean this line of this function, and no other line? */
static bool words_means(const struct line_naming *n, const char *text)
{
	struct source_sites sites = {0};
	enum location_kind kind;
	bool same = words_resolve(n->symbols, n->program, text, &kind, &sites) && sites.count;
	bool own = false;

	for (size_t i = 0; same && i < sites.count; i++) {
		const struct source_site *site = &sites.items[i];
		unsigned line = kind == LOCATION_FUNC ? source_function_line(site) : site->line;

		same = site->file && line == n->at->line &&
		       function_same_file(site->file, n->at->file);
		own |= is_code_of(site, n->at);
	}
	source_sites_fini(&sites);
	return same && own;
}

/* The statement without indentation, comment and punctuation. Owned by the caller. */
static char *trimmed(const char *text)
{
	static const char *const comments[] = {"//", "/*"};
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strcspn(text, "\n");
	for (size_t i = 0; i < sizeof(comments) / sizeof(*comments); i++) {
		const char *comment = strstr(text, comments[i]);

		n = comment && (size_t)(comment - text) < n ? (size_t)(comment - text) : n;
	}
	while (n > 0 && (isspace((unsigned char)text[n - 1]) || strchr(";{", text[n - 1])))
		n--;
	return base_strndup(text, n);
}

static bool is_keyword(const char *text, size_t n)
{
	static const char *const words[] = {"if", "for", "while", "switch", "return", "catch"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && strncmp(words[i], text, n) == 0)
			return true;
	return false;
}

/* "pthread_cond_wait" for "pthread_cond_wait(&c, &m)"; NULL: it does not begin with a call. */
static char *called(const char *text)
{
	size_t n =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.");
	size_t blanks = strspn(text + n, " ");

	return n && text[n + blanks] == '(' && !is_keyword(text, n) ? base_strndup(text, n) : NULL;
}

/* WHERE;TEXT, or WHERE;TEXT#K with K up to `most`. NULL: none of them means the line alone. */
static char *try_text(const struct line_naming *n, const char *where, const char *text,
		      unsigned most)
{
	STR(location);

	for (unsigned k = 0; text && *text && k <= most; k++) {
		str_clear(&location);
		str_addf(&location, "%s;%s", where, text);
		if (k)
			str_addf(&location, "#%u", k);
		if (words_means(n, str_text(&location)))
			return str_take(&location);
	}
	return NULL;
}

static char *by_text(const struct line_naming *n, const char *where)
{
	const char *source = source_line(n->symbols, n->at->file, n->at->line);
	char *text = source ? trimmed(source) : NULL;
	char *call = text ? called(text) : NULL;
	char *answer = try_text(n, where, call, 0);

	if (!answer)
		answer = try_text(n, where, text, 0);
	if (!answer)
		answer = try_text(n, where, text, SAME_MOST);
	base_free(call);
	base_free(text);
	return answer;
}

char *convert_location(struct modules *symbols, struct module *program,
		       const struct convert_line *at)
{
	const struct line_naming n = {symbols, program, at};
	const char *paths[] = {str_base_name(at->file), at->file};
	char *answer = NULL;

	if (at->func && words_means(&n, at->func))
		return base_strdup(at->func);
	if (at->func)
		answer = by_text(&n, at->func);
	if (!answer)
		answer = by_text(&n, paths[0]);
	for (size_t i = 0; !answer && i < sizeof(paths) / sizeof(*paths); i++) {
		STR(plain);

		str_addf(&plain, "%s:%u", paths[i], at->line);
		answer = words_means(&n, str_text(&plain)) ? str_take(&plain) : NULL;
	}
	return answer;
}

/* ---- names of events -------------------------------------------------------------------------- */

enum { NAME_MOST = 200 };

static bool words_is_taken(const void *ctx, const char *name)
{
	const struct convert_plan *p = ctx;

	array_each(const struct convert_order, o, &p->orders)
		if (str_same(o->from_name, name) || str_same(o->to_name, name))
			return true;
	return false;
}

static char *take_unique(const struct convert_plan *p, struct str *name)
{
	char *unique = script_unique(str_text(name), words_is_taken, p);

	str_fini(name);
	return unique;
}

/* A thread is called by its function and, if several run that, its number. */
static void words_add_thread(const struct convert_plan *p, size_t thread, struct str *out)
{
	const char *id = p->threads.items[thread];
	size_t n = strcspn(id, "#"), same = 0;
	char *base = base_strndup(id, n);

	array_each(char *, other, &p->threads)
		same += strncmp(*other, id, n) == 0 && ((*other)[n] == '#' || !(*other)[n]);
	script_identifier(same > 1 ? id : base, "", NAME_MOST, out);
	base_free(base);
}

/* What follows the bracket of "if (f(x) != 0)". */
static const char *condition(const char *text)
{
	size_t n = strncmp(text, "if", 2) == 0 ? 2 : strncmp(text, "while", 5) == 0 ? 5 : 0;
	size_t blanks = n ? strspn(text + n, " ") : 0;

	return n && text[n + blanks] == '(' ? text + n + blanks + 1 : text;
}

/* What the statement is about: what it calls, or what it sets. */
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

/* Orders that are about one event have one name for it. */
static char *name_from(const struct convert_plan *p, const struct convert_order *o)
{
	static const char *const ways[] = {
		[CONVERT_PAST] = "_past", [CONVERT_WAITS] = "_waits", [CONVERT_EXITS] = "_exits"};
	struct str name = {0};

	for (const struct convert_order *same = p->orders.items; same < o; same++)
		if (same->from_thread == o->from_thread && same->from.line == o->from.line &&
		    same->from_hit == o->from_hit && same->way == o->way && same->from_name)
			return base_strdup(same->from_name);
	words_add_thread(p, o->from_thread, &name);
	str_add(&name, ways[o->way]);
	if (o->way != CONVERT_EXITS)
		add_subject(o->location, &name);
	if (o->from_hit > 1)
		str_addf(&name, "_%lu", o->from_hit);
	return take_unique(p, &name);
}

static char *name_to(const struct convert_plan *p, const struct convert_order *o)
{
	struct str name = {0};

	for (const struct convert_order *same = p->orders.items; same < o; same++)
		if (same->to_thread == o->to_thread && same->site == o->site && same->k == o->k &&
		    same->to_name)
			return base_strdup(same->to_name);
	words_add_thread(p, o->to_thread, &name);
	str_add(&name, "_goes_on");
	if (o->k > 1)
		str_addf(&name, "_%lu", o->k);
	return take_unique(p, &name);
}

void convert_name_events(struct convert_plan *p)
{
	array_each(struct convert_order, o, &p->orders) {
		base_free(o->from_name);
		base_free(o->to_name);
		o->from_name = o->to_name = NULL;
	}
	array_each(struct convert_order, o, &p->orders) {
		if (convert_is_left(p, o))
			continue;
		o->from_name = name_from(p, o);
		o->to_name = name_to(p, o);
	}
}

/* ---- sites ------------------------------------------------------------------------------------ */

/* The name before this bracket; *length 0: there is none. */
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

/* The call by which the line sleeps, as it is written there, which may differ from libc's name
   (`known`); without one, the first call. NULL: the line (of a macro) does not show it, and `known`
   is better than some other call's name. Owned by the caller. */
static char *sleeping_call(const char *text, const struct convert_line *at, const char *known)
{
	char *found = NULL;

	for (const char *bracket = text; bracket && (bracket = strchr(bracket, '('));) {
		size_t n;
		const char *name = called_at(text, bracket++, &n);
		char *copy = base_strndup(name, n);
		bool sleeps = str_same(copy, known) || deeds_sounds_like_sleep(copy) ||
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

/* Is it a function of the program? If its call cannot be told apart from the rest of the line,
   threads can be held there. */
static bool words_is_function(struct modules *symbols, struct module *program, const char *name)
{
	struct source_sites sites = {0};
	enum location_kind kind;
	bool found = name && !strchr(name, '<') &&
		     words_resolve(symbols, program, name, &kind, &sites) && kind == LOCATION_FUNC;

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
		site->location = convert_location(symbols, program, &site->at);
	if (!site->location && callee) {
		site->location = base_strdup(site->callee);
		site->by_callee = true;
	}
	if (!site->location)
		convert_leave(site, site->several
					    ? "several sleeps are on this line; put each on a line "
					      "of its own"
					    : "no location means the sleep alone; put it on a "
					      "line of its own, and build the test with -g -O0");
}

void convert_words(struct convert_plan *p, struct modules *symbols, struct module *program)
{
	array_each(struct convert_site, site, &p->sites)
		words_of_site(site, symbols, program);
	array_each(struct convert_order, o, &p->orders) {
		o->to_shared |= p->sites.items[o->site].by_callee;
		if (!o->location && o->way != CONVERT_EXITS)
			o->location = convert_location(symbols, program, &o->from);
	}
}
