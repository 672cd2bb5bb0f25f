/* Members, base classes, enumerators, parameters and alignment of a type. */
#include "tracer/source/types/types_internal.h"

#include <libdwarf/dwarf.h>

#include <string.h>

/* Reads DW_OP_plus_uconst N, a constant offset as DWARF 2 writes it. */
static bool plain_offset(const struct attr *a, uint64_t *out)
{
	uint64_t value = 0;

	if (a->size < 2 || a->size > 6 || a->block[0] != DW_OP_plus_uconst)
		return false;
	for (size_t i = 1; i < a->size; i++) {
		value |= (uint64_t)(a->block[i] & 0x7f) << 7 * (i - 1);
		if (!(a->block[i] & 0x80) && i + 1 != a->size)
			return false;
	}
	*out = value;
	return true;
}

static void read_offset(const struct entry *e, struct type_member *m)
{
	const struct attr *a = entry_attr(e, DW_AT_data_member_location);

	m->offset = 0;
	if (a && !a->block)
		m->offset = a->number;
	else if (a)
		m->is_virtual = !plain_offset(a, &m->offset);
}

/* DWARF 4 counts bits from the highest bit of a storage unit, DWARF 5 from the
   lowest bit of the struct. */
static void read_bits(const struct entry *e, struct type_member *m)
{
	int64_t size, old, storage, at;

	if (!type_constant(e, DW_AT_bit_size, &size) || size <= 0 || size > 128)
		return;
	if (m->offset > UINT32_MAX)
		return;
	at = (int64_t)m->offset * 8;
	if (type_constant(e, DW_AT_data_bit_offset, &old)) {
		at += old >= 0 && old <= (int64_t)8 * UINT32_MAX ? old : 0;
	} else if (type_constant(e, DW_AT_bit_offset, &old)) {
		if (!type_constant(e, DW_AT_byte_size, &storage))
			storage = m->type->size <= 16 ? (int64_t)m->type->size : 0;
		if (storage < 0 || storage > 16 || old < -1024 || old > 1024)
			return;
		at += storage * 8 - old - size;
	}
	if (at < 0)
		return;
	m->offset = (uint64_t)at / 8;
	m->bit_offset = (uint16_t)(at % 8);
	m->bit_size = (uint16_t)size;
}

static bool is_static(const struct entry *e)
{
	return e->tag == DW_TAG_variable ||
	       (e->tag == DW_TAG_member && entry_flag(e, DW_AT_declaration) &&
		entry_flag(e, DW_AT_external));
}

static int add_member(struct type *t, const struct entry *e, struct error *err)
{
	const struct type *of = type_of_entry(e, err);
	struct type_member *m;

	if (!of)
		return -1;
	m = array_add(&t->members);
	m->name = entry_text(e, DW_AT_name);
	m->type = of;
	m->entry = e->offset;
	m->is_base = e->tag == DW_TAG_inheritance;
	m->is_static = is_static(e);
	if (m->is_static || e->tag == DW_TAG_formal_parameter)
		return 0;
	read_offset(e, m);
	read_bits(e, m);
	return 0;
}

static int add_enumerator(struct type *t, const struct entry *e)
{
	const char *name = entry_text(e, DW_AT_name);
	struct type_enumerator *one;
	int64_t value;

	if (!name || !type_constant(e, DW_AT_const_value, &value))
		return 0;
	one = array_add(&t->enumerators);
	one->name = name;
	one->value = type_fit(t, (uint64_t)value);
	return 0;
}

/* ---- Rust enums ----------------------------------------------------------------------------- */

static int add_variant(struct type *t, const struct entry *variant, struct error *err)
{
	int64_t value = 0;
	bool known = type_constant(variant, DW_AT_discr_value, &value);
	uint64_t at = 0;
	struct entry e;
	int more;

	while ((more = entry_child(variant, &at, &e, err)) > 0) {
		struct type_member *m;

		if (e.tag != DW_TAG_member)
			continue;
		if (add_member(t, &e, err) < 0)
			return -1;
		m = &t->members.items[t->members.count - 1];
		m->is_variant = true;
		m->is_default = !known;
		m->discriminant = value;
	}
	return more;
}

static int add_variants(struct type *t, const struct entry *part, struct error *err)
{
	uint64_t which = entry_ref(part, DW_AT_discr), at = 0;
	struct type_member found = {0};
	struct entry e;
	int more;

	while ((more = entry_child(part, &at, &e, err)) > 0) {
		if (e.tag == DW_TAG_variant && add_variant(t, &e, err) < 0)
			return -1;
		if (e.tag == DW_TAG_member && e.offset == which) {
			found.type = type_of_entry(&e, err);
			if (!found.type)
				return -1;
			read_offset(&e, &found);
			t->discriminant = found.type;
			t->discriminant_at = found.offset;
		}
	}
	return more;
}

/* ---- members -------------------------------------------------------------------------------- */

static int add_child(struct type *t, const struct entry *e, struct error *err)
{
	switch (e->tag) {
	case DW_TAG_member:
	case DW_TAG_inheritance:
	case DW_TAG_variable:
		return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION ? add_member(t, e, err) : 0;
	case DW_TAG_formal_parameter:
		return t->kind == TYPE_FUNCTION ? add_member(t, e, err) : 0;
	case DW_TAG_enumerator:
		return t->kind == TYPE_ENUM ? add_enumerator(t, e) : 0;
	case DW_TAG_variant_part:
		return t->kind == TYPE_STRUCT ? add_variants(t, e, err) : 0;
	default:
		return 0;
	}
}

static int add_children(struct type *t, struct die_table *d, struct error *err)
{
	struct entry e, child;
	uint64_t at = 0;
	int more;

	if (entry_read(d, t->entry, &e, err) < 0)
		return -1;
	while ((more = entry_child(&e, &at, &child, err)) > 0)
		if (add_child(t, &child, err) < 0)
			return -1;
	return more;
}

int type_members(const struct type *t, struct error *err)
{
	struct type *filled = (struct type *)t; /* const for callers; the table owns it */
	struct die_table *d;

	if (t->flags & TYPE_FILLED)
		return 0;
	if (t->module && t->entry &&
	    (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION || t->kind == TYPE_ENUM ||
	     t->kind == TYPE_FUNCTION)) {
		d = dies_table(t->module, err);
		if (!d)
			return -1;
		if (add_children(filled, d, err) < 0) {
			array_fini(&filled->members);
			array_fini(&filled->enumerators);
			return -1;
		}
	}
	filled->flags |= TYPE_FILLED;
	return 0;
}

const char *type_enumerator_name(const struct type *t, int64_t value)
{
	ERROR(err);

	if (t->kind != TYPE_ENUM || type_members(t, &err) < 0)
		return NULL;
	array_each(const struct type_enumerator, e, &t->enumerators) {
		if (e->value == value)
			return e->name;
	}
	return NULL;
}

int64_t type_discriminant(const struct type *t, const struct type_member *m)
{
	return type_fit(t->discriminant, (uint64_t)m->discriminant);
}

/* Counts *i down. The arguments of a pack count as the template's. */
static const struct type *argument_in(const struct entry *e, unsigned *i, bool in_pack)
{
	const struct type *found = NULL;
	struct entry child;
	uint64_t at = 0;
	ERROR(err);

	while (!found && entry_child(e, &at, &child, &err) > 0) {
		if (child.tag == DW_TAG_template_type_param && (*i)-- == 0)
			return type_of_entry(&child, &err);
		if (child.tag == DW_TAG_GNU_template_parameter_pack && !in_pack)
			found = argument_in(&child, i, true);
	}
	return found;
}

const struct type *type_argument(const struct type *t, unsigned i)
{
	struct entry e;
	struct die_table *d;
	ERROR(err);

	if (!t->module || !t->entry || !(d = dies_table(t->module, &err)) ||
	    entry_read(d, t->entry, &e, &err) < 0)
		return NULL;
	return argument_in(&e, &i, false);
}

/* ---- alignment ------------------------------------------------------------------------------ */

enum { ALIGNMENT_DEEP = 16, ALIGNMENT_DEFAULT = 8, ALIGNMENT_MOST = 4096 };

/* Returns N of alignas(N), or 1. */
static uint64_t declared_alignment(struct module *m, uint64_t offset)
{
	struct die_table *d;
	struct entry e;
	int64_t n;
	ERROR(err);

	if (!m || !offset || !(d = dies_table(m, &err)) || entry_read(d, offset, &e, &err) < 0 ||
	    !type_constant(&e, DW_AT_alignment, &n) || n < 1 || n > ALIGNMENT_MOST)
		return 1;
	return (uint64_t)n;
}

static uint64_t plain_alignment(const struct type *t)
{
	uint64_t size = t->kind == TYPE_COMPLEX ? t->size / 2 : t->size;

	return size && size <= 16 && (size & (size - 1)) == 0 ? size : ALIGNMENT_DEFAULT;
}

static uint64_t alignment_in(const struct type *t, const struct dwarf_program *program,
			     unsigned depth)
{
	uint64_t most;
	ERROR(err);

	t = type_whole(t, program);
	if (t->kind == TYPE_ARRAY && depth < ALIGNMENT_DEEP)
		return alignment_in(t->of, program, depth + 1);
	if (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION)
		return plain_alignment(t);
	if (t->incomplete || depth >= ALIGNMENT_DEEP || type_members(t, &err) < 0)
		return ALIGNMENT_DEFAULT;
	most = declared_alignment(t->module, t->entry);
	array_each(const struct type_member, m, &t->members) {
		uint64_t own = m->is_static ? 1 : alignment_in(m->type, program, depth + 1);
		uint64_t declared = m->is_static ? 1 : declared_alignment(t->module, m->entry);

		own = own > declared ? own : declared;
		most = most > own ? most : own;
	}
	return most;
}

uint64_t type_alignment(const struct type *t, const struct dwarf_program *program)
{
	return alignment_in(t, program, 0);
}
