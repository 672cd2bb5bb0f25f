/*
 * Marks that only lead to another mark of their line.
 *
 * gcc marks a loop's keyword, or what its header does once, and then each look at its condition. Both are kept where the
 * condition's mark is the head of a loop; the first look would count twice.
 */
#include "tracer/source/copies/resolve_copy.h"
#include "tracer/source/copies/resolve_marks.h"

/* Which of the rows at its address is the mark that a start stands for; false: none is. */
static bool mark_at(const struct copy_work *w, uint64_t start, unsigned *order, unsigned *column)
{
	array_each(const struct block, b, &w->c->blocks) {
		if (b->start != start || !b->stmt)
			continue;
		*order = b->order;
		*column = b->column;
		return true;
	}
	return false;
}

struct way {
	const struct copy_work *w;
	struct line_unit *lines;
	uint64_t from, to;
	unsigned first, last; /* their marks' rows, of those at the same address */
	unsigned column;      /* of the second one */
	bool jumps;	      /* a jump leads to it */
};

/* Does a row mark another statement, or the same one once more? Others at an address that is jumped to stand before its label,
   in the code that falls into it. */
static bool is_other(const struct way *way, const struct line_row *row, unsigned order)
{
	if (!row->is_stmt || !row->line || (row->offset == way->from && order <= way->first) ||
	    (row->offset == way->to && order >= way->last))
		return false;
	if (row->line == way->w->line &&
	    function_same_file(lines_file(way->lines, row->file), way->w->file))
		return row->column == way->column;
	return row->offset != way->to || !way->jumps;
}

static bool has_other(const struct way *way, const struct module_range *range)
{
	size_t count;
	unsigned order = 0;
	const struct line_row *rows = rows_in(way->lines, range, &count);

	for (size_t i = 0; i < count; i++) {
		order = i && rows[i - 1].offset == rows[i].offset ? order + 1 : 0;
		if (is_other(way, &rows[i], order))
			return true;
	}
	return false;
}

/* Does the first mark lead to the second, of something else in the line, and does no statement begin between? */
static bool leads_to(const struct copy_work *w, struct line_unit *l, uint64_t from, uint64_t to)
{
	struct way way = {.w = w, .lines = l, .from = from, .to = to};
	struct flow_ranges passed = {0};
	unsigned column;
	bool leads = mark_at(w, from, &way.first, &column) &&
		     mark_at(w, to, &way.last, &way.column) && column != way.column &&
		     flow_leads_on(w->flow, from, to, &passed);

	way.jumps = leads && passed.count > 1 && passed.items[passed.count - 2].high != to;
	*array_add(&passed) = (struct module_range){to, to + 1};
	array_each(const struct module_range, range, &passed)
		leads = leads && !has_other(&way, range);
	array_fini(&passed);
	return leads;
}

static bool leads_to_another(const struct copy_work *w, struct line_unit *l, uint64_t from)
{
	array_each(const uint64_t, to, &w->starts)
		if (*to != from && leads_to(w, l, from, *to))
			return true;
	return false;
}

int copy_drop_leads(struct copy_work *w)
{
	struct line_unit *l = NULL;

	if (!w->flow || !w->marked || !w->outer.scope || w->starts.count < 2)
		return 0;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	for (size_t i = 0; l && i < w->starts.count;) {
		if (leads_to_another(w, l, w->starts.items[i]))
			array_remove(&w->starts, i);
		else
			i++;
	}
	return 0;
}
