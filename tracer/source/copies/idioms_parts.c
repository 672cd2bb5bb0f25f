/* Tells starts that continue a statement from starts of its copies, such as iterations of an
   unrolled loop, by their columns and by control flow (../flow/README.md). */
#include "tracer/source/copies/copy.h"

/* True if the statement of the row also begins outside of the addresses. */
static bool comes_again(const struct line_unit *l, const struct line_row *one, uint64_t from,
			uint64_t to)
{
	array_each(const struct line_row, row, &l->rows)
		if (row->is_stmt && !row->end_sequence && row_is_same(row, one) &&
		    (row->offset < from || row->offset >= to))
			return true;
	return false;
}

/* True if an inlined call between two starts of the line is an argument. In an unrolled loop such a
   call comes before each start, or after each. */
static bool is_around_calls(const struct copy_work *w, uint64_t from, uint64_t to)
{
	const struct line_row *before = lines_row_at(w->lines, from - 1),
			      *behind = lines_row_at(w->lines, to);

	if (w->c->markers || !behind || (before && copy_is_in_calls(w, from - 1)) ||
	    copy_is_in_calls(w, from) || copy_is_in_calls(w, to))
		return false;
	while (!behind->end_sequence &&
	       (behind->offset <= to || !behind->is_stmt || !behind->line ||
		(behind->line == w->line && !copy_is_in_calls(w, behind->offset))))
		behind++;
	return behind->end_sequence || !copy_is_in_calls(w, behind->offset);
}

/*
 * True if two starts at one column are parts of one statement: an initialiser on several lines
 * returns to its first line. In an unrolled loop the code between occurs again, or is the loop's
 * head, on an earlier line. Rows before the first start's at its address belong to the code before.
 */
static bool is_one_statement(const struct copy_work *w, uint64_t from, uint64_t to)
{
	bool parts, begun = false;

	if (!flow_is_straight(w->flow, from, to) && !flow_only_calls(w->flow, from, to))
		return false;
	if (copy_has_no_loop(w))
		return true;
	parts = is_around_calls(w, from, to);
	array_each(const struct line_row, row, &w->lines->rows) {
		if (row->offset < from || row->offset >= to)
			continue;
		begun = begun || row->offset > from || row->line == w->line;
		if (!begun || !row->is_stmt || !row->line || row->end_sequence ||
		    row->line == w->line || (parts && copy_is_in_calls(w, row->offset)))
			continue;
		if ((row->line < w->line && !w->c->markers) || comes_again(w->lines, row, from, to))
			return false;
	}
	return true;
}

/* Clears the columns of starts that are not copies of the whole statement. */
static void part_columns(const struct copy_work *w, unsigned *columns)
{
	const uint64_t *starts = w->starts.items;

	for (size_t i = w->starts.count; w->lines && i-- > 1;)
		if (columns[i] == columns[i - 1] && is_one_statement(w, starts[i - 1], starts[i]))
			columns[i] = 0;
}

/* Returns a made-up column for a start that is an inlined call in each iteration of an unrolled
   loop, without rows of the line; else 0. */
static unsigned call_column(const struct copy_work *w, uint64_t start)
{
	enum { MADE_UP = 1 << 20 };
	unsigned call = w->facts & COPY_CLANG ? call_begun_again(w, start) : 0;

	return call ? MADE_UP + call : 0;
}

/*
 * Returns the columns of the starts, or NULL. Starts at one column are copies of a statement, as in
 * an unrolled loop; parts of one statement begin elsewhere, except for gcc without markers (-O0,
 * -g1). Column 0: the end of a macro, or no marker.
 */
static unsigned *start_columns(const struct copy_work *w)
{
	unsigned *columns;

	if (!(w->facts & (COPY_GCC | COPY_CLANG)) || w->facts & COPY_PLAIN)
		return NULL;
	columns = base_alloc(w->starts.count, sizeof(*columns));
	for (size_t i = 0; i < w->starts.count; i++) {
		columns[i] = copy_column_of(w, w->starts.items[i]);
		if (!columns[i])
			columns[i] = call_column(w, w->starts.items[i]);
	}
	if (!(w->facts & COPY_MARKED))
		part_columns(w, columns);
	return columns;
}

void keep_executions(struct copy_work *w)
{
	unsigned *columns;

	if (w->starts.count < 2)
		return;
	columns = start_columns(w);
	flow_statement_starts(w->flow, &w->starts, columns, w->facts & COPY_MARKED, &w->own);
	base_free(columns);
}

/* ---- loops in the source -------------------------------------------------------------------- */

/* True if the function's text up to the line may contain a loop. Tail
   recursion is not considered. */
static bool may_loop(const struct copy_work *w, const struct function *function, const char *path,
		     unsigned line)
{
	const struct source_file *f;

	if (!path || !function->file || !function->line || function->line > line ||
	    !function_same_file(function->file, path))
		return true;
	f = lines_source(w->r->symbols, path);
	return !f || line > f->lines.count || source_may_loop(f, function->line, line);
}

bool copy_has_no_loop(const struct copy_work *w)
{
	struct scope_ref at = w->c->owner;
	const char *path = w->file;
	unsigned line = w->line;
	ERROR(ignored);
	struct function f;

	while (at.scope && function_read(w->dies, at, &f, &ignored) == 0) {
		if (may_loop(w, &f, path, line))
			return false;
		if (at.scope->kind != SCOPE_INLINED)
			return true;
		path = function_file(w->dies, at.unit, at.scope->call_file);
		line = at.scope->call_line;
		at = function_around(at);
	}
	return false;
}
