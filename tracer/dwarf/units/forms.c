/* Values of attributes in all their forms (DWARF 5, 7.5.5). */
#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

#include <string.h>

int dies_broken(const struct die_table *t, struct error *err, const char *what, uint64_t offset)
{
	const struct module *m = t->module;

	return error_set(err, ERROR_OBJECT, "%s: broken debug information: %s at 0x%llx",
			 m->debug_path ? m->debug_path : m->path, what, (unsigned long long)offset);
}

enum { FORM_EMPTY = -1, FORM_VARIES = -2, FORM_ADDRESS = -3, FORM_OFFSET = -4 };

/* 0: unknown form */
static const int8_t form_sizes[] = {
	[DW_FORM_flag_present] = FORM_EMPTY,
	[DW_FORM_implicit_const] = FORM_EMPTY,
	[DW_FORM_data1] = 1,
	[DW_FORM_flag] = 1,
	[DW_FORM_ref1] = 1,
	[DW_FORM_strx1] = 1,
	[DW_FORM_addrx1] = 1,
	[DW_FORM_data2] = 2,
	[DW_FORM_ref2] = 2,
	[DW_FORM_strx2] = 2,
	[DW_FORM_addrx2] = 2,
	[DW_FORM_strx3] = 3,
	[DW_FORM_addrx3] = 3,
	[DW_FORM_data4] = 4,
	[DW_FORM_ref4] = 4,
	[DW_FORM_ref_sup4] = 4,
	[DW_FORM_strx4] = 4,
	[DW_FORM_addrx4] = 4,
	[DW_FORM_data8] = 8,
	[DW_FORM_ref8] = 8,
	[DW_FORM_ref_sig8] = 8,
	[DW_FORM_ref_sup8] = 8,
	[DW_FORM_data16] = 16,
	[DW_FORM_addr] = FORM_ADDRESS,
	[DW_FORM_ref_addr] = FORM_OFFSET,
	[DW_FORM_strp] = FORM_OFFSET,
	[DW_FORM_line_strp] = FORM_OFFSET,
	[DW_FORM_sec_offset] = FORM_OFFSET,
	[DW_FORM_strp_sup] = FORM_OFFSET,
	[DW_FORM_string] = FORM_VARIES,
	[DW_FORM_block] = FORM_VARIES,
	[DW_FORM_block1] = FORM_VARIES,
	[DW_FORM_block2] = FORM_VARIES,
	[DW_FORM_block4] = FORM_VARIES,
	[DW_FORM_exprloc] = FORM_VARIES,
	[DW_FORM_sdata] = FORM_VARIES,
	[DW_FORM_udata] = FORM_VARIES,
	[DW_FORM_ref_udata] = FORM_VARIES,
	[DW_FORM_strx] = FORM_VARIES,
	[DW_FORM_addrx] = FORM_VARIES,
	[DW_FORM_loclistx] = FORM_VARIES,
	[DW_FORM_rnglistx] = FORM_VARIES,
	[DW_FORM_indirect] = FORM_VARIES,
};

int abbrev_form_size(const struct abbrevs *a, unsigned form)
{
	int size = form < sizeof(form_sizes) ? form_sizes[form] : 0;

	if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
		return -1;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		return a->offset_size;
	if (form == DW_FORM_ref_addr && a->version <= 2)
		return a->address_size;
	switch (size) {
	case 0:
		return -2;
	case FORM_EMPTY:
		return 0;
	case FORM_VARIES:
		return -1;
	case FORM_ADDRESS:
		return a->address_size;
	case FORM_OFFSET:
		return a->offset_size;
	default:
		return size;
	}
}

/* Turns references within a unit or to the alternate file into numbers of DIEs. */
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

void attr_skip(const struct abbrevs *abbrevs, const struct die_unit *u, struct cursor *c,
	       const struct abbrev_attr *attr)
{
	struct attr ignored;

	if (attr->size >= 0)
		cursor_take(c, (uint64_t)attr->size);
	else if (attr->form == DW_FORM_exprloc)
		cursor_take(c, cursor_uleb(c));
	else
		attr_read(abbrevs, u, c, attr, &ignored);
}

/* ---- texts and addresses -------------------------------------------------------------------- */

/* Reads a number of `size` bytes at base + index * size of a section. */
static bool indexed(const struct section_data *s, uint64_t base, uint64_t index, unsigned size,
		    uint64_t *out)
{
	if (!s->bytes || base > s->size || index >= (s->size - base) / size)
		return false;
	*out = 0;
	memcpy(out, s->bytes + base + index * size, size);
	return true;
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
