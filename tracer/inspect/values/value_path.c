/* Steps between values: members, elements, pointees. */
#include "tracer/source/names/names.h"

#include "tracer/inspect/values/value_internal.h"

#include <string.h>

enum { LAYERS_MAX = 6 }; /* such as an atomic in an optional in a unique_ptr */

static int no_such(const struct inspect_value *v, const char *what, const char *name,
		   struct error *err)
{
	STR(text);

	type_spell(v->type, &text);
	return error_set(err, ERROR_STATE, "a '%s' %s%s%s", str_text(&text), what, name ? name : "",
			 name ? "'" : "");
}

/* True if the member exists one pointer further (T **p): C's -> follows only one. */
static bool is_member_further_on(const struct inspect_value *v, const char *name)
{
	const char *other;

	if (v->type->kind != TYPE_POINTER || v->type->of->kind != TYPE_POINTER)
		return false;
	for (size_t i = 0; (other = inspect_member(v, i)); i++)
		if (strcmp(other, name) == 0)
			return true;
	return false;
}

/* Sets the error of a misspelt member, with similar names. */
static int no_member(const struct inspect_value *v, const char *name, struct error *err)
{
	struct suggestions similar = {.wanted = name};
	STR(text);
	const char *other;

	no_such(v, "has no member '", name, err);
	str_add(&text, err->text);
	if (is_member_further_on(v, name))
		str_add(&text, ": it points to a pointer to an object that has it");
	else
		for (size_t i = 0; (other = inspect_member(v, i)); i++)
			suggest_offer(&similar, other);
	suggest_take(&similar, &text);
	return error_set(err, ERROR_STATE, "%s", str_text(&text));
}

/* ---- members -------------------------------------------------------------------------------- */

static int complex_part(const struct inspect_value *v, const char *name, struct inspect_value *out,
			struct error *err)
{
	const struct type *half = type_builtin(v->type->size == 8    ? "float"
					       : v->type->size == 16 ? "double"
								     : "long double");

	if (strcmp(name, "real") == 0)
		return value_part(v, half, 0, out, err) < 0 ? -1 : 1;
	if (strcmp(name, "imag") == 0)
		return value_part(v, half, half->size, out, err) < 0 ? -1 : 1;
	return 0;
}

static int own_field(const struct inspect_value *v, const char *name, struct inspect_value *out,
		     struct error *err)
{
	if (v->type->kind == TYPE_COMPLEX)
		return complex_part(v, name, out, err);
	return value_member(v, name, out, err);
}

/* Finds the value that stands for v when a member is named. Returns 1 with *out set, 0 if v
   itself does, or -1. */
static int next_layer(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	struct inspect_value pointer;
	int answer;

	if (v->type->kind == TYPE_POINTER)
		return value_follow(v, out, err) < 0 ? -1 : 1;
	answer = pretty_pointer(v, &pointer, err);
	if (answer > 0)
		return value_follow(&pointer, out, err) < 0 ? -1 : 1;
	return answer < 0 ? -1 : pretty_inner(v, out, err);
}

static int field_in(const struct inspect_value *v, const char *name, struct inspect_value *out,
		    unsigned layer, unsigned pointers, struct error *err)
{
	struct inspect_value inner;
	int answer = 0;

	if (v->type->kind == TYPE_POINTER && ++pointers > 1 && !v->type->rust)
		return 0; /* T **p has no p.x, as in C; Rust's dot also goes through &Box<T> */
	if (layer < LAYERS_MAX)
		answer = next_layer(v, &inner, err);
	if (answer > 0 && value_whole(&inner, err) < 0)
		return -1;
	if (answer > 0)
		answer = field_in(&inner, name, out, layer + 1, pointers, err);
	/* Own members of a library type are valid too: v._M_impl. */
	return answer == 0 ? own_field(v, name, out, err) : answer;
}

int inspect_field(const struct inspect_value *v, const char *name, struct inspect_value *out,
		  struct error *err)
{
	struct inspect_value whole = *v;
	int answer;

	if (value_whole(&whole, err) < 0)
		return -1;
	answer = field_in(&whole, name, out, 0, 0, err);
	if (answer)
		return answer < 0 ? -1 : 0;
	if (whole.type->kind == TYPE_POINTER && value_is_record(whole.type->of))
		whole.type = type_whole(whole.type->of, v->program);
	if (whole.type->incomplete)
		return no_such(&whole, "is only declared here, nothing is known of '", name, err);
	return no_member(&whole, name, err);
}

/* ---- pointees ------------------------------------------------------------------------------- */

int inspect_deref(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	struct inspect_value whole = *v, inner;
	int answer = 0;

	for (int i = 0; i < LAYERS_MAX; i++) {
		if (value_whole(&whole, err) < 0)
			return -1;
		if (whole.type->kind == TYPE_POINTER)
			return value_follow(&whole, out, err);
		if (whole.type->kind == TYPE_ARRAY)
			return inspect_element(&whole, 0, out, err);
		if (whole.type->kind == TYPE_FUNCTION) {
			*out = whole; /* *f is f, as in C */
			return 0;
		}
		answer = pretty_pointer(&whole, &inner, err);
		if (answer > 0)
			return value_follow(&inner, out, err);
		if (answer == 0)
			answer = pretty_inner(&whole, &inner, err);
		if (answer <= 0)
			break;
		if (inner.type->kind != TYPE_POINTER && inner.type->kind != TYPE_ARRAY &&
		    pretty_pointer(&inner, &whole, err) <= 0) {
			*out = inner; /* the value of *optional */
			return 0;
		}
		whole = inner;
	}
	return answer < 0 ? -1 : no_such(&whole, "is not a pointer", NULL, err);
}

int inspect_address(const struct inspect_value *v, uint64_t *out, struct error *err)
{
	struct inspect_value whole = *v, inner;
	int answer;

	if (value_whole(&whole, err) < 0)
		return -1;
	if (whole.type->kind == TYPE_POINTER)
		return value_address(&whole, out, err);
	answer = pretty_pointer(&whole, &inner, err);
	if (answer)
		return answer < 0 ? -1 : value_address(&inner, out, err);
	if (whole.place != INSPECT_IN_MEMORY)
		return error_set(err, ERROR_STATE, "it has no address: it is not in memory");
	*out = whole.address;
	return 0;
}

/* ---- elements ------------------------------------------------------------------------------- */

static int element_size(const struct inspect_value *v, const struct type **of, struct error *err)
{
	*of = type_whole(v->type->of, v->program);
	return (*of)->size ? 0 : no_such(v, "has elements of unknown size", NULL, err);
}

static int outside(const struct inspect_value *v, int64_t i, uint64_t count, struct error *err)
{
	STR(text);

	type_spell(v->type, &text);
	return error_set(err, ERROR_STATE, "there is no element %lld in a '%s' of %llu",
			 (long long)i, str_text(&text), (unsigned long long)count);
}

static int array_element(const struct inspect_value *v, int64_t i, struct inspect_value *out,
			 struct error *err)
{
	const struct type *of;

	if (element_size(v, &of, err) < 0)
		return -1;
	if (i < 0 || (v->type->has_count && (uint64_t)i >= v->type->count))
		return outside(v, i, v->type->count, err);
	return value_part(v, of, (uint64_t)i * of->size, out, err);
}

static int pointer_element(const struct inspect_value *v, int64_t i, struct inspect_value *out,
			   struct error *err)
{
	const struct type *of;

	if (v->place == INSPECT_POINTEE && i < 0)
		return value_optimised_out(err, "the pointer");
	if (value_follow(v, out, err) < 0)
		return -1;
	if (i == 0)
		return 0;
	if (element_size(v, &of, err) < 0)
		return -1;
	if (v->place == INSPECT_POINTEE) /* as far as the bytes of the pointee are known */
		return i > INSPECT_BYTES ||
				       value_part(out, of, (uint64_t)i * of->size, out, err) < 0
			       ? value_optimised_out(err, "the pointer")
			       : 0;
	out->address += (uint64_t)i * of->size;
	return 0;
}

int value_elements(struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value inner;

	for (int i = 0; i < LAYERS_MAX; i++) {
		int answer;

		if (value_whole(v, err) < 0)
			return -1;
		if (v->type->kind == TYPE_ARRAY || v->type->kind == TYPE_POINTER)
			return 0;
		answer = pretty_row(v, row, err);
		if (answer)
			return answer;
		answer = value_layer(v, &inner, err);
		if (answer < 0)
			return -1;
		if (answer == 0)
			break;
		*v = inner;
	}
	return 0;
}

/* True if the key of a map equals the integer (text is NULL) or the text. */
static bool is_key(const struct inspect_plain *key, int64_t i, const char *text, size_t length)
{
	if (text)
		return key->kind == INSPECT_TEXT && key->text.length == length &&
		       memcmp(str_text(&key->text), text, length) == 0;
	return (key->kind == INSPECT_INTEGER || key->kind == INSPECT_ENUM ||
		key->kind == INSPECT_BOOL) &&
	       key->integer == i;
}

/* Finds the value of a key. *out is a null pointer if the map lacks the key. */
static int mapped(const struct inspect_value *v, struct value_row *row, int64_t i, const char *text,
		  size_t length, struct inspect_value *out, struct error *err)
{
	static const uint8_t zero[8];

	for (uint64_t at = 0; at < row->count; at++) {
		struct inspect_value key;
		struct inspect_plain plain;
		bool found;

		if (value_row_key(v, row, at, &key, err) < 0 ||
		    inspect_plain(&key, &plain, err) < 0)
			return -1;
		found = is_key(&plain, i, text, length);
		inspect_plain_fini(&plain);
		if (found)
			return value_row_at(v, row, at, out, err);
	}
	*out = value_of_bytes(v->program, type_pointer_to(type_builtin("void")), zero,
			      sizeof(zero));
	return 0;
}

int inspect_element(const struct inspect_value *v, int64_t i, struct inspect_value *out,
		    struct error *err)
{
	struct inspect_value whole = *v;
	struct value_row row;
	int answer = value_elements(&whole, &row, err);

	if (answer < 0)
		return -1;
	if (answer && row.key)
		return value_is_text(&whole, row.key)
			       ? no_such(&whole, "has strings as keys", NULL, err)
			       : mapped(&whole, &row, i, NULL, 0, out, err);
	if (answer)
		return i < 0 || (uint64_t)i >= row.count
			       ? outside(&whole, i, row.count, err)
			       : value_row_at(&whole, &row, (uint64_t)i, out, err);
	if (whole.type->kind == TYPE_ARRAY)
		return array_element(&whole, i, out, err);
	if (whole.type->kind == TYPE_POINTER)
		return pointer_element(&whole, i, out, err);
	return no_such(&whole, "has no elements", NULL, err);
}

int inspect_key(const struct inspect_value *v, const char *text, size_t length,
		struct inspect_value *out, struct error *err)
{
	struct inspect_value whole = *v;
	struct value_row row;
	int answer = value_elements(&whole, &row, err);

	if (answer <= 0 || !row.key || !value_is_text(&whole, row.key))
		return answer < 0 ? -1 : 0;
	return mapped(&whole, &row, 0, text, length, out, err) < 0 ? -1 : 1;
}

int inspect_nth(const struct inspect_value *v, uint64_t i, bool key, struct inspect_value *out,
		struct error *err)
{
	struct inspect_value whole = *v;
	struct value_row row;
	int answer = value_elements(&whole, &row, err);

	if (answer < 0)
		return -1;
	if (answer && row.key)
		answer = key ? value_row_key(&whole, &row, i, out, err)
			     : value_row_at(&whole, &row, i, out, err);
	else if (key)
		return 0;
	else
		answer = inspect_element(v, (int64_t)i, out, err);
	return answer < 0 ? -1 : 1;
}

int inspect_length(const struct inspect_value *v, int64_t *out, struct error *err)
{
	struct inspect_value whole = *v;
	struct value_row row;
	int answer = value_elements(&whole, &row, err);

	if (answer < 0)
		return -1;
	if (answer) {
		*out = (int64_t)row.count;
		return 0;
	}
	if (whole.type->kind != TYPE_ARRAY || !whole.type->has_count)
		return no_such(&whole, "has no known length", NULL, err);
	*out = (int64_t)whole.type->count;
	return 0;
}

/* ---- from an address inside a variable to the path that leads there: "[1].lock" ------------- */

enum { LEVELS_MAX = 16 };

/* True for names reserved to the implementation: testers do not know the members of library
   types. */
static bool is_reserved(const struct type_member *m)
{
	return m->name && m->name[0] == '_' &&
	       (m->name[1] == '_' || (m->name[1] >= 'A' && m->name[1] <= 'Z'));
}

static bool has_own_name(const struct type_member *m)
{
	return m->name && *m->name && !m->is_base;
}

/* Finds the member that holds the address. Returns 1, 0 if no member of the tester's does, or
   -1. */
static int member_holding(const struct inspect_value *v, uint64_t address, struct str *out,
			  struct inspect_value *member, struct error *err)
{
	if (type_members(v->type, err) < 0)
		return -1;
	array_each(const struct type_member, m, &v->type->members) {
		if (m->is_static || m->bit_size || is_reserved(m) || !m->type ||
		    value_of_member(v, m, member, err) < 0 || member->place != INSPECT_IN_MEMORY)
			continue;
		if (address < member->address || address - member->address >= member->type->size)
			continue;
		if (has_own_name(m))
			str_addf(out, ".%s", m->name);
		return 1;
	}
	return 0;
}

/* Finds the element of an array or a vector that holds the address. Returns 1 or 0. */
static int element_holding(const struct inspect_value *v, uint64_t address, struct str *out,
			   struct inspect_value *element, struct error *err)
{
	struct inspect_value first;
	int64_t count, i;

	if (!value_has_row(v) || inspect_length(v, &count, err) < 0 || count <= 0 ||
	    inspect_element(v, 0, &first, err) < 0 || first.place != INSPECT_IN_MEMORY ||
	    !first.type || !first.type->size || address < first.address)
		return 0;
	i = (int64_t)((address - first.address) / first.type->size);
	if (i >= count || inspect_element(v, i, element, err) < 0)
		return 0;
	str_addf(out, "[%lld]", (long long)i);
	return 1;
}

static int descend(struct inspect_value *v, uint64_t address, struct str *out, struct error *err)
{
	struct inspect_value inner;
	int found = 1;

	for (int level = 0; level < LEVELS_MAX && found > 0; level++) {
		v->type = v->type ? type_whole(v->type, v->program) : NULL;
		if (!v->type || v->place != INSPECT_IN_MEMORY)
			break;
		found = element_holding(v, address, out, &inner, err);
		if (found == 0 && value_is_record(v->type))
			found = member_holding(v, address, out, &inner, err);
		if (found > 0)
			*v = inner;
	}
	if (v->place == INSPECT_IN_MEMORY && v->address == address)
		return 0;
	return error_set(err, ERROR_STATE, "0x%llx is not inside", (unsigned long long)address);
}

int inspect_member_at(const struct inspect_value *from, uint64_t address, struct str *out,
		      struct error *err)
{
	struct inspect_value v = *from, pointee;
	STR(path);
	bool arrow = false;
	int result;

	if (value_whole(&v, err) < 0)
		return -1;
	if (v.type && v.type->kind == TYPE_POINTER) {
		if (inspect_deref(&v, &pointee, err) < 0)
			return -1;
		v = pointee;
		arrow = true;
	}
	result = descend(&v, address, &path, err);
	if (result == 0 && arrow && path.length && path.text[0] == '.')
		str_addf(out, "->%s", path.text + 1);
	else if (result == 0)
		str_add(out, str_text(&path));
	return result;
}
