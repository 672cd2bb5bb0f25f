/*
 * Registers in which a value is passed or returned, by the System V ABI of x86-64, 3.2.3, and by
 * Rust's convention.
 */
#include "tracer/inspect/calls/calls.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { ABI_DEEP = 16, ABI_TYPES = 4096, ABI_MOST = 16 };

/* Classes of an eightbyte while it is merged. A later one of the list wins over earlier ones. */
enum eightbyte { EB_NONE, EB_SSE, EB_X87, EB_INTEGER, EB_MEMORY };

struct classes {
	const struct dwarf_program *program;
	enum eightbyte of[2];
	bool wide; /* one part of 16 bytes: __float128, vectors */
	bool memory;
	unsigned left; /* types that may still be visited */
	struct error *err;
};

static int classify(struct classes *c, const struct type *t, uint64_t offset, unsigned depth);

static void merge(struct classes *c, uint64_t offset, uint64_t size, enum eightbyte class)
{
	if (!size || offset >= ABI_MOST || size > ABI_MOST - offset) {
		c->memory = true;
		return;
	}
	for (uint64_t i = offset / 8; i <= (offset + size - 1) / 8; i++) {
		if (class + c->of[i] == EB_SSE + EB_X87 && class && c->of[i])
			c->of[i] = EB_MEMORY;
		else if (class > c->of[i])
			c->of[i] = class;
	}
}

/* An unaligned member of a packed struct makes the whole struct go through memory. */
static void merge_aligned(struct classes *c, const struct type *t, uint64_t offset, uint64_t align,
			  enum eightbyte class)
{
	if (!align || offset % align)
		c->memory = true;
	merge(c, offset, t->size, class);
}

/* ---- classes of C++ ------------------------------------------------------------------------- */

/* True if the compiler generated the method, or the source declares it `= default`. */
static bool is_default(const struct entry *e)
{
	uint64_t how;

	return entry_flag(e, DW_AT_artificial) ||
	       (entry_number(e, DW_AT_defaulted, &how) && how == DW_DEFAULTED_in_class);
}

/* True for T(const T &) and T(T &&): `this` and one reference to the class. */
static bool is_copier(const struct entry *method, const struct type *class)
{
	uint64_t next = 0;
	unsigned parameters = 0;
	bool same = false;
	ERROR(err);
	struct entry e;

	while (entry_child(method, &next, &e, &err) > 0) {
		if (e.tag == DW_TAG_formal_parameter && parameters++ == 1) {
			const struct type *t = type_of_entry(&e, &err);

			same = t && t->kind == TYPE_REFERENCE && t->of &&
			       t->of->entry == class->entry;
		}
	}
	return same && parameters == 2;
}

static bool method_is_nontrivial(const struct entry *e, const struct type *class)
{
	const char *name = entry_text(e, DW_AT_name);
	uint64_t virtuality;

	if (e->tag == DW_TAG_member)
		return name && strncmp(name, "_vptr", 5) == 0;
	if (e->tag != DW_TAG_subprogram || !name)
		return false;
	if (entry_number(e, DW_AT_virtuality, &virtuality) && virtuality)
		return true;
	if (name[0] == '~')
		return !is_default(e);
	return class->tag && strcmp(name, class->tag) == 0 && !is_default(e) && is_copier(e, class);
}

/* Returns 1 if the debug information says that objects are passed by reference, 0 if by value,
   -1 if neither. */
static int told(const struct entry *e)
{
	uint64_t how;

	if (!entry_number(e, DW_AT_calling_convention, &how))
		return -1;
	return how == DW_CC_pass_by_reference ? 1 : how == DW_CC_pass_by_value ? 0 : -1;
}

/* Returns 1, 0, or -1 if the class's members decide. */
static int class_is_nontrivial(const struct type *t)
{
	ERROR(err);
	struct die_table *d = t->module ? dies_table(t->module, &err) : NULL;
	struct entry e, child;
	uint64_t next = 0;
	int answer;

	if (!d || entry_read(d, t->entry, &e, &err) < 0)
		return -1;
	answer = told(&e);
	if (answer >= 0)
		return answer;
	while (entry_child(&e, &next, &child, &err) > 0)
		if (method_is_nontrivial(&child, t))
			return 1;
	return -1;
}

static bool nontrivial(struct classes *c, const struct type *t, unsigned depth)
{
	int told_so;

	while (t && t->kind == TYPE_ARRAY)
		t = t->of;
	if (!t || !t->cxx || (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION))
		return false;
	t = type_whole(t, c->program);
	told_so = class_is_nontrivial(t);
	if (told_so >= 0)
		return told_so;
	if (depth == ABI_DEEP || type_members(t, c->err) < 0)
		return false;
	array_each(const struct type_member, m, &t->members) {
		if (m->is_static)
			continue;
		if (m->is_virtual)
			return true;
		if (c->left && c->left-- && nontrivial(c, m->type, depth + 1))
			return true;
	}
	return false;
}

bool abi_is_nontrivial(const struct type *t, const struct dwarf_program *program)
{
	ERROR(err);
	struct classes c = {.program = program, .left = ABI_TYPES, .err = &err};

	return nontrivial(&c, t, 0);
}

/* ---- classes of registers ------------------------------------------------------------------- */

static bool is_vector(const struct type *t)
{
	ERROR(err);
	struct die_table *d = t->module && t->entry ? dies_table(t->module, &err) : NULL;
	struct entry e;

	return d && entry_read(d, t->entry, &e, &err) == 0 && entry_flag(&e, DW_AT_GNU_vector);
}

static void wide(struct classes *c, const struct type *t, uint64_t offset)
{
	merge_aligned(c, t, offset, 16, EB_SSE);
	c->wide = true;
}

static void classify_float(struct classes *c, const struct type *t, uint64_t offset)
{
	if (t->size == 16 && t->is_quad)
		wide(c, t, offset);
	else
		merge_aligned(c, t, offset, t->size, t->size > 8 ? EB_X87 : EB_SSE);
}

static int classify_array(struct classes *c, const struct type *t, uint64_t offset, unsigned depth)
{
	if (is_vector(t)) {
		if (t->size == 16)
			wide(c, t, offset);
		else
			merge_aligned(c, t, offset, 8, EB_SSE);
		return 0;
	}
	if (!t->of || !t->of->size || t->count > ABI_MOST)
		return 0;
	for (uint64_t i = 0; i < t->count; i++) {
		if (classify(c, t->of, offset + i * t->of->size, depth + 1) < 0)
			return -1;
	}
	return 0;
}

static int classify_members(struct classes *c, const struct type *t, uint64_t offset,
			    unsigned depth)
{
	if (type_members(t, c->err) < 0)
		return -1;
	array_each(const struct type_member, m, &t->members) {
		uint64_t at = offset + m->offset;

		if (m->is_static)
			continue;
		if (m->is_virtual || m->offset > ABI_MOST) {
			c->memory = true;
		} else if (m->bit_size) {
			uint64_t bit = at * 8 + m->bit_offset;

			merge(c, bit / 8, (bit % 8 + m->bit_size + 7) / 8, EB_INTEGER);
		} else if (classify(c, m->type, at, depth + 1) < 0) {
			return -1;
		}
	}
	return 0;
}

static int unknown(const struct type *t, struct error *err)
{
	STR(name);

	type_spell(t, &name);
	return error_set(err, ERROR_STATE, "it is not known how %s is passed", str_text(&name));
}

static int classify(struct classes *c, const struct type *t, uint64_t offset, unsigned depth)
{
	if (depth == ABI_DEEP || !c->left || offset > ABI_MOST)
		return unknown(t, c->err);
	c->left--;
	switch (t->kind) {
	case TYPE_BOOL:
	case TYPE_INTEGER:
	case TYPE_CHAR:
	case TYPE_ENUM:
	case TYPE_POINTER:
	case TYPE_REFERENCE:
		merge_aligned(c, t, offset, t->size, EB_INTEGER);
		return 0;
	case TYPE_MEMBER_POINTER:
		merge_aligned(c, t, offset, 8, EB_INTEGER);
		return 0;
	case TYPE_FLOAT:
		classify_float(c, t, offset);
		return 0;
	case TYPE_COMPLEX:
		if (t->size > 16)
			return unknown(t, c->err);
		merge_aligned(c, t, offset, t->size / 2, EB_SSE);
		return 0;
	case TYPE_ARRAY:
		return classify_array(c, t, offset, depth);
	case TYPE_STRUCT:
	case TYPE_UNION:
		return classify_members(c, type_whole(t, c->program), offset, depth);
	default:
		return unknown(t, c->err);
	}
}

static void add_part(struct abi_place *out, enum abi_class class, uint64_t offset, uint64_t size)
{
	struct abi_part *p = &out->part[out->parts++];

	p->class = class;
	p->offset = (uint8_t)offset;
	p->size = (uint8_t)size;
}

static void make_parts(const struct classes *c, uint64_t size, struct abi_place *out)
{
	if (c->memory || c->of[0] == EB_MEMORY || c->of[1] == EB_MEMORY ||
	    (c->of[1] == EB_X87 && c->of[0] != EB_X87) ||
	    (c->of[0] == EB_X87 && c->of[1] != EB_X87)) {
		out->memory = true;
		return;
	}
	if (c->of[0] == EB_X87) {
		add_part(out, ABI_X87, 0, 10);
		return;
	}
	if (c->wide && c->of[0] == EB_SSE && c->of[1] == EB_SSE) {
		add_part(out, ABI_SSE, 0, 16);
		return;
	}
	for (uint64_t i = 0; i < 2 && 8 * i < size; i++) {
		uint64_t rest = size - 8 * i;

		if (c->of[i] == EB_NONE)
			continue;
		add_part(out, c->of[i] == EB_SSE ? ABI_SSE : ABI_INTEGER, 8 * i,
			 rest < 8 ? rest : 8);
	}
}

static int classify_c(const struct type *type, const struct dwarf_program *program,
		      struct abi_place *out, struct error *err)
{
	struct classes c = {.program = program, .left = ABI_TYPES, .err = err};
	const struct type *t = type_whole(type, program);

	memset(out, 0, sizeof(*out));
	if (t->kind == TYPE_VOID)
		return 0;
	if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION) {
		if (t->incomplete)
			return unknown(t, err);
		if (t->size > ABI_MOST || nontrivial(&c, t, 0)) {
			out->memory = true;
			return 0;
		}
	}
	if (classify(&c, t, 0, 0) < 0)
		return -1;
	make_parts(&c, t->size, out);
	return 0;
}

/* ---- Rust ----------------------------------------------------------------------------------- */

/* Scalars in a value, at most three: a value of more than two is no scalar pair. */
struct leaves {
	const struct dwarf_program *program;
	struct leaf {
		const struct type *type;
		uint64_t offset;
	} item[3];
	unsigned count, left;
	struct error *err;
};

enum { NO_PAIR = 3 };

/* rustc reorders fields: the offset of a leaf decides its register. */
static void add_leaf(struct leaves *l, const struct type *t, uint64_t offset)
{
	unsigned at = l->count;

	if (l->count == NO_PAIR)
		return;
	while (at && l->item[at - 1].offset > offset)
		at--;
	memmove(&l->item[at + 1], &l->item[at], (l->count - at) * sizeof(l->item[0]));
	l->item[at] = (struct leaf){t, offset};
	l->count++;
}

static const struct leaf *leaf_at(const struct leaves *l, uint64_t offset, uint64_t size)
{
	for (unsigned i = 0; l->count < NO_PAIR && i < l->count; i++)
		if (l->item[i].offset == offset && l->item[i].type->size == size)
			return &l->item[i];
	return NULL;
}

static int add_leaves(struct leaves *l, const struct type *t, uint64_t offset, unsigned depth);

/* Adds a scalar to bytes that another variant may use too. Two of one kind are one leaf. */
static int share_leaf(struct leaves *l, const struct leaf *one)
{
	const struct leaf *there = leaf_at(l, one->offset, one->type->size);

	if (!there || (one->type->kind == TYPE_FLOAT) != (there->type->kind == TYPE_FLOAT)) {
		add_leaf(l, one->type, one->offset);
		return 0;
	}
	/* rustc's version decides whether this is a pair. */
	return one->type->is_signed == there->type->is_signed ? 0 : unknown(one->type, l->err);
}

/* Adds the scalars of an enum. With a separate tag, each variant may have one scalar, all at one
   offset; with a niche, only one variant may have scalars. Other enums are no scalar pairs. */
static int add_variants(struct leaves *l, const struct type *t, uint64_t offset, unsigned depth)
{
	const uint64_t size = t->discriminant->size, tag = offset + t->discriminant_at;
	struct leaves all = {.program = l->program, .left = l->left, .err = l->err};
	unsigned full = 0, most = 0;
	bool niche = false;

	array_each(const struct type_member, m, &t->members) {
		struct leaves own = {.program = l->program, .left = all.left, .err = l->err};

		if (m->is_static)
			continue;
		if (add_leaves(&own, m->type, offset + m->offset, depth + 1) < 0)
			return -1;
		all.left = own.left;
		niche |= leaf_at(&own, tag, size) != NULL;
		full += own.count > 0;
		most = own.count > most ? own.count : most;
		for (unsigned i = 0; own.count < NO_PAIR && i < own.count; i++)
			if (share_leaf(&all, &own.item[i]) < 0)
				return -1;
	}
	l->left = all.left;
	if (!niche)
		add_leaf(&all, t->discriminant, tag);
	if (niche ? full > 1 : most > 1)
		l->count = NO_PAIR;
	for (unsigned i = 0; all.count < NO_PAIR && i < all.count; i++)
		add_leaf(l, all.item[i].type, all.item[i].offset);
	if (all.count == NO_PAIR)
		l->count = NO_PAIR;
	return 0;
}

static int add_leaves(struct leaves *l, const struct type *t, uint64_t offset, unsigned depth)
{
	if (depth == ABI_DEEP || !l->left || l->count == NO_PAIR)
		return 0;
	l->left--;
	if (t->kind != TYPE_STRUCT) {
		if (t->size)
			add_leaf(l, t, offset);
		return 0;
	}
	if (type_members(t, l->err) < 0)
		return -1;
	if (t->discriminant && t->discriminant->size == t->size) {
		/* The tag fills the value: an Option of a reference, whose None is the null
		   pointer. */
		add_leaf(l, t->discriminant, offset);
		return 0;
	}
	if (t->discriminant)
		return add_variants(l, t, offset, depth);
	array_each(const struct type_member, m, &t->members) {
		if (!m->is_static && add_leaves(l, m->type, offset + m->offset, depth + 1) < 0)
			return -1;
	}
	return 0;
}

static bool is_rust_scalar(const struct leaf *l)
{
	switch (l->type->kind) {
	case TYPE_BOOL:
	case TYPE_INTEGER:
	case TYPE_CHAR:
	case TYPE_ENUM:
	case TYPE_POINTER:
	case TYPE_REFERENCE:
	case TYPE_FLOAT:
		return l->type->size <= 8 && l->offset < ABI_MOST;
	default:
		return false;
	}
}

static void add_rust_part(struct abi_place *out, const struct leaf *l)
{
	add_part(out, l->type->kind == TYPE_FLOAT ? ABI_SSE : ABI_INTEGER, l->offset,
		 l->type->size);
}

static int classify_rust(const struct type *t, const struct dwarf_program *program,
			 struct abi_place *out, struct error *err)
{
	struct leaves l = {.program = program, .left = ABI_TYPES, .err = err};

	memset(out, 0, sizeof(*out));
	if (t->kind == TYPE_VOID || !t->size)
		return 0;
	if (t->kind != TYPE_STRUCT && t->kind != TYPE_ARRAY && t->kind != TYPE_UNION)
		return classify_c(t, program, out, err);
	if (t->size > ABI_MOST) {
		out->memory = true;
		return 0;
	}
	if (add_leaves(&l, t, 0, 0) < 0)
		return -1;
	if (l.count == 0)
		return 0;
	if (l.count <= 2 && is_rust_scalar(&l.item[0]) &&
	    (l.count == 1 || is_rust_scalar(&l.item[1]))) {
		for (unsigned i = 0; i < l.count; i++)
			add_rust_part(out, &l.item[i]);
		return 0;
	}
	if (t->size > 8)
		return unknown(t, err);
	add_part(out, ABI_INTEGER, 0, t->size);
	return 0;
}

int abi_classify(bool rust, const struct type *t, const struct dwarf_program *program,
		 struct abi_place *out, struct error *err)
{
	return rust ? classify_rust(t, program, out, err) : classify_c(t, program, out, err);
}

/* ---- returned values ------------------------------------------------------------------------ */

int abi_returned(const struct dwarf_program *program, const struct type *type,
		 const struct abi_place *place, const struct abi_registers *regs,
		 struct inspect_value *out, struct error *err)
{
	const struct type *t = type_whole(type, program);
	uint8_t bytes[ABI_MOST] = {0};
	unsigned integers = 0, vectors = 0;

	if (place->memory) {
		*out = value_in_memory(program, type, regs->integer[0]);
		return 0;
	}
	for (unsigned i = 0; i < place->parts; i++) {
		const struct abi_part *p = &place->part[i];
		const void *from = regs->x87;

		if (p->class == ABI_INTEGER)
			from = &regs->integer[integers++];
		else if (p->class == ABI_SSE)
			from = regs->vector[vectors++];
		if ((size_t)p->offset + p->size > sizeof(bytes))
			return unknown(t, err);
		memcpy(bytes + p->offset, from, p->size);
	}
	*out = value_of_bytes(program, type, bytes, t->size < ABI_MOST ? t->size : ABI_MOST);
	return 0;
}

/* ---- functions whose calling convention differs from their type ----------------------------- */

/* True if the symbol at the offset has the suffix `kind`, by which gcc marks a changed copy. */
static bool is_clone(struct module *m, uint64_t offset, const char *kind)
{
	const struct elf_symbol *s = module_symbol_at(m, offset, true);

	return s && strstr(s->name, kind);
}

/* True if LLVM marked the function with DW_CC_nocall: it removed arguments or the result, but
   the debug information does not record which. */
static bool is_nocall(struct module *m, uint64_t offset)
{
	ERROR(ignored);
	struct die_table *t = dies_table(m, &ignored);
	struct scope_ref scope;
	struct entry e;
	uint64_t how, at;

	if (!t || dies_function_at(t, offset, &scope, &ignored) < 0 || !scope.scope)
		return false;
	at = scope.scope->offset;
	/* A copy's DIE may leave the attribute to its abstract origin. */
	for (int i = 0; at && i < 2; i++) {
		if (entry_read(t, at, &e, &ignored) < 0)
			return false;
		if (entry_number(&e, DW_AT_calling_convention, &how))
			return how == DW_CC_nocall;
		at = entry_ref(&e, DW_AT_abstract_origin);
	}
	return false;
}

bool call_is_changed(struct module *m, uint64_t offset)
{
	return is_clone(m, offset, ".constprop.") || call_returns_otherwise(m, offset);
}

/* gcc's .constprop clones take fewer arguments but return the same value. */
bool call_returns_otherwise(struct module *m, uint64_t offset)
{
	return is_clone(m, offset, ".isra.") || is_clone(m, offset, ".part.") ||
	       is_nocall(m, offset);
}
