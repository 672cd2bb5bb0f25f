/* Members by name: anonymous members, base classes (virtual ones too), Rust's variants. */
#include "tracer/dwarf/expressions/expression.h"

#include "tracer/elf/module.h"
#include "tracer/inspect/values/value_internal.h"
#include "tracer/source/names/names.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum {
	DEPTH_MAX = 24,
	STEPS_MAX = 20000, /* members looked at for one name: broken types contain themselves */
};

struct member_search {
	const char *name;
	unsigned steps;
	unsigned depth;
};

static bool is_anonymous(const struct type_member *m)
{
	return (!m->name || !*m->name) && value_is_record(m->type);
}

/* ---- one member ----------------------------------------------------------------------------- */

/* Computes the offset of a virtual base class: the DWARF expression reads it from the object's
   vtable. */
static int virtual_offset(const struct inspect_value *v, const struct type_member *m,
			  uint64_t *offset, struct error *err)
{
	struct expression expression = {.program = v->program, .module = v->type->module};
	const struct attr *a;
	struct die_table *d;
	struct entry e;
	uint64_t at;

	if (v->place != INSPECT_IN_MEMORY)
		return value_optimised_out(err, "the place of a virtual base class");
	d = dies_table(v->type->module, err);
	if (!d || entry_read(d, m->entry, &e, err) < 0)
		return -1;
	a = entry_attr(&e, DW_AT_data_member_location);
	if (!a || !a->block)
		return error_set(err, ERROR_STATE, "it is not known where a virtual base is");
	expression.unit = e.unit;
	expression.has_object = true;
	expression.object = v->address;
	if (expression_value(&expression, a->block, a->size, &v->address, &at, err) < 0)
		return -1;
	*offset = at - v->address;
	return 0;
}

int value_has_variant(const struct inspect_value *v, const struct type_member *m, struct error *err)
{
	struct inspect_value which;
	bool is_unsigned;
	int64_t value;

	if (!m->is_variant || !v->type->discriminant)
		return 1;
	if (value_part(v, v->type->discriminant, v->type->discriminant_at, &which, err) < 0 ||
	    value_integer(&which, &value, &is_unsigned, err) < 0)
		return -1;
	if (!m->is_default)
		return value == type_discriminant(v->type, m);
	array_each(const struct type_member, other, &v->type->members) {
		if (other->is_variant && !other->is_default &&
		    value == type_discriminant(v->type, other))
			return 0;
	}
	return 1;
}

int value_of_member(const struct inspect_value *v, const struct type_member *m,
		    struct inspect_value *out, struct error *err)
{
	uint64_t offset = m->offset;

	if (m->is_static)
		return value_static(v, m, out, err);
	if (m->is_virtual && virtual_offset(v, m, &offset, err) < 0)
		return -1;
	if (!m->bit_size) {
		if (value_part(v, m->type, offset, out, err) < 0)
			return -1;
		out->type = type_whole(out->type, v->program);
		return 0;
	}
	/* The storage unit of a bit-field may be larger than the rest of the struct. */
	if (value_part(v, type_builtin("void"), offset, out, err) < 0)
		return -1;
	out->type = m->type;
	out->bit_offset = m->bit_offset;
	out->bit_size = m->bit_size;
	out->reg = INSPECT_NO_REGISTER;
	return 0;
}

/* ---- by name -------------------------------------------------------------------------------- */

static int search_in(struct member_search *h, const struct inspect_value *v,
		     struct inspect_value *out, struct error *err);

/* Searches a member whose own members count as the struct's: an anonymous one, a base class, a
   variant. */
static int search_inside(struct member_search *h, const struct inspect_value *v,
			 const struct type_member *m, struct inspect_value *out, struct error *err)
{
	struct inspect_value inner;
	int answer = m->is_variant ? value_has_variant(v, m, err) : 1;

	if (answer <= 0)
		return answer;
	if (value_of_member(v, m, &inner, err) < 0)
		return -1;
	return search_in(h, &inner, out, err);
}

static int search_own(struct member_search *h, const struct inspect_value *v,
		      struct inspect_value *out, struct error *err)
{
	array_each(const struct type_member, m, &v->type->members) {
		int answer;

		if (++h->steps > STEPS_MAX)
			return error_set(err, ERROR_OBJECT, "a type with too many members");
		if (m->is_base || !m->name || strcmp(m->name, h->name) != 0)
			continue;
		answer = value_has_variant(v, m, err);
		if (answer < 0)
			return -1;
		if (answer)
			return value_of_member(v, m, out, err) < 0 ? -1 : 1;
	}
	return 0;
}

static int search_in(struct member_search *h, const struct inspect_value *v,
		     struct inspect_value *out, struct error *err)
{
	int answer;

	if (h->depth >= DEPTH_MAX || !value_is_record(v->type))
		return 0;
	if (type_members(v->type, err) < 0)
		return -1;
	answer = search_own(h, v, out, err);
	h->depth++;
	for (size_t i = 0; answer == 0 && i < v->type->members.count; i++) {
		const struct type_member *m = &v->type->members.items[i];

		if (!m->is_static && (is_anonymous(m) || m->is_base || m->is_variant))
			answer = search_inside(h, v, m, out, err);
	}
	h->depth--;
	return answer;
}

/* Finds the base class of this name, direct or not. */
static int search_base(struct member_search *h, const struct inspect_value *v,
		       struct inspect_value *out, struct error *err)
{
	int answer = 0;

	if (h->depth >= DEPTH_MAX || !value_is_record(v->type))
		return 0;
	if (type_members(v->type, err) < 0)
		return -1;
	h->depth++;
	for (size_t i = 0; answer == 0 && i < v->type->members.count; i++) {
		const struct type_member *m = &v->type->members.items[i];
		struct inspect_value base;

		if (++h->steps > STEPS_MAX)
			answer = error_set(err, ERROR_OBJECT, "a type with too many members");
		if (answer || !m->is_base)
			continue;
		if (value_of_member(v, m, &base, err) < 0)
			answer = -1;
		else if (m->type->name && strcmp(m->type->name, h->name) == 0)
			*out = base, answer = 1;
		else
			answer = search_base(h, &base, out, err);
	}
	h->depth--;
	return answer;
}

/* Finds Base::NAME. Returns 0 if there is no such base class or member. */
static int qualified(const struct inspect_value *v, const char *name, struct inspect_value *out,
		     struct error *err)
{
	const char *colons = strstr(name, "::"), *next;
	struct inspect_value base;
	struct member_search h = {.depth = 0};
	char *class;
	int answer;

	if (!colons)
		return 0;
	while ((next = strstr(colons + 2, "::")))
		colons = next;
	h.name = class = base_strndup(name, (size_t)(colons - name));
	answer = search_base(&h, v, &base, err);
	base_free(class);
	return answer > 0 ? value_member(&base, colons + 2, out, err) : answer;
}

int value_member(const struct inspect_value *v, const char *name, struct inspect_value *out,
		 struct error *err)
{
	struct member_search h = {.name = name};
	int answer = search_in(&h, v, out, err);

	return answer == 0 ? qualified(v, name, out, err) : answer;
}

int value_base(const struct inspect_value *v, const char *prefix, struct inspect_value *out,
	       struct error *err)
{
	if (!value_is_record(v->type))
		return 0;
	if (type_members(v->type, err) < 0)
		return -1;
	array_each(const struct type_member, m, &v->type->members) {
		if (m->is_base && m->type->tag &&
		    strncmp(m->type->tag, prefix, strlen(prefix)) == 0)
			return value_of_member(v, m, out, err) < 0 ? -1 : 1;
	}
	return 0;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Names of members. A name that two base classes have is listed once, like the member that it
   selects. */
struct member_names {
	size_t left; /* names to skip before the wanted one */
	unsigned steps;
	const char *seen[256];
	size_t count;
};

static bool is_new(struct member_names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->seen[i], name) == 0)
			return false;
	if (n->count < sizeof(n->seen) / sizeof(*n->seen))
		n->seen[n->count++] = name;
	return true;
}

static const char *nth_name(const struct type *t, struct member_names *n, unsigned depth)
{
	ERROR(err);
	const char *name = NULL;

	if (depth >= DEPTH_MAX || !value_is_record(t) || type_members(t, &err) < 0)
		return NULL;
	for (size_t pass = 0; pass < 2 && !name; pass++) {
		array_each(const struct type_member, m, &t->members) {
			if (name || ++n->steps > STEPS_MAX || m->is_static || m->is_base == pass)
				continue;
			if (m->is_base || is_anonymous(m))
				name = nth_name(m->type, n, depth + 1);
			else if (m->name && *m->name && is_new(n, m->name) && n->left-- == 0)
				name = m->name;
		}
	}
	return name;
}

const char *inspect_member(const struct inspect_value *v, size_t i)
{
	const struct type *t = v->type;
	struct member_names names = {.left = i};

	for (int n = 0; n < 3 && (t->kind == TYPE_REFERENCE || t->kind == TYPE_POINTER); n++)
		t = t->of;
	return nth_name(type_whole(t, v->program), &names, 0);
}

/* ---- static members of classes: found by their definition ----------------------------------- */

static int constant_value(const struct inspect_value *v, const struct type_member *m,
			  const struct entry *e, struct inspect_value *out)
{
	const struct attr *a = entry_attr(e, DW_AT_const_value);

	if (!a || !m->type->size)
		return 0;
	if (a->block && a->size >= m->type->size)
		*out = value_of_bytes(v->program, m->type, a->block, (size_t)m->type->size);
	else if (!a->block && m->type->size <= sizeof(a->number))
		*out = value_of_bytes(v->program, m->type, &a->number, (size_t)m->type->size);
	else
		return 0;
	return 1;
}

/* Finds the symbol whose demangled name is the member's. */
static bool find_demangled(struct module *m, const char *full, const char *name, uint64_t *offset)
{
	struct name_parts wanted;
	STR(piece);
	bool found = false;

	str_addf(&piece, "%zu%s", strlen(name), name);
	names_split(full, &wanted);
	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		char *plain;

		if (found || s->function || !strstr(s->name, str_text(&piece)))
			continue;
		plain = source_demangle(s->name);
		found = names_match(&wanted, plain);
		*offset = s->offset;
		base_free(plain);
	}
	names_fini(&wanted);
	return found;
}

static bool find_symbol(struct module *m, const char *linkage, const char *full, const char *name,
			uint64_t *offset)
{
	uint64_t size;

	if (linkage)
		return module_symbol(m, linkage, offset, &size) == 0;
	return find_demangled(m, full, name, offset);
}

int value_static(const struct inspect_value *v, const struct type_member *m,
		 struct inspect_value *out, struct error *err)
{
	struct die_table *d = dies_table(v->type->module, err);
	const char *linkage;
	STR(full);
	struct module *module;
	struct entry e;
	uint64_t bias, offset;

	if (!d || entry_read(d, m->entry, &e, err) < 0)
		return -1;
	if (constant_value(v, m, &e, out))
		return 0;
	linkage = entry_text(&e, DW_AT_linkage_name);
	str_addf(&full, "%s::%s", type_full_name(v->type), m->name ? m->name : "");
	for (size_t i = 0; (module = dwarf_module(v->program, i, &bias)); i++) {
		if (!find_symbol(module, linkage, str_text(&full), m->name, &offset))
			continue;
		*out = value_in_memory(v->program, type_whole(m->type, v->program), bias + offset);
		return 0;
	}
	return error_set(err, ERROR_STATE,
			 "the static member %s is not in the program: optimised out",
			 str_text(&full));
}
