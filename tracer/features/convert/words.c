/* Locations and names as a person would write them. */
#include "tracer/features/convert/record.h"

#include "tracer/source/lines/source_lines.h"
#include "tracer/source/names/names.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

enum { SAME_MOST = 9 }; /* after that, numbers */

/* ---- locations ------------------------------------------------------------------------------ */

/* Is it in this copy of the code? Several lambdas may be on one line. */
static bool is_code_of(const struct source_site *site, const struct convert_line *at)
{
	array_each(const struct module_range, r, &site->ranges)
		if (at->offset >= r->low && at->offset < r->high)
			return true;
	return !at->offset || site->kind == SOURCE_ENTRY || at->offset == site->offset;
}

/* Does the text mean this line of this function, and no other line? */
static bool words_means(struct modules *symbols, struct module *program, const char *text,
			const struct convert_line *at)
{
	struct source_sites sites = {0};
	struct location location;
	ERROR(ignored);
	bool same, own = false;

	if (location_parse(text, &location, &ignored) < 0)
		return false;
	same = source_resolve(symbols, &program, 1, &location, &sites, &ignored) == SOURCE_FOUND &&
	       sites.count;
	for (size_t i = 0; same && i < sites.count; i++) {
		const struct source_site *site = &sites.items[i];
		unsigned line =
			location.kind == LOCATION_FUNC ? source_function_line(site) : site->line;

		same = site->file && line == at->line && function_same_file(site->file, at->file);
		own |= is_code_of(site, at);
	}
	source_sites_fini(&sites);
	location_fini(&location);
	return same && own;
}

/* The statement without indentation, comment and punctuation. Owned by the caller. */
static char *trimmed(const char *text)
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strcspn(text, "\n");
	for (const char *comment = strstr(text, "//"); comment; comment = NULL)
		n = (size_t)(comment - text) < n ? (size_t)(comment - text) : n;
	for (const char *comment = strstr(text, "/*"); comment; comment = NULL)
		n = (size_t)(comment - text) < n ? (size_t)(comment - text) : n;
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

static char *try_text(struct modules *symbols, struct module *program,
		      const struct convert_line *at, const char *where, const char *text,
		      unsigned most)
{
	struct str location = {0};

	for (unsigned k = 0; *text && k <= most; k++) {
		str_clear(&location);
		str_addf(&location, "%s;%s", where, text);
		if (k)
			str_addf(&location, "#%u", k);
		if (words_means(symbols, program, str_text(&location), at))
			return str_take(&location);
	}
	str_fini(&location);
	return NULL;
}

static char *by_text(struct modules *symbols, struct module *program, const struct convert_line *at,
		     const char *where)
{
	const char *source = source_line(symbols, at->file, at->line);
	char *text = source ? trimmed(source) : NULL;
	char *call = text ? called(text) : NULL;
	char *answer = call ? try_text(symbols, program, at, where, call, 0) : NULL;

	if (!answer && text)
		answer = try_text(symbols, program, at, where, text, 0);
	if (!answer && text)
		answer = try_text(symbols, program, at, where, text, SAME_MOST);
	base_free(call);
	base_free(text);
	return answer;
}

char *convert_location(struct modules *symbols, struct module *program,
		       const struct convert_line *at)
{
	struct str plain = {0};
	char *answer;

	if (at->func && words_means(symbols, program, at->func, at))
		return base_strdup(at->func);
	answer = at->func ? by_text(symbols, program, at, at->func) : NULL;
	if (!answer)
		answer = by_text(symbols, program, at, str_base_name(at->file));
	if (answer)
		return answer;
	str_addf(&plain, "%s:%u", str_base_name(at->file), at->line);
	if (words_means(symbols, program, str_text(&plain), at))
		return str_take(&plain);
	str_clear(&plain);
	str_addf(&plain, "%s:%u", at->file, at->line);
	if (words_means(symbols, program, str_text(&plain), at))
		return str_take(&plain);
	str_fini(&plain);
	return NULL;
}

/* ---- names of events -------------------------------------------------------------------------- */

static void words_add_word(struct str *out, const char *text)
{
	for (; *text; text++)
		if (word_char(*text))
			str_add_bytes(out, text, 1);
		else if (out->length && out->text[out->length - 1] != '_')
			str_add(out, "_");
	if (out->length && out->text[out->length - 1] == '_')
		out->length--; /* something follows */
}

static bool words_is_taken(const struct convert_plan *p, const struct convert_order *own,
			   const char *name)
{
	array_each(const struct convert_order, o, &p->orders) {
		if (o == own)
			return false;
		if ((o->from_name && strcmp(o->from_name, name) == 0) ||
		    (o->to_name && strcmp(o->to_name, name) == 0))
			return true;
	}
	return false;
}

static char *unique(const struct convert_plan *p, const struct convert_order *own, struct str *name)
{
	size_t length = name->length;

	for (unsigned n = 2; words_is_taken(p, own, str_text(name)); n++) {
		name->length = length;
		str_addf(name, "_%u", n);
	}
	return str_take(name);
}

/* A thread is called by its function and, if several run that, its number. */
static void words_add_thread(const struct convert_plan *p, size_t thread, struct str *out)
{
	const char *id = p->threads.items[thread], *hash = strchr(id, '#');
	size_t n = hash ? (size_t)(hash - id) : strlen(id), same = 0;
	char *base = base_strndup(id, n);

	array_each(char *, other, &p->threads)
		same += strncmp(*other, id, n) == 0 && ((*other)[n] == '#' || !(*other)[n]);
	words_add_word(out, same > 1 ? id : base);
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

static void name_from(const struct convert_plan *p, struct convert_order *o)
{
	struct str name = {0};

	words_add_thread(p, o->from_thread, &name);
	str_add(&name, o->exits ? "_exits" : o->blocked ? "_waits" : "_past");
	if (!o->exits)
		add_subject(o->location, &name);
	if (o->from_hit > 1)
		str_addf(&name, "_%lu", o->from_hit);
	array_each(const struct convert_order, same, &p->orders) {
		if (same == o)
			break;
		if (same->from_thread == o->from_thread && same->from.line == o->from.line &&
		    same->from_hit == o->from_hit && same->blocked == o->blocked &&
		    same->exits == o->exits && same->from_name) {
			o->from_name = base_strdup(same->from_name);
			str_fini(&name);
			return;
		}
	}
	o->from_name = unique(p, o, &name);
}

static void name_to(const struct convert_plan *p, struct convert_order *o)
{
	struct str name = {0};

	array_each(const struct convert_order, same, &p->orders) {
		if (same == o)
			break;
		if (same->to_thread == o->to_thread && same->site == o->site && same->k == o->k &&
		    same->to_name) {
			o->to_name = base_strdup(same->to_name);
			return;
		}
	}
	words_add_thread(p, o->to_thread, &name);
	str_add(&name, "_goes_on");
	if (o->k > 1)
		str_addf(&name, "_%lu", o->k);
	o->to_name = unique(p, o, &name);
}

/* A function on one line names itself first. */
static bool is_own_name(const char *name, size_t n, const struct convert_line *at)
{
	return at->func && strlen(at->func) == n && strncmp(name, at->func, n) == 0;
}

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
static char *sleeping_call(struct modules *symbols, const struct convert_line *at,
			   const char *known)
{
	const char *text = source_line(symbols, at->file, at->line);
	const char *bracket = text;
	char *found = NULL;
	bool sleeps = false;

	while (bracket && (bracket = strchr(bracket, '('))) {
		size_t length;
		const char *name = called_at(text, bracket++, &length);
		char *copy;

		if (sleeps || !length || strncmp(name, "if", 2) == 0 ||
		    strncmp(name, "while", 5) == 0 || is_own_name(name, length, at))
			continue;
		copy = base_strndup(name, length);
		sleeps = deeds_same_text(copy, known) || deeds_sounds_like_sleep(copy) ||
			 strstr(copy, "wait");
		if (found && !sleeps) {
			base_free(copy);
			continue;
		}
		base_free(found);
		found = copy;
	}
	if (found && known && !sleeps) {
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
	struct location location;
	ERROR(ignored);
	bool found;

	if (!name || strchr(name, '<') || location_parse(name, &location, &ignored) < 0)
		return false;
	found = location.kind == LOCATION_FUNC &&
		source_resolve(symbols, &program, 1, &location, &sites, &ignored) == SOURCE_FOUND;
	source_sites_fini(&sites);
	location_fini(&location);
	return found;
}

static void words_of_site(struct convert_site *site, struct modules *symbols,
			  struct module *program)
{
	const char *text = source_line(symbols, site->at.file, site->at.line);
	bool callee = words_is_function(symbols, program, site->callee);
	bool hidden = callee && text && !strstr(text, site->callee); /* in a macro */
	char *what = sleeping_call(symbols, &site->at, site->callee);

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
		if (!o->location && !o->exits)
			o->location = convert_location(symbols, program, &o->from);
	}
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
		name_from(p, o);
		name_to(p, o);
	}
}
