/* Finds lines by their source text: FUNC;TEXT, FILE;TEXT and //MARK. */
#include "tracer/base/files/path.h"
#include "tracer/source/lines/resolve.h"

#include <string.h>

/* Complains about a missing source file. `more`: text appended, or ""; `line`: a line with
   code to suggest, or 0. */
static void no_source(struct resolver *r, const char *path, const char *more, unsigned line)
{
	complain(r, "%s: the source file %s cannot be searched, since it does not exist here%s",
		 r->location->text, path, more);
	if (r->complaint.hint)
		return;
	if (line)
		error_hint(&r->complaint, "give the line by its number, as %s:%u", files_tail(path),
			   line);
	else
		error_hint(&r->complaint, "give the line by its number: FILE:LINE");
}

static void search_lines(struct resolver *r, struct module *m, const char *path, unsigned first,
			 unsigned last, const struct location_match *function)
{
	const struct source_file *f = lines_source(r->symbols, path);

	if (!f)
		no_source(r, path, "", 0);
	for (unsigned line = first; f && line <= last && line <= f->lines.count; line++) {
		struct location_match *match;

		if (!source_contains(f->lines.items[line - 1], r->location->search))
			continue;
		match = match_get(r, m, path, line, NULL);
		if (function && !match->begins) {
			match->name = function->name;
			match->begins = function->begins;
		}
	}
}

static void no_text(struct resolver *r, struct module *m, const char *name, const char *path,
		    unsigned first, unsigned last)
{
	struct str near = {0};

	if (r->complained)
		return;
	near_text(r, path, first, last, &near);
	report_newer(m, path, &near);
	complain(r, "%s: no line of %s contains this text%s", r->location->text, name,
		 str_text(&near));
	str_fini(&near);
}

/* ---- FILE;TEXT ------------------------------------------------------------------------------ */

/* Searches FILE;TEXT. Returns false if the module has no such file. */
static bool search_files(struct resolver *r, struct module *m)
{
	struct file_groups groups = {0};
	size_t before = r->matches.count;
	bool any;

	files_find(r, m, r->location->name, &groups);
	array_each(const struct file_group, g, &groups.items)
		search_lines(r, m, g->path, 1, UINT32_MAX, NULL);
	any = groups.items.count;
	if (any && r->matches.count == before)
		no_text(r, m, r->location->name, groups.items.items[0].path, 1, UINT32_MAX);
	files_fini(&groups);
	return any;
}

/* ---- FUNC;TEXT ------------------------------------------------------------------------------ */

struct code_lines {
	ARRAY(unsigned) items;
};

/* True if the row, which is in the function's ranges, is code of this function itself,
   not of an inlined one. */
static bool is_own_row(struct resolver *r, const struct location_match *f, const struct instance *i,
		       struct line_unit *l, const struct line_row *row)
{
	struct scope_ref stack[FUNCTIONS_DEEP], owner = {0};
	int count;

	if (!function_same_file(lines_file(l, row->file), f->file))
		return false;
	count = resolve_stack(r, i->module, row->offset, stack);
	return count > 0 &&
	       functions_owner(i->module->dies, stack, count, f->file, row->line, &owner, r->err) ==
		       0 &&
	       owner.scope == i->scope.scope;
}

/* Raises *last to the last line with code of this function itself and, if `lines` is not NULL,
   appends these lines, unsorted and with duplicates. */
static void own_lines(struct resolver *r, const struct location_match *f, const struct instance *i,
		      unsigned *last, struct code_lines *lines)
{
	const struct scope *s = i->scope.scope;
	struct module_range entry = {s->entry, s->entry + 1};
	struct flow_ranges code = scope_code(i->scope);
	struct line_unit *l = unit_lines(r, i->module, i->scope.unit);
	const struct line_row *row;

	if (!s->range_count && dies_has_code(s))
		code = (struct flow_ranges){&entry, 1, 1};
	array_each(const struct module_range, range, &code) {
		struct line_walk walk = lines_walk(l, range->low, range->high);

		while ((row = lines_next(&walk))) {
			if ((lines ? !row->is_stmt || row->line < f->line : row->line <= *last) ||
			    !is_own_row(r, f, i, l, row))
				continue;
			if (row->line > *last)
				*last = row->line;
			if (lines)
				*array_add(&lines->items) = row->line;
		}
	}
}

static int line_by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Appends "12, 14 to 17". A long list ends with the last line: "... to 90". */
static void print_lines(const struct code_lines *lines, struct str *out)
{
	enum { MOST = 600 };
	size_t next;

	for (size_t i = 0; i < lines->items.count; i = next) {
		unsigned first = lines->items.items[i], last = first;

		for (next = i + 1; next < lines->items.count; next++) {
			if (lines->items.items[next] > last + 1)
				break;
			last = lines->items.items[next];
		}
		if (out->length > MOST) {
			str_addf(out, ", ... to %u", lines->items.items[lines->items.count - 1]);
			return;
		}
		str_addf(out, "%s%u", i ? ", " : "", first);
		if (last > first)
			str_addf(out, "%s%u", last > first + 1 ? " to " : ", ", last);
	}
}

/* Complains that the source is missing and lists the lines with code: a
   distribution's library has these. */
static void no_source_of(struct resolver *r, const struct location_match *f)
{
	struct code_lines lines = {0};
	struct str more = {0};
	unsigned last = 0;

	array_each(const struct instance, i, &f->instances)
		own_lines(r, f, i, &last, &lines);
	if (lines.items.count) {
		array_sort(&lines.items, line_by_number);
		str_addf(&more, "; %s has code on ", f->name);
		str_addf(&more, lines.items.items[0] == last ? "line " : "lines ");
		print_lines(&lines, &more);
	}
	no_source(r, f->file, str_text(&more), last);
	array_fini(&lines.items);
	str_fini(&more);
}

/*
 * Returns the last line of the function: its closing brace, or its last line with code. A
 * function that a macro defines has no brace on its line and all its code there; the next brace
 * is another function's.
 */
static unsigned function_end(struct resolver *r, const struct location_match *f)
{
	const struct source_file *source = lines_source(r->symbols, f->file);
	unsigned opens = f->line, end, own = f->line - 1;

	end = source ? source_block_end(source, f->line, &opens) : 0;
	if (end && opens == f->line)
		return end;
	array_each(const struct instance, i, &f->instances)
		own_lines(r, f, i, &own, NULL);
	if (!end || own == f->line)
		return own > f->line ? own : f->line;
	return end;
}

static void search_function(struct resolver *r, const struct location_match *f)
{
	if (!f->file || !f->line)
		complain(r, "%s: the debug information does not say where %s is written",
			 r->location->text, f->name);
	else if (!lines_source(r->symbols, f->file))
		no_source_of(r, f);
	else
		search_lines(r, f->module, f->file, f->line, function_end(r, f), f);
}

static void search_functions(struct resolver *r, struct module *m,
			     void (*find)(struct resolver *, struct module *))
{
	struct location_matches lines = r->matches, functions;
	size_t before = lines.count;

	/* find() adds functions to r->matches, which holds the lines. */
	r->matches = (struct location_matches){0};
	find(r, m);
	functions = r->matches;
	r->matches = lines;
	array_each(const struct location_match, f, &functions) {
		if (!f->instances.count)
			continue;
		search_function(r, f);
		if (r->matches.count == before)
			no_text(r, m, f->name, f->file, f->line,
				f->file && f->line ? function_end(r, f) : f->line);
	}
	matches_fini(&functions);
}

void text_find(struct resolver *r, struct module *m)
{
	bool file_first = strpbrk(r->location->name, "./") != NULL;
	size_t before = r->matches.count;

	if (file_first && search_files(r, m))
		return;
	search_functions(r, m, functions_find);
	if (!file_first && !r->complained && r->matches.count == before)
		search_files(r, m);
}

void text_find_by_symbol(struct resolver *r, struct module *m)
{
	search_functions(r, m, symbols_written);
}

/* ---- //MARK --------------------------------------------------------------------------------- */

static int path_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool mentions_gate(const struct source_file *f)
{
	array_each(const char *const, line, &f->lines) {
		if (strstr(*line, "gate:"))
			return true;
	}
	return false;
}

/* Searches a file for the mark. Returns false if the file cannot be read. */
static bool mark_in_file(struct resolver *r, struct module *m, const char *path)
{
	const struct source_file *f = lines_source(r->symbols, path);
	unsigned line = 0;

	while (f && mentions_gate(f) && (line = source_mark(f, r->location->search, line + 1)))
		match_get(r, m, path, line, NULL);
	return f;
}

void mark_find(struct resolver *r, struct module *m)
{
	struct line_table *lines = module_lines(m, true, r->err);
	ARRAY(const char *) paths = {0};
	bool any = false;

	if (!lines)
		return;
	array_each(struct line_unit, u, &lines->units) {
		for (unsigned i = 0; i < u->files.count; i++) {
			const char *path = lines_file(u, i);

			if (path && !path_is_system_source(path))
				*array_add(&paths) = path;
		}
	}
	array_sort(&paths, path_by_text);
	for (size_t i = 0; i < paths.count; i++)
		if (i == 0 || strcmp(paths.items[i], paths.items[i - 1]) != 0)
			any |= mark_in_file(r, m, paths.items[i]);
	if (paths.count && !any)
		no_source(r, paths.items[0], "", 0);
	array_fini(&paths);
}

/* ---- matches with code ---------------------------------------------------------------------- */

/* a longer list is ambiguous anyway, and each match may cost reading its file */
enum { TOLD_APART = 200 };

static bool has_row(const struct file_use *use, unsigned first, unsigned last)
{
	array_each(const struct line_row, row, &use->unit->rows) {
		if (!row->end_sequence && row->line >= first && row->line <= last &&
		    file_use_has(use, row->file))
			return true;
	}
	return false;
}

/* True if one of these lines has code in the modules. */
static bool any_has_row(struct resolver *r, const char *file, unsigned first, unsigned last)
{
	bool found = false;

	for (size_t i = 0; i < r->modules.count && !found; i++) {
		struct file_groups groups = {0};
		const struct file_group *g;

		files_find(r, r->modules.items[i], file, &groups);
		g = files_group(&groups, file);
		for (size_t k = 0; g && k < g->uses.count && !found; k++)
			found = lines_decode(r->modules.items[i], g->uses.items[k].unit, r->err) ==
					0 &&
				has_row(&g->uses.items[k], first, last);
		files_fini(&groups);
	}
	return found;
}

/* True if the match counts. A statement that is only optimised away counts: the meaning of a text
   must not depend on the build. */
static bool does_count(struct resolver *r, const struct location_match *match)
{
	const struct source_file *f = lines_source(r->symbols, match->file);
	unsigned first, last;

	if (any_has_row(r, match->file, match->line, match->line))
		return true;
	if (!f || source_no_code(f, match->line) || source_directive(f, match->line))
		return false;
	return !source_branch(f, match->line, &first, &last) ||
	       any_has_row(r, match->file, first, last);
}

size_t matches_count(struct resolver *r)
{
	size_t count = 0;

	if (r->location->kind != LOCATION_TEXT || r->matches.count > TOLD_APART)
		return r->matches.count;
	array_each(struct location_match, match, &r->matches) {
		match->uncounted = !does_count(r, match);
		count += !match->uncounted;
	}
	return count;
}
