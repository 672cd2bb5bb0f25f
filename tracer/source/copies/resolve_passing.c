/* How control goes through a statement where the compiler marks them: at another one's mark it is no more in it. */
#include "tracer/source/copies/resolve_copy.h"
#include "tracer/source/copies/resolve_marks.h"

/* Where others that are marked begin, in the function but not in the statement's code. */
static void other_marks(const struct copy_work *w, struct line_unit *l,
			const struct flow_ranges *body, struct flow_offsets *out)
{
	array_each(const struct module_range, piece, &w->function) {
		size_t count;
		const struct line_row *rows = rows_in(l, piece, &count);

		for (size_t i = 0; i < count; i++)
			if (rows[i].is_stmt && rows[i].line &&
			    (rows[i].line != w->line ||
			     !function_same_file(lines_file(l, rows[i].file), w->file)) &&
			    !flow_in_ranges(body->items, body->count, rows[i].offset))
				*array_add(out) = rows[i].offset;
	}
}

int copy_passing(const struct copy_work *w, const struct flow_ranges *body, uint64_t from,
		 const struct flow_offsets *own, enum flow_passing *out)
{
	struct flow_offsets others = {0}, all = {0};
	struct line_unit *l = NULL;

	*out = flow_passing(w->flow, body->items, body->count, from, own);
	if (!w->marked || !w->outer.scope)
		return 0;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	if (l)
		other_marks(w, l, body, &others);
	array_each(const uint64_t, one, &others)
		*array_add(&all) = *one;
	array_each(const uint64_t, one, own)
		*array_add(&all) = *one;
	if (*out == FLOW_TURNS && !flow_turns(w->flow, body->items, body->count, from, &all))
		*out = FLOW_PASSES;
	if (*out == FLOW_PASSES && flow_comes_by(w->flow, from, &others, own))
		*out = FLOW_SKIPS;
	array_fini(&others);
	array_fini(&all);
	return 0;
}
