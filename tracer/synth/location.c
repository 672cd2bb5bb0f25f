/* Finds a readable location that means one line only. */
#include "tracer/synth/location.h"

#include "tracer/source/lines/source_lines.h"
#include "tracer/source/names/names.h"

#include <ctype.h>
#include <string.h>

/* Highest K of TEXT#K, then FILE:LINE is used; of FUNC%call(CALLEE)#K, then an address. */
enum { SAME_MOST = 9, CALLS_MOST = 50 };

bool location_resolve(struct modules *symbols, struct module *program, const char *text,
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

/* True if the site is in this copy of the code: several lambdas may be on one line. */
static bool is_code_of(const struct source_site *site, const struct convert_line *at)
{
	array_each(const struct module_range, r, &site->ranges)
		if (at->offset >= r->low && at->offset < r->high)
			return true;
	return !at->offset || site->kind == SOURCE_ENTRY || at->offset == site->offset;
}

/* The line to name. */
struct line_naming {
	struct modules *symbols;
	struct module *program;
	const struct convert_line *at;
};

/* True if the location means this line of this function and no other line. */
static bool location_means(const struct line_naming *n, const char *text)
{
	struct source_sites sites = {0};
	enum location_kind kind;
	bool same = location_resolve(n->symbols, n->program, text, &kind, &sites) && sites.count;
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

/* Returns the statement without indentation, comment and punctuation; the caller frees it. */
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

/* Returns "pthread_cond_wait" for "pthread_cond_wait(&c, &m)", or NULL if the text begins with no
   call; the caller frees it. */
static char *called(const char *text)
{
	size_t n =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.");
	size_t blanks = strspn(text + n, " ");

	return n && text[n + blanks] == '(' && !is_keyword(text, n) ? base_strndup(text, n) : NULL;
}

/* Returns WHERE;TEXT, or WHERE;TEXT#K with K up to `most`, or NULL if none means only this line. */
static char *try_text(const struct line_naming *n, const char *where, const char *text,
		      unsigned most)
{
	STR(location);

	for (unsigned k = 0; text && *text && k <= most; k++) {
		str_clear(&location);
		str_addf(&location, "%s;%s", where, text);
		if (k)
			str_addf(&location, "#%u", k);
		if (location_means(n, str_text(&location)))
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
		answer = try_text(n, where, text, SAME_MOST);
	base_free(call);
	base_free(text);
	return answer;
}

char *location_of_line(struct modules *symbols, struct module *program,
		       const struct convert_line *at)
{
	const struct line_naming n = {symbols, program, at};
	const char *paths[] = {str_base_name(at->file), at->file};
	char *answer = NULL;

	if (at->func && location_means(&n, at->func))
		return base_strdup(at->func);
	if (at->func)
		answer = by_text(&n, at->func);
	if (!answer)
		answer = by_text(&n, paths[0]);
	for (size_t i = 0; !answer && i < sizeof(paths) / sizeof(*paths); i++) {
		STR(plain);

		str_addf(&plain, "%s:%u", paths[i], at->line);
		answer = location_means(&n, str_text(&plain)) ? str_take(&plain) : NULL;
	}
	return answer;
}

/* True if the text means this instruction alone. */
static bool is_instruction(struct modules *symbols, struct module *program, const char *text,
			   uint64_t offset, bool *found)
{
	struct source_sites sites = {0};
	enum location_kind kind;
	bool same;

	*found = location_resolve(symbols, program, text, &kind, &sites);
	same = *found && sites.count == 1 && sites.items[0].offset == offset;
	source_sites_fini(&sites);
	return same;
}

char *location_of_call(struct modules *symbols, struct module *program, const char *func,
		       const char *callee, uint64_t offset)
{
	bool found = true, same = false;
	STR(text);

	for (unsigned k = 0; !same && k <= CALLS_MOST && (found || k == 1); k++) {
		str_clear(&text);
		str_addf(&text, "%s%%call(%s)", func, callee);
		if (k)
			str_addf(&text, "#%u", k);
		same = is_instruction(symbols, program, str_text(&text), offset, &found);
	}
	return same ? str_take(&text) : NULL;
}

char *location_of_access(struct modules *symbols, struct module *program,
			 const struct convert_line *at, bool writes)
{
	const struct convert_line line = {.func = at->func, .file = at->file, .line = at->line};
	char *plain = location_of_line(symbols, program, &line);
	bool found, same;
	STR(text);

	str_addf(&text, "%s%s", plain ? plain : "",
		 location_part_text(writes ? LOCATION_WRITE : LOCATION_READ));
	same = plain && is_instruction(symbols, program, str_text(&text), at->offset, &found);
	if (plain && !same && is_instruction(symbols, program, plain, at->offset, &found))
		return plain; /* the line begins with the access */
	base_free(plain);
	return same ? str_take(&text) : NULL;
}
