/* Starts of a line without optimisation, where nearly each row is a statement row and some have the
   place of surrounding code (README.md). */
#include "tracer/source/copies/copy.h"

#include <string.h>

enum { MOST_LINES = 50 };

static bool is_comment(const char *text)
{
	text += strspn(text, " \t");
	return !*text || *text == '*' || strncmp(text, "//", 2) == 0 || strncmp(text, "/*", 2) == 0;
}

/* Returns the line that this line continues an expression of, or 0. */
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

/* Returns the last line that continues the expression on this line, or 0. */
static unsigned last_line(const struct source_file *f, unsigned line)
{
	unsigned next, last = 0;

	for (unsigned at = line; (next = source_joined(f, at)) && next - line < MOST_LINES;
	     at = next)
		last = next;
	return last;
}

/* True if the row is of one of these lines, in the line's file. */
static bool is_of_lines(const struct copy_work *w, const struct line_row *row, unsigned first,
			unsigned last)
{
	return row->line >= first && row->line <= last &&
	       function_same_file(lines_file(w->lines, row->file), w->file);
}

/* ---- first line of a condition -------------------------------------------------------------- */

/* Adds the rows of all lines of the condition to `whole`, as if they were one line. */
static void take_lines(struct copy_work *w, unsigned last, struct copy_work *whole)
{
	struct line_walk walk =
		lines_walk(w->lines, w->function.items[0].low, w->function.items[0].high);
	const struct line_row *row;
	struct block *b = NULL;

	while ((row = lines_next(&walk))) {
		if (!is_of_lines(w, row, w->line, last)) {
			b = NULL;
			continue;
		}
		if (b) {
			*array_add(&whole->c->inner) = *row;
		} else {
			b = array_add(&whole->c->blocks);
			*b = (struct block){.start = row->offset,
					    .low = row->offset,
					    .column = row->column,
					    .stmt = row->is_stmt};
		}
		b->high = row[1].offset;
	}
	array_each(const struct block, block, &whole->c->blocks)
		*array_add(&whole->own) = (struct module_range){block->low, block->high};
}

/* True if one execution of the whole statement passes the line's starts twice or not at all. */
static bool is_wrong(const struct copy_work *w, const struct copy_work *whole)
{
	bool wrong = flow_passes_two(w->flow, &whole->own, &w->starts);

	array_each(const uint64_t, start, &whole->starts)
		wrong = wrong || flow_comes_again(w->flow, *start, &w->starts) ||
			flow_passing(w->flow, &whole->own, *start, &w->starts) == FLOW_SKIPS;
	return wrong;
}

static void take_whole(struct copy_work *w, unsigned last)
{
	struct line_copy copy = {.module = w->c->module, .owner = w->c->owner, .all_stmt = true};
	struct copy_work whole = *w;

	whole.c = &copy;
	whole.facts |= COPY_CODE;
	whole.starts = (struct flow_offsets){0};
	whole.ways = (struct flow_ways){0};
	whole.own = (struct flow_ranges){0};
	take_lines(w, last, &whole);
	copy_starts(&whole);
	if (whole.starts.count && is_wrong(w, &whole)) {
		struct copy_work line = *w;

		*w = whole;
		w->c = line.c;
		whole = line;
	}
	array_fini(&copy.blocks);
	array_fini(&copy.inner);
	array_fini(&whole.starts);
	array_fini(&whole.ways);
	array_fini(&whole.own);
}

/* ---- other lines of a condition ------------------------------------------------------------- */

/*
 * Finds the operand of another line: after the operator that leads the line, or before the one that
 * ends it. gcc gives the operator's column to the jumps of both operands, so the operand begins at
 * another column, or after the code of the lines before.
 */
static void take_operand(struct copy_work *w)
{
	unsigned first = w->line, before, column;
	uint64_t begun = 0, start = 0;
	const struct line_row *row;
	bool inner = false, leads;
	struct line_walk walk;

	column = source_operator(w->text, w->line, &leads);
	if (!column)
		return;
	while ((before = line_before(w->text, first)) && w->line - before < MOST_LINES)
		first = before;
	walk = lines_walk(w->lines, w->function.items[0].low, w->function.items[0].high);
	while ((row = lines_next(&walk))) {
		if (!row->column || !is_of_lines(w, row, first, w->line))
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
		return;
	w->starts.items[0] = start;
	w->starts.count = 1;
	array_fini(&w->ways);
}

void starts_of_condition(struct copy_work *w)
{
	unsigned last;

	if (!w->text || source_open_for(w->text, w->line))
		return;
	if (line_before(w->text, w->line)) {
		take_operand(w);
		return;
	}
	last = last_line(w->text, w->line);
	if (last)
		take_whole(w, last);
}

/* ---- header of a loop, lambdas -------------------------------------------------------------- */

/* Code at the column of `for`, if its header is on several lines, is the loop's jumps. The
   initialisation has a higher column. */
bool is_jump_of_for(const struct copy_work *w, uint64_t start)
{
	unsigned column = w->text ? source_open_for(w->text, w->line) : 0;

	return column && copy_column_at(w, start) == column;
}

/* True if the function is a method of an unnamed class, "{unnamed}" or "{lambda()#1}". */
static bool is_in_lambda(const struct copy_work *w)
{
	static const char end[] = "}::operator()";
	size_t n = w->around.name ? strlen(w->around.name) : 0, length = sizeof(end) - 1;

	return n > length && strcmp(w->around.name + n - length, end) == 0;
}

/* g++ gives each use of a captured variable the place of the first one; the first
   row is the statement. */
bool is_captured(const struct copy_work *w, uint64_t start)
{
	uint64_t statement = w->starts.items[0];

	return start != statement && is_in_lambda(w) && copy_column_at(w, statement) &&
	       copy_column_at(w, start) == copy_column_at(w, statement);
}
