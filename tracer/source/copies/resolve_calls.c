/* Where an inlined call that a line makes begins, by what the function that was called is. */
#include "tracer/source/names/functions.h"
#include "tracer/source/copies/resolve_marks.h"
#include "tracer/source/lines/source_lines.h"

static bool has_loop(const struct flow_ways *ways)
{
	array_each(const struct flow_way, way, ways)
		if (way->offset != way->to)
			return true;
	return false;
}

/*
 * Nothing is left of the line but a call whose code begins with a loop: those who come from elsewhere come to the line, and
 * the loop's rounds do not.
 */
int copy_loop_ways(struct copy_work *w)
{
	struct die_unit *u = w->c->owner.unit;
	struct scope *call = w->c->calls.count == 1 ? w->c->calls.items[0] : NULL;
	const struct instance copy = {w->c->module, {u, call}, NULL};
	struct line_unit *l = NULL;

	if (!call || !w->flow || w->c->blocks.count || (!call->has_entry && call->range_count > 1))
		return 0;
	if (unit_lines(w->r, w->c->module, u, &l) < 0 ||
	    inlined_entries(w->r, &copy, w->flow, l, &w->ways) < 0)
		return -1;
	if (!has_loop(&w->ways))
		array_fini(&w->ways);
	array_each(struct flow_way, way, &w->ways)
		way->if_taken = way->if_taken && !flow_is_jump(w->flow, way->offset);
	return 0;
}

uint64_t copy_call_entry(const struct copy_work *w, struct scope *call)
{
	struct die_unit *u = w->c->owner.unit;
	uint64_t around = w->outer.scope ? scope_entry(w->outer) : UINT64_MAX;

	if (!w->has_code || call->has_entry || call->range_count < 2)
		return scope_entry((struct scope_ref){u, call});
	return dies_covers(u, call, around) ? around : UINT64_MAX;
}

/* Is it code that was moved there, out of a loop in which the call is entered: a piece of it in which no statement begins,
   and that does nothing but compute something? */
static bool is_moved(const struct copy_work *w, const struct line_unit *l, const struct scope *call,
		     uint64_t entry, uint64_t one)
{
	const struct module_range *pieces = &w->c->owner.unit->ranges.items[call->first_range];

	if (one == entry || !flow_comes_again(w->flow, entry, &(struct flow_offsets){&one, 1, 1}))
		return false;
	for (uint32_t i = 0; i < call->range_count; i++) {
		size_t count;
		const struct line_row *rows;

		if (one < pieces[i].low || one >= pieces[i].high)
			continue;
		rows = rows_in(l, &pieces[i], &count);
		for (size_t k = 0; k < count; k++)
			if (rows[k].is_stmt)
				return false;
		return flow_only_computes(w->flow, &pieces[i]);
	}
	return false;
}

int copy_begun_entries(const struct copy_work *w, const struct scope *call, uint64_t entry,
		       struct flow_offsets *out)
{
	const struct module_range *pieces = &w->c->owner.unit->ranges.items[call->first_range];
	struct flow_offsets all = {0};
	struct line_unit *l = NULL;

	if (!w->c->markers || !w->flow || !w->outer.scope || !call->has_entry ||
	    call->range_count < 2)
		return 0;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	if (l)
		flow_all_entries(w->flow, pieces, call->range_count, entry, &all);
	array_each(const uint64_t, one, &all)
		if (!is_moved(w, l, call, entry, *one))
			*array_add(out) = *one;
	if (out->count == all.count)
		out->count = 0;
	array_fini(&all);
	return 0;
}
