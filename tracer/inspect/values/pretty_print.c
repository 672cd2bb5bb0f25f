/*
 * Pretty-printing: a script sees library types of libstdc++ (gcc 12) and Rust as what they stand
 * for, a string, a vector, a pointer. The qualified name of the type tells which one it is; the
 * debug information tells where its parts are, by the names of the members.
 */
#include "tracer/inspect/values/value_internal.h"

#include <stdarg.h>
#include <string.h>

enum pretty_kind {
	PRETTY_NONE,
	PRETTY_STRING,
	PRETTY_VIEW,
	PRETTY_VECTOR,
	PRETTY_BITS,
	PRETTY_ARRAY,
	PRETTY_ATOMIC,
	PRETTY_OPTIONAL,
	PRETTY_REFERENCE,
	PRETTY_UNIQUE,
	PRETTY_SHARED,
	PRETTY_WEAK,
	PRETTY_SLICE,
	PRETTY_STR,
	PRETTY_RUST_VEC,
	PRETTY_RUST_STRING,
	PRETTY_RUST_CELL,
	PRETTY_RUST_SHARED,
};

static const struct {
	const char *begins;
	enum pretty_kind what;
	bool rust;
} names[] = {
	{"std::basic_string<", PRETTY_STRING, false},
	{"std::basic_string_view<", PRETTY_VIEW, false},
	{"std::vector<bool,", PRETTY_BITS, false},
	{"std::vector<", PRETTY_VECTOR, false},
	{"std::array<", PRETTY_ARRAY, false},
	{"std::atomic<", PRETTY_ATOMIC, false},
	{"std::__atomic_base<", PRETTY_ATOMIC, false},
	{"std::atomic_flag", PRETTY_ATOMIC, false},
	{"std::optional<", PRETTY_OPTIONAL, false},
	{"std::reference_wrapper<", PRETTY_REFERENCE, false},
	{"std::unique_ptr<", PRETTY_UNIQUE, false},
	{"std::shared_ptr<", PRETTY_SHARED, false},
	{"std::__shared_ptr<", PRETTY_SHARED, false},
	{"std::weak_ptr<", PRETTY_WEAK, false},
	{"&str", PRETTY_STR, true},
	{"&mut str", PRETTY_STR, true},
	{"&[", PRETTY_SLICE, true},
	{"&mut [", PRETTY_SLICE, true},
	{"alloc::boxed::Box<str", PRETTY_STR, true},
	{"alloc::boxed::Box<[", PRETTY_SLICE, true},
	{"alloc::vec::Vec<", PRETTY_RUST_VEC, true},
	{"alloc::string::String", PRETTY_RUST_STRING, true},
	{"core::sync::atomic::Atomic", PRETTY_RUST_CELL, true},
	{"core::sync::atomic::private::Align", PRETTY_RUST_CELL, true}, /* Rust 1.97 */
	{"core::cell::Cell<", PRETTY_RUST_CELL, true},
	{"core::cell::UnsafeCell<", PRETTY_RUST_CELL, true},
	{"alloc::sync::Arc<", PRETTY_RUST_SHARED, true},
	{"alloc::rc::Rc<", PRETTY_RUST_SHARED, true},
};

/* The new strings are in a namespace that type units do not call inline. */
static bool pretty_print_begins(const char *full, const char *with)
{
	static const char space[] = "std::__cxx11::";

	if (strncmp(full, space, sizeof(space) - 1) == 0 && strncmp(with, "std::", 5) == 0)
		return strncmp(full + sizeof(space) - 1, with + 5, strlen(with + 5)) == 0;
	return strncmp(full, with, strlen(with)) == 0;
}

static enum pretty_kind kind_by_name(const struct type *t)
{
	const char *full = type_full_name(t);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].rust == t->rust && pretty_print_begins(full, names[i].begins))
			return names[i].what;
	}
	return PRETTY_NONE;
}

static enum pretty_kind pretty_print_kind_of(const struct type *t)
{
	struct type *known = (struct type *)t;

	if (t->kind != TYPE_STRUCT || !t->tag)
		return PRETTY_NONE;
	if (!known->pretty_kind)
		known->pretty_kind = (uint8_t)(kind_by_name(t) + 1);
	return (enum pretty_kind)(known->pretty_kind - 1);
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Follows members within members, by name, up to NULL: 0, or -1 where one is missing. */
static int pretty_print_part_of(const struct inspect_value *v, struct inspect_value *out,
				struct error *err, ...)
{
	const char *name;
	va_list names_in;
	int answer = 1;
	char *text;

	*out = *v;
	va_start(names_in, err);
	while (answer > 0 && (name = va_arg(names_in, const char *))) {
		struct inspect_value from = *out;

		answer = value_member(&from, name, out, err);
		if (answer > 0 && value_whole(out, err) < 0)
			answer = -1;
	}
	va_end(names_in);
	if (answer == 0) {
		text = value_type_text(v->type);
		error_set(err, ERROR_STATE, "a '%s' is not laid out as gatectl knows it", text);
		base_free(text);
	}
	return answer > 0 ? 0 : -1;
}

static int pretty_print_number_of(const struct inspect_value *v, uint64_t *out, struct error *err)
{
	bool is_unsigned;
	int64_t number;

	if (v->type->kind == TYPE_POINTER)
		return value_address(v, out, err);
	if (value_integer(v, &number, &is_unsigned, err) < 0)
		return -1;
	*out = (uint64_t)number;
	return 0;
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

static int invalid(const struct inspect_value *v, struct error *err)
{
	char *text = value_type_text(v->type);

	error_set(err, ERROR_STATE, "this '%s' is not valid: not made yet, or gone already", text);
	base_free(text);
	return -1;
}

/* ---- strings -------------------------------------------------------------------------------- */

static int pretty_print_word_at(const struct inspect_value *v, uint64_t offset, uint64_t *out,
				struct error *err)
{
	struct inspect_value word;

	if (value_part(v, type_builtin("unsigned long"), offset, &word, err) < 0)
		return -1;
	return pretty_print_number_of(&word, out, err);
}

/* clang leaves out what it expects libstdc++.so's own debug information to have: then the layout
   is the known one, a pointer and a length. Before C++11 the length stood before the text. */
static int string_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	const struct type *c = type_argument(v->type, 0);
	struct inspect_value word;
	uint64_t unused;

	row->type = c && c->kind == TYPE_CHAR ? c : type_builtin("char");
	row->text = true;
	if (pretty_print_word_at(v, 0, &row->address, err) < 0)
		return -1;
	if (v->type->size == 8) {
		word = value_in_memory(v->program, type_builtin("unsigned long"),
				       row->address - 24);
		return pretty_print_number_of(&word, &row->count, err);
	}
	if (pretty_print_word_at(v, 8, &row->count, err) < 0)
		return -1;
	/* In place or not, the text has room for it behind the length: else it is none yet. */
	if (v->place == INSPECT_IN_MEMORY && row->address != v->address + 16 &&
	    (pretty_print_word_at(v, 16, &unused, err) < 0 || unused < row->count))
		return invalid(v, err);
	return row->address ? 0 : invalid(v, err);
}

static int view_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value text, length;

	if (pretty_print_part_of(v, &text, err, "_M_str", NULL) < 0 ||
	    pretty_print_part_of(v, &length, err, "_M_len", NULL) < 0 ||
	    text.type->kind != TYPE_POINTER)
		return -1;
	row->type = type_whole(text.type->of, v->program);
	row->text = true;
	return pretty_print_number_of(&text, &row->address, err) < 0
		       ? -1
		       : pretty_print_number_of(&length, &row->count, err);
}

/* ---- vectors -------------------------------------------------------------------------------- */

static int vector_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value start, finish;
	uint64_t end;

	if (pretty_print_part_of(v, &start, err, "_M_impl", "_M_start", NULL) < 0 ||
	    pretty_print_part_of(v, &finish, err, "_M_impl", "_M_finish", NULL) < 0 ||
	    pretty_print_number_of(&start, &row->address, err) < 0 ||
	    pretty_print_number_of(&finish, &end, err) < 0)
		return -1;
	if (start.type->kind != TYPE_POINTER)
		return invalid(v, err);
	row->type = type_whole(start.type->of, v->program);
	if (!row->type->size || end < row->address || (end - row->address) % row->type->size)
		return invalid(v, err);
	row->count = (end - row->address) / row->type->size;
	return 0;
}

static int bit_of(const struct inspect_value *v, const char *which, uint64_t *address,
		  uint64_t *bit, struct error *err)
{
	struct inspect_value at, offset;

	if (pretty_print_part_of(v, &at, err, "_M_impl", which, "_M_p", NULL) < 0 ||
	    pretty_print_part_of(v, &offset, err, "_M_impl", which, "_M_offset", NULL) < 0)
		return -1;
	return pretty_print_number_of(&at, address, err) < 0
		       ? -1
		       : pretty_print_number_of(&offset, bit, err);
}

static int bits_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	uint64_t end, end_bit;

	if (bit_of(v, "_M_start", &row->address, &row->first_bit, err) < 0 ||
	    bit_of(v, "_M_finish", &end, &end_bit, err) < 0)
		return -1;
	if (end < row->address || row->first_bit > 63 || end_bit > 63 ||
	    end - row->address > UINT64_MAX / 16)
		return invalid(v, err);
	row->type = type_builtin("bool");
	row->bits = true;
	row->count = (end - row->address) * 8 + end_bit - row->first_bit;
	return 0;
}

/* ---- Rust ----------------------------------------------------------------------------------- */

static int slice_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value data, length;

	if (pretty_print_part_of(v, &data, err, "data_ptr", NULL) < 0 ||
	    pretty_print_part_of(v, &length, err, "length", NULL) < 0)
		return -1;
	if (data.type->kind != TYPE_POINTER)
		return invalid(v, err);
	row->type = type_whole(data.type->of, v->program);
	return pretty_print_number_of(&data, &row->address, err) < 0
		       ? -1
		       : pretty_print_number_of(&length, &row->count, err);
}

static int rust_vec_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value buffer, pointer, length;
	int answer;

	if (pretty_print_part_of(v, &buffer, err, "buf", NULL) < 0 ||
	    pretty_print_part_of(v, &length, err, "len", NULL) < 0)
		return -1;
	answer = first_pointer(&buffer, &pointer, 8, err);
	row->type = type_argument(v->type, 0);
	if (answer <= 0 || !row->type)
		return answer < 0 ? -1 : invalid(v, err);
	return pretty_print_number_of(&pointer, &row->address, err) < 0
		       ? -1
		       : pretty_print_number_of(&length, &row->count, err);
}

static int rust_string_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value vec;

	if (pretty_print_part_of(v, &vec, err, "vec", NULL) < 0)
		return -1;
	return rust_vec_row(&vec, row, err);
}

int pretty_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	enum pretty_kind what = pretty_print_kind_of(v->type);
	int answer;

	memset(row, 0, sizeof(*row));
	row->text = what == PRETTY_STR || what == PRETTY_RUST_STRING;
	switch (what) {
	case PRETTY_STRING:
		answer = string_row(v, row, err);
		break;
	case PRETTY_VIEW:
		answer = view_row(v, row, err);
		break;
	case PRETTY_VECTOR:
		answer = vector_row(v, row, err);
		break;
	case PRETTY_BITS:
		answer = bits_row(v, row, err);
		break;
	case PRETTY_STR:
	case PRETTY_SLICE:
		answer = slice_row(v, row, err);
		break;
	case PRETTY_RUST_VEC:
		answer = rust_vec_row(v, row, err);
		break;
	case PRETTY_RUST_STRING:
		answer = rust_string_row(v, row, err);
		break;
	default:
		return 0;
	}
	if (answer == 0 && row->count > INT64_MAX)
		return invalid(v, err);
	return answer < 0 ? -1 : 1;
}

/* ---- pointers ------------------------------------------------------------------------------- */

/* unique_ptr's tuple has the deleter in it, too: index 0 is the pointer. */
static int unique_pointer(const struct inspect_value *v, struct inspect_value *out,
			  struct error *err)
{
	struct inspect_value tuple, impl, head;
	int answer;

	if (pretty_print_part_of(v, &tuple, err, "_M_t", "_M_t", NULL) < 0)
		return -1;
	answer = value_base(&tuple, "_Tuple_impl<0", &impl, err);
	if (answer > 0)
		answer = value_base(&impl, "_Head_base<0", &head, err);
	if (answer <= 0)
		return answer < 0 ? -1 : invalid(v, err);
	return pretty_print_part_of(&head, out, err, "_M_head_impl", NULL);
}

/* A weak_ptr to a destroyed object holds nothing. */
static int weak_pointer(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	struct inspect_value control, counts, uses;
	uint64_t address, count = 0;
	static const uint8_t zero[8];

	if (pretty_print_part_of(v, out, err, "_M_ptr", NULL) < 0 ||
	    pretty_print_part_of(v, &control, err, "_M_refcount", "_M_pi", NULL) < 0 ||
	    value_address(&control, &address, err) < 0)
		return -1;
	if (address && (value_follow(&control, &counts, err) < 0 ||
			pretty_print_part_of(&counts, &uses, err, "_M_use_count", NULL) < 0 ||
			pretty_print_number_of(&uses, &count, err) < 0))
		return -1;
	if (!count)
		*out = value_of_bytes(v->program, out->type, zero, sizeof(zero));
	return 0;
}

int pretty_pointer(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	int answer;

	switch (pretty_print_kind_of(v->type)) {
	case PRETTY_UNIQUE:
		answer = unique_pointer(v, out, err);
		break;
	case PRETTY_SHARED:
		answer = pretty_print_part_of(v, out, err, "_M_ptr", NULL);
		break;
	case PRETTY_WEAK:
		answer = weak_pointer(v, out, err);
		break;
	default:
		return 0;
	}
	if (answer == 0 && out->type->kind != TYPE_POINTER)
		return invalid(v, err);
	return answer < 0 ? -1 : 1;
}

/* ---- wrappers ------------------------------------------------------------------------------- */

static int atomic_value(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	static const char *const paths[] = {"_M_i", "_M_base", "_M_b", "_M_fp", "_M_p"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int answer = value_member(v, paths[i], out, err);

		if (answer)
			return answer < 0 ? -1 : 0;
	}
	return pretty_print_part_of(v, out, err, paths[0], NULL);
}

static int engaged(const struct inspect_value *v, uint64_t *out, struct error *err)
{
	struct inspect_value flag;

	if (pretty_print_part_of(v, &flag, err, "_M_payload", "_M_engaged", NULL) < 0)
		return -1;
	return pretty_print_number_of(&flag, out, err);
}

static int optional_value(const struct inspect_value *v, struct inspect_value *out,
			  struct error *err)
{
	uint64_t there;

	if (engaged(v, &there, err) < 0)
		return -1;
	if (!there)
		return error_set(err, ERROR_STATE, "this std::optional is empty");
	return pretty_print_part_of(v, out, err, "_M_payload", "_M_payload", "_M_value", NULL);
}

static int referred(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	struct inspect_value pointer;

	if (pretty_print_part_of(v, &pointer, err, "_M_data", NULL) < 0)
		return -1;
	if (pointer.type->kind != TYPE_POINTER)
		return invalid(v, err);
	return value_follow(&pointer, out, err);
}

static int rust_cell(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	static const char *const paths[] = {"v", "__0"}; /* atomics, and their aligned values */

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int answer = value_member(v, paths[i], out, err);

		if (answer)
			return answer < 0 ? -1 : 0;
	}
	return pretty_print_part_of(v, out, err, "value", NULL);
}

static int rust_shared(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	struct inspect_value pointer, counts;
	int answer = first_pointer(v, &pointer, 4, err);

	if (answer <= 0)
		return answer < 0 ? -1 : invalid(v, err);
	if (value_follow(&pointer, &counts, err) < 0)
		return -1;
	answer = value_member(&counts, "data", out, err);
	if (answer)
		return answer < 0 ? -1 : 0;
	return pretty_print_part_of(&counts, out, err, "value", NULL);
}

int pretty_inner(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	int answer;

	switch (pretty_print_kind_of(v->type)) {
	case PRETTY_ARRAY:
		answer = pretty_print_part_of(v, out, err, "_M_elems", NULL);
		break;
	case PRETTY_ATOMIC:
		answer = atomic_value(v, out, err);
		break;
	case PRETTY_OPTIONAL:
		answer = optional_value(v, out, err);
		break;
	case PRETTY_REFERENCE:
		answer = referred(v, out, err);
		break;
	case PRETTY_RUST_CELL:
		answer = rust_cell(v, out, err);
		break;
	case PRETTY_RUST_SHARED:
		answer = rust_shared(v, out, err);
		break;
	default:
		return 0;
	}
	return answer < 0 ? -1 : 1;
}

int pretty_empty(const struct inspect_value *v, struct error *err)
{
	uint64_t there;

	if (pretty_print_kind_of(v->type) != PRETTY_OPTIONAL)
		return 0;
	if (engaged(v, &there, err) < 0)
		return -1;
	return !there;
}
