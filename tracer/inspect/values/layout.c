/* Layouts of library types: the table, and paths to their parts. */
#include "tracer/inspect/values/layout.h"

#include <string.h>

enum { STRING_SIZE = 32 };

/* A type has the first layout whose name it has and whose first step is one of its members. */
static const struct type_layout layouts[] = {
	{"std::basic_string<", LAYOUT_SHORT, .text = true, .first = "__r_|__rep_"},
	{"std::basic_string<", LAYOUT_STRING, .text = true},
	{"std::basic_string_view<", LAYOUT_ROW, .text = true, .first = "_M_str|__data|__data_",
	 .count = "_M_len|__size|__size_"},
	{"std::vector<bool,", LAYOUT_BITS, .first = "_M_impl._M_start._M_p",
	 .end = "_M_impl._M_finish._M_p", .count = "_M_impl._M_finish._M_offset",
	 .room = "_M_impl._M_end_of_storage"},
	{"std::vector<bool,", LAYOUT_BITS, .first = "__begin_", .count = "__size_",
	 .room = "__cap_alloc_.__value_|__cap_"},
	{"std::vector<", LAYOUT_ROW, .first = "_M_impl._M_start|__begin_",
	 .end = "_M_impl._M_finish|__end_",
	 .room = "_M_impl._M_end_of_storage|__end_cap_.__value_|__cap_"},
	{"std::deque<", LAYOUT_BLOCKS, .first = "_M_impl._M_start._M_node", .block = 512,
	 .block_least = 1},
	{"std::deque<", LAYOUT_BLOCKS, .first = "__map_.__begin_",
	 .count = "__size_.__value_|__size_", .block = 4096, .block_least = 16},
	{"std::list<", LAYOUT_LINKS, .first = "_M_impl._M_node._M_next",
	 .count = "_M_impl._M_node._M_size", .head = "_M_impl._M_node", .value = 16},
	{"std::list<", LAYOUT_LINKS, .first = "__end_.__next_",
	 .count = "__size_alloc_.__value_|__size_", .next = 8, .value = 16},
	{"std::forward_list<", LAYOUT_LINKS,
	 .first = "_M_impl._M_head._M_next|__before_begin_.__value_.__next_|"
		  "__before_begin_.__next_",
	 .value = 8},
#define TREES(name, is_map)                                                                        \
	{name,                                                                                     \
	 LAYOUT_TREE,                                                                              \
	 .map = is_map,                                                                            \
	 .first = "_M_t._M_impl._M_header._M_left",                                                \
	 .count = "_M_t._M_impl._M_node_count",                                                    \
	 .next = 16,                                                                               \
	 .right = 24,                                                                              \
	 .parent = 8,                                                                              \
	 .value = 32},                                                                             \
	{                                                                                          \
		name, LAYOUT_TREE, .map = is_map, .first = "__tree_.__begin_node_",                \
				   .count = "__tree_.__pair3_.__value_|__tree_.__size_",           \
				   .next = 0, .right = 8, .parent = 16, .value = 25                \
	}
	TREES("std::map<", true),
	TREES("std::multimap<", true),
	TREES("std::set<", false),
	TREES("std::multiset<", false),
#define HASHES(name, is_map)                                                                       \
	{name,                                                                                     \
	 LAYOUT_LINKS,                                                                             \
	 .map = is_map,                                                                            \
	 .first = "_M_h._M_before_begin._M_nxt",                                                   \
	 .count = "_M_h._M_element_count",                                                         \
	 .value = 8},                                                                              \
	{                                                                                          \
		name, LAYOUT_LINKS,                                                                \
			.map = is_map,                                                             \
			.first = "__table_.__p1_.__value_.__next_|__table_.__first_node_.__next_", \
			.count = "__table_.__p2_.__value_|__table_.__size_", .value = 16           \
	}
	HASHES("std::unordered_map<", true),
	HASHES("std::unordered_multimap<", true),
	HASHES("std::unordered_set<", false),
	HASHES("std::unordered_multiset<", false),
	{"std::stack<", LAYOUT_INNER, .first = "c"},
	{"std::queue<", LAYOUT_INNER, .first = "c"},
	{"std::priority_queue<", LAYOUT_INNER, .first = "c"},
	{"std::array<", LAYOUT_INNER, .first = "_M_elems|__elems_"},
	{"std::atomic<", LAYOUT_INNER, .first = "_M_i|_M_base|_M_b|_M_fp|_M_p|__a_.__a_value"},
	{"std::__atomic_base<", LAYOUT_INNER, .first = "_M_i|_M_p|__a_.__a_value"},
	{"std::atomic_flag", LAYOUT_INNER, .first = "_M_i|__a_.__a_value"},
	{"std::variant<", LAYOUT_VARIANT, .first = "_M_u|__impl.__data|__impl_.__data",
	 .engaged = "_M_index|__impl.__index|__impl_.__index"},
	{"std::function<", LAYOUT_FUNCTION, .first = "_M_invoker", .engaged = "_M_manager",
	 .functor = "_M_functor"},
	{"std::function<", LAYOUT_FUNCTION, .first = "__f_.__f_.*._vptr$__base",
	 .engaged = "__f_.__f_", .functor = "__f_.__f_.*"},
	{"std::chrono::duration<", LAYOUT_DURATION, .first = "__r|__rep_"},
	{"std::chrono::time_point<", LAYOUT_TIME, .first = "__d|__d_"},
	{"std::optional<", LAYOUT_INNER, .first = "_M_payload._M_payload._M_value|__val_",
	 .engaged = "_M_payload._M_engaged|__engaged_"},
	{"std::reference_wrapper<", LAYOUT_INNER, .first = "_M_data.*|__f_.*"},
	{"std::unique_ptr<", LAYOUT_POINTER,
	 .first = "_M_t._M_t.:_Tuple_impl<0.:_Head_base<0._M_head_impl|__ptr_.__value_|__ptr_"},
	{"std::shared_ptr<", LAYOUT_POINTER, .first = "_M_ptr|__ptr_"},
	{"std::__shared_ptr<", LAYOUT_POINTER, .first = "_M_ptr"},
	{"std::weak_ptr<", LAYOUT_POINTER, .first = "_M_ptr",
	 .engaged = "_M_refcount._M_pi.*._M_use_count"},
	{"std::weak_ptr<", LAYOUT_POINTER, .first = "__ptr_",
	 .engaged = "__cntrl_.*.__shared_owners_", .none = -1},
	{"&str", LAYOUT_ROW, .rust = true, .text = true, .first = "data_ptr", .count = "length"},
	{"&mut str", LAYOUT_ROW, .rust = true, .text = true, .first = "data_ptr",
	 .count = "length"},
	{"&[", LAYOUT_ROW, .rust = true, .first = "data_ptr", .count = "length"},
	{"&mut [", LAYOUT_ROW, .rust = true, .first = "data_ptr", .count = "length"},
	{"alloc::boxed::Box<str", LAYOUT_ROW, .rust = true, .text = true, .first = "data_ptr",
	 .count = "length"},
	{"alloc::boxed::Box<[", LAYOUT_ROW, .rust = true, .first = "data_ptr", .count = "length"},
	{"alloc::vec::Vec<", LAYOUT_ROW, .rust = true, .first = "buf.?", .count = "len"},
	{"alloc::string::String", LAYOUT_ROW, .rust = true, .text = true, .first = "vec.buf.?",
	 .count = "vec.len"},
	/* atomics, aligned atomics of Rust 1.97, cells */
	{"core::sync::atomic::Atomic", LAYOUT_INNER, .rust = true, .first = "v|__0|value"},
	{"core::sync::atomic::private::Align", LAYOUT_INNER, .rust = true, .first = "v|__0|value"},
	{"core::cell::Cell<", LAYOUT_INNER, .rust = true, .first = "v|__0|value"},
	{"core::cell::UnsafeCell<", LAYOUT_INNER, .rust = true, .first = "v|__0|value"},
	{"alloc::sync::Arc<", LAYOUT_INNER, .rust = true, .first = "?.*.data|?.*.value"},
	{"alloc::rc::Rc<", LAYOUT_INNER, .rust = true, .first = "?.*.data|?.*.value"},
};

/* values of type.layout_kind; KIND_FIRST + i: layouts[i] */
enum { KIND_UNKNOWN, KIND_NONE, KIND_FIRST };

/* ---- paths ---------------------------------------------------------------------------------- */

int layout_invalid(const struct inspect_value *v, struct error *err)
{
	value_error(v->type, err,
		    "this '%s' is not valid: not yet constructed, or already destroyed");
	err->code = ERROR_CHANGING;
	return -1;
}

/* Finds the first pointer inside: Rust wraps it in Unique, NonNull and other structs. */
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

static int pointed_to(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	uint64_t address;

	if (v->type->kind != TYPE_POINTER)
		return 0;
	if (v->place != INSPECT_POINTEE && value_address(v, &address, err) < 0)
		return -1;
	if (v->place != INSPECT_POINTEE && !address)
		return 0;
	return value_follow(v, out, err) < 0 ? -1 : 1;
}

static int path_step(const struct inspect_value *v, const char *name, struct inspect_value *out,
		     struct error *err)
{
	int answer = *name == ':'   ? value_base(v, name + 1, out, err)
		     : *name == '*' ? pointed_to(v, out, err)
		     : *name == '?' ? first_pointer(v, out, 8, err)
				    : value_member(v, name, out, err);

	return answer > 0 && value_whole(out, err) < 0 ? -1 : answer;
}

/* Follows one path, of `length` characters. */
static int path_follow(const struct inspect_value *v, const char *path, size_t length,
		       struct inspect_value *out, struct error *err)
{
	const char *end = path + length;
	char name[32];
	int answer = 1;

	*out = *v;
	while (answer > 0 && path < end) {
		struct inspect_value from = *out;
		size_t n = strcspn(path, ".|");

		memcpy(name, path, n);
		name[n] = '\0';
		answer = path_step(&from, name, out, err);
		path += n + (path + n < end);
	}
	return answer;
}

int layout_part(const struct inspect_value *v, const char *path, struct inspect_value *out,
		struct error *err)
{
	int answer = 0;

	for (size_t n; answer == 0; path += n + 1) {
		n = strcspn(path, "|");
		answer = path_follow(v, path, n, out, err);
		if (!path[n])
			break;
	}
	return answer;
}

int layout_number(const struct inspect_value *v, const char *path, uint64_t *out, struct error *err)
{
	struct inspect_value part;
	int answer = layout_part(v, path, &part, err);
	bool is_unsigned;

	if (answer <= 0)
		return answer < 0 ? -1 : layout_invalid(v, err);
	if (part.type->kind == TYPE_POINTER)
		return value_address(&part, out, err);
	return value_integer(&part, (int64_t *)out, &is_unsigned, err);
}

/* ---- types by name -------------------------------------------------------------------------- */

/* True if the name begins with `with`, ignoring the libraries' inline namespaces, which type
   units do not mark inline. */
static bool layout_begins(const char *full, const char *with)
{
	static const char *const spaces[] = {"std::__cxx11::", "std::__1::"};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		size_t n = strlen(spaces[i]);

		if (strncmp(full, spaces[i], n) == 0 && strncmp(with, "std::", 5) == 0)
			return strncmp(full + n, with + 5, strlen(with + 5)) == 0;
	}
	return strncmp(full, with, strlen(with)) == 0;
}

/* True if the first step of one of the paths is a member of the type, or ":", "*" or "?". */
static bool has_first_step(const struct inspect_value *v, const char *path)
{
	for (; path; path = strchr(path, '|') ? strchr(path, '|') + 1 : NULL) {
		size_t n = strcspn(path, ".|");
		const char *name;

		if (strchr(":*?", *path))
			return true;
		for (size_t i = 0; (name = inspect_member(v, i)); i++)
			if (strlen(name) == n && strncmp(name, path, n) == 0)
				return true;
	}
	return false;
}

static uint8_t find_kind(const struct inspect_value *v)
{
	const char *full = type_full_name(v->type);

	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		const struct type_layout *l = &layouts[i];

		if (l->rust == v->type->rust && layout_begins(full, l->begins) &&
		    (!l->first || has_first_step(v, l->first)))
			return (uint8_t)(KIND_FIRST + i);
	}
	return KIND_NONE;
}

const struct type_layout *layout_of(const struct inspect_value *v)
{
	static const struct type_layout none;
	struct type *known = (struct type *)v->type;

	if (known->kind != TYPE_STRUCT || !known->tag)
		return &none;
	if (known->layout_kind == KIND_UNKNOWN)
		known->layout_kind = find_kind(v);
	return known->layout_kind == KIND_NONE ? &none : &layouts[known->layout_kind - KIND_FIRST];
}

uint64_t layout_size(const struct dwarf_program *p, const struct type *t)
{
	struct inspect_value v = value_in_memory(p, t, 0);

	return t->size || layout_of(&v)->kind != LAYOUT_STRING ? t->size : STRING_SIZE;
}
