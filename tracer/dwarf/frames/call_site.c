/* Call sites in debug information: DW_TAG_call_site, or GNU's before DWARF 5. */
#include "tracer/dwarf/frames/frames.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { SITES_MAX = 1 << 20, CHAIN_MAX = 16 };

int callsite_unavailable(struct error *err, const char *why)
{
	return error_set(err, ERROR_STATE,
			 "optimised out at this line; its value at the function's entry is not "
			 "known: %s",
			 why);
}

/* ---- functions ------------------------------------------------------------------------------ */

int callsite_owner(struct module *m, uint64_t offset, struct call_owner *out, struct error *err)
{
	*out = (struct call_owner){.table = m ? dies_table(m, err) : NULL};
	if (!out->table)
		return callsite_unavailable(err, "no debug information");
	if (dies_function_at(out->table, offset, &out->scope, err) < 0)
		return -1;
	if (!out->scope.scope || !out->scope.scope->range_count)
		return callsite_unavailable(err, "no debug information");
	out->low = out->scope.unit->ranges.items[out->scope.scope->first_range].low;
	return 0;
}

int callsite_root(struct entry *e, struct error *err)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		uint64_t next = entry_ref(e, DW_AT_abstract_origin);

		if (!next)
			next = entry_ref(e, DW_AT_specification);
		if (!next)
			return 0;
		if (entry_read(e->table, next, e, err) < 0)
			return -1;
	}
	return callsite_unavailable(err, "a circle in the debug information");
}

const char *callsite_linkage(const struct entry *e)
{
	const char *name = entry_text(e, DW_AT_linkage_name);

	if (!name)
		name = entry_text(e, DW_AT_MIPS_linkage_name);
	return name ? name : entry_text(e, DW_AT_name);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static bool is_site(unsigned tag)
{
	return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

bool callsite_return(const struct entry *site, uint64_t *out)
{
	return entry_number(site, DW_AT_call_return_pc, out) ||
	       (site->tag == DW_TAG_GNU_call_site && entry_number(site, DW_AT_low_pc, out));
}

uint64_t callsite_origin(const struct entry *site)
{
	uint64_t origin = entry_ref(site, DW_AT_call_origin);

	return origin ? origin : entry_ref(site, DW_AT_abstract_origin);
}

struct call_walk callsite_walk(const struct call_owner *in)
{
	return (struct call_walk){.in = in, .at = in->scope.scope->offset};
}

int callsite_next(struct call_walk *w, struct entry *out, struct error *err)
{
	while (w->at && w->steps++ < SITES_MAX) {
		if (entry_read(w->in->table, w->at, out, err) < 0)
			return -1;
		w->at = out->next;
		if (is_site(out->tag)) {
			if (out->children && entry_skip(out, &w->at, err) < 0)
				return -1;
			return 1;
		}
		if (out->tag == 0 && w->depth)
			w->depth--;
		else if (out->children)
			w->depth++;
		if (w->depth == 0) /* end of the function's own children */
			w->at = 0;
	}
	return 0;
}
