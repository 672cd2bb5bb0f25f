/*
 * Where a line begins without optimisation. Its rows say little then: nearly each is said to begin a statement, and some have
 * the place of what is around them.
 *
 * Of a condition over several lines gcc has the first line's code in pieces: `return a && b` newline `&& c` begins with the
 * second line's row, goes on with a part of the first that is not always executed, and comes back. Such pieces say nothing
 * of how often the statement is executed. So where they are passed twice or not at all, all lines of it are taken as one.
 */
#include "tracer/source/copies/resolve_copy.h"
#include "tracer/source/lines/source_lines.h"

#include <string.h>

enum { MOST_LINES = 50 };

static bool is_comment(const char *text)
{
	text += strspn(text, " \t");
	return !*text || *text == '*' || strncmp(text, "//", 2) == 0 || strncmp(text, "/*", 2) == 0;
}

/* The line from which the expression on this one has come, or 0. */
static unsigned line_before(const struct source_file *f, unsigned line)
{
	for (unsigned at = line; at-- > 1 && line - at < MOST_LINES;) {
		if (source_joined(f, at) == line)
			return at;
		if (at > f->lines.count || !is_comment(f->lines.items[at - 1]))
			return 0;
	}
	return 0;
}

/* The last line that the expression on this one goes on to; 0: none. */
static unsigned last_line(const struct source_file *f, unsigned line)
{
	unsigned next, last = 0;

	for (unsigned at = line; (next = source_joined(f, at)) && next - line < MOST_LINES;
	     at = next)
		last = next;
	return last;
}

/* The function's rows; it has one piece. */
struct function_rows {
	struct line_unit *unit; /* NULL: unknown */
	const struct line_row *at;
	uint64_t end;
};

static int rows_of_function(struct copy_work *w, struct function_rows *out)
{
	*out = (struct function_rows){.end = w->function.items[0].high};
	if (unit_lines(w->r, w->c->module, w->outer.unit, &out->unit) < 0)
		return -1;
	if (out->unit)
		out->at = lines_row_at(out->unit, w->function.items[0].low);
	return 0;
}

static bool has_row(const struct function_rows *r)
{
	return r->at && !r->at->end_sequence && r->at->offset < r->end;
}

static bool is_of_file(const struct copy_work *w, const struct function_rows *r)
{
	return function_same_file(lines_file(r->unit, r->at->file), w->file);
}

/* As if they were rows of one line. */
static void take_rows(const struct copy_work *w, struct function_rows *r, unsigned last,
		      struct line_copy *out)
{
	struct block *b = NULL;

	for (; has_row(r); r->at++) {
		const struct line_row *row = r->at;

		if (row->line < w->line || row->line > last || !is_of_file(w, r)) {
			b = NULL;
			continue;
		}
		if (b) {
			*array_add(&out->inner) = *row;
		} else {
			b = array_add(&out->blocks);
			*b = (struct block){.start = row->offset,
					    .low = row->offset,
					    .column = row->column,
					    .stmt = row->is_stmt};
		}
		b->high = row[1].offset;
	}
}

static int resolve_unoptimised_begin(struct copy_work *w, unsigned last, struct line_copy *copy,
				     struct copy_work *whole)
{
	struct function_rows rows;

	if (rows_of_function(w, &rows) < 0)
		return -1;
	*copy = (struct line_copy){
		.module = w->c->module, .owner = w->c->owner, .all_stmt = w->c->all_stmt};
	take_rows(w, &rows, last, copy);
	*whole = (struct copy_work){.r = w->r,
				    .c = copy,
				    .file = w->file,
				    .line = w->line,
				    .outer = w->outer,
				    .flow = w->flow,
				    .has_code = true};
	array_each(const struct module_range, r, &w->function)
		*array_add(&whole->function) = *r;
	array_each(const struct block, b, &copy->blocks)
		*array_add(&whole->own) = (struct module_range){b->low, b->high};
	return copy_starts(whole);
}

/* Is one execution of the statement none of the line, or two? */
static bool is_wrong(const struct copy_work *w, const struct copy_work *whole)
{
	const struct module_range *ranges = whole->own.items;
	const struct flow_offsets own = {w->starts.items, w->kept, w->kept};
	bool wrong = flow_passes_two(w->flow, ranges, whole->own.count, &own);

	for (size_t i = 0; !wrong && i < whole->kept; i++) {
		uint64_t start = whole->starts.items[i];

		wrong = flow_comes_again(w->flow, start, &own) ||
			flow_passing(w->flow, ranges, whole->own.count, start, &own) == FLOW_SKIPS;
	}
	return wrong;
}

static void swap(struct copy_work *w, struct copy_work *whole)
{
	struct copy_work own = *w;

	*w = *whole;
	w->c = own.c;
	*whole = own;
}

static int take_whole(struct copy_work *w, unsigned last)
{
	struct copy_work whole = {0};
	struct line_copy copy = {0};
	int answer = resolve_unoptimised_begin(w, last, &copy, &whole);

	if (answer == 0 && whole.kept && is_wrong(w, &whole))
		swap(w, &whole);
	array_fini(&copy.blocks);
	array_fini(&copy.inner);
	array_fini(&whole.function);
	array_fini(&whole.starts);
	array_fini(&whole.ways);
	array_fini(&whole.own);
	return answer;
}

/* ---- its other lines ------------------------------------------------------------------------ */

/*
 * Another line is the operand behind the operator with which it begins, or before the one with which it ends. gcc gives the
 * operator's column to the jumps of both sides: the operand begins elsewhere; or, where all of it is at that column, behind
 * what the lines before have.
 */
static int take_operand(struct copy_work *w, const struct source_file *f)
{
	unsigned first = w->line, before, column;
	uint64_t begun = 0, start = 0;
	struct function_rows rows;
	bool inner = false, leads;

	column = source_operator(f, w->line, &leads);
	if (!column)
		return 0;
	while ((before = line_before(f, first)) && w->line - before < MOST_LINES)
		first = before;
	if (rows_of_function(w, &rows) < 0)
		return -1;
	for (; has_row(&rows); rows.at++) {
		const struct line_row *row = rows.at;

		if (row->line < first || row->line > w->line || !row->column ||
		    !is_of_file(w, &rows))
			continue;
		if (row->line < w->line) {
			begun = begun ? begun : row->offset;
		} else if (!inner && (leads ? row->column > column : row->column < column)) {
			start = row->offset;
			inner = true;
		} else if (leads && row->column == column && begun && !start) {
			start = row->offset;
		}
	}
	if (!start || !flow_is_insn(w->flow, start))
		return 0;
	w->starts.items[0] = start;
	w->starts.count = w->kept = 1;
	array_fini(&w->ways);
	return 0;
}

/* ---- the header of a loop over several lines -------------------------------------------------- */

/* What stands at the column of `for` itself is the loop's jumps; its first line is what is done once, further right. */
static void drop_jumps_of_for(struct copy_work *w, unsigned column)
{
	size_t n = 0;

	for (size_t i = 0; i < w->kept; i++)
		if (copy_column_at(w, w->starts.items[i]) != column)
			w->starts.items[n++] = w->starts.items[i];
	if (n)
		w->starts.count = w->kept = n;
}

/* ---- what a lambda has captured ---------------------------------------------------------------- */

static int is_lambda(const struct copy_work *w, bool *out)
{
	static const char end[] =
		"}::operator()"; /* of an unnamed class, "{unnamed}", or "{lambda()#1}" */
	const size_t length = sizeof(end) - 1;
	struct function f;
	size_t n;

	if (function_read(dies_table(w->c->module, w->r->err), w->outer, &f, w->r->err) < 0)
		return -1;
	n = f.name ? strlen(f.name) : 0;
	*out = n > length && strcmp(f.name + n - length, end) == 0;
	return 0;
}

/* g++ gives each use of a captured variable the place of the first one: the first row is the statement. */
static int drop_captured(struct copy_work *w)
{
	unsigned first = copy_column_at(w, w->starts.items[0]);
	bool lambda;
	size_t n = 1;

	if (!first) /* no columns are known */
		return 0;
	if (is_lambda(w, &lambda) < 0)
		return -1;
	for (size_t i = 1; lambda && i < w->kept; i++)
		if (copy_column_at(w, w->starts.items[i]) != first)
			w->starts.items[n++] = w->starts.items[i];
	if (lambda)
		w->starts.count = w->kept = n;
	return 0;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static bool is_plain_gcc(const struct copy_work *w)
{
	return w->c->owner.unit->is_gcc && w->c->all_stmt;
}

static int begin_condition(struct copy_work *w, const struct source_file *f)
{
	unsigned last;

	if (line_before(f, w->line))
		return take_operand(w, f);
	last = last_line(f, w->line);
	return last ? take_whole(w, last) : 0;
}

int copy_unoptimised(struct copy_work *w)
{
	const struct source_file *f;
	unsigned column;

	if (!w->flow || w->function.count != 1 || !w->outer.scope ||
	    w->c->owner.scope != w->outer.scope || w->marked || w->c->calls.count || !w->kept)
		return 0;
	if (w->kept == 1 && !is_plain_gcc(w))
		return 0;
	if (w->kept > 1 && is_plain_gcc(w) && drop_captured(w) < 0)
		return -1;
	f = lines_source(w->r->symbols, w->file);
	column = f ? source_open_for(f, w->line) : 0;
	if (column)
		drop_jumps_of_for(w, column);
	return f && !column && is_plain_gcc(w) ? begin_condition(w, f) : 0;
}
