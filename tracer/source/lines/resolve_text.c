/* Lines by what the source says on them: FUNC;TEXT, FILE;TEXT and //MARK. */
#include "tracer/source/lines/resolve.h"

#include <string.h>

static int resolve_text_add_line(struct resolver *r, struct module *m, const char *file,
				 unsigned line, const struct location_match *function)
{
	struct location_match *match = match_get(r, m, file, line, NULL);

	if (function && !match->begins) {
		match->name = function->name;
		match->begins = function->begins;
	}
	return 0;
}

/* `more` may be "": lines that it has; `line` 0: none is known. */
static int no_source(struct resolver *r, const char *path, const char *more, unsigned line)
{
	complain(r, "%s: the source file %s is not there to be searched%s", r->location->text, path,
		 more);
	if (r->complaint.hint)
		return 0;
	if (line)
		return error_hint(&r->complaint, "give the line by its number, as %s:%u",
				  files_tail(path), line);
	error_hint(&r->complaint, "give the line by its number: FILE:LINE");
	return 0;
}

static int search_lines(struct resolver *r, struct module *m, const char *path, unsigned first,
			unsigned last, const struct location_match *function)
{
	const struct source_file *f = lines_source(r->symbols, path);

	if (!f)
		return no_source(r, path, "", 0);
	for (unsigned line = first; line <= last && line <= f->lines.count; line++) {
		if (source_contains(f->lines.items[line - 1], r->location->search) &&
		    resolve_text_add_line(r, m, path, line, function) < 0)
			return -1;
	}
	return 0;
}

static void no_text(struct resolver *r, const char *name, const char *path, unsigned first,
		    unsigned last)
{
	struct str near = {0};

	if (r->complained)
		return;
	near_text(r, path, first, last, &near);
	complain(r, "%s: no line of %s contains this text%s", r->location->text, name,
		 str_text(&near));
	str_fini(&near);
}

/* ---- FILE;TEXT ------------------------------------------------------------------------------ */

/* 1 where there is such a file, 0 where there is none. */
static int search_files(struct resolver *r, struct module *m)
{
	struct file_groups groups = {0};
	size_t before = r->matches.count;
	int answer = files_find(r, m, r->location->name, &groups);

	array_each(const struct file_group, g, &groups.items) {
		if (answer == 0)
			answer = search_lines(r, m, g->path, 1, UINT32_MAX, NULL);
	}
	if (answer == 0 && groups.items.count) {
		answer = 1;
		if (r->matches.count == before)
			no_text(r, r->location->name, groups.items.items[0].path, 1, UINT32_MAX);
	}
	files_fini(&groups);
	return answer;
}

/* ---- FUNC;TEXT ------------------------------------------------------------------------------ */

struct code_lines {
	ARRAY(unsigned) items;
};

/* 1 where the row, which is in it, is code of this function itself. */
static int is_own_row(struct resolver *r, const struct location_match *f, const struct instance *i,
		      struct line_unit *l, const struct line_row *row)
{
	struct scope_ref stack[FUNCTIONS_DEEP], owner;
	struct die_table *t;
	int count;

	if (!function_same_file(lines_file(l, row->file), f->file))
		return 0;
	t = dies_table(i->module, r->err);
	count = t ? functions_stack(t, row->offset, stack, r->err) : -1;
	if (count <= 0)
		return count;
	if (functions_owner(t, stack, count, f->file, row->line, &owner, r->err) < 0)
		return -1;
	return owner.scope == i->scope.scope;
}

static int own_lines_in(struct resolver *r, const struct location_match *f,
			const struct instance *i, struct line_unit *l, struct line_walk walk,
			unsigned *last, struct code_lines *lines)
{
	const struct line_row *row;

	while ((row = lines_next(&walk))) {
		int own;

		if (lines ? !row->is_stmt || row->line < f->line : row->line <= *last)
			continue;
		own = is_own_row(r, f, i, l, row);
		if (own < 0)
			return -1;
		if (own && row->line > *last)
			*last = row->line;
		if (own && lines)
			*array_add(&lines->items) = row->line;
	}
	return 0;
}

/* The lines from `*last` on with code of this function itself; they come in no order, and more than once. */
static int own_lines(struct resolver *r, const struct location_match *f, const struct instance *i,
		     unsigned *last, struct code_lines *lines)
{
	const struct scope *s = i->scope.scope;
	const struct module_range *ranges = &i->scope.unit->ranges.items[s->first_range];
	struct line_unit *l;
	int answer = unit_lines(r, i->module, i->scope.unit, &l);

	if (answer < 0 || !l)
		return answer;
	if (!s->range_count && dies_has_code(s))
		return own_lines_in(r, f, i, l, lines_walk(l, s->entry, s->entry + 1), last, lines);
	for (uint32_t k = 0; answer == 0 && k < s->range_count; k++)
		answer = own_lines_in(r, f, i, l, lines_walk(l, ranges[k].low, ranges[k].high),
				      last, lines);
	return answer;
}

static int resolve_text_by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* "12, 14 to 17"; how many were left out when it grew long is said, too. */
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

/* The text of a distribution's library is seldom there, its lines are. */
static int no_source_of(struct resolver *r, const struct location_match *f)
{
	struct code_lines lines = {0};
	struct str more = {0};
	unsigned last = 0;
	int answer = 0;

	array_each(const struct instance, i, &f->instances)
		if (answer == 0)
			answer = own_lines(r, f, i, &last, &lines);
	if (lines.items.count) {
		array_sort(&lines.items, resolve_text_by_number);
		str_addf(&more, "; %s has code on ", f->name);
		str_addf(&more, lines.items.items[0] == last ? "line " : "lines ");
		print_lines(&lines, &more);
	}
	if (answer == 0)
		no_source(r, f->file, str_text(&more), last);
	array_fini(&lines.items);
	str_fini(&more);
	return answer;
}

/* The last line with code of the function itself; `*out` if none comes behind that. */
static int last_own_line(struct resolver *r, const struct location_match *f, unsigned *out)
{
	array_each(const struct instance, i, &f->instances)
		if (own_lines(r, f, i, out, NULL) < 0)
			return -1;
	return 0;
}

/*
 * The function's text goes to its closing brace, and at least as far as its code. Where a macro makes the function, no brace
 * is on its line, and the next one is of another function: all its code is on that line then.
 */
static int function_end(struct resolver *r, const struct location_match *f, unsigned *out)
{
	const struct source_file *source = lines_source(r->symbols, f->file);
	unsigned opens = f->line, end, own = f->line - 1;

	end = source ? source_block_end(source, f->line, &opens) : 0;
	*out = end;
	if (end && opens == f->line)
		return 0;
	if (last_own_line(r, f, &own) < 0)
		return -1;
	if (!end || own == f->line)
		*out = own > f->line ? own : f->line;
	return 0;
}

static int search_function(struct resolver *r, const struct location_match *f)
{
	unsigned last;

	if (!f->instances.count)
		return 0;
	if (!f->file || !f->line) {
		complain(r, "%s: the debug information does not say where %s is written",
			 r->location->text, f->name);
		return 0;
	}
	if (!lines_source(r->symbols, f->file))
		return no_source_of(r, f);
	if (function_end(r, f, &last) < 0)
		return -1;
	return search_lines(r, f->module, f->file, f->line, last, f);
}

static int no_text_in(struct resolver *r, const struct location_match *f)
{
	unsigned last = f->line;

	if (f->file && f->line && function_end(r, f, &last) < 0)
		return -1;
	no_text(r, f->name, f->file, f->line, last);
	return 0;
}

static int search_functions(struct resolver *r, struct module *m,
			    int (*find)(struct resolver *, struct module *))
{
	struct location_match *found;
	size_t count, capacity, lines;
	int answer;

	/* The functions are gathered where the lines will be: put those aside. */
	found = r->matches.items;
	count = r->matches.count;
	capacity = r->matches.capacity;
	memset(&r->matches, 0, sizeof(r->matches));
	answer = find(r, m);

	struct location_match *functions = r->matches.items;
	size_t function_count = r->matches.count;

	r->matches.items = found;
	r->matches.count = count;
	r->matches.capacity = capacity;
	lines = count;
	for (size_t i = 0; i < function_count; i++) {
		if (answer == 0)
			answer = search_function(r, &functions[i]);
		if (answer == 0 && functions[i].instances.count && r->matches.count == lines)
			answer = no_text_in(r, &functions[i]);
		match_fini(&functions[i]);
	}
	base_free(functions);
	return answer;
}

int text_find(struct resolver *r, struct module *m)
{
	bool file_first = strpbrk(r->location->name, "./") != NULL;
	int answer = file_first ? search_files(r, m) : 0;

	if (answer)
		return answer < 0 ? -1 : 0;
	answer = (int)r->matches.count;
	if (search_functions(r, m, functions_find) < 0)
		return -1;
	if (file_first || r->complained || (int)r->matches.count > answer)
		return 0;
	return search_files(r, m) < 0 ? -1 : 0;
}

int text_find_by_symbol(struct resolver *r, struct module *m)
{
	return search_functions(r, m, symbols_written);
}

/* ---- //MARK --------------------------------------------------------------------------------- */

static bool is_system(const char *path)
{
	return strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib", 8) == 0;
}

static int by_text(const void *a, const void *b)
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

/* `read` counts the files that are there. */
static int mark_in_file(struct resolver *r, struct module *m, const char *path, size_t *read)
{
	const struct source_file *f = lines_source(r->symbols, path);
	unsigned line = 0;

	*read += f != NULL;
	if (!f || !mentions_gate(f))
		return 0;
	while ((line = source_mark(f, r->location->search, line + 1))) {
		if (resolve_text_add_line(r, m, path, line, NULL) < 0)
			return -1;
	}
	return 0;
}

int mark_find(struct resolver *r, struct module *m)
{
	ARRAY(const char *) paths = {0};
	struct line_table *lines;
	size_t read = 0;
	int answer = 0;

	if (!dies_table(m, r->err) || !(lines = lines_table(m, r->err)))
		return -1;
	array_each(struct line_unit, u, &lines->units) {
		for (unsigned i = 0; i < u->files.count; i++) {
			const char *path = lines_file(u, i);

			if (path && !is_system(path))
				*array_add(&paths) = path;
		}
	}
	array_sort(&paths, by_text);
	for (size_t i = 0; answer == 0 && i < paths.count; i++) {
		if (i == 0 || strcmp(paths.items[i], paths.items[i - 1]) != 0)
			answer = mark_in_file(r, m, paths.items[i], &read);
	}
	if (answer == 0 && paths.count && !read)
		no_source(r, paths.items[0], "", 0);
	array_fini(&paths);
	return answer;
}
