/*
 * Range and location lists: .debug_ranges and .debug_loc (DWARF 2 to 4), GNU's .debug_loc.dwo,
 * .debug_rnglists and .debug_loclists (DWARF 5, 7.25 and 7.29).
 */
#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>

static void take_code(struct list_reader *r, uint64_t size, struct list_entry *out)
{
	out->code = cursor_take(&r->c, size);
	out->size = out->code ? size : 0;
}

/* Reads an entry. This and the next functions return false if it only sets the base or ends the
   list. */
static bool read_old(struct list_reader *r, struct list_entry *out)
{
	unsigned size = r->u->address_size;
	uint64_t low = cursor_fixed(&r->c, size), high = cursor_fixed(&r->c, size);

	r->ended = !low && !high;
	if (r->ended)
		return false;
	if (low == (size == 8 ? UINT64_MAX : UINT32_MAX)) {
		r->base = high;
		return false;
	}
	out->low = r->base + low;
	out->high = r->base + high;
	if (r->locations)
		take_code(r, cursor_fixed(&r->c, 2), out);
	return true;
}

/* Reads an entry of GNU's .debug_loc.dwo: its bounds are those of DWARF 5's first draft. */
static bool read_gnu(struct list_reader *r, struct list_entry *out)
{
	switch (cursor_fixed(&r->c, 1)) {
	case 0:
		r->ended = true;
		return false;
	case 1:
		r->base = die_address_at(r->t, r->u, cursor_uleb(&r->c));
		return false;
	case 2:
		out->low = die_address_at(r->t, r->u, cursor_uleb(&r->c));
		out->high = die_address_at(r->t, r->u, cursor_uleb(&r->c));
		break;
	case 3:
		out->low = die_address_at(r->t, r->u, cursor_uleb(&r->c));
		out->high = out->low + cursor_fixed(&r->c, 4);
		break;
	case 4:
		out->low = r->base + cursor_fixed(&r->c, 4);
		out->high = r->base + cursor_fixed(&r->c, 4);
		break;
	default:
		r->c.broken = true;
		return false;
	}
	take_code(r, cursor_fixed(&r->c, 2), out);
	return true;
}

/* Reads the kind of a version 5 entry as DW_LLE_*. Range lists lack the default location. */
static uint64_t read_kind(struct list_reader *r)
{
	uint64_t kind = cursor_fixed(&r->c, 1);

	if (r->locations || kind < DW_RLE_base_address)
		return kind;
	return kind <= DW_RLE_start_length ? kind + 1 : UINT64_MAX;
}

static bool read_bounds(struct list_reader *r, struct list_entry *out)
{
	unsigned size = r->u->address_size;

	switch (read_kind(r)) {
	case DW_LLE_end_of_list:
		r->ended = true;
		return false;
	case DW_LLE_base_addressx:
		r->base = die_address_at(r->t, r->u, cursor_uleb(&r->c));
		return false;
	case DW_LLE_base_address:
		r->base = cursor_fixed(&r->c, size);
		return false;
	case DW_LLE_startx_endx:
		out->low = die_address_at(r->t, r->u, cursor_uleb(&r->c));
		out->high = die_address_at(r->t, r->u, cursor_uleb(&r->c));
		return true;
	case DW_LLE_startx_length:
		out->low = die_address_at(r->t, r->u, cursor_uleb(&r->c));
		out->high = out->low + cursor_uleb(&r->c);
		return true;
	case DW_LLE_offset_pair:
		out->low = r->base + cursor_uleb(&r->c);
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
	case 0x09: /* DW_LLE_GNU_view_pair: view numbers, which are not used */
		cursor_uleb(&r->c);
		cursor_uleb(&r->c);
		return false;
	default:
		r->c.broken = true;
		return false;
	}
}

static bool read_new(struct list_reader *r, struct list_entry *out)
{
	if (!read_bounds(r, out))
		return false;
	if (r->locations)
		take_code(r, cursor_uleb(&r->c), out);
	return true;
}

struct list_reader list_begin(const struct die_table *t, const struct die_unit *u,
			      const struct section_data *section, uint64_t offset, bool locations)
{
	struct list_reader r = {.t = t, .u = u, .locations = locations};

	r.base = u->low;
	r.c = (struct cursor){.at = section->bytes, .end = section->bytes + section->size};
	cursor_take(&r.c, offset);
	return r;
}

bool list_next(struct list_reader *r, struct list_entry *out)
{
	bool found = false;

	while (!r->ended && !r->c.broken && !found) {
		*out = (struct list_entry){.low = 0};
		if (r->u->version >= 5)
			found = read_new(r, out);
		else
			found = r->locations && r->u->is_dwo ? read_gnu(r, out) : read_old(r, out);
	}
	return found && !r->c.broken;
}

/* ---- ranges of a DIE: low and high, or a list ----------------------------------------------- */

/* Limit for a unit: more ranges mean many DIEs that share one long list. */
enum { RANGES_MAX = 1 << 22 };

/* Keeps ranges of this module's code. Sections that the linker dropped are at 0, at 1 or past the
   end. */
static void dies_ranges_keep(const struct die_table *t, struct die_unit *u, uint64_t low,
			     uint64_t high)
{
	struct module_range *r;

	if (low == 0 || low >= high || !module_is_code(t->module, low) ||
	    !module_is_code(t->module, high - 1))
		return;
	r = array_add(&u->ranges);
	r->low = low;
	r->high = high;
}

static int read_list(struct die_table *t, struct die_unit *u, const struct section_data *section,
		     uint64_t offset, struct error *err)
{
	struct list_reader r = list_begin(t, u, section, offset, false);
	struct list_entry one;

	while (list_next(&r, &one)) {
		dies_ranges_keep(t, u, one.low, one.high);
		if (u->ranges.count > RANGES_MAX)
			return dies_broken(t, err, "too many ranges, in .debug_info,", u->offset);
	}
	if (!r.c.broken)
		return 0;
	return dies_broken(t, err,
			   u->version < 5 ? "ranges that do not end, in .debug_ranges,"
					  : "a range list that does not end, in .debug_rnglists,",
			   offset);
}

static void read_low_high(struct die_table *t, struct die_unit *u, const struct die *d)
{
	uint64_t low, high;

	if (!die_address(t, u, &d->at[DIE_LOW], &low))
		return;
	if (!die_address(t, u, &d->at[DIE_HIGH], &high))
		high = low + d->at[DIE_HIGH].number;
	dies_ranges_keep(t, u, low, high);
}

int die_ranges(struct die_table *t, struct die_unit *u, const struct die *d, struct error *err)
{
	const struct attr *list = &d->at[DIE_RANGES];
	size_t before = u->ranges.count;
	uint64_t offset = list->number;
	int answer = 0;

	if (list->form == DW_FORM_rnglistx)
		offset = die_list_offset(u, &u->in->rnglists, u->rnglists_base, offset);
	else if (u->version < 5 && u->split == UNIT_JOINED)
		offset += u->ranges_base;
	if (list->form)
		answer = read_list(t, u, u->version < 5 ? &t->ranges : &u->in->rnglists, offset,
				   err);
	else if (d->at[DIE_HIGH].form)
		read_low_high(t, u, d);
	return answer < 0 ? -1 : (int)(u->ranges.count - before);
}
