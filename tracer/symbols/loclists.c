/* Where a variable is at which instruction: .debug_loc (DWARF 2 to 4), .debug_loclists (5), or one
   expression for everywhere. */
#include "tracer/symbols/dies_read.h"
#include "tracer/symbols/machine.h"

#include <libdwarf/dwarf.h>

/* More than that is no list of a compiler's. */
enum { LOCLIST_MAX = 1 << 16 };

/* A list while it is read. */
struct reading {
	const struct entry *e;
	struct cursor c;
	uint64_t base;
	bool ended;
};

/* One of its entries. */
struct location_part {
	uint64_t low, high;
	bool is_default; /* wherever no other one is */
	const uint8_t *code;
	size_t size;
};

static uint64_t address_at(const struct entry *e, uint64_t index)
{
	struct die_value v = {.form = DW_FORM_addrx, .number = index};
	uint64_t address;

	return die_address(e->table, e->unit, &v, &address) ? address : 0;
}

static void take_code(struct reading *r, uint64_t size, struct location_part *out)
{
	out->code = r->c.at;
	cursor_take(&r->c, size);
	out->size = r->c.broken ? 0 : size;
}

/* ---- the two formats ------------------------------------------------------------------------ */

/* One entry; false: it only changes the base, or ends the list. */
static bool read_old(struct reading *r, struct location_part *out)
{
	unsigned size = r->e->unit->address_size;
	uint64_t mark = size == 8 ? UINT64_MAX : UINT32_MAX;

	out->low = cursor_fixed(&r->c, size);
	out->high = cursor_fixed(&r->c, size);
	if (!out->low && !out->high) {
		r->ended = true;
		return false;
	}
	if (out->low == mark) {
		r->base = out->high;
		return false;
	}
	out->low += r->base;
	out->high += r->base;
	take_code(r, cursor_fixed(&r->c, 2), out);
	return true;
}

/* The bounds of an entry of version 5; false: it has none. */
static bool read_bounds(struct reading *r, struct location_part *out)
{
	unsigned size = r->e->unit->address_size;
	uint64_t first;

	switch (cursor_fixed(&r->c, 1)) {
	case DW_LLE_end_of_list:
		r->ended = true;
		return false;
	case DW_LLE_base_addressx:
		r->base = address_at(r->e, cursor_uleb(&r->c));
		return false;
	case DW_LLE_base_address:
		r->base = cursor_fixed(&r->c, size);
		return false;
	case DW_LLE_startx_endx:
		out->low = address_at(r->e, cursor_uleb(&r->c));
		out->high = address_at(r->e, cursor_uleb(&r->c));
		return true;
	case DW_LLE_startx_length:
		out->low = address_at(r->e, cursor_uleb(&r->c));
		out->high = out->low + cursor_uleb(&r->c);
		return true;
	case DW_LLE_offset_pair:
		first = cursor_uleb(&r->c);
		out->low = r->base + first;
		out->high = r->base + cursor_uleb(&r->c);
		return true;
	case DW_LLE_default_location:
		out->is_default = true;
		return true;
	case DW_LLE_start_end:
		out->low = cursor_fixed(&r->c, size);
		out->high = cursor_fixed(&r->c, size);
		return true;
	case DW_LLE_start_length:
		out->low = cursor_fixed(&r->c, size);
		out->high = out->low + cursor_uleb(&r->c);
		return true;
	case 0x09: /* DW_LLE_GNU_view_pair: numbers of views, which nobody asks for */
		cursor_uleb(&r->c);
		cursor_uleb(&r->c);
		return false;
	default:
		r->c.broken = true;
		return false;
	}
}

static bool read_new(struct reading *r, struct location_part *out)
{
	if (!read_bounds(r, out))
		return false;
	take_code(r, cursor_uleb(&r->c), out);
	return true;
}

/* ---- a list --------------------------------------------------------------------------------- */

static int begin(const struct entry *e, const struct attr *a, struct reading *r, struct error *err)
{
	bool is_new = e->unit->version >= 5;
	struct section_data data;

	if (module_section(e->table->module, is_new ? ".debug_loclists" : ".debug_loc", &data,
			   err) < 0)
		return -1;
	if (!data.bytes || a->number >= data.size)
		return dies_broken(e->table, err, "an unknown list of locations, in .debug_info,",
				   e->offset);
	*r = (struct reading){.e = e, .base = e->unit->has_low ? e->unit->low : 0};
	r->c = (struct cursor){.at = data.bytes + a->number, .end = data.bytes + data.size};
	return 0;
}

/* The next part: 1, 0 at the end, -1. */
static int next_part(struct reading *r, struct location_part *out, struct error *err)
{
	bool is_new = r->e->unit->version >= 5, found = false;

	while (!r->ended && !r->c.broken && !found) {
		*out = (struct location_part){.code = NULL};
		found = is_new ? read_new(r, out) : read_old(r, out);
	}
	if (r->c.broken)
		return dies_broken(r->e->table, err,
				   "a list of locations that does not end, in .debug_info,",
				   r->e->offset);
	return found;
}

int loclist_find(const struct entry *e, const struct attr *a, uint64_t offset, const uint8_t **code,
		 size_t *size, struct error *err)
{
	struct location_part part;
	struct reading r;
	int more;

	*code = a->block;
	*size = a->block ? a->size : 0;
	if (a->block)
		return 0;
	if (begin(e, a, &r, err) < 0)
		return -1;
	while ((more = next_part(&r, &part, err)) > 0) {
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

/* What begins with the value at the function's entry needs a caller that tells it. */
static bool is_known(const struct location_part *part)
{
	return part->size && part->code[0] != DW_OP_entry_value &&
	       part->code[0] != DW_OP_GNU_entry_value;
}

int loclist_ranges(const struct entry *e, const struct attr *a, struct loclist_ranges *out,
		   struct error *err)
{
	struct location_part part;
	struct reading r;
	int more;

	if (a->block) {
		if (a->size)
			add_range(out, 0, UINT64_MAX);
		return 0;
	}
	if (begin(e, a, &r, err) < 0)
		return -1;
	while ((more = next_part(&r, &part, err)) > 0) {
		if (!is_known(&part))
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
