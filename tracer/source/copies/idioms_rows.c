/* Starts of a line from its rows and markers; rows that are no starts. */
#include "tracer/arch/arch.h"
#include "tracer/source/copies/copy.h"

#include <limits.h>

void copy_add_start(struct copy_work *w, uint64_t offset)
{
	/* Debug information may be wrong: a breakpoint inside an instruction
	   would break the program. */
	bool is_broken = w->flow && w->function.count &&
			 flow_is_insn(w->flow, w->function.items[0].low) &&
			 !flow_is_insn(w->flow, offset);

	if (!is_broken && !flow_has(&w->starts, offset))
		*array_add(&w->starts) = offset;
}

/*
 * True if a marker without code is a start. Code at its address is executed with it, in the order
 * of the rows. If a jump leads to the address, only the last marker is certainly after the label;
 * before code without a marker, a jump from a `return` passes that one by.
 */
static bool is_sure(const struct copy_work *w, const struct block *b)
{
	if (!w->c->markers || !b->stmt || !w->flow)
		return false;
	if (b->followed == ROW_LAST || !flow_is_join(w->flow, b->start))
		return true;
	return b->followed == ROW_BEFORE_CODE && !mark_is_passed_by(w, b);
}

/* A statement row without code counts if control leads from it to instructions of the line in other
   rows: the compiler moved them, the statement begins at the row. */
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
	/* The statement is merged into its neighbours, but executed. */
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

/* clang gives the jump over an operand to the operator before it, which may begin the line: the
   operand begins after the jump. */
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

/* clang has one row for a loop's first iteration, partly moved before the loop, and for the others:
   control enters in the middle of it. */
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
 * clang marks no statement if the row before has the same line. The increment of a `for` may follow
 * such rows if its body ends in code of line 0, such as an inlined destructor. The next row of the
 * line after that code is the start.
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

/* clang gives the jump at the end of a branch and the condition of `} else if (c) {` one statement
   row. Code after the jump, at a higher column, begins where other jumps lead to it. */
void starts_behind_else(struct copy_work *w)
{
	uint64_t jump;

	array_each(const struct line_row, row, &w->c->inner)
		if (flow_behind_jump(w->flow, &w->own, row->offset, &jump) &&
		    row->column > copy_column_at(w, jump))
			copy_add_start(w, row->offset);
}

/*
 * gcc jumps straight to a loop's condition after its body: a loop on one line is entered in its
 * middle, at a statement row. The code there has to be the line's own: a `break` that needs no jump
 * has a row at the next statement.
 */
void starts_in_middle(struct copy_work *w)
{
	array_each(const struct line_row, inner, &w->c->inner)
		if (inner->is_stmt && flow_in_ranges(&w->own, inner->offset))
			flow_ways_in(w->flow, &w->own, &w->starts, inner->offset, &w->ways);
	if (w->ways.count && coroutine_is_actor(w)) /* last, as it reads all symbols */
		array_fini(&w->ways);
}

/* ---- columns -------------------------------------------------------------------------------- */

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

/* True for the jump at the end of an inner loop, to which clang gives the end of the loop's
   statement, if the line has other code at the same or a lower column. */
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

/* ---- successive markers --------------------------------------------------------------------- */

/* True for another statement of a macro: a marker repeated without others between, into which
   control falls. Iterations of an unrolled loop have the loop's own markers between them. */
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
 * Path from one marker of the line to another. gcc marks a loop's keyword or initialisation, and
 * each evaluation of its condition. Both remain if the condition's marker is the head of a loop;
 * the first evaluation would count twice.
 */
struct lead {
	const struct copy_work *w;
	const struct block *from, *to;
	bool jumps; /* a jump leads to the second marker */
};

/* Returns the block whose marker is the start, or NULL. */
static const struct block *mark_at(const struct copy_work *w, uint64_t start)
{
	array_each(const struct block, b, &w->c->blocks)
		if (b->start == start && b->stmt)
			return b;
	return NULL;
}

/* True if the row marks another statement, or the same one again. Other markers at an address that
   is jumped to are before its label, in the code that falls into it. */
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

/* True if the first marker leads to the second, at another column, and no
   statement begins between. */
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

/* ---- code before a marker ------------------------------------------------------------------- */

/* True if the statement's code between the addresses calls, or writes memory
   outside of the stack. */
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
 * gcc may move a call or a write of a statement before its marker, into rows without is_stmt. If
 * control runs straight from there to the marker, the statement begins there: a thread held at it
 * has not called or written anything.
 */
void starts_before_deeds(struct copy_work *w)
{
	uint64_t before = 0;

	array_each(uint64_t, start, &w->starts) {
		uint64_t mark = *start;

		if (!before || !runs_on(w->flow, before, mark)) /* else: the iteration before */
			*start = begins_at(w, mark, before);
		before = mark;
	}
}
