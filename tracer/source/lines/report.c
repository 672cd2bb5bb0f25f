/* Error messages for locations that match nothing or too much, with what exists instead. */
#include "tracer/base/files/path.h"
#include "tracer/source/lines/resolve.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/text/str.h"

#include <string.h>

enum { LISTED_MAX = 20 };

/* ---- a line without code -------------------------------------------------------------------- */

static void add_near(struct resolver *r, struct module *m, const struct file_group *g,
		     unsigned line, uint64_t offset, struct str *out)
{
	struct scope_ref stack[FUNCTIONS_DEEP], owner = {0};
	int count = resolve_stack(r, m, offset, stack);
	struct function f;

	str_addf(out, "%u", line);
	if (count > 0 &&
	    functions_owner(m->dies, stack, count, g->path, line, &owner, r->err) == 0 &&
	    resolve_function(r, m, owner, &f) && f.name)
		str_addf(out, " (in %s)", f.name);
}

static void add_nearest(struct resolver *r, struct module *m, const struct file_group *g,
			const struct near_lines *near, struct str *out)
{
	if (!near->before && !near->behind) {
		str_addf(out, "; no line of it has code in %s", module_name(m));
		return;
	}
	str_add(out, near->before && near->behind ? "; the nearest lines that have are "
						  : "; the nearest line that has is ");
	if (near->before)
		add_near(r, m, g, near->before, near->before_offset, out);
	if (near->before && near->behind)
		str_add(out, " and ");
	if (near->behind)
		add_near(r, m, g, near->behind, near->behind_offset, out);
}

/* Appends why a line, found by number or by its text, has no code. */
static void add_reason(struct resolver *r, const struct file_group *g, unsigned line,
		       const struct near_lines *near, struct str *out)
{
	const struct source_file *f = lines_source(r->symbols, g->path);
	unsigned first, last;
	bool by_text = r->location->kind == LOCATION_TEXT || r->location->kind == LOCATION_MARK;

	str_add(out, by_text ? " has no code of its own" : " has no code");
	if (!f || line > f->lines.count) {
		if (f)
			str_addf(out, ": the file has %zu lines", f->lines.count);
		return;
	}
	if (source_no_code(f, line))
		str_add(out, f->lines.items[line - 1][strspn(f->lines.items[line - 1], " \t")]
				     ? ": it contains only a comment"
				     : ": it is empty");
	else if (source_directive(f, line))
		str_add(out, ": it is a directive of the preprocessor");
	else if (source_branch(f, line, &first, &last) && near->before < first &&
		 (!near->behind || near->behind > last))
		str_addf(out, ": the preprocessor left lines %u to %u out, or they have no code",
			 first, last);
	else if (near->before && source_spans(f, near->before, line))
		str_addf(out, ": the compiler put the statement that it belongs to on line %u",
			 near->before);
	else if (near->behind && source_spans(f, line, near->behind))
		str_addf(out, ": the compiler put the statement that it belongs to on line %u",
			 near->behind);
	else if (by_text)
		str_add(out, ": the compiler generated no code for it, or put it on another line");
}

void report_newer(const struct module *m, const char *path, struct str *out)
{
	if (!source_is_newer(m, path))
		return;
	str_add(out, "; ");
	source_add_newer(m, path, out);
}

void report_no_code(struct resolver *r, struct module *m, const struct file_group *g, unsigned line)
{
	bool by_line = r->location->kind == LOCATION_LINE;
	struct near_lines near = files_near(r, m, g, line);
	struct str text = {0};

	if (!by_line)
		str_addf(&text, "%s: ", r->location->text);
	str_addf(&text, "%s:%u", by_line ? r->location->name : str_base_name(g->path), line);
	add_reason(r, g, line, &near, &text);
	add_nearest(r, m, g, &near, &text);
	report_newer(m, g->path, &text);
	complain(r, "%s", str_text(&text));
	str_fini(&text);
}

/* ---- ambiguous ------------------------------------------------------------------------------ */

static void add_match(const struct location_match *m, size_t number, struct str *out)
{
	enum { SHOWN = 100 };
	bool placed = m->file && m->line;

	str_addf(out, "\n  #%zu  ", number);
	if (m->name) /* a line tells apart functions that differ in template arguments */
		names_brief(m->name, placed ? SHOWN : SIZE_MAX, out);
	if (placed)
		str_addf(out, "%s%s:%u", m->name ? " at " : "", m->file, m->line);
	else if (m->instances.count && m->instances.items[0].symbol)
		str_addf(out, " at 0x%llx",
			 (unsigned long long)m->instances.items[0].symbol->offset);
	str_add(out, " in ");
	foreign_line(out, module_name(m->module));
}

static void add_matches(const struct resolver *r, struct str *out)
{
	size_t count = r->matches.count;

	for (size_t i = 0; i < count && i < LISTED_MAX; i++)
		add_match(&r->matches.items[i], i + 1, out);
	if (count > LISTED_MAX)
		str_addf(out, "\n  and %zu more", count - LISTED_MAX);
}

void report_none_counts(struct resolver *r)
{
	struct str text = {0};

	add_matches(r, &text);
	error_set(r->err, ERROR_LOCATION, "%s: none of the %zu lines with this text has code:%s",
		  r->location->text, r->matches.count, str_text(&text));
	str_fini(&text);
	error_hint(r->err, "they are comments, or the preprocessor left them out");
}

void report_ambiguous(struct resolver *r)
{
	const struct location *l = r->location;
	struct str text = {0};
	size_t count = r->matches.count;

	if (l->match)
		str_addf(&text, "%s: there %s:", l->text,
			 count == 1 ? "is only one match" : "are fewer matches");
	else
		str_addf(&text, "%s is ambiguous, it matches %zu places:", l->text, count);
	add_matches(r, &text);
	error_set(r->err, ERROR_LOCATION, "%s", str_text(&text));
	str_fini(&text);
	if (l->match)
		error_hint(r->err,
			   "remove #%u, which counts places in the source; for the arrival with "
			   "this number give at() the option { hit = %u }",
			   l->match, l->match);
	else
		error_hint(r->err,
			   "say which: %s#1, or more of the path or of the class, or the "
			   "object with OBJECT!",
			   l->text);
}

/* ---- similar texts and marks ---------------------------------------------------------------- */

enum { LINES_MOST = 20000, SHOWN_MOST = 100 };

static bool has_it(struct resolver *r, const struct source_file *f, const char *path,
		   struct str *out)
{
	for (unsigned line = 1; line <= f->lines.count; line++) {
		if (!source_contains(f->lines.items[line - 1], r->location->search))
			continue;
		str_addf(out, "; %s:%u does", str_base_name(path), line);
		return true;
	}
	return false;
}

static unsigned nearest(struct resolver *r, const struct source_file *f, unsigned first,
			unsigned last)
{
	unsigned limit = (unsigned)strlen(r->location->search) / 3, found = 0;

	for (unsigned line = first; line <= last && line <= f->lines.count; line++) {
		unsigned far = suggest_distance_in(r->location->search, f->lines.items[line - 1]);

		if ((far < limit || (far == limit && !found)) && !source_no_code(f, line)) {
			found = line;
			limit = far;
		}
	}
	return found;
}

void near_text(struct resolver *r, const char *path, unsigned first, unsigned last, struct str *out)
{
	const struct source_file *f = path ? lines_source(r->symbols, path) : NULL;
	const char *text;
	unsigned line;

	if (!f || f->lines.count > LINES_MOST || has_it(r, f, path, out))
		return;
	line = nearest(r, f, first, last);
	if (!line)
		line = nearest(r, f, 1, (unsigned)f->lines.count);
	if (!line)
		return;
	text = f->lines.items[line - 1];
	text += strspn(text, " \t");
	str_addf(out, "; the nearest is %s:%u: %.*s", str_base_name(path), line, SHOWN_MOST, text);
}

static void offer_mark(struct suggestions *s, const struct source_file *f, unsigned line)
{
	const char *at = strstr(f->lines.items[line - 1], "gate:");
	size_t length;
	char *name;

	if (!at)
		return;
	at += strlen("gate:");
	at += strspn(at, " \t");
	length = strcspn(at, " \t*");
	name = base_strndup(at, length);
	if (length && source_mark(f, name, line) == line)
		suggest_offer(s, name);
	base_free(name);
}

static void offer_file(struct resolver *r, const char *path, struct suggestions *s)
{
	const struct source_file *f = lines_source(r->symbols, path);

	for (unsigned line = 1; f && line <= f->lines.count; line++)
		offer_mark(s, f, line);
}

/* Appends "; did you mean MARK?" and sets *best (base_free), or does nothing. */
static void near_marks(struct resolver *r, struct module *const *modules, size_t count,
		       struct str *out, char **best)
{
	struct suggestions s = {.wanted = r->location->search};
	ERROR(ignored);

	for (size_t i = 0; i < count; i++) {
		struct line_table *lines;

		if (!module_find_debug(modules[i]) || modules[i]->debug_separate)
			continue;
		lines = lines_table(modules[i], &ignored);
		if (!lines)
			continue;
		array_each(struct line_unit, u, &lines->units) {
			for (unsigned k = 0; k < u->files.count; k++) {
				const char *path = lines_file(u, k);

				if (path && !path_is_system_source(path))
					offer_file(r, path, &s);
			}
		}
	}
	*best = suggest_best(&s);
	suggest_take(&s, out);
}

/* ---- not found ------------------------------------------------------------------------------ */

static void offer_symbols(struct resolver *r, struct module *m, bool exported,
			  struct suggestions *s)
{
	module_load_symbols(m);
	array_each(const struct elf_symbol, symbol, &m->symbols) {
		char *full;

		if (!symbol->function || symbol->hidden || (exported && !symbol->global))
			continue;
		full = source_demangle(symbol->name);
		offer_name(r, full, s);
		base_free(full);
	}
}

static void offer_files(struct module *m, struct suggestions *s)
{
	ERROR(ignored);
	struct line_table *lines = lines_table(m, &ignored);

	if (!lines)
		return;
	array_each(struct line_unit, u, &lines->units) {
		array_each(const struct line_file, f, &u->files) {
			if (f->name)
				suggest_offer(s, str_base_name(f->name));
		}
	}
}

static bool is_foreign(struct module *const *modules, size_t i)
{
	return i > 0 && (!module_find_debug(modules[i]) || modules[i]->debug_separate);
}

static void suggest(struct resolver *r, struct module *const *modules, size_t count, bool files,
		    struct str *out, char **best)
{
	struct suggestions s = {.wanted = files ? str_base_name(r->location->name)
						: r->location->name};
	char *plain = NULL;

	if (!files) {
		plain = r->wanted.parts.count > 1 ? names_plain(r->location->name)
						  : names_last(&r->wanted);
		s.wanted = plain;
	}
	for (size_t i = 0; i < count; i++) {
		if (is_foreign(modules, i))
			continue;
		if (files) {
			offer_files(modules[i], &s);
		} else {
			offer_functions(r, modules[i], &s);
			offer_symbols(r, modules[i], false, &s);
		}
	}
	/* Suggests functions that other libraries export, if no own function is similar. */
	for (size_t i = 0; !files && !s.best[0].text && i < count; i++)
		if (is_foreign(modules, i))
			offer_symbols(r, modules[i], true, &s);
	*best = suggest_best(&s);
	suggest_take(&s, out);
	base_free(plain);
}

static void resolve_report_describe(struct resolver *r, struct str *out)
{
	const struct location *l = r->location;

	switch (l->kind) {
	case LOCATION_LINE:
		str_addf(out, "no source file %s", l->name);
		break;
	case LOCATION_MARK:
		str_addf(out, "no source line carries the mark 'gate: %s'", l->search);
		break;
	case LOCATION_TEXT:
		str_addf(out, "no function and no source file %s", l->name);
		break;
	case LOCATION_ADDRESS:
		str_addf(out, "no code at 0x%llx", (unsigned long long)l->address);
		break;
	default:
		str_addf(out, "no function %s", l->name);
	}
}

/* Hints at the location as it was written, with the suggested name in place of the wrong one. */
static void hint_corrected(struct resolver *r, const char *best)
{
	const struct location *l = r->location;
	const char *wrong = l->kind == LOCATION_MARK   ? l->search
			    : l->kind == LOCATION_LINE ? str_base_name(l->name)
						       : l->name;
	const char *at = strstr(l->text, wrong);

	if (at && !strchr(wrong, '<') && !strchr(wrong, '('))
		error_hint(r->err, "write %.*s%s%s", (int)(at - l->text), l->text, best,
			   at + strlen(wrong));
}

/* Returns the text with {unnamed} in place of each {lambda()#1}. The caller frees it. */
static char *unnumbered(const char *text)
{
	struct str out = {0};
	const char *at;

	for (; (at = strstr(text, "{lambda")) && strchr(at, '}'); text = strchr(at, '}') + 1)
		str_addf(&out, "%.*s{unnamed}", (int)(at - text), text);
	str_add(&out, text);
	return str_take(&out);
}

/* Hints at unnumbered lambdas of the function. Returns false if there are none. */
static bool hint_unnumbered(struct resolver *r, struct module *const *modules, size_t count)
{
	struct source_matches found = {0};
	struct location other = *r->location;
	ERROR(ignored);
	bool hinted;

	if (!other.name || !strstr(other.name, "{lambda"))
		return false;
	other.name = unnumbered(other.name);
	hinted = source_matches(r->symbols, modules, count, &other, &found, &ignored) == 0;
	if (hinted)
		error_hint(r->err,
			   "the debug information does not number lambdas here: write %s, and "
			   "those that there are will be listed with their lines",
			   other.name);
	array_fini(&found);
	base_free(other.name);
	error_fini(&ignored);
	return hinted;
}

void report_not_found(struct resolver *r, struct module *const *modules, size_t count)
{
	const struct location *l = r->location;
	bool needs_debug = l->kind != LOCATION_FUNC && l->kind != LOCATION_RETURN &&
			   l->kind != LOCATION_CALL && l->kind != LOCATION_ADDRESS;
	struct str text = {0};
	char *best = NULL;

	str_addf(&text, "%s: ", l->text);
	if (!count) {
		str_addf(&text, "no object %s is loaded", l->object ? l->object : "");
	} else {
		resolve_report_describe(r, &text);
		str_add(&text, " in ");
		foreign_line(&text, str_base_name(module_path(modules[0])));
		if (count > 1)
			str_add(&text, " or the libraries it starts with");
		if (l->briefly)
			best = NULL;
		else if (l->kind == LOCATION_LINE)
			suggest(r, modules, count, true, &text, &best);
		else if (l->kind == LOCATION_MARK)
			near_marks(r, modules, count, &text, &best);
		else if (l->name)
			suggest(r, modules, count, false, &text, &best);
	}
	error_set(r->err, ERROR_LOCATION, "%s", str_text(&text));
	str_fini(&text);
	if (!hint_unnumbered(r, modules, count) && best)
		hint_corrected(r, best);
	base_free(best);
	if (count && !module_find_debug(modules[0]))
		error_hint(r->err, "%s has no debug information%s", module_path(modules[0]),
			   needs_debug ? ": compile it with -g" : ", its symbols are all there is");
}
