/* Single DIEs with all their attributes. */
#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/frames/frames.h"

#include <libdwarf/dwarf.h>

enum { CHAIN_MAX = 16 }; /* compilers make chains of three origins */

/* ---- references of forms -------------------------------------------------------------------- */

/* Finds .debug_loclists of the file that the unit is in. */
static int loclists(struct die_table *t, const struct die_unit *u, struct section_data *out,
		    struct error *err)
{
	if (!u->is_dwo)
		return module_section(t->module, ".debug_loclists", out, err);
	*out = u->in->loclists;
	return 0;
}

static int list_of(struct die_table *t, const struct die_unit *u, struct attr *a, struct error *err)
{
	struct section_data lists = u->in->rnglists;
	uint64_t base = u->rnglists_base;

	if (a->form == DW_FORM_loclistx) {
		base = u->loclists_base;
		if (loclists(t, u, &lists, err) < 0)
			return -1;
	}
	a->number = die_list_offset(u, &lists, base, a->number);
	a->form = DW_FORM_sec_offset;
	return 0;
}

static void entries_address_of(const struct die_table *t, const struct die_unit *u, struct attr *a)
{
	a->number = die_address_at(t, u, a->number);
	a->form = DW_FORM_addr;
}

static int entries_settle(struct die_table *t, const struct die_unit *u, struct attr *a,
			  struct error *err)
{
	switch (a->form) {
	case DW_FORM_ref_sig8:
		a->number = dies_signed(t, u, a->number);
		return 0;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		if (!t->alt || a->number - DIES_SOURCE >= t->alt->info.size)
			a->number = 0;
		return 0;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		entries_address_of(t, u, a);
		return 0;
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		return list_of(t, u, a, err);
	default:
		return 0;
	}
}

/* ---- DIEs ----------------------------------------------------------------------------------- */

static int read_attrs(struct entry *e, const struct abbrev *one, struct cursor *c,
		      struct error *err)
{
	const struct abbrevs *abbrevs = e->unit->abbrevs;
	struct attr rest;

	for (uint32_t i = 0; i < one->count && !c->broken; i++) {
		struct attr *a = e->count < ENTRY_ATTRS ? &e->at[e->count] : &rest;

		attr_read(abbrevs, e->unit, c, &abbrevs->attrs.items[one->first + i], a);
		if (c->broken)
			break;
		if (entries_settle(e->table, e->unit, a, err) < 0)
			return -1;
		e->count += a != &rest;
	}
	if (c->broken)
		return dies_broken(e->table, err, "a DIE that does not end, in .debug_info,",
				   e->offset);
	return 0;
}

int entry_read(struct die_table *t, uint64_t offset, struct entry *out, struct error *err)
{
	struct die_unit *u = dies_unit_of(t, offset);
	const struct abbrev *one;
	uint64_t code;
	int answer = 0;

	if (!u)
		return dies_broken(t, err, "a reference to no DIE, in .debug_info,", offset);
	if (!abbrevs_get(t, u, err))
		return -1;
	struct cursor c = {.at = dies_bytes(u, offset), .end = dies_bytes(u, u->end)};

	out->table = t;
	out->unit = u;
	out->offset = offset;
	out->tag = out->count = 0;
	out->children = false;
	code = cursor_uleb(&c);
	one = code ? abbrev_find(u->abbrevs, code) : NULL;
	if (c.broken || (code && !one))
		return dies_broken(t, err, "a DIE of an unknown abbreviation, in .debug_info,",
				   offset);
	if (one) {
		out->tag = one->tag;
		out->children = one->children;
		answer = read_attrs(out, one, &c, err);
	}
	out->next = dies_offset(u, c.at);
	return answer;
}

int entry_skip(const struct entry *e, uint64_t *next, struct error *err)
{
	uint64_t sibling = entry_ref(e, DW_AT_sibling);
	struct cursor c = {.at = dies_bytes(e->unit, e->next),
			   .end = dies_bytes(e->unit, e->unit->end)};
	uint64_t depth = e->children;
	struct die d;

	if (e->children && sibling > e->next && sibling < e->unit->end) {
		*next = sibling;
		return 0;
	}
	while (depth && c.at < c.end) {
		if (die_read(e->table, e->unit, &c, false, &d, err) < 0)
			return -1;
		if (!d.tag)
			depth--;
		else
			depth += d.children;
	}
	*next = dies_offset(e->unit, c.at);
	return 0;
}

int entry_child(const struct entry *of, uint64_t *next, struct entry *out, struct error *err)
{
	uint64_t at = *next ? *next : of->next;

	if (!of->children)
		return 0;
	if (entry_read(of->table, at, out, err) < 0)
		return -1;
	if (!out->tag)
		return 0;
	if (entry_skip(out, next, err) < 0)
		return -1;
	/* A DIE that leads back would cause an endless loop. */
	return *next > at ? 1
			  : dies_broken(of->table, err, "a DIE before itself, in .debug_info,", at);
}

/* ---- attributes ----------------------------------------------------------------------------- */

const struct attr *entry_attr(const struct entry *e, unsigned name)
{
	for (unsigned i = 0; i < e->count; i++) {
		if (e->at[i].name == name)
			return &e->at[i];
	}
	return NULL;
}

const char *entry_text(const struct entry *e, unsigned name)
{
	const struct attr *a = entry_attr(e, name);

	return a ? die_text(e->table, e->unit, a) : NULL;
}

bool entry_number(const struct entry *e, unsigned name, uint64_t *out)
{
	const struct attr *a = entry_attr(e, name);

	if (!a || a->block)
		return false;
	*out = a->number;
	return true;
}

bool entry_flag(const struct entry *e, unsigned name)
{
	const struct attr *a = entry_attr(e, name);

	return a && a->number != 0;
}

uint64_t entry_ref(const struct entry *e, unsigned name)
{
	const struct attr *a = entry_attr(e, name);

	return a && !a->block ? a->number : 0;
}

const struct attr *entry_inherited(const struct entry *e, unsigned name, struct entry *holder,
				   struct error *err)
{
	const struct attr *a = entry_attr(e, name);

	*holder = *e;
	for (int i = 0; i < CHAIN_MAX && !a; i++) {
		uint64_t origin = entry_ref(holder, DW_AT_abstract_origin);

		if (!origin)
			origin = entry_ref(holder, DW_AT_specification);
		if (!origin || entry_read(holder->table, origin, holder, err) < 0)
			return NULL;
		a = entry_attr(holder, name);
	}
	return a ? entry_attr(holder, name) : NULL;
}
