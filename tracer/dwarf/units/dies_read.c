/* Reads single DIEs and abbreviations (DWARF 5, 7.5). */
#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>
#include <string.h>

static void read_values(const struct abbrevs *a, const struct die_unit *u, struct cursor *c,
			const struct abbrev *one, struct die *out)
{
	struct attr ignored;

	memset(out->at, 0, sizeof(out->at));
	for (uint32_t i = 0; i < one->count && !c->broken; i++) {
		const struct abbrev_attr *attr = &a->attrs.items[one->first + i];

		attr_read(a, u, c, attr,
			  attr->slot == DIE_UNWANTED ? &ignored : &out->at[attr->slot]);
		/* Only DW_AT_signature is looked up by signature. */
		if (attr->slot < DIE_SLOTS && attr->slot != DIE_SIGNATURE &&
		    out->at[attr->slot].form == DW_FORM_ref_sig8)
			out->at[attr->slot].form = 0;
	}
}

static void skip_values(const struct abbrevs *a, const struct die_unit *u, struct cursor *c,
			const struct abbrev *one)
{
	if (one->fixed >= 0) {
		cursor_take(c, (uint64_t)one->fixed);
		return;
	}
	for (uint32_t i = 0; i < one->count && !c->broken; i++)
		attr_skip(a, u, c, &a->attrs.items[one->first + i]);
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

/* Returns the name of the type with this signature, or NULL. */
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

/* ---- abbreviations: attributes of a DIE and their forms (DWARF 5, 7.5.3) -------------------- */

static bool makes_scope(unsigned tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_module:
		return true;
	default:
		return false;
	}
}

static const struct {
	uint16_t attr;
	uint8_t slot;
} slots[] = {
	{DW_AT_name, DIE_NAME},
	{DW_AT_linkage_name, DIE_LINKAGE},
	{DW_AT_MIPS_linkage_name, DIE_LINKAGE},
	{DW_AT_low_pc, DIE_LOW},
	{DW_AT_high_pc, DIE_HIGH},
	{DW_AT_ranges, DIE_RANGES},
	{DW_AT_entry_pc, DIE_ENTRY},
	{DW_AT_abstract_origin, DIE_ORIGIN},
	{DW_AT_specification, DIE_ORIGIN},
	{DW_AT_decl_file, DIE_DECL_FILE},
	{DW_AT_decl_line, DIE_DECL_LINE},
	{DW_AT_call_file, DIE_CALL_FILE},
	{DW_AT_call_line, DIE_CALL_LINE},
	{DW_AT_declaration, DIE_DECLARATION},
	{DW_AT_inline, DIE_INLINE},
	{DW_AT_export_symbols, DIE_EXPORT},
	{DW_AT_language, DIE_LANGUAGE},
	{DW_AT_stmt_list, DIE_STMT_LIST},
	{DW_AT_comp_dir, DIE_COMP_DIR},
	{DW_AT_producer, DIE_PRODUCER},
	{DW_AT_dwo_name, DIE_DWO},
	{DW_AT_GNU_dwo_name, DIE_DWO},
	{DW_AT_str_offsets_base, DIE_STR_BASE},
	{DW_AT_addr_base, DIE_ADDR_BASE},
	{DW_AT_GNU_addr_base, DIE_ADDR_BASE},
	{DW_AT_rnglists_base, DIE_RNGLISTS_BASE},
	{DW_AT_loclists_base, DIE_LOCLISTS_BASE},
	{DW_AT_GNU_dwo_id, DIE_DWO_ID},
	{DW_AT_GNU_ranges_base, DIE_RANGES_BASE},
	{DW_AT_signature, DIE_SIGNATURE},
};

static uint8_t dies_abbrev_slot_of(uint64_t attr)
{
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++) {
		if (slots[i].attr == attr)
			return slots[i].slot;
	}
	return DIE_UNWANTED;
}

/* Reads one pair of attribute and form. Returns 1, 0 at the end of the list, or -1 for an unknown
   form. */
static int read_attr(struct abbrevs *a, struct abbrev *one, struct cursor *c)
{
	uint64_t name = cursor_uleb(c), form = cursor_uleb(c);
	int64_t constant = form == DW_FORM_implicit_const ? cursor_sleb(c) : 0;
	struct abbrev_attr *attr;
	int size;

	if (name == 0 && form == 0)
		return 0;
	size = form <= UINT16_MAX ? abbrev_form_size(a, (unsigned)form) : -2;
	if (size == -2 || c->broken)
		return -1;
	attr = array_add(&a->attrs);
	attr->form = (uint16_t)form;
	attr->name = name <= UINT16_MAX ? (uint16_t)name : 0;
	attr->slot = dies_abbrev_slot_of(name);
	attr->size = (int8_t)size;
	attr->constant = constant;
	one->fixed = size < 0 || one->fixed < 0 ? -1 : one->fixed + size;
	if (one->fixed > 1 << 20)
		return -1;
	one->count++;
	return 1;
}

/* Reads declarations up to the end, or up to the one with the code `until` (0: all). */
static int read_abbrevs(struct die_table *t, struct abbrevs *a, uint64_t until, struct error *err)
{
	struct cursor c = {.at = a->in->abbrev.bytes,
			   .end = a->in->abbrev.bytes + a->in->abbrev.size};
	uint64_t code, last = 0;
	int more = 0;

	cursor_take(&c, a->offset);
	a->sorted = true;
	while (more >= 0 && c.at < c.end && (code = cursor_uleb(&c)) != 0) {
		struct abbrev one = {.code = code, .first = (uint32_t)a->attrs.count};

		one.tag = (uint16_t)cursor_uleb(&c);
		one.children = cursor_fixed(&c, 1) != 0;
		one.wanted = makes_scope(one.tag);
		while ((more = read_attr(a, &one, &c)) > 0)
			;
		a->sorted = a->sorted && code > last;
		last = code;
		*array_add(&a->list) = one;
		if (code == until)
			break;
	}
	if (more < 0 || c.broken)
		return dies_broken(t, err, "an abbreviation of an unknown form, in .debug_abbrev,",
				   (uint64_t)(c.at - a->in->abbrev.bytes));
	return 0;
}

static struct abbrevs *read_until(struct die_table *t, const struct die_unit *u, uint64_t until,
				  struct error *err)
{
	struct abbrevs *a = base_alloc(1, sizeof(*a));

	a->in = u->in;
	a->offset = u->abbrev_offset;
	a->version = u->version;
	a->address_size = u->address_size;
	a->offset_size = u->offset_size;
	if (read_abbrevs(t, a, until, err) == 0)
		return a;
	abbrevs_free(a);
	return NULL;
}

struct abbrevs *abbrevs_new(struct die_table *t, const struct die_unit *u, struct error *err)
{
	return read_until(t, u, 0, err);
}

void abbrevs_free(struct abbrevs *a)
{
	array_fini(&a->list);
	array_fini(&a->attrs);
	base_free(a);
}

bool abbrevs_inline(struct die_table *t, const struct die_unit *u)
{
	ERROR(ignored);
	struct abbrevs *a = read_until(t, u, 0, &ignored);
	bool any = !a;

	for (size_t i = 0; a && i < a->list.count; i++) {
		const struct abbrev *one = &a->list.items[i];

		for (uint32_t k = 0; one->tag == DW_TAG_subprogram && k < one->count; k++)
			any = any || a->attrs.items[one->first + k].slot == DIE_INLINE;
	}
	if (a)
		abbrevs_free(a);
	return any;
}

bool abbrevs_serve(const struct abbrevs *a, const struct die_unit *u)
{
	return a->in == u->in && a->offset == u->abbrev_offset && a->version == u->version &&
	       a->address_size == u->address_size && a->offset_size == u->offset_size;
}

struct abbrevs *abbrevs_get(struct die_table *t, struct die_unit *u, struct error *err)
{
	if (u->split == UNIT_SKELETON && split_join(t, u, err) < 0)
		return NULL;
	if (u->abbrevs)
		return u->abbrevs;
	array_each(struct abbrevs *, old, &t->abbrevs) {
		if (abbrevs_serve(*old, u))
			return u->abbrevs = *old;
	}
	u->abbrevs = read_until(t, u, 0, err);
	if (u->abbrevs)
		*array_add(&t->abbrevs) = u->abbrevs;
	return u->abbrevs;
}

struct abbrevs *abbrevs_until(struct die_table *t, struct die_unit *u, uint64_t code,
			      struct error *err)
{
	if (t->top_abbrevs && abbrevs_serve(t->top_abbrevs, u) && abbrev_find(t->top_abbrevs, code))
		return t->top_abbrevs;
	if (t->top_abbrevs)
		abbrevs_free(t->top_abbrevs);
	t->top_abbrevs = read_until(t, u, code, err);
	return t->top_abbrevs;
}

const struct abbrev *abbrev_find(const struct abbrevs *a, uint64_t code)
{
	size_t i;

	if (code && code - 1 < a->list.count && a->list.items[code - 1].code == code)
		return &a->list.items[code - 1];
	if (!a->sorted) {
		array_each(const struct abbrev, one, &a->list) {
			if (one->code == code)
				return one;
		}
		return NULL;
	}
	i = array_below(&a->list, code, code);
	return i < a->list.count && a->list.items[i].code == code ? &a->list.items[i] : NULL;
}
