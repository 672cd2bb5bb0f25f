/* One DIE: its forms, texts and addresses (DWARF 5 standard, section 7.5). */
#include "tracer/symbols/dies_read.h"

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

static void skip_block(struct cursor *c, unsigned form)
{
	switch (form) {
	case DW_FORM_block1:
		cursor_take(c, cursor_fixed(c, 1));
		break;
	case DW_FORM_block2:
		cursor_take(c, cursor_fixed(c, 2));
		break;
	case DW_FORM_block4:
		cursor_take(c, cursor_fixed(c, 4));
		break;
	default:
		cursor_take(c, cursor_uleb(c));
	}
}

/* References within a unit become offsets in .debug_info, those to elsewhere none. */
static void make_absolute(const struct die_unit *u, struct die_value *v)
{
	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		v->number += u->offset;
		break;
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		v->form = 0;
		break;
	default:
		break;
	}
}

static void read_variable(struct cursor *c, struct die_value *v)
{
	switch (v->form) {
	case DW_FORM_string:
		v->text = cursor_string(c);
		break;
	case DW_FORM_sdata:
		v->number = (uint64_t)cursor_sleb(c);
		break;
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_exprloc:
		skip_block(c, v->form);
		break;
	default:
		v->number = cursor_uleb(c);
	}
}

static void read_value(const struct abbrevs *a, const struct die_unit *u, struct cursor *c,
		       const struct abbrev_attr *attr, struct die_value *v)
{
	uint64_t form = attr->form;
	int size;

	if (form == DW_FORM_indirect)
		form = cursor_uleb(c);
	size = form <= UINT16_MAX ? abbrev_form_size(a, (unsigned)form) : -2;
	if (size == -2 || form == DW_FORM_indirect) {
		c->broken = true;
		return;
	}
	v->form = (uint16_t)form;
	v->text = NULL;
	v->number = (uint64_t)attr->constant;
	if (size > 8)
		cursor_take(c, (uint64_t)size);
	else if (form == DW_FORM_flag_present)
		v->number = 1;
	else if (size > 0)
		v->number = cursor_fixed(c, (unsigned)size);
	else if (size < 0)
		read_variable(c, v);
	make_absolute(u, v);
}

static void read_values(const struct abbrevs *a, const struct die_unit *u, struct cursor *c,
			const struct abbrev *one, struct die *out)
{
	struct die_value ignored;

	memset(out->at, 0, sizeof(out->at));
	for (uint32_t i = 0; i < one->count && !c->broken; i++) {
		const struct abbrev_attr *attr = &a->attrs.items[one->first + i];

		read_value(a, u, c, attr,
			   attr->slot == DIE_UNWANTED ? &ignored : &out->at[attr->slot]);
	}
}

static void skip_values(const struct abbrevs *a, const struct die_unit *u, struct cursor *c,
			const struct abbrev *one)
{
	struct die_value ignored;

	if (one->fixed >= 0) {
		cursor_take(c, (uint64_t)one->fixed);
		return;
	}
	for (uint32_t i = 0; i < one->count && !c->broken; i++)
		read_value(a, u, c, &a->attrs.items[one->first + i], &ignored);
}

int die_read(struct die_table *t, struct die_unit *u, struct cursor *c, bool all, struct die *out,
	     struct error *err)
{
	const struct abbrev *one;
	uint64_t code;

	out->offset = (uint64_t)(c->at - t->info.bytes);
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

const char *die_text(const struct die_table *t, const struct die_unit *u, const struct die_value *v)
{
	uint64_t offset;

	switch (v->form) {
	case DW_FORM_string:
		return v->text;
	case DW_FORM_strp:
		return section_text(&t->str, v->number);
	case DW_FORM_line_strp:
		return section_text(&t->line_str, v->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (!indexed(&t->str_offsets, u->str_base, v->number, u->offset_size, &offset))
			return NULL;
		return section_text(&t->str, offset);
	default:
		return NULL;
	}
}

bool die_address(const struct die_table *t, const struct die_unit *u, const struct die_value *v,
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

int die_read_top(struct die_table *t, struct die_unit *u, struct die *out, struct error *err)
{
	struct cursor c = {.at = t->info.bytes + u->first, .end = t->info.bytes + u->end};
	struct cursor peek = c;
	int answer;

	u->abbrevs = abbrevs_until(t, u, cursor_uleb(&peek), err);
	if (!u->abbrevs)
		return -1;
	answer = die_read(t, u, &c, true, out, err);
	u->abbrevs = NULL;
	return answer;
}
