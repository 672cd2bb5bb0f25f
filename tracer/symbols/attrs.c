/* Single entries of .debug_info with all that they say. */
#include "tracer/symbols/attrs.h"
#include "tracer/symbols/dies_read.h"
#include "tracer/symbols/state.h"

#include <libdwarf/dwarf.h>

enum { CHAIN_MAX = 16 }; /* origins of origins: compilers make three */

/* ---- forms ---------------------------------------------------------------------------------- */

static void take_block(struct cursor *c, uint64_t size, struct attr *a)
{
	a->block = c->at;
	a->size = (size_t)size;
	cursor_take(c, size);
	if (c->broken)
		a->size = 0;
}

static void take_text(struct cursor *c, struct attr *a)
{
	const char *text = cursor_string(c);

	a->block = (const uint8_t *)text;
	a->size = text ? (size_t)(c->at - a->block) : 0;
}

static void read_variable(struct cursor *c, struct attr *a)
{
	switch (a->form) {
	case DW_FORM_string:
		take_text(c, a);
		break;
	case DW_FORM_sdata:
		a->number = (uint64_t)cursor_sleb(c);
		break;
	case DW_FORM_block1:
		take_block(c, cursor_fixed(c, 1), a);
		break;
	case DW_FORM_block2:
		take_block(c, cursor_fixed(c, 2), a);
		break;
	case DW_FORM_block4:
		take_block(c, cursor_fixed(c, 4), a);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		take_block(c, cursor_uleb(c), a);
		break;
	default:
		a->number = cursor_uleb(c);
	}
}

static void read_form(const struct abbrevs *abbrevs, struct cursor *c, const struct abbrev_attr *as,
		      struct attr *a)
{
	uint64_t form = as->form;
	int size;

	if (form == DW_FORM_indirect)
		form = cursor_uleb(c);
	size = form <= UINT16_MAX ? abbrev_form_size(abbrevs, (unsigned)form) : -2;
	if (size == -2 || form == DW_FORM_indirect) {
		c->broken = true;
		return;
	}
	*a = (struct attr){.name = as->name, .form = (uint16_t)form};
	if (form == DW_FORM_data16)
		take_block(c, 16, a);
	else if (form == DW_FORM_flag_present)
		a->number = 1;
	else if (form == DW_FORM_implicit_const)
		a->number = (uint64_t)as->constant;
	else if (size < 0)
		read_variable(c, a);
	else
		a->number = cursor_fixed(c, (unsigned)size);
}

/* ---- what a form refers to ------------------------------------------------------------------ */

/* Lists by number: the offsets that stand at the unit's base are counted from there. */
static uint64_t list_offset(const struct die_unit *u, const struct section_data *s, uint64_t base,
			    uint64_t index)
{
	struct cursor c = {.at = s->bytes, .end = s->bytes + s->size};

	if (!s->bytes || index > s->size)
		return UINT64_MAX;
	cursor_take(&c, base);
	cursor_take(&c, index * u->offset_size);
	base += cursor_fixed(&c, u->offset_size);
	return c.broken ? UINT64_MAX : base;
}

static int list_of(struct die_table *t, const struct die_unit *u, struct attr *a, struct error *err)
{
	struct section_data lists = t->rnglists;
	uint64_t base = u->rnglists_base;

	if (a->form == DW_FORM_loclistx) {
		base = u->loclists_base;
		if (module_section(t->module, ".debug_loclists", &lists, err) < 0)
			return -1;
	}
	a->number = list_offset(u, &lists, base, a->number);
	a->form = DW_FORM_sec_offset;
	return 0;
}

static void address_of(const struct die_table *t, const struct die_unit *u, struct attr *a)
{
	struct die_value v = {.form = a->form, .number = a->number};

	a->form = DW_FORM_addr;
	if (!die_address(t, u, &v, &a->number))
		a->number = 0;
}

static int settle(struct die_table *t, const struct die_unit *u, struct attr *a, struct error *err)
{
	switch (a->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		a->number += u->offset;
		return 0;
	case DW_FORM_ref_sig8:
		a->number = dies_signed(t, a->number);
		return 0;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		a->number = 0;
		return 0;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		address_of(t, u, a);
		return 0;
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		return list_of(t, u, a, err);
	default:
		return 0;
	}
}

/* ---- entries -------------------------------------------------------------------------------- */

static int read_attrs(struct entry *e, const struct abbrev *one, struct cursor *c,
		      struct error *err)
{
	const struct abbrevs *abbrevs = e->unit->abbrevs;
	struct attr rest;

	for (uint32_t i = 0; i < one->count && !c->broken; i++) {
		struct attr *a = e->count < ENTRY_ATTRS ? &e->at[e->count] : &rest;

		read_form(abbrevs, c, &abbrevs->attrs.items[one->first + i], a);
		if (c->broken)
			break;
		if (settle(e->table, e->unit, a, err) < 0)
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
	u->read = true;
	if (!abbrevs_get(t, u, err))
		return -1;
	struct cursor c = {.at = t->info.bytes + offset, .end = t->info.bytes + u->end};

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
	out->next = (uint64_t)(c.at - t->info.bytes);
	return answer;
}

int entry_skip(const struct entry *e, uint64_t *next, struct error *err)
{
	uint64_t sibling = entry_ref(e, DW_AT_sibling);
	struct cursor c = {.at = e->table->info.bytes + e->next,
			   .end = e->table->info.bytes + e->unit->end};
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
	*next = (uint64_t)(c.at - e->table->info.bytes);
	return 0;
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
	struct die_value v = {0};

	if (!a)
		return NULL;
	v.form = a->form;
	v.number = a->number;
	v.text = (const char *)a->block;
	return die_text(e->table, e->unit, &v);
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

size_t symbols_units_read(const struct symbols *s)
{
	size_t count = 0;

	array_each(struct module *, m, &s->modules) {
		if (!(*m)->dies)
			continue;
		array_each(const struct die_unit, u, &(*m)->dies->units)
			count += u->read;
	}
	return count;
}
