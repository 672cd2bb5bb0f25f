/* One DIE: its forms, texts and addresses (DWARF 5 standard, section 7.5). */
#include "tracer/dwarf/units/dies_read.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>
#include <string.h>

int dies_broken(const struct die_table *t, struct error *err, const char *what, uint64_t offset)
{
	const struct module *m = t->module;

	return error_set(err, ERROR_OBJECT, "%s: broken debug information: %s at 0x%llx",
			 m->debug_path ? m->debug_path : m->path, what, (unsigned long long)offset);
}

/* ---- values --------------------------------------------------------------------------------- */

/* References within a unit become offsets in .debug_info, those to elsewhere none. */
static void make_absolute(const struct die_unit *u, struct attr *v)
{
	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		v->number += u->offset;
		break;
	case DW_FORM_ref_addr:
		v->number += u->ref_base;
		break;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		v->number += DIES_SOURCE;
		break;
	default:
		break;
	}
}

static void take_block(struct cursor *c, uint64_t size, struct attr *a)
{
	a->block = cursor_take(c, size <= UINT32_MAX ? size : UINT64_MAX);
	a->size = a->block ? (uint32_t)size : 0;
}

static void read_variable(struct cursor *c, struct attr *a)
{
	switch (a->form) {
	case DW_FORM_string:
		a->block = (const uint8_t *)cursor_string(c);
		a->size = a->block ? (uint32_t)(c->at - a->block) : 0;
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

void attr_read(const struct abbrevs *abbrevs, const struct die_unit *u, struct cursor *c,
	       const struct abbrev_attr *attr, struct attr *out)
{
	uint64_t form = attr->form;
	int size;

	if (form == DW_FORM_indirect)
		form = cursor_uleb(c);
	size = form <= UINT16_MAX ? abbrev_form_size(abbrevs, (unsigned)form) : -2;
	if (size == -2 || form == DW_FORM_indirect) {
		c->broken = true;
		return;
	}
	*out = (struct attr){
		.number = (uint64_t)attr->constant, .form = (uint16_t)form, .name = attr->name};
	if (size > 8)
		take_block(c, (uint64_t)size, out);
	else if (form == DW_FORM_flag_present)
		out->number = 1;
	else if (size > 0)
		out->number = cursor_fixed(c, (unsigned)size);
	else if (size < 0)
		read_variable(c, out);
	make_absolute(u, out);
}

static void read_values(const struct abbrevs *a, const struct die_unit *u, struct cursor *c,
			const struct abbrev *one, struct die *out)
{
	struct attr ignored;

	memset(out->at, 0, sizeof(out->at));
	for (uint32_t i = 0; i < one->count && !c->broken; i++) {
		const struct abbrev_attr *attr = &a->attrs.items[one->first + i];

		attr_read(a, u, c, attr,
			  attr->slot == DIE_UNWANTED ? &ignored : &out->at[attr->slot]);
		/* Of all other attributes it is no number that anybody could use. */
		if (attr->slot < DIE_SLOTS && attr->slot != DIE_SIGNATURE &&
		    out->at[attr->slot].form == DW_FORM_ref_sig8)
			out->at[attr->slot].form = 0;
	}
}

static void skip_values(const struct abbrevs *a, const struct die_unit *u, struct cursor *c,
			const struct abbrev *one)
{
	struct attr ignored;

	if (one->fixed >= 0) {
		cursor_take(c, (uint64_t)one->fixed);
		return;
	}
	for (uint32_t i = 0; i < one->count && !c->broken; i++) {
		const struct abbrev_attr *attr = &a->attrs.items[one->first + i];

		if (attr->size >= 0)
			cursor_take(c, (uint64_t)attr->size);
		else if (attr->form == DW_FORM_exprloc)
			cursor_take(c, cursor_uleb(c));
		else
			attr_read(a, u, c, attr, &ignored);
	}
}

int die_read(struct die_table *t, struct die_unit *u, struct cursor *c, bool all, struct die *out,
	     struct error *err)
{
	const struct abbrev *one;
	uint64_t code;

	out->offset = dies_offset(u, c->at);
	code = cursor_uleb(c);
	if (code == 0 && !c->broken) {
		out->tag = 0;
		out->children = out->wanted = false;
		return 0;
	}
	one = abbrev_find(u->abbrevs, code);
	if (!one)
		return dies_broken(t, err, "a DIE of an unknown abbreviation, in .debug_info,",
				   out->offset);
	out->tag = one->tag;
	out->children = one->children;
	out->wanted = one->wanted || all;
	if (out->wanted)
		read_values(u->abbrevs, u, c, one, out);
	else
		skip_values(u->abbrevs, u, c, one);
	if (c->broken)
		return dies_broken(t, err, "a DIE that does not end, in .debug_info,", out->offset);
	return 0;
}

/* ---- texts and addresses -------------------------------------------------------------------- */

/* A number of `size` bytes at base + index * size of a section of indexes. */
static bool indexed(const struct section_data *s, uint64_t base, uint64_t index, unsigned size,
		    uint64_t *out)
{
	if (!s->bytes || base > s->size || index >= (s->size - base) / size)
		return false;
	*out = 0;
	memcpy(out, s->bytes + base + index * size, size);
	return true;
}

static const char *section_text(const struct section_data *s, uint64_t offset)
{
	if (!s->bytes || offset >= s->size || !memchr(s->bytes + offset, 0, s->size - offset))
		return NULL;
	return (const char *)s->bytes + offset;
}

const char *die_text(const struct die_table *t, const struct die_unit *u, const struct attr *v)
{
	uint64_t offset;

	switch (v->form) {
	case DW_FORM_string:
		return (const char *)v->block;
	case DW_FORM_strp:
		return section_text(&u->in->str, v->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return t->alt ? section_text(&t->alt->str, v->number) : NULL;
	case DW_FORM_line_strp:
		return section_text(&u->in->line_str, v->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (!indexed(&u->in->str_offsets, u->str_base, v->number, u->offset_size, &offset))
			return NULL;
		return section_text(&u->in->str, offset);
	default:
		return NULL;
	}
}

/* Of the type with this signature; NULL: it is not there, or has none. */
static const char *signed_name(struct die_table *t, const struct die_unit *u, uint64_t signature)
{
	uint64_t type = dies_signed(t, u, signature);
	struct die_unit *in = type ? dies_unit_of(t, type) : NULL;
	ERROR(ignored);
	struct cursor c;
	struct die d;

	if (!in || !abbrevs_get(t, in, &ignored))
		return NULL;
	c = (struct cursor){.at = dies_bytes(in, type), .end = dies_bytes(in, in->end)};
	if (die_read(t, in, &c, true, &d, &ignored) < 0 || !d.tag)
		return NULL;
	return die_text(t, in, &d.at[DIE_NAME]);
}

const char *die_name(struct die_table *t, struct die_unit *u, const struct die *d)
{
	const char *name = die_text(t, u, &d->at[DIE_NAME]);

	if (!name && d->at[DIE_SIGNATURE].form == DW_FORM_ref_sig8)
		return signed_name(t, u, d->at[DIE_SIGNATURE].number);
	return name;
}

bool die_address(const struct die_table *t, const struct die_unit *u, const struct attr *v,
		 uint64_t *out)
{
	switch (v->form) {
	case DW_FORM_addr:
		*out = v->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return indexed(&t->addr, u->addr_base, v->number, u->address_size, out);
	default:
		return false;
	}
}

uint64_t die_address_at(const struct die_table *t, const struct die_unit *u, uint64_t index)
{
	const struct attr a = {.form = DW_FORM_addrx, .number = index};
	uint64_t address;

	return die_address(t, u, &a, &address) ? address : 0;
}

uint64_t die_list_offset(const struct die_unit *u, const struct section_data *lists, uint64_t base,
			 uint64_t index)
{
	uint64_t offset;

	return indexed(lists, base, index, u->offset_size, &offset) ? base + offset : UINT64_MAX;
}

int die_read_top(struct die_table *t, struct die_unit *u, struct die *out, struct error *err)
{
	struct cursor c = {.at = dies_bytes(u, u->first), .end = dies_bytes(u, u->end)};
	struct cursor peek = c;
	int answer;

	u->abbrevs = abbrevs_until(t, u, cursor_uleb(&peek), err);
	if (!u->abbrevs)
		return -1;
	answer = die_read(t, u, &c, true, out, err);
	u->abbrevs = NULL;
	return answer;
}
