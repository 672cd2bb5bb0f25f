/* Types of a module: a hash table by DIE offset, filled on first use. */
#include "tracer/dwarf/units/units.h"
#include "tracer/source/types/types_internal.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum {
	DEPTH_MAX = 100, /* nesting of types; deeper in broken debug information */
	DIMENSIONS_MAX = 16,
	FIRST_SLOTS = 64,
};

static const struct type *get(struct die_table *d, uint64_t entry, struct error *err);

/* ---- the table ------------------------------------------------------------------------------ */

static void type_free(struct type *t)
{
	while (t) {
		struct type *pointer = t->pointer;

		while (t->arrays) {
			struct type *a = t->arrays;

			t->arrays = a->next;
			type_free(a);
		}
		array_fini(&t->members);
		array_fini(&t->enumerators);
		base_free(t);
		t = pointer;
	}
}

static void types_free(void *data)
{
	struct type_table *types = data;

	for (size_t i = 0; i < types->size; i++)
		type_free(types->slots[i]);
	array_each(struct named_type, n, &types->named)
		base_free(n->name);
	array_fini(&types->named);
	base_free(types->slots);
	base_free(types->keys);
	base_free(types);
}

struct type_table *type_table_of(struct die_table *d)
{
	if (!d->types) {
		d->types = cleanup_alloc(&d->cleanups, sizeof(*d->types), types_free);
		d->types->size = FIRST_SLOTS;
		d->types->slots = base_alloc(FIRST_SLOTS, sizeof(*d->types->slots));
		d->types->keys = base_alloc(FIRST_SLOTS, sizeof(*d->types->keys));
	}
	return d->types;
}

/* Returns the index of the entry's type, or of the free slot for it. */
static size_t types_slot_of(const struct type_table *types, uint64_t entry)
{
	size_t i = (size_t)(entry * 0x9e3779b97f4a7c15u >> 20) & (types->size - 1);

	while (types->slots[i] && types->keys[i] != entry)
		i = (i + 1) & (types->size - 1);
	return i;
}

static void types_grow(struct type_table *types)
{
	struct type_table old = *types;

	types->size *= 2;
	types->slots = base_alloc(types->size, sizeof(*types->slots));
	types->keys = base_alloc(types->size, sizeof(*types->keys));
	for (size_t i = 0; i < old.size; i++) {
		size_t at;

		if (!old.slots[i])
			continue;
		at = types_slot_of(types, old.keys[i]);
		types->slots[at] = old.slots[i];
		types->keys[at] = old.keys[i];
	}
	base_free(old.slots);
	base_free(old.keys);
}

static struct type *types_add(struct type_table *types, uint64_t entry)
{
	size_t i;

	if (types->count * 2 >= types->size)
		types_grow(types);
	i = types_slot_of(types, entry);
	types->count++;
	types->keys[i] = entry;
	return types->slots[i] = base_alloc(1, sizeof(**types->slots));
}

/* ---- base types ----------------------------------------------------------------------------- */

bool type_constant(const struct entry *e, unsigned name, int64_t *out)
{
	const struct attr *a = entry_attr(e, name);

	if (!a)
		return false;
	switch (a->form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_implicit_const:
		*out = (int64_t)a->number;
		return true;
	default:
		return false;
	}
}

int64_t type_fit(const struct type *t, uint64_t value)
{
	unsigned shift;

	if (t->size == 0 || t->size >= 8)
		return (int64_t)value;
	shift = 64 - 8 * (unsigned)t->size;
	value <<= shift;
	if (t->is_signed)
		return (int64_t)value >> shift;
	return (int64_t)(value >> shift);
}

static bool is_wide_char(const char *name)
{
	static const char *const names[] = {"wchar_t", "char16_t", "char32_t", "char8_t"};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static void fill_base(struct type *t, const struct entry *e)
{
	int64_t encoding = 0;

	type_constant(e, DW_AT_encoding, &encoding);
	t->kind = TYPE_INTEGER;
	switch (encoding) {
	case DW_ATE_boolean:
		t->kind = TYPE_BOOL;
		break;
	case DW_ATE_float:
		t->kind = TYPE_FLOAT;
		t->is_signed = true;
		t->is_quad = t->name && strstr(t->name, "loat128");
		break;
	case DW_ATE_complex_float:
		t->kind = TYPE_COMPLEX;
		break;
	case DW_ATE_signed:
		t->is_signed = true;
		break;
	case DW_ATE_signed_char:
		t->is_signed = true;
		t->kind = t->rust ? TYPE_INTEGER : TYPE_CHAR;
		break;
	case DW_ATE_unsigned_char:
		t->kind = t->rust ? TYPE_INTEGER : TYPE_CHAR;
		break;
	case DW_ATE_UTF:
		t->kind = TYPE_CHAR;
		break;
	case DW_ATE_unsigned:
	case DW_ATE_address:
		break;
	default:
		t->kind = TYPE_OTHER;
	}
	if (t->kind == TYPE_INTEGER && is_wide_char(t->name))
		t->kind = TYPE_CHAR;
	if (!t->size)
		t->kind = TYPE_OTHER; /* Rust's () and ! */
}

/* Copies the underlying type of a typedef or qualifier, with its own name and flags. */
static int fill_alias(struct type *t, const struct entry *e, struct error *err)
{
	const struct type *of = type_of_entry(e, err);
	const char *name = entry_text(e, DW_AT_name);

	if (!of)
		return -1;
	*t = *of;
	memset(&t->members, 0, sizeof(t->members));
	memset(&t->enumerators, 0, sizeof(t->enumerators));
	t->pointer = t->arrays = t->next = NULL;
	t->flags &= ~(unsigned)(TYPE_FILLED | TYPE_WHOLE_KNOWN);
	t->flags |= e->tag == DW_TAG_const_type	     ? TYPE_CONST
		    : e->tag == DW_TAG_volatile_type ? TYPE_VOLATILE
		    : e->tag == DW_TAG_atomic_type   ? TYPE_ATOMIC
						     : 0;
	if (e->tag != DW_TAG_typedef && e->tag != DW_TAG_template_alias)
		return 0;
	t->name = name;
	t->flags |= TYPE_TYPEDEF;
	t->flags &= ~(unsigned)(TYPE_CONST | TYPE_VOLATILE);
	if (t->kind == TYPE_INTEGER && is_wide_char(name))
		t->kind = TYPE_CHAR;
	return 0;
}

static int fill_pointer(struct type *t, const struct entry *e, struct error *err)
{
	t->kind = TYPE_POINTER;
	if (e->tag == DW_TAG_reference_type || e->tag == DW_TAG_rvalue_reference_type)
		t->kind = TYPE_REFERENCE;
	t->flags |= e->tag == DW_TAG_rvalue_reference_type ? TYPE_RVALUE : 0;
	if (!t->size)
		t->size = e->unit->address_size;
	t->of = type_of_entry(e, err);
	return t->of ? 0 : -1;
}

static int fill_unspecified(struct type *t, const struct entry *e)
{
	t->kind = TYPE_OTHER;
	if (!t->name || !strstr(t->name, "nullptr"))
		return 0;
	t->kind = TYPE_POINTER;
	t->flags |= TYPE_NULLPTR;
	t->of = type_builtin("void");
	t->size = e->unit->address_size;
	return 0;
}

/* ---- enumerations --------------------------------------------------------------------------- */

/* An enumeration without an underlying type is signed if an enumerator is negative. */
static int has_negative(const struct entry *e, bool *out, struct error *err)
{
	struct entry child;
	uint64_t at = 0;
	int64_t value;
	int more;

	*out = false;
	while ((more = entry_child(e, &at, &child, err)) > 0 && !*out)
		*out = type_constant(&child, DW_AT_const_value, &value) && value < 0 &&
		       entry_attr(&child, DW_AT_const_value)->form != DW_FORM_data8;
	return more < 0 ? -1 : 0;
}

static int fill_enum(struct type *t, const struct entry *e, struct error *err)
{
	t->kind = TYPE_ENUM;
	if (!entry_ref(e, DW_AT_type))
		return has_negative(e, &t->is_signed, err);
	t->of = type_of_entry(e, err);
	if (!t->of)
		return -1;
	t->is_signed = t->of->is_signed;
	if (!t->size)
		t->size = t->of->size;
	return 0;
}

/* ---- arrays --------------------------------------------------------------------------------- */

struct dimension {
	bool known;
	uint64_t count;
};

static struct dimension read_dimension(const struct entry *e)
{
	int64_t count, upper, lower = 0;

	if (type_constant(e, DW_AT_count, &count))
		return (struct dimension){count >= 0, count >= 0 ? (uint64_t)count : 0};
	if (!type_constant(e, DW_AT_upper_bound, &upper))
		return (struct dimension){0};
	type_constant(e, DW_AT_lower_bound, &lower);
	/* -1 written as unsigned: int a[0] */
	if (upper == UINT32_MAX)
		upper = -1;
	if (upper < lower || upper == INT64_MAX)
		return (struct dimension){true, 0};
	return (struct dimension){true, (uint64_t)upper - (uint64_t)lower + 1};
}

static int read_dimensions(const struct entry *e, struct dimension *out, unsigned *count,
			   struct error *err)
{
	struct entry child;
	uint64_t at = 0;
	int more = 0;

	*count = 0;
	while (*count < DIMENSIONS_MAX && (more = entry_child(e, &at, &child, err)) > 0)
		if (child.tag == DW_TAG_subrange_type || child.tag == DW_TAG_enumeration_type)
			out[(*count)++] = read_dimension(&child);
	if (!*count)
		out[(*count)++] = (struct dimension){0};
	return more < 0 ? -1 : 0;
}

static void set_array(struct type *t, const struct type *of, bool has_count, uint64_t count)
{
	t->kind = TYPE_ARRAY;
	t->of = of;
	t->has_count = has_count && (!of->size || count <= UINT32_MAX * (uint64_t)1024 / of->size);
	t->count = t->has_count ? count : 0;
	if (!t->size)
		t->size = t->count * of->size;
}

static int fill_array(struct type *t, const struct entry *e, struct error *err)
{
	const struct type *of = type_of_entry(e, err);
	struct dimension dims[DIMENSIONS_MAX];
	unsigned count;

	if (!of || read_dimensions(e, dims, &count, err) < 0)
		return -1;
	while (count > 1) {
		count--;
		of = type_make_array(of, dims[count].known, dims[count].count);
	}
	set_array(t, of, dims[0].known, dims[0].count);
	return 0;
}

/* Returns a type without a DIE, which the type it is made from owns. Built-in types and types made
   from them are never freed. */
static struct type *derive(const struct type *of)
{
	struct type *made = base_alloc(1, sizeof(*made));

	made->module = of->module;
	made->rust = of->rust;
	made->cxx = of->cxx;
	return made;
}

const struct type *type_make_array(const struct type *of, bool has_count, uint64_t count)
{
	struct type *owner = (struct type *)of;
	struct type *made;

	for (made = owner->arrays; made; made = made->next) {
		if (made->has_count == has_count && made->count == count)
			return made;
	}
	made = derive(of);
	set_array(made, of, has_count, count);
	made->next = owner->arrays;
	owner->arrays = made;
	return made;
}

const struct type *type_array_of(const struct type *t, uint64_t count)
{
	return type_make_array(t, true, count);
}

const struct type *type_pointer_to(const struct type *t)
{
	struct type *owner = (struct type *)t;

	if (!owner->pointer) {
		owner->pointer = derive(t);
		owner->pointer->kind = TYPE_POINTER;
		owner->pointer->of = t;
		owner->pointer->size = 8;
	}
	return owner->pointer;
}

/* ---- one type ------------------------------------------------------------------------------- */

static int fill_other(struct type *t, const struct entry *e, struct error *err)
{
	switch (e->tag) {
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		t->kind = TYPE_FUNCTION;
		t->of = type_of_entry(e, err);
		return t->of ? 0 : -1;
	case DW_TAG_ptr_to_member_type:
		t->kind = TYPE_MEMBER_POINTER;
		t->of = type_of_entry(e, err);
		if (!t->of)
			return -1;
		if (!t->size)
			t->size = t->of->kind == TYPE_FUNCTION ? 16 : 8;
		return 0;
	case DW_TAG_unspecified_type:
		return fill_unspecified(t, e);
	default:
		t->kind = TYPE_OTHER;
		return 0;
	}
}

static int types_fill(struct type *t, const struct entry *e, struct error *err)
{
	switch (e->tag) {
	case DW_TAG_base_type:
		fill_base(t, e);
		return 0;
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
	case DW_TAG_subrange_type:
		return fill_alias(t, e, err);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return fill_pointer(t, e, err);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		t->kind = TYPE_STRUCT;
		return 0;
	case DW_TAG_union_type:
		t->kind = TYPE_UNION;
		return 0;
	case DW_TAG_enumeration_type:
		return fill_enum(t, e, err);
	case DW_TAG_array_type:
		return fill_array(t, e, err);
	default:
		return fill_other(t, e, err);
	}
}

static void set_language(struct type *t, const struct die_unit *u)
{
	switch (u->language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		t->cxx = true;
		break;
	case DW_LANG_Rust:
		t->rust = true;
		break;
	default:
		break;
	}
}

static void set_basics(struct type *t, const struct entry *e)
{
	t->kind = TYPE_OTHER;
	t->module = e->table->module;
	t->entry = e->offset;
	t->name = t->tag = entry_text(e, DW_AT_name);
	t->incomplete = entry_flag(e, DW_AT_declaration) && e->tag != DW_TAG_subprogram;
	if (!entry_number(e, DW_AT_byte_size, &t->size))
		t->size = 0;
	set_language(t, e->unit);
}

static const struct type *types_make(struct die_table *d, const struct entry *e, struct error *err)
{
	struct type *t = types_add(type_table_of(d), e->offset);

	set_basics(t, e);
	t->flags |= TYPE_MAKING;
	if (types_fill(t, e, err) < 0) {
		t->flags |= TYPE_MAKING; /* a later request reports an error, too */
		return NULL;
	}
	t->flags &= ~(unsigned)TYPE_MAKING;
	return t;
}

static const struct type *get(struct die_table *d, uint64_t entry, struct error *err)
{
	struct type_table *types = type_table_of(d);
	const struct type *t = types->slots[types_slot_of(types, entry)];
	struct entry e;
	uint64_t elsewhere;

	if (!entry)
		return type_builtin("void");
	if ((t && t->flags & TYPE_MAKING) || types->depth >= DEPTH_MAX) {
		error_set(err, ERROR_OBJECT,
			  "%s: broken debug information: the type at 0x%llx contains itself",
			  module_path(d->module), (unsigned long long)entry);
		return NULL;
	}
	if (t)
		return t;
	if (entry_read(d, entry, &e, err) < 0)
		return NULL;
	types->depth++;
	elsewhere = entry_ref(&e, DW_AT_signature); /* in a type unit */
	t = elsewhere && elsewhere != entry ? get(d, elsewhere, err) : types_make(d, &e, err);
	types->depth--;
	return t;
}

const struct type *type_get(struct module *m, uint64_t entry, struct error *err)
{
	struct die_table *d = dies_table(m, err);

	return d ? get(d, entry, err) : NULL;
}

const struct type *type_of_entry(const struct entry *e, struct error *err)
{
	const struct attr *a;
	struct entry holder;

	error_fini(err);
	a = entry_inherited(e, DW_AT_type, &holder, err);
	if (!a && err->code != ERROR_NONE)
		return NULL;
	if (a && !a->block && !a->number && alternate_explain(e->table, "a type", err))
		return NULL;
	return get(e->table, a && !a->block ? a->number : 0, err);
}
