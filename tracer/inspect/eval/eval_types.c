/* Types that an expression names, and casts to these types. */
#include "tracer/inspect/eval/eval.h"

#include <string.h>

enum { BASES_DEEP = 16, BASES_MAX = 512, SCOPES_MAX = 512 };

/* ---- by name -------------------------------------------------------------------------------- */

/* Common names that are known even if the program's debug information lacks them. */
static const struct {
	const char *name, *builtin;
} standard[] = {
	{"size_t", "unsigned long"},
	{"ssize_t", "long"},
	{"ptrdiff_t", "long"},
	{"intptr_t", "long"},
	{"uintptr_t", "unsigned long"},
	{"int8_t", "signed char"},
	{"uint8_t", "unsigned char"},
	{"int16_t", "short"},
	{"uint16_t", "unsigned short"},
	{"int32_t", "int"},
	{"uint32_t", "unsigned int"},
	{"int64_t", "long"},
	{"uint64_t", "unsigned long"},
	{"intmax_t", "long"},
	{"uintmax_t", "unsigned long"},
	{"u8", "unsigned char"},
	{"i8", "signed char"},
	{"u16", "unsigned short"},
	{"i16", "short"},
	{"u32", "unsigned int"},
	{"i32", "int"},
	{"u64", "unsigned long"},
	{"i64", "long"},
	{"usize", "unsigned long"},
	{"isize", "long"},
	{"f32", "float"},
	{"f64", "double"},
};

static const struct type *standard_type(const char *name)
{
	if (strncmp(name, "std::", 5) == 0)
		name += 5;
	for (size_t i = 0; i < sizeof(standard) / sizeof(*standard); i++) {
		if (strcmp(standard[i].name, name) == 0)
			return type_builtin(standard[i].builtin);
	}
	return NULL;
}

/* Returns the DIE of the unit whose code the call is in, 0 if unknown. */
static uint64_t unit_of(const struct eval_scope *s)
{
	const struct dwarf_frame *f = &s->call->frame;
	ERROR(ignored);
	struct die_table *t;
	struct die_unit *u;

	if (!f->module)
		return 0;
	t = dies_table(f->module, &ignored);
	u = t ? dies_unit_at(t, f->lookup_pc - f->bias) : NULL;
	return u ? u->first : 0;
}

/* Returns the length of "struct " or another tag, which stays in front of the namespaces. */
static size_t tag_length(const char *name)
{
	const char *blank = strchr(name, ' '), *args = strchr(name, '<');

	return blank && (!args || blank < args) ? (size_t)(blank - name) + 1 : 0;
}

/* Cuts off the last part of "ns::Queue<a::b>::push". Returns the rest's length, 0 if there is
   none. */
static size_t outer_length(const char *function, size_t length)
{
	int depth = 0;

	for (size_t i = length; i-- > 1;) {
		depth += function[i] == '>' || function[i] == ')';
		depth -= function[i] == '<' || function[i] == '(';
		if (depth == 0 && function[i] == ':' && function[i - 1] == ':')
			return i - 1;
	}
	return 0;
}

/* Finds a type in C++'s order: in the function's class, its namespace, and outward. */
static const struct type *named_type(const struct eval_scope *s, const char *name)
{
	const char *function = s->call->function ? s->call->function : "";
	size_t tag = tag_length(name), length = outer_length(function, strlen(function));
	const struct type *t = NULL;
	uint64_t unit = unit_of(s);

	for (int i = 0; length && length < SCOPES_MAX && !t && i < BASES_DEEP; i++) {
		STR(full);

		str_add_bytes(&full, name, tag);
		str_add_bytes(&full, function, length);
		str_addf(&full, "::%s", name + tag);
		t = type_named(s->program, s->call->frame.module, unit, str_text(&full));
		length = outer_length(function, length);
	}
	if (!t)
		t = type_named(s->program, s->call->frame.module, unit, name);
	return t ? t : standard_type(name);
}

bool eval_type_exists(const struct eval_scope *s, const char *name)
{
	return named_type(s, name) != NULL;
}

const struct type *eval_type_find(const struct eval_scope *s, const struct eval_type_name *n,
				  const char *at)
{
	const struct type *t = n->builtin ? type_builtin(n->builtin) : named_type(s, n->name);

	if (!t && n->builtin)
		t = named_type(s, n->builtin);
	if (!t) {
		eval_error(s->text, at, s->err, "no type '%s' is known here",
			   n->builtin ? n->builtin : n->name);
		return NULL;
	}
	for (unsigned i = 0; i < n->pointers; i++)
		t = type_pointer_to(t);
	for (unsigned i = n->bounds; i-- > 0;)
		t = type_array_of(t, n->bound[i]);
	return t;
}

/* ---- classes -------------------------------------------------------------------------------- */

static bool same_class(const struct type *a, const struct type *b)
{
	const char *x, *y;

	if (a == b || (a->module && a->module == b->module && a->entry == b->entry))
		return true;
	if (a->kind != b->kind || (a->size && b->size && a->size != b->size))
		return false;
	x = type_full_name(a);
	y = type_full_name(b);
	return *x && strcmp(x, y) == 0;
}

struct bases {
	const struct dwarf_program *program;
	const struct type *wanted;
	unsigned left; /* classes that may still be visited */
	struct error ignored;
};

static bool find_base(struct bases *b, const struct type *in, unsigned depth, uint64_t *offset)
{
	if (same_class(in, b->wanted)) {
		*offset = 0;
		return true;
	}
	in = type_whole(in, b->program);
	if (depth == BASES_DEEP || in->kind != TYPE_STRUCT || type_members(in, &b->ignored) < 0)
		return false;
	array_each(const struct type_member, m, &in->members) {
		if (!m->is_base || m->is_virtual || !m->type || !b->left)
			continue;
		b->left--;
		if (!find_base(b, m->type, depth + 1, offset))
			continue;
		*offset += m->offset;
		return true;
	}
	return false;
}

bool eval_base_offset(const struct dwarf_program *p, const struct type *derived,
		      const struct type *base, uint64_t *offset)
{
	struct bases b = {.program = p, .wanted = base, .left = BASES_MAX};
	bool found;

	*offset = 0;
	found = find_base(&b, derived, 0, offset);
	error_fini(&b.ignored);
	return found;
}

/* ---- casts ---------------------------------------------------------------------------------- */

static bool is_class(const struct type *t)
{
	return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION);
}

/* Moves an address to a base class or back. Unrelated classes keep the address. */
static uint64_t moved(const struct eval_scope *s, uint64_t address, const struct type *from,
		      const struct type *to)
{
	uint64_t offset;

	if (!address || !is_class(from) || !is_class(to))
		return address;
	if (eval_base_offset(s->program, from, to, &offset))
		return address + offset;
	if (eval_base_offset(s->program, to, from, &offset))
		return address - offset;
	return address;
}

static int cast_place(const struct eval_scope *s, const char *at, const struct inspect_value *v,
		      const struct type *to, struct inspect_value *out)
{
	if (v->place != INSPECT_IN_MEMORY || v->bit_size)
		return eval_error(s->text, at, s->err,
				  "this is not in memory: it cannot be cast to a reference");
	*out = value_in_memory(s->program, to, moved(s, v->address, v->type, to));
	return 0;
}

static int cast_class(const struct eval_scope *s, const char *at, const struct inspect_value *v,
		      const struct type *to, struct inspect_value *out)
{
	STR(name);
	uint64_t offset;

	if (is_class(v->type) && same_class(v->type, to)) {
		*out = *v;
		return 0;
	}
	if (is_class(v->type) && eval_base_offset(s->program, v->type, to, &offset))
		return cast_place(s, at, v, to, out);
	type_spell(to, &name);
	return eval_error(s->text, at, s->err,
			  "no value can be cast to %s: cast the address to a pointer",
			  str_text(&name));
}

int eval_cast(const struct eval_scope *s, const char *at, const struct inspect_value *from,
	      const struct type *to, bool reference, struct inspect_value *out)
{
	struct inspect_value v = *from;
	struct eval_scalar x;

	if (reference || is_class(to)) {
		if (value_whole(&v, s->err) < 0)
			return eval_inside(s);
		return reference ? cast_place(s, at, &v, to, out) : cast_class(s, at, &v, to, out);
	}
	if (scalar_of(s, &v, at, &x) < 0)
		return -1;
	if (to->kind == TYPE_POINTER && scalar_is_pointer(&x))
		x.bits = moved(s, (uint64_t)x.bits, x.type->of, to->of);
	if (scalar_convert(s, at, &x, to, &x) < 0)
		return -1;
	return scalar_value(s, &x, out);
}
