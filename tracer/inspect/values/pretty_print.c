/*
 * Pretty-printing: a script sees library types of libstdc++ (gcc 12) and Rust as what they stand
 * for, a string, a vector, a pointer. The qualified name of the type tells which one it is; the
 * debug information tells where its parts are, by the names of the members.
 */
#include "tracer/inspect/values/value_internal.h"

#include <string.h>

/* ---- parts ---------------------------------------------------------------------------------- */

static int unknown_layout(const struct inspect_value *v, struct error *err)
{
	return value_error(v->type, err, "a '%s' is not laid out as gatectl knows it");
}

static int invalid(const struct inspect_value *v, struct error *err)
{
	return value_error(v->type, err, "this '%s' is not valid: not made yet, or gone already");
}

/* Follows members within members: "_M_impl._M_start". 0, or -1 where one is missing. */
static int pretty_part(const struct inspect_value *v, const char *path, struct inspect_value *out,
		       struct error *err)
{
	struct inspect_value from;
	char name[32];

	*out = *v;
	for (size_t length; *path; path += length + (path[length] == '.')) {
		int answer;

		length = strcspn(path, ".");
		memcpy(name, path, length);
		name[length] = '\0';
		from = *out;
		answer = value_member(&from, name, out, err);
		if (answer <= 0)
			return answer < 0 ? -1 : unknown_layout(v, err);
		if (value_whole(out, err) < 0)
			return -1;
	}
	return 0;
}

static int pretty_number(const struct inspect_value *v, const char *path, uint64_t *out,
			 struct error *err)
{
	struct inspect_value part;
	bool is_unsigned;

	if (pretty_part(v, path, &part, err) < 0)
		return -1;
	if (part.type->kind == TYPE_POINTER)
		return value_address(&part, out, err);
	return value_integer(&part, (int64_t *)out, &is_unsigned, err);
}

/* The first of these members that there is. */
static int pretty_one_of(const struct inspect_value *v, const char *const *names, size_t count,
			 struct inspect_value *out, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		int answer = value_member(v, names[i], out, err);

		if (answer)
			return answer < 0 ? -1 : 0;
	}
	return unknown_layout(v, err);
}

/* The first pointer that is anywhere in it: Unique, NonNull and whatever else Rust wraps around. */
static int first_pointer(const struct inspect_value *v, struct inspect_value *out, unsigned depth,
			 struct error *err)
{
	if (v->type->kind == TYPE_POINTER) {
		*out = *v;
		return 1;
	}
	if (!value_is_record(v->type) || depth == 0)
		return 0;
	if (type_members(v->type, err) < 0)
		return -1;
	array_each(const struct type_member, m, &v->type->members) {
		struct inspect_value inner;
		int answer;

		if (m->is_static || m->is_variant || m->is_virtual)
			continue;
		if (value_of_member(v, m, &inner, err) < 0)
			return -1;
		answer = first_pointer(&inner, out, depth - 1, err);
		if (answer)
			return answer;
	}
	return 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int word_at(const struct inspect_value *v, uint64_t offset, uint64_t *out, struct error *err)
{
	struct inspect_value word;

	if (value_part(v, type_builtin("unsigned long"), offset, &word, err) < 0)
		return -1;
	return pretty_number(&word, "", out, err);
}

/* clang leaves out what it expects libstdc++.so's own debug information to have: then the layout
   is the known one, a pointer and a length. Before C++11 the length stood before the text. */
static int string_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	const struct type *c = type_argument(v->type, 0);
	struct inspect_value word;
	uint64_t unused;

	row->type = c && c->kind == TYPE_CHAR ? c : type_builtin("char");
	if (word_at(v, 0, &row->address, err) < 0)
		return -1;
	if (v->type->size == 8) {
		word = value_in_memory(v->program, type_builtin("unsigned long"),
				       row->address - 24);
		return pretty_number(&word, "", &row->count, err);
	}
	if (word_at(v, 8, &row->count, err) < 0)
		return -1;
	/* In place or not, the text has room for it behind the length: else it is none yet. */
	if (v->place == INSPECT_IN_MEMORY && row->address != v->address + 16 &&
	    (word_at(v, 16, &unused, err) < 0 || unused < row->count))
		return invalid(v, err);
	return row->address ? 0 : invalid(v, err);
}

/* A pointer to the first element, whose type is that of all. */
static int pointer_part(const struct inspect_value *v, const char *path, struct value_row *row,
			struct error *err)
{
	struct inspect_value first;

	if (pretty_part(v, path, &first, err) < 0)
		return -1;
	if (first.type->kind != TYPE_POINTER)
		return invalid(v, err);
	row->type = type_whole(first.type->of, v->program);
	return value_address(&first, &row->address, err);
}

static int view_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	return pointer_part(v, "_M_str", row, err) < 0 ||
			       pretty_number(v, "_M_len", &row->count, err) < 0
		       ? -1
		       : 0;
}

static int slice_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	return pointer_part(v, "data_ptr", row, err) < 0 ||
			       pretty_number(v, "length", &row->count, err) < 0
		       ? -1
		       : 0;
}

static int vector_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	uint64_t end;

	if (pointer_part(v, "_M_impl._M_start", row, err) < 0 ||
	    pretty_number(v, "_M_impl._M_finish", &end, err) < 0)
		return -1;
	if (!row->type->size || end < row->address || (end - row->address) % row->type->size)
		return invalid(v, err);
	row->count = (end - row->address) / row->type->size;
	return 0;
}

static int bits_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	uint64_t end, end_bit;

	if (pretty_number(v, "_M_impl._M_start._M_p", &row->address, err) < 0 ||
	    pretty_number(v, "_M_impl._M_start._M_offset", &row->first_bit, err) < 0 ||
	    pretty_number(v, "_M_impl._M_finish._M_p", &end, err) < 0 ||
	    pretty_number(v, "_M_impl._M_finish._M_offset", &end_bit, err) < 0)
		return -1;
	if (end < row->address || row->first_bit > 63 || end_bit > 63 ||
	    end - row->address > UINT64_MAX / 16)
		return invalid(v, err);
	row->type = type_builtin("bool");
	row->bits = true;
	row->count = (end - row->address) * 8 + end_bit - row->first_bit;
	return 0;
}

static int rust_vec_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value buffer, pointer;
	int answer;

	if (pretty_part(v, "buf", &buffer, err) < 0 ||
	    pretty_number(v, "len", &row->count, err) < 0)
		return -1;
	answer = first_pointer(&buffer, &pointer, 8, err);
	row->type = type_argument(v->type, 0);
	if (answer <= 0 || !row->type)
		return answer < 0 ? -1 : invalid(v, err);
	return value_address(&pointer, &row->address, err);
}

static int rust_string_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value vec;

	return pretty_part(v, "vec", &vec, err) < 0 ? -1 : rust_vec_row(&vec, row, err);
}

/* ---- pointers ------------------------------------------------------------------------------- */

/* unique_ptr's tuple has the deleter in it, too: index 0 is the pointer. */
static int unique_pointer(const struct inspect_value *v, struct inspect_value *out,
			  struct error *err)
{
	struct inspect_value tuple, impl, head;
	int answer;

	if (pretty_part(v, "_M_t._M_t", &tuple, err) < 0)
		return -1;
	answer = value_base(&tuple, "_Tuple_impl<0", &impl, err);
	if (answer > 0)
		answer = value_base(&impl, "_Head_base<0", &head, err);
	if (answer <= 0)
		return answer < 0 ? -1 : invalid(v, err);
	return pretty_part(&head, "_M_head_impl", out, err);
}

static int shared_pointer(const struct inspect_value *v, struct inspect_value *out,
			  struct error *err)
{
	return pretty_part(v, "_M_ptr", out, err);
}

/* A weak_ptr to a destroyed object holds nothing. */
static int weak_pointer(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	static const uint8_t zero[8];
	struct inspect_value control, counts;
	uint64_t address, count = 0;

	if (shared_pointer(v, out, err) < 0 ||
	    pretty_part(v, "_M_refcount._M_pi", &control, err) < 0 ||
	    value_address(&control, &address, err) < 0)
		return -1;
	if (address && (value_follow(&control, &counts, err) < 0 ||
			pretty_number(&counts, "_M_use_count", &count, err) < 0))
		return -1;
	if (!count)
		*out = value_of_bytes(v->program, out->type, zero, sizeof(zero));
	return 0;
}

/* ---- wrappers ------------------------------------------------------------------------------- */

static int array_elements(const struct inspect_value *v, struct inspect_value *out,
			  struct error *err)
{
	return pretty_part(v, "_M_elems", out, err);
}

static int atomic_value(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	static const char *const names[] = {"_M_i", "_M_base", "_M_b", "_M_fp", "_M_p"};

	return pretty_one_of(v, names, 5, out, err);
}

static int optional_value(const struct inspect_value *v, struct inspect_value *out,
			  struct error *err)
{
	int empty = pretty_empty(v, err);

	if (empty)
		return empty < 0 ? -1 : error_set(err, ERROR_STATE, "this std::optional is empty");
	return pretty_part(v, "_M_payload._M_payload._M_value", out, err);
}

static int referred(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	struct inspect_value pointer;

	if (pretty_part(v, "_M_data", &pointer, err) < 0)
		return -1;
	return pointer.type->kind == TYPE_POINTER ? value_follow(&pointer, out, err)
						  : invalid(v, err);
}

static int rust_cell(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	static const char *const names[] = {"v", "__0", "value"}; /* atomics, aligned ones; cells */

	return pretty_one_of(v, names, 3, out, err);
}

static int rust_shared(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	static const char *const names[] = {"data", "value"};
	struct inspect_value pointer, counts;
	int answer = first_pointer(v, &pointer, 4, err);

	if (answer <= 0)
		return answer < 0 ? -1 : invalid(v, err);
	return value_follow(&pointer, &counts, err) < 0
		       ? -1
		       : pretty_one_of(&counts, names, 2, out, err);
}

/* ---- which type is which -------------------------------------------------------------------- */

static const struct pretty {
	const char *begins;
	bool rust, text; /* text: its row is a string */
	int (*row)(const struct inspect_value *v, struct value_row *out, struct error *err);
	int (*pointer)(const struct inspect_value *v, struct inspect_value *out, struct error *err);
	int (*inner)(const struct inspect_value *v, struct inspect_value *out, struct error *err);
} pretties[] = {
	{"std::basic_string<", .text = true, .row = string_row},
	{"std::basic_string_view<", .text = true, .row = view_row},
	{"std::vector<bool,", .row = bits_row},
	{"std::vector<", .row = vector_row},
	{"std::array<", .inner = array_elements},
	{"std::atomic<", .inner = atomic_value},
	{"std::__atomic_base<", .inner = atomic_value},
	{"std::atomic_flag", .inner = atomic_value},
	{"std::optional<", .inner = optional_value},
	{"std::reference_wrapper<", .inner = referred},
	{"std::unique_ptr<", .pointer = unique_pointer},
	{"std::shared_ptr<", .pointer = shared_pointer},
	{"std::__shared_ptr<", .pointer = shared_pointer},
	{"std::weak_ptr<", .pointer = weak_pointer},
	{"&str", .rust = true, .text = true, .row = slice_row},
	{"&mut str", .rust = true, .text = true, .row = slice_row},
	{"&[", .rust = true, .row = slice_row},
	{"&mut [", .rust = true, .row = slice_row},
	{"alloc::boxed::Box<str", .rust = true, .text = true, .row = slice_row},
	{"alloc::boxed::Box<[", .rust = true, .row = slice_row},
	{"alloc::vec::Vec<", .rust = true, .row = rust_vec_row},
	{"alloc::string::String", .rust = true, .text = true, .row = rust_string_row},
	{"core::sync::atomic::Atomic", .rust = true, .inner = rust_cell},
	{"core::sync::atomic::private::Align", .rust = true, .inner = rust_cell}, /* Rust 1.97 */
	{"core::cell::Cell<", .rust = true, .inner = rust_cell},
	{"core::cell::UnsafeCell<", .rust = true, .inner = rust_cell},
	{"alloc::sync::Arc<", .rust = true, .inner = rust_shared},
	{"alloc::rc::Rc<", .rust = true, .inner = rust_shared},
};

enum { PRETTY_UNKNOWN, PRETTY_NONE, PRETTY_FIRST }; /* type.pretty_kind */

/* The new strings are in a namespace that type units do not call inline. */
static bool pretty_begins(const char *full, const char *with)
{
	static const char space[] = "std::__cxx11::";

	if (strncmp(full, space, sizeof(space) - 1) == 0 && strncmp(with, "std::", 5) == 0)
		return strncmp(full + sizeof(space) - 1, with + 5, strlen(with + 5)) == 0;
	return strncmp(full, with, strlen(with)) == 0;
}

static uint8_t kind_by_name(const struct type *t)
{
	const char *full = type_full_name(t);

	for (size_t i = 0; i < sizeof(pretties) / sizeof(*pretties); i++)
		if (pretties[i].rust == t->rust && pretty_begins(full, pretties[i].begins))
			return (uint8_t)(PRETTY_FIRST + i);
	return PRETTY_NONE;
}

/* Never NULL: of other types without functions. */
static const struct pretty *pretty_of(const struct type *t)
{
	static const struct pretty none;
	struct type *known = (struct type *)t;

	if (t->kind != TYPE_STRUCT || !t->tag)
		return &none;
	if (known->pretty_kind == PRETTY_UNKNOWN)
		known->pretty_kind = kind_by_name(t);
	return t->pretty_kind == PRETTY_NONE ? &none : &pretties[t->pretty_kind - PRETTY_FIRST];
}

int pretty_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	const struct pretty *p = pretty_of(v->type);

	*row = (struct value_row){.text = p->text};
	if (!p->row)
		return 0;
	if (p->row(v, row, err) < 0)
		return -1;
	return row->count > INT64_MAX ? invalid(v, err) : 1;
}

int pretty_pointer(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	const struct pretty *p = pretty_of(v->type);

	if (!p->pointer)
		return 0;
	if (p->pointer(v, out, err) < 0)
		return -1;
	return out->type->kind == TYPE_POINTER ? 1 : invalid(v, err);
}

int pretty_inner(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	const struct pretty *p = pretty_of(v->type);

	return !p->inner ? 0 : p->inner(v, out, err) < 0 ? -1 : 1;
}

int pretty_empty(const struct inspect_value *v, struct error *err)
{
	uint64_t engaged;

	if (pretty_of(v->type)->inner != optional_value)
		return 0;
	if (pretty_number(v, "_M_payload._M_engaged", &engaged, err) < 0)
		return -1;
	return !engaged;
}

int value_layer(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	int answer = pretty_pointer(v, out, err);

	return answer ? answer : pretty_inner(v, out, err);
}

bool value_is_itself(const struct inspect_value *v)
{
	const struct pretty *p = pretty_of(v->type);

	return !p->row && !p->pointer && !p->inner;
}
