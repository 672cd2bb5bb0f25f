/* Where the rounds of a loop end on the line of its head. */
#include "tracer/source/resolve_copy.h"

/* Goes on to the next row of the line, behind code of no line. False: there is none before a jump. */
static bool own_row_behind(const struct copy_work *w, uint64_t *offset)
{
	uint64_t from = *offset;

	array_each(const struct module_range, r, &w->c->lineless)
		if (r->low <= *offset && *offset < r->high)
			*offset = r->high;
	return flow_in_ranges(w->own.items, w->own.count, *offset) &&
	       flow_is_straight(w->flow, from, *offset);
}

/*
 * clang marks no statement where the row before was of the same line. Where the body of a `for` ends in code that has no line, as an
 * inlined destructor may, its increment and condition stand behind the rows of its beginning in that way, and only the body
 * leads there.
 */
void copy_round_ends(const struct copy_work *w, struct flow_offsets *out)
{
	struct flow_offsets ends = {0};

	if (!w->flow || !w->c->owner.unit || w->c->owner.unit->is_gcc || !w->has_code)
		return;
	flow_round_ends(w->flow, w->own.items, w->own.count, &ends);
	array_each(uint64_t, end, &ends)
		if (own_row_behind(w, end))
			*array_add(out) = *end;
	array_fini(&ends);
}
