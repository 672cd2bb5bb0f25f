/* Beginnings of a line that its rows and marks tell, and rows that are none. */
#include "tracer/arch/arch.h"
#include "tracer/source/copies/copy.h"

#include <limits.h>

void copy_add_start(struct copy_work *w, uint64_t offset)
{
	/* Debug information may be wrong: a trap in the middle of an instruction would break the program. */
	bool is_broken = w->flow && w->function.count &&
			 flow_is_insn(w->flow, w->function.items[0].low) &&
			 !flow_is_insn(w->flow, offset);

	if (!is_broken && !flow_has(&w->starts, offset))
		*array_add(&w->starts) = offset;
}

/*
 * Is a mark without code of its own a place? What comes next at its address is executed with it, in
 * the order of the rows. But where a jump comes in at that address, too, it is not known which of the marks it
 * passes: only the last one is sure to stand behind its label. Before code that has no mark, a function's end, even that one is
 * not, if they come from a return.
 */
static bool is_sure(const struct copy_work *w, const struct block *b)
{
	if (!w->c->markers || !b->stmt || !w->flow)
		return false;
	if (b->followed == ROW_LAST || !flow_is_join(w->flow, b->start))
		return true;
	return b->followed == ROW_BEFORE_CODE && !mark_is_passed_by(w, b);
}

/*
 * Blocks that begin with a statement row. A statement row without code of its own counts where the
 * line's instructions come later as other rows: the compiler moved them, the statement begins there. Later is not behind it in the
 * file, where it may stand at what those lead to.
 */
void starts_at_rows(struct copy_work *w)
{
	const struct block *pending = NULL;

	array_each(const struct block, b, &w->c->blocks) {
		bool has_code = b->low < b->high;

		if (has_code ? b->stmt : is_sure(w, b)) {
			copy_add_start(w, b->start);
			pending = NULL;
		} else if (!has_code) {
			if (b->stmt && !pending && b->followed != ROW_BEFORE_CODE)
				pending = b;
		} else if (pending && (!w->flow || flow_leads(w->flow, pending->start, b->low))) {
			copy_add_start(w, pending->start);
			pending = NULL;
		}
	}
	/* Merged into its neighbours here, but executed all the same. */
	if (!(w->facts & COPY_CODE) && pending && !w->starts.count &&
	    w->facts & (COPY_ELSEWHERE | COPY_CALLS))
		copy_add_start(w, pending->start);
	if (w->c->markers && w->starts.count)
		w->facts |= COPY_MARKED;
	if (w->starts.count)
		return;
	array_each(const struct block, b, &w->c->blocks)
		if (b->low < b->high)
			copy_add_start(w, b->low);
}

/* clang gives the jump that passes an operand over to the operator before it, with which a line of a condition may begin: what
   begins is the operand, behind it. */
void starts_behind_operators(struct copy_work *w)
{
	uint64_t next;
	bool leads;

	if (!w->text || !source_operator(w->text, w->line, &leads) || !leads)
		return;
	array_each(uint64_t, start, &w->starts)
		if (flow_is_branch(w->flow, *start, &next) && flow_in_ranges(&w->own, next))
			*start = next;
}

/* clang has one row for a loop's first round, of which some was moved before the loop, and for the
   others: control comes in in the middle of it. */
void starts_at_heads(struct copy_work *w)
{
	struct flow_offsets heads = {0};

	flow_heads(w->flow, &w->own, &heads);
	array_each(const uint64_t, head, &heads)
		if (!flow_in_ranges(&w->c->lineless, *head))
			copy_add_start(w, *head);
	array_fini(&heads);
}

/*
 * clang marks no statement where the row before was of the same line. Where the body of a `for` ends in code that has no line, as an
 * inlined destructor may, its increment and condition stand behind the rows of its beginning in that way, and only the body
 * leads there. What begins is the next row of the line, behind code of no line.
 */
void starts_at_round_ends(struct copy_work *w)
{
	struct flow_offsets ends = {0};

	flow_round_ends(w->flow, &w->own, &ends);
	array_each(const uint64_t, end, &ends) {
		uint64_t at = *end;

		array_each(const struct module_range, r, &w->c->lineless)
			if (r->low <= at && at < r->high)
				at = r->high;
		if (flow_in_ranges(&w->own, at) && flow_is_straight(w->flow, *end, at))
			copy_add_start(w, at);
	}
	array_fini(&ends);
}

/*
 * clang gives the jump at the end of a branch and the condition of the else behind it, `} else if (c) {`, one statement
 * row: what stands behind the jump and further right begins where others jump to it.
 */
void starts_behind_else(struct copy_work *w)
{
	uint64_t jump;

	array_each(const struct line_row, row, &w->c->inner)
		if (flow_behind_jump(w->flow, &w->own, row->offset, &jump) &&
		    row->column > copy_column_at(w, jump))
			copy_add_start(w, row->offset);
}

/*
 * gcc lets a jump lead straight to a loop's condition, where that stands behind the loop's body: a loop on one line is
 * entered in the middle of its code then, at a statement row. The code at that row has to be the line's own: a `break` behind the
 * line's other code has a row, but where it needs no jump what stands there is the next statement, that the other cases lead to.
 */
void starts_in_middle(struct copy_work *w)
{
	array_each(const struct line_row, inner, &w->c->inner)
		if (inner->is_stmt && flow_in_ranges(&w->own, inner->offset))
			flow_ways_in(w->flow, &w->own, &w->starts, inner->offset, &w->ways);
	if (w->ways.count && coroutine_is_actor(w)) /* it takes long to read all symbols */
		array_fini(&w->ways);
}

/* ---- columns ------------------------------------------------------------------------------------- */

unsigned copy_column_at(const struct copy_work *w, uint64_t offset)
{
	uint64_t best = 0;
	unsigned column = 0;

	array_each(const struct block, b, &w->c->blocks)
		if (b->start <= offset && offset < b->high)
			best = b->start, column = b->column;
	array_each(const struct line_row, row, &w->c->inner)
		if (row->offset <= offset && row->offset >= best)
			best = row->offset, column = row->column;
	return column;
}

unsigned copy_column_of(const struct copy_work *w, uint64_t start)
{
	bool stmt = w->facts & COPY_MARKED;
	unsigned column = 0;

	array_each(const struct block, b, &w->c->blocks) {
		if (b->start != start || (stmt && !b->stmt))
			continue;
		column = b->ends_macro ? 0 : b->column;
		stmt = stmt || b->stmt;
	}
	return column;
}

/*
 * clang gives the jump at the end of an inner loop the place where that loop's statement ends, which
 * may be on this line. It is no execution where the line has other code, not further right.
 */
bool is_inner_jump(const struct copy_work *w, uint64_t start)
{
	unsigned least = UINT_MAX;

	if (!flow_is_jump(w->flow, start))
		return false;
	array_each(const uint64_t, one, &w->starts)
		if (!flow_is_jump(w->flow, *one) && copy_column_of(w, *one) < least)
			least = copy_column_of(w, *one);
	return copy_column_of(w, start) >= least;
}

/* ---- marks that follow each other ---------------------------------------------------------------- */

/*
 * The rounds of an unrolled loop have the loop's own marks between them. Where a mark follows its like
 * and control falls into it, it is one more statement of a macro.
 */
bool is_macro_end(const struct copy_work *w, uint64_t start)
{
	bool is_mark = false;

	if (start == w->starts.items[0])
		return false;
	array_each(const struct block, b, &w->c->blocks) {
		if (b->start != start || !b->stmt)
			continue;
		if (!b->repeated)
			return false;
		is_mark = true;
	}
	return is_mark && flow_falls_into(w->flow, start);
}

/*
 * From one mark of the line to another one. gcc marks a loop's keyword, or what its header does once, and then each look at its
 * condition. Both are kept where the condition's mark is the head of a loop; the first look would count twice.
 */
struct lead {
	const struct copy_work *w;
	const struct block *from, *to;
	bool jumps; /* a jump leads to the second one */
};

/* The block whose mark a start stands for; or NULL. */
static const struct block *mark_at(const struct copy_work *w, uint64_t start)
{
	array_each(const struct block, b, &w->c->blocks)
		if (b->start == start && b->stmt)
			return b;
	return NULL;
}

/* Does a row mark another statement, or the same one once more? Others at an address that is jumped to stand before its label,
   in the code that falls into it. */
static bool is_other(const struct lead *lead, const struct line_row *row, unsigned order)
{
	if (!row->is_stmt || !row->line ||
	    (row->offset == lead->from->start && order <= lead->from->order) ||
	    (row->offset == lead->to->start && order >= lead->to->order))
		return false;
	if (row->line == lead->w->line &&
	    function_same_file(lines_file(lead->w->lines, row->file), lead->w->file))
		return row->column == lead->to->column;
	return row->offset != lead->to->start || !lead->jumps;
}

static bool has_other(const struct lead *lead, const struct module_range *range)
{
	size_t count;
	unsigned order = 0;
	const struct line_row *rows = rows_in(lead->w->lines, range, &count);

	for (size_t i = 0; i < count; i++) {
		order = i && rows[i - 1].offset == rows[i].offset ? order + 1 : 0;
		if (is_other(lead, &rows[i], order))
			return true;
	}
	return false;
}

/* Does the first mark lead to the second, of something else in the line, and does no statement begin between? */
static bool leads_to(const struct copy_work *w, uint64_t from, uint64_t to)
{
	struct lead lead = {w, mark_at(w, from), mark_at(w, to), false};
	struct flow_ranges passed = {0};
	bool leads = lead.from && lead.to && lead.from->column != lead.to->column &&
		     flow_leads_on(w->flow, from, to, &passed);

	lead.jumps = leads && passed.count > 1 && passed.items[passed.count - 2].high != to;
	*array_add(&passed) = (struct module_range){to, to + 1};
	array_each(const struct module_range, range, &passed)
		leads = leads && !has_other(&lead, range);
	array_fini(&passed);
	return leads;
}

bool is_lead(const struct copy_work *w, uint64_t start)
{
	array_each(const uint64_t, to, &w->starts)
		if (w->lines && *to != start && leads_to(w, start, *to))
			return true;
	return false;
}

/* ---- before a mark ------------------------------------------------------------------------------- */

/* Does the statement's code between the two addresses call, or write memory that others can see? */
static bool does_something(const struct copy_work *w, uint64_t from, uint64_t to)
{
	struct arch_insn in;
	struct arch_deed deed;

	array_each(const struct module_range, r, &w->own)
		for (uint64_t at = r->low > from ? r->low : from; at < to && at < r->high;
		     at += in.length) {
			if (!flow_decode(w->c->module, at, &in, &deed))
				return false;
			if (in.flow == ARCH_FLOW_CALL || in.flow == ARCH_FLOW_CALL_INDIRECT ||
			    (deed.written && !deed.on_stack))
				return true;
		}
	return false;
}

static bool runs_on(const struct flow *f, uint64_t from, uint64_t to)
{
	return flow_only_calls(f, from, to) || flow_is_straight(f, from, to);
}

static uint64_t begins_at(const struct copy_work *w, uint64_t start, uint64_t behind)
{
	array_each(const struct module_range, r, &w->own)
		if (r->low > behind && r->low < start && runs_on(w->flow, r->low, start) &&
		    does_something(w, r->low, start))
			return r->low;
	return start;
}

/*
 * gcc may move a call of a statement, or what it writes, before the statement's mark, into rows of the line that are no
 * statement. Where control runs straight on from there to the mark, as often and by no other way, the statement begins there:
 * who is held at it has called and written nothing yet.
 */
void starts_before_deeds(struct copy_work *w)
{
	uint64_t before = 0;

	array_each(uint64_t, start, &w->starts) {
		uint64_t mark = *start;

		if (!before || !runs_on(w->flow, before, mark)) /* else that is the round before */
			*start = begins_at(w, mark, before);
		before = mark;
	}
}
