/* Locations of variables by instruction: location lists, or one expression for all instructions. */
#include "tracer/dwarf/expressions/expression.h"
#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

/* no compiler makes longer lists */
enum { LOCLIST_MAX = 1 << 16 };

static int location_lists_begin(const struct entry *e, const struct attr *a, struct list_reader *r,
				struct error *err)
{
	bool is_new = e->unit->version >= 5;
	struct section_data data;
	uint64_t at = a->number;

	if (e->unit->is_dwo)
		data = is_new ? e->unit->in->loclists : e->unit->in->loc;
	else if (module_section(e->table->module, is_new ? ".debug_loclists" : ".debug_loc", &data,
				err) < 0)
		return -1;
	if (e->unit->is_dwo && !is_new)
		at += e->unit->loc_base;
	if (!data.bytes || at >= data.size)
		return dies_broken(e->table, err, "an unknown list of locations, in .debug_info,",
				   e->offset);
	*r = list_begin(e->table, e->unit, &data, at, true);
	return 0;
}

/* Reads the next entry. Returns 1, 0 at the end, or -1 with *err set. */
static int next_entry(struct list_reader *r, const struct entry *e, struct list_entry *out,
		      struct error *err)
{
	bool found = list_next(r, out);

	if (!r->c.broken)
		return found;
	return dies_broken(e->table, err, "a list of locations that does not end, in .debug_info,",
			   e->offset);
}

int loclist_find(const struct entry *e, const struct attr *a, uint64_t offset, const uint8_t **code,
		 size_t *size, struct error *err)
{
	struct list_entry part;
	struct list_reader r;
	int more;

	*code = a->block;
	*size = a->block ? a->size : 0;
	if (a->block)
		return 0;
	if (location_lists_begin(e, a, &r, err) < 0)
		return -1;
	while ((more = next_entry(&r, e, &part, err)) > 0) {
		bool here = part.low <= offset && offset < part.high;

		if (!here && !(part.is_default && !*code))
			continue;
		*code = part.code;
		*size = part.size;
		if (here)
			return 0;
	}
	return more;
}

static void add_range(struct loclist_ranges *out, uint64_t low, uint64_t high)
{
	struct loclist_range *last = out->count ? &out->items[out->count - 1] : NULL;

	if (last && last->high == low) {
		last->high = high;
		return;
	}
	last = array_add(out);
	last->low = low;
	last->high = high;
}

/* Returns false for a location that begins with an entry value, which depends on the caller. */
static bool location_lists_is_known(const struct list_entry *part)
{
	return part->size && part->code[0] != DW_OP_entry_value &&
	       part->code[0] != DW_OP_GNU_entry_value;
}

int loclist_ranges(const struct entry *e, const struct attr *a, struct loclist_ranges *out,
		   struct error *err)
{
	struct list_entry part;
	struct list_reader r;
	int more;

	if (a->block) {
		if (a->size)
			add_range(out, 0, UINT64_MAX);
		return 0;
	}
	if (location_lists_begin(e, a, &r, err) < 0)
		return -1;
	while ((more = next_entry(&r, e, &part, err)) > 0) {
		if (!location_lists_is_known(&part))
			continue;
		if (part.is_default)
			add_range(out, 0, UINT64_MAX);
		else if (part.low < part.high)
			add_range(out, part.low, part.high);
		if (out->count > LOCLIST_MAX)
			return dies_broken(e->table, err, "too many locations, in .debug_info,",
					   e->offset);
	}
	return more;
}
