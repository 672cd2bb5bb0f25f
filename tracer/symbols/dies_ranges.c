/* The code ranges of a DIE: low and high, .debug_ranges (2 to 4), .debug_rnglists (5). */
#include "tracer/symbols/dies_read.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>

/* More than that in one unit is no program but many DIEs that share one long list. */
enum { RANGES_MAX = 1 << 22 };

/* Keeps what is code of this module: sections that the linker dropped are at 0, 1 or behind the
 * end. */
static void keep(const struct die_table *t, struct die_unit *u, uint64_t low, uint64_t high)
{
	struct symbols_range *r;

	if (low == 0 || low >= high || !module_is_code(t->module, low) ||
	    !module_is_code(t->module, high - 1))
		return;
	r = array_add(&u->ranges);
	r->low = low;
	r->high = high;
}

static int read_old(struct die_table *t, struct die_unit *u, uint64_t offset, struct error *err)
{
	struct cursor c = {.at = t->ranges.bytes, .end = t->ranges.bytes + t->ranges.size};
	uint64_t base = u->has_low ? u->low : 0;
	uint64_t mark = u->address_size == 8 ? UINT64_MAX : UINT32_MAX;

	cursor_take(&c, offset);
	for (;;) {
		uint64_t low = cursor_fixed(&c, u->address_size);
		uint64_t high = cursor_fixed(&c, u->address_size);

		if (c.broken)
			return dies_broken(t, err, "ranges that do not end, in .debug_ranges,",
					   offset);
		if (low == 0 && high == 0)
			return 0;
		if (low == mark)
			base = high;
		else
			keep(t, u, base + low, base + high);
		if (u->ranges.count > RANGES_MAX)
			return dies_broken(t, err, "too many ranges, in .debug_info,", u->offset);
	}
}

static uint64_t address_at(const struct die_table *t, const struct die_unit *u, uint64_t index)
{
	struct die_value v = {.form = DW_FORM_addrx, .number = index};
	uint64_t address;

	return die_address(t, u, &v, &address) ? address : 0;
}

/* One entry of a range list; 0 at its end. */
static int read_entry(struct die_table *t, struct die_unit *u, struct cursor *c, uint64_t *base)
{
	uint64_t low;

	switch (cursor_fixed(c, 1)) {
	case DW_RLE_end_of_list:
		return 0;
	case DW_RLE_base_addressx:
		*base = address_at(t, u, cursor_uleb(c));
		return 1;
	case DW_RLE_startx_endx:
		low = address_at(t, u, cursor_uleb(c));
		keep(t, u, low, address_at(t, u, cursor_uleb(c)));
		return 1;
	case DW_RLE_startx_length:
		low = address_at(t, u, cursor_uleb(c));
		keep(t, u, low, low + cursor_uleb(c));
		return 1;
	case DW_RLE_offset_pair:
		low = *base + cursor_uleb(c);
		keep(t, u, low, *base + cursor_uleb(c));
		return 1;
	case DW_RLE_base_address:
		*base = cursor_fixed(c, u->address_size);
		return 1;
	case DW_RLE_start_end:
		low = cursor_fixed(c, u->address_size);
		keep(t, u, low, cursor_fixed(c, u->address_size));
		return 1;
	case DW_RLE_start_length:
		low = cursor_fixed(c, u->address_size);
		keep(t, u, low, low + cursor_uleb(c));
		return 1;
	default:
		c->broken = true;
		return 0;
	}
}

static int read_lists(struct die_table *t, struct die_unit *u, uint64_t offset, struct error *err)
{
	struct cursor c = {.at = t->rnglists.bytes, .end = t->rnglists.bytes + t->rnglists.size};
	uint64_t base = u->has_low ? u->low : 0;

	cursor_take(&c, offset);
	while (read_entry(t, u, &c, &base) && !c.broken) {
		if (u->ranges.count > RANGES_MAX)
			return dies_broken(t, err, "too many ranges, in .debug_info,", u->offset);
	}
	if (c.broken)
		return dies_broken(t, err, "a range list that does not end, in .debug_rnglists,",
				   offset);
	return 0;
}

static int read_indexed(struct die_table *t, struct die_unit *u, uint64_t index, struct error *err)
{
	struct cursor c = {.at = t->rnglists.bytes, .end = t->rnglists.bytes + t->rnglists.size};

	if (index > t->rnglists.size)
		return dies_broken(t, err, "an unknown range list, in .debug_info,", u->offset);
	cursor_take(&c, u->rnglists_base);
	cursor_take(&c, index * u->offset_size);
	return read_lists(t, u, u->rnglists_base + cursor_fixed(&c, u->offset_size), err);
}

static void read_low_high(struct die_table *t, struct die_unit *u, const struct die *d)
{
	uint64_t low, high;

	if (!die_address(t, u, &d->at[DIE_LOW], &low))
		return;
	if (!die_address(t, u, &d->at[DIE_HIGH], &high))
		high = low + d->at[DIE_HIGH].number;
	keep(t, u, low, high);
}

int die_ranges(struct die_table *t, struct die_unit *u, const struct die *d, struct error *err)
{
	const struct die_value *list = &d->at[DIE_RANGES];
	size_t before = u->ranges.count;
	int answer = 0;

	if (list->form == DW_FORM_rnglistx)
		answer = read_indexed(t, u, list->number, err);
	else if (list->form && u->version >= 5)
		answer = read_lists(t, u, list->number, err);
	else if (list->form)
		answer = read_old(t, u, list->number, err);
	else if (d->at[DIE_HIGH].form)
		read_low_high(t, u, d);
	return answer < 0 ? -1 : (int)(u->ranges.count - before);
}
