/* The code ranges of a DIE: low and high, or a list. */
#include "tracer/dwarf/units/lists.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>

/* More than that in one unit is no program but many DIEs that share one long list. */
enum { RANGES_MAX = 1 << 22 };

/* Keeps what is code of this module: sections that the linker dropped are at 0, 1 or behind the end. */
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
	else if (u->version < 5 && u->joined)
		offset += u->ranges_base;
	if (list->form)
		answer = read_list(t, u, u->version < 5 ? &t->ranges : &u->in->rnglists, offset,
				   err);
	else if (d->at[DIE_HIGH].form)
		read_low_high(t, u, d);
	return answer < 0 ? -1 : (int)(u->ranges.count - before);
}
