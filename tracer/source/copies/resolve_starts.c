/*
 * Where one copy of a line begins.
 *
 * A copy has several blocks when the compiler moved things about, in loops, and when a statement
 * goes over several lines. Control flow tells which of them begin an execution (flow.h).
 */
#include "tracer/source/copies/resolve_copy.h"
#include "tracer/source/copies/resolve_marks.h"
#include "tracer/source/lines/source_lines.h"

#include <limits.h>

/* ---- where it may begin --------------------------------------------------------------------- */

static void resolve_starts_add_start(struct copy_work *w, uint64_t offset)
{
	array_each(const uint64_t, old, &w->starts) {
		if (*old == offset)
			return;
	}
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
static void statement_starts(struct copy_work *w)
{
	uint64_t pending = 0;
	bool waiting = false;

	array_each(const struct block, b, &w->c->blocks) {
		if (b->low == b->high) {
			if (is_sure(w, b)) {
				resolve_starts_add_start(w, b->start);
				waiting = false;
			} else if (b->stmt && !waiting && b->followed != ROW_BEFORE_CODE) {
				waiting = true;
				pending = b->start;
			}
			continue;
		}
		if (b->stmt)
			resolve_starts_add_start(w, b->start);
		else if (waiting && (!w->flow || flow_leads(w->flow, pending, b->low)))
			resolve_starts_add_start(w, pending);
		else
			continue;
		waiting = false;
	}
	/* Merged into its neighbours here, but executed all the same. */
	if (!w->has_code && waiting && !w->starts.count && (w->code_elsewhere || w->c->calls.count))
		resolve_starts_add_start(w, pending);
	w->marked = w->c->markers && w->starts.count;
	if (w->starts.count || !w->has_code)
		return;
	array_each(const struct block, b, &w->c->blocks) {
		if (b->low < b->high)
			resolve_starts_add_start(w, b->low);
	}
}

/* A line of a condition that goes over several. */
static bool begins_with_operator(const struct copy_work *w)
{
	const struct source_file *f = lines_source(w->r->symbols, w->file);
	bool leads;

	return f && source_operator(f, w->line, &leads) && leads;
}

/* clang gives the jump that passes an operand over to the operator before it: what begins is the operand, behind it. */
static void operand_starts(struct copy_work *w)
{
	uint64_t next;

	if (!w->flow || !w->c->owner.unit || w->c->owner.unit->is_gcc || !begins_with_operator(w))
		return;
	array_each(uint64_t, start, &w->starts)
		if (flow_is_branch(w->flow, *start, &next) &&
		    flow_in_ranges(w->own.items, w->own.count, next))
			*start = next;
}

/* clang has one row for a loop's first round, of which some was moved before the loop, and for the
   others: control comes in in the middle of it. */
static void head_starts(struct copy_work *w)
{
	struct flow_offsets heads = {0};

	if (!w->flow || !w->c->owner.unit || w->c->owner.unit->is_gcc || !w->has_code)
		return;
	flow_heads(w->flow, w->own.items, w->own.count, &heads);
	array_each(const uint64_t, head, &heads)
		if (!flow_in_ranges(w->c->lineless.items, w->c->lineless.count, *head))
			resolve_starts_add_start(w, *head);
	array_fini(&heads);
}

/*
 * gcc lets a jump lead straight to a loop's condition, where that stands behind the loop's body: a loop on one line is
 * entered in the middle of its code then, at a statement row. The code at that row has to be the line's own: a `break` behind the
 * line's other code has a row, but where it needs no jump what stands there is the next statement, that the other cases lead to.
 */
static void middle_starts(struct copy_work *w)
{
	if (!w->flow || !w->outer.scope || !w->outer.unit->is_gcc)
		return;
	array_each(const struct line_row, inner, &w->c->inner)
		if (inner->is_stmt && flow_in_ranges(w->own.items, w->own.count, inner->offset))
			flow_ways_in(w->flow, w->own.items, w->own.count, w->starts.items, w->kept,
				     inner->offset, &w->ways);
	if (w->ways.count && coroutine_is_resumed(w)) /* it takes long to read all symbols */
		array_fini(&w->ways);
}

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

/*
 * clang gives the jump at the end of a branch and the condition of the else behind it, `} else if (c) {`, one statement
 * row: what stands behind the jump and further right begins where others jump to it.
 */
static void else_starts(struct copy_work *w)
{
	uint64_t jump;

	if (!w->flow || !w->c->owner.unit || w->c->owner.unit->is_gcc)
		return;
	array_each(const struct line_row, row, &w->c->inner)
		if (flow_behind_jump(w->flow, w->own.items, w->own.count, row->offset, &jump) &&
		    row->column > copy_column_at(w, jump))
			resolve_starts_add_start(w, row->offset);
}

static void own_starts(struct copy_work *w)
{
	struct flow_offsets ends = {0};

	statement_starts(w);
	operand_starts(w);
	head_starts(w);
	copy_round_ends(w, &ends);
	array_each(const uint64_t, end, &ends)
		resolve_starts_add_start(w, *end);
	array_fini(&ends);
	else_starts(w);
}

/* The first row of a piece, behind the prologue of the function around it; or NULL. A statement row it need not be: clang
   has none where the row before is of the same place. */
static const struct line_row *first_row(const struct copy_work *w, const struct line_unit *l,
					const struct module_range *piece)
{
	const struct line_row *row = lines_row_at(l, piece->low);

	if (!row || row->offset != piece->low)
		return NULL;
	if (piece->low != scope_entry(w->outer))
		return row;
	do
		row++;
	while (!row->end_sequence && row->offset < piece->high && (!row->is_stmt || !row->line));
	return !row->end_sequence && row->offset < piece->high ? row : NULL;
}

/* Does a piece of the call begin there, with what the first piece begins with? */
static bool begins_again(const struct copy_work *w, const struct line_unit *l,
			 const struct scope *call, uint64_t start)
{
	const struct module_range *pieces = &w->c->owner.unit->ranges.items[call->first_range];
	const struct line_row *first, *here;

	for (uint32_t i = 0; call->range_count > 1 && i < call->range_count; i++) {
		if (pieces[i].low != start)
			continue;
		first = first_row(w, l, &pieces[0]);
		here = first_row(w, l, &pieces[i]);
		return first && here && row_is_same(first, here);
	}
	return false;
}

/* Where the line itself begins, or would: gcc marks that. False: nothing is marked. */
static bool marked_offsets(const struct copy_work *w, struct flow_offsets *out)
{
	array_each(const struct block, b, &w->c->blocks)
		if (w->c->markers && b->stmt)
			*array_add(out) = b->start;
	return out->count;
}

static int entry_starts(struct copy_work *w, const struct scope *call, uint64_t entry,
			const struct flow_offsets *own)
{
	const struct module_range *ranges = &w->c->owner.unit->ranges.items[call->first_range];
	struct flow_offsets entries = {0}, some = {0};
	bool marked = marked_offsets(w, &some);
	int answer = marked ? 0 : copy_begun_entries(w, call, entry, &some);

	if (w->flow && answer == 0)
		flow_entries(w->flow, ranges, call->range_count, entry, some.count ? &some : NULL,
			     own, &entries);
	if (!entries.count && entry != UINT64_MAX)
		resolve_starts_add_start(w, entry);
	array_each(const uint64_t, one, &entries)
		resolve_starts_add_start(w, *one);
	array_fini(&entries);
	array_fini(&some);
	return answer;
}

/* clang has one entry for an inlined call in all rounds of a loop that it has unrolled. */
static int round_starts(struct copy_work *w)
{
	const struct die_unit *u = w->c->owner.unit;
	struct line_unit *l = NULL;

	if (u->is_gcc || !w->outer.scope)
		return 0;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	array_each(struct scope *, call, &w->c->calls)
		for (uint32_t i = 1; l && i < (*call)->range_count; i++) {
			uint64_t start = u->ranges.items[(*call)->first_range + i].low;

			if (begins_again(w, l, *call, start))
				resolve_starts_add_start(w, start);
		}
	return 0;
}

/* Where the line begins with a call that was inlined, that is where it begins. `own`: without them. */
static int call_starts(struct copy_work *w, const struct flow_offsets *own)
{
	array_each(struct scope *, call, &w->c->calls) {
		uint64_t entry = copy_call_entry(w, *call);

		if ((entry != UINT64_MAX || w->flow || !w->has_code) &&
		    entry_starts(w, *call, entry, own) < 0)
			return -1;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Debug information may be wrong: a trap in the middle of an instruction would break the program. */
static void drop_broken_starts(struct copy_work *w)
{
	if (!w->flow || !w->function.count || !flow_is_insn(w->flow, w->function.items[0].low))
		return;
	for (size_t i = 0; i < w->starts.count;) {
		if (flow_is_insn(w->flow, w->starts.items[i]))
			i++;
		else
			array_remove(&w->starts, i);
	}
}

/* Where a line in all rounds of an unrolled loop is a call it has no rows of its own, with a column: one is made up. */
static int call_columns(struct copy_work *w, unsigned *columns)
{
	enum { MADE_UP = 1 << 20 };
	struct line_unit *l = NULL;

	if (!columns || w->c->owner.unit->is_gcc || !w->c->calls.count || !w->outer.scope)
		return 0;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	for (size_t i = 0; l && i < w->starts.count; i++)
		for (size_t k = 0; !columns[i] && k < w->c->calls.count; k++)
			if (begins_again(w, l, w->c->calls.items[k], w->starts.items[i]))
				columns[i] = MADE_UP + (unsigned)k;
	return 0;
}

/*
 * The columns of the starts, or NULL. Where a loop was unrolled each copy of a statement begins at the same column, and is an
 * execution of its own; the later rows of a statement over several lines begin elsewhere, but with gcc where it marks no
 * statements (-O0, -g1). The end of a macro is no copy, nor is a row without a mark where others have one.
 */
static unsigned *start_columns(const struct copy_work *w)
{
	unsigned *columns;

	if (!w->c->owner.unit || (w->c->owner.unit->is_gcc && w->c->all_stmt))
		return NULL;
	columns = base_alloc(w->starts.count, sizeof(*columns));
	for (size_t i = 0; i < w->starts.count; i++) {
		bool stmt = false;

		array_each(const struct block, b, &w->c->blocks) {
			if (b->start != w->starts.items[i] || ((stmt || w->marked) && !b->stmt))
				continue;
			columns[i] = b->ends_macro ? 0 : b->column;
			stmt = b->stmt;
		}
	}
	return columns;
}

/* Does a statement that begins between the two addresses begin outside of them, too? */
static bool comes_again(const struct line_unit *l, const struct line_row *one, uint64_t from,
			uint64_t to)
{
	array_each(const struct line_row, row, &l->rows)
		if (row->is_stmt && !row->end_sequence && row_is_same(row, one) &&
		    (row->offset < from || row->offset >= to))
			return true;
	return false;
}

/* Is it code of a call in this line that was inlined? */
static bool is_in_calls(const struct copy_work *w, uint64_t offset)
{
	const struct die_unit *u = w->c->owner.unit;

	array_each(struct scope *, call, &w->c->calls)
		if (flow_in_ranges(&u->ranges.items[(*call)->first_range], (*call)->range_count,
				   offset))
			return true;
	return false;
}

/*
 * What lies between two starts of the line may be an inlined call of its own, that is an argument. In the rounds of an unrolled
 * loop such a call comes before each start, or behind each.
 */
static bool is_around_calls(const struct copy_work *w, const struct line_unit *l, uint64_t from,
			    uint64_t to)
{
	const struct line_row *before = lines_row_at(l, from - 1), *behind = lines_row_at(l, to);

	if (w->c->markers || !behind || (before && is_in_calls(w, from - 1)) ||
	    is_in_calls(w, from) || is_in_calls(w, to))
		return false;
	while (!behind->end_sequence &&
	       (behind->offset <= to || !behind->is_stmt || !behind->line ||
		(behind->line == w->line && !is_in_calls(w, behind->offset))))
		behind++;
	return behind->end_sequence || !is_in_calls(w, behind->offset);
}

/*
 * Are two starts at one column, one behind the other, parts of one statement after all? An
 * initialiser over several lines comes back to its first one after each of them. In an unrolled loop
 * what lies between comes again in other rounds, or is the loop's head, which stands before. Rows at the first start's
 * address that come before it are of what has led there, as a function's entry. Where no loop is written nothing has rounds.
 */
static bool is_one_statement(const struct copy_work *w, const struct line_unit *l, uint64_t from,
			     uint64_t to)
{
	bool parts, begun = false;

	if (!flow_is_straight(w->flow, from, to) && !flow_only_calls(w->flow, from, to))
		return false;
	if (copy_has_no_loop(w))
		return true;
	parts = is_around_calls(w, l, from, to);
	array_each(const struct line_row, row, &l->rows) {
		if (row->offset < from || row->offset >= to)
			continue;
		begun = begun || row->offset > from || row->line == w->line;
		if (!begun || !row->is_stmt || !row->line || row->end_sequence ||
		    row->line == w->line || (parts && is_in_calls(w, row->offset)))
			continue;
		if ((row->line < w->line && !w->c->markers) || comes_again(l, row, from, to))
			return false;
	}
	return true;
}

/* Starts whose column is taken away are no copies of the whole statement. */
static int part_columns(struct copy_work *w, unsigned *columns)
{
	struct line_unit *l = NULL;

	if (!columns || w->marked || !w->outer.scope)
		return 0;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	for (size_t i = w->starts.count; l && i-- > 1;) {
		if (columns[i] == columns[i - 1] &&
		    is_one_statement(w, l, w->starts.items[i - 1], w->starts.items[i]))
			columns[i] = 0;
	}
	return 0;
}

/*
 * clang gives the jump at the end of an inner loop the place where that loop's statement ends, which
 * may be on this line. It is no execution where the line has other code, not further right.
 */
static void drop_jumps(struct copy_work *w, const unsigned *columns)
{
	unsigned least = UINT_MAX;
	size_t n = 0;

	if (!columns || w->marked || w->c->owner.unit->is_gcc)
		return;
	for (size_t i = 0; i < w->starts.count; i++)
		if (columns[i] < least && !flow_is_jump(w->flow, w->starts.items[i]))
			least = columns[i];
	for (size_t i = 0; i < w->starts.count; i++)
		if (columns[i] < least || !flow_is_jump(w->flow, w->starts.items[i]))
			w->starts.items[n++] = w->starts.items[i];
	w->starts.count = n;
}

static bool is_repeated(const struct copy_work *w, uint64_t start)
{
	bool is_mark = false;

	array_each(const struct block, b, &w->c->blocks) {
		if (b->start != start || !b->stmt)
			continue;
		if (!b->repeated)
			return false;
		is_mark = true;
	}
	return is_mark;
}

/*
 * The rounds of an unrolled loop have the loop's own marks between them. Where a mark follows its like
 * and control falls into it, it is one more statement of a macro.
 */
static void drop_macros(struct copy_work *w)
{
	size_t n = w->starts.count ? 1 : 0;

	if (!w->marked)
		return;
	for (size_t i = 1; i < w->starts.count; i++) {
		uint64_t start = w->starts.items[i];

		if (!is_repeated(w, start) || !flow_falls_into(w->flow, start))
			w->starts.items[n++] = start;
	}
	w->starts.count = n;
}

static int drop_by_flow(struct copy_work *w)
{
	unsigned *columns = start_columns(w);
	int answer;

	drop_jumps(w, columns);
	drop_macros(w);
	base_free(columns);
	columns = start_columns(w);
	answer = call_columns(w, columns) < 0 ? -1 : part_columns(w, columns);
	if (answer == 0)
		w->kept = flow_statement_starts(w->flow, w->starts.items, columns, w->starts.count,
						w->marked, w->own.items, w->own.count);
	base_free(columns);
	return answer;
}

/* Sorts the starts and takes away those that need no trap. */
static int prune_starts(struct copy_work *w)
{
	int answer = 0;

	array_sort(&w->starts, by_value);
	drop_broken_starts(w);
	w->kept = w->starts.count;
	if (w->kept > 1 && w->flow)
		answer = drop_by_flow(w);
	w->starts.count = w->kept;
	array_sort(&w->starts, by_value);
	if (answer == 0)
		answer = copy_drop_leads(w);
	if (answer == 0)
		answer = coroutine_drop_starts(w);
	w->kept = w->starts.count;
	return answer;
}

/* Its own code, and that of the calls in it that were inlined. */
static void take_body(const struct copy_work *w, struct flow_ranges *out)
{
	const struct die_unit *u = w->c->owner.unit;

	array_each(const struct module_range, r, &w->own)
		*array_add(out) = *r;
	array_each(struct scope *, call, &w->c->calls)
		for (uint32_t i = 0; i < (*call)->range_count; i++)
			*array_add(out) = u->ranges.items[(*call)->first_range + i];
}

/*
 * Does its own code alone say better where the statement begins? So it does where a call's body begins with a loop; and
 * where it has fewer beginnings, unless there are executions that pass none of them.
 */
static int resolve_starts_is_better(const struct copy_work *w, const struct copy_work *without,
				    bool *out)
{
	const struct flow_offsets own = {without->starts.items, without->kept, without->kept};
	bool skips = false, turns = false;
	struct flow_ranges body = {0};
	int answer = 0;

	take_body(w, &body);
	for (size_t i = 0; w->flow && i < w->kept && answer == 0; i++) {
		enum flow_passing how;

		answer = copy_passing(w, &body, w->starts.items[i], &own, &how);
		turns = turns || how == FLOW_TURNS;
		skips = skips || how == FLOW_SKIPS;
	}
	array_fini(&body);
	*out = turns || (!skips && w->kept > without->kept);
	return answer;
}

/*
 * With the entries of inlined calls the statement begins where it should, before the calls it
 * makes. But where those do not lead to all of the statement's own code (the compiler copied some
 * of it elsewhere), one execution would count twice: then its own code alone says where it begins.
 */
static int choose_starts(struct copy_work *w)
{
	struct copy_work without = *w;
	bool better = false;
	int answer;

	own_starts(w);
	if (!w->c->calls.count)
		return prune_starts(w);
	own_starts(&without);
	answer = prune_starts(&without);
	if (call_starts(w, &(struct flow_offsets){without.starts.items, without.kept,
						  without.kept}) < 0 ||
	    round_starts(w) < 0 || prune_starts(w) < 0)
		answer = -1;
	if (answer == 0 && without.kept)
		answer = resolve_starts_is_better(w, &without, &better);
	if (better) {
		array_fini(&w->starts);
		*w = without;
	} else {
		array_fini(&without.starts);
	}
	return answer;
}

int copy_starts(struct copy_work *w)
{
	if (copy_loop_ways(w) < 0)
		return -1;
	if (w->ways.count)
		return 0;
	if (choose_starts(w) < 0)
		return -1;
	copy_split_rounds(w);
	array_sort(&w->starts, by_value);
	w->kept = w->starts.count;
	middle_starts(w);
	return 0;
}
