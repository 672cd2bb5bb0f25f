/* Starts of a line at the entries of inlined calls. */
#include "tracer/source/copies/copy.h"

struct flow_ranges copy_call(const struct copy_work *w, const struct scope *call)
{
	return scope_code((struct scope_ref){w->c->owner.unit, (struct scope *)call});
}

bool copy_is_in_calls(const struct copy_work *w, uint64_t offset)
{
	array_each(struct scope *, call, &w->c->calls) {
		const struct flow_ranges code = copy_call(w, *call);

		if (flow_in_ranges(&code, offset))
			return true;
	}
	return false;
}

static bool has_loop(const struct flow_ways *ways)
{
	array_each(const struct flow_way, way, ways)
		if (way->offset != way->to)
			return true;
	return false;
}

/* If nothing but an inlined call that begins with a loop is left of the line, its starts are the
   paths to the loop from outside; iterations are no executions of the line. */
void ways_into_loop(struct copy_work *w)
{
	struct scope *call = w->c->calls.count == 1 ? w->c->calls.items[0] : NULL;
	const struct instance copy = {w->c->module, {w->c->owner.unit, call}, NULL};

	if (!call || !w->flow || w->c->blocks.count || (!call->has_entry && call->range_count > 1))
		return;
	inlined_entries(w->r, &copy, w->flow, w->lines, &w->ways);
	if (!has_loop(&w->ways))
		array_fini(&w->ways);
	array_each(struct flow_way, way, &w->ways)
		way->if_taken = way->if_taken && !flow_is_jump(w->flow, way->offset);
}

/* Returns the entry of a call. UINT64_MAX if it has several ranges and no DW_AT_entry_pc (clang):
   control then enters from other code, or at the entry of the enclosing function. */
static uint64_t call_entry(const struct copy_work *w, struct scope *call)
{
	uint64_t around = w->outer.scope ? scope_entry(w->outer) : UINT64_MAX;

	if (!(w->facts & COPY_CODE) || call->has_entry || call->range_count < 2)
		return scope_entry((struct scope_ref){w->c->owner.unit, call});
	return dies_covers(w->c->owner.unit, call, around) ? around : UINT64_MAX;
}

/* True for code hoisted out of a loop that contains the call: a range without a statement
   row that only computes. */
static bool is_moved(const struct copy_work *w, const struct flow_ranges *pieces, uint64_t entry,
		     uint64_t one)
{
	if (one == entry || !flow_comes_again(w->flow, entry, &(struct flow_offsets){&one, 1, 1}))
		return false;
	array_each(const struct module_range, piece, pieces) {
		size_t count;
		const struct line_row *rows;

		if (one < piece->low || one >= piece->high)
			continue;
		rows = rows_in(w->lines, piece, &count);
		for (size_t k = 0; k < count; k++)
			if (rows[k].is_stmt)
				return false;
		return flow_only_computes(w->flow, piece);
	}
	return false;
}

/* Appends the entries of a call (gcc) except those of code hoisted out of a loop of its caller;
   nothing if there is no such code. */
static void begun_entries(const struct copy_work *w, const struct scope *call, uint64_t entry,
			  struct flow_offsets *out)
{
	const struct flow_ranges pieces = copy_call(w, call);
	struct flow_offsets all = {0};

	if (!w->c->markers || !w->flow || !w->lines || !call->has_entry || pieces.count < 2)
		return;
	flow_all_entries(w->flow, &pieces, entry, &all);
	array_each(const uint64_t, one, &all)
		if (!is_moved(w, &pieces, entry, *one))
			*array_add(out) = *one;
	if (out->count == all.count)
		out->count = 0;
	array_fini(&all);
}

static void starts_of_call(struct copy_work *w, struct scope *call, const struct flow_offsets *own)
{
	const struct flow_ranges code = copy_call(w, call);
	struct flow_offsets entries = {0}, some = {0};
	uint64_t entry = call_entry(w, call);

	/* Markers of the line itself (gcc). */
	array_each(const struct block, b, &w->c->blocks)
		if (w->c->markers && b->stmt)
			*array_add(&some) = b->start;
	if (!some.count)
		begun_entries(w, call, entry, &some);
	if (w->flow)
		flow_entries(w->flow, &code, entry, some.count ? &some : NULL, own, &entries);
	if (!entries.count && entry != UINT64_MAX)
		copy_add_start(w, entry);
	array_each(const uint64_t, one, &entries)
		copy_add_start(w, *one);
	array_fini(&entries);
	array_fini(&some);
}

/* Returns the first row of a range, after the prologue of the enclosing function, or NULL. It need
   not be a statement row: clang omits that if the row before has the same place. */
static const struct line_row *first_row(const struct copy_work *w, const struct module_range *piece)
{
	const struct line_row *row = lines_row_at(w->lines, piece->low);

	if (!row || row->offset != piece->low)
		return NULL;
	if (piece->low != scope_entry(w->outer))
		return row;
	do
		row++;
	while (!row->end_sequence && row->offset < piece->high && (!row->is_stmt || !row->line));
	return !row->end_sequence && row->offset < piece->high ? row : NULL;
}

/* True if a range of the call begins at the start with the same statement as its first range. */
static bool begins_again(const struct copy_work *w, const struct scope *call, uint64_t start)
{
	const struct flow_ranges pieces = copy_call(w, call);
	const struct line_row *first, *here;

	for (size_t i = 0; pieces.count > 1 && i < pieces.count; i++) {
		if (pieces.items[i].low != start)
			continue;
		first = first_row(w, &pieces.items[0]);
		here = first_row(w, &pieces.items[i]);
		return first && here && row_is_same(first, here);
	}
	return false;
}

unsigned call_begun_again(const struct copy_work *w, uint64_t start)
{
	for (size_t i = 0; w->lines && i < w->c->calls.count; i++)
		if (begins_again(w, w->c->calls.items[i], start))
			return (unsigned)i + 1;
	return 0;
}

void starts_of_calls(struct copy_work *w, const struct flow_offsets *own)
{
	array_each(struct scope *, call, &w->c->calls)
		starts_of_call(w, *call, own);
	if (!(w->facts & COPY_CLANG) || !w->lines)
		return;
	/* clang has one entry for an inlined call in all iterations of a loop that it unrolled. */
	array_each(struct scope *, call, &w->c->calls) {
		const struct flow_ranges pieces = copy_call(w, *call);

		for (size_t i = 1; i < pieces.count; i++)
			if (begins_again(w, *call, pieces.items[i].low))
				copy_add_start(w, pieces.items[i].low);
	}
}
