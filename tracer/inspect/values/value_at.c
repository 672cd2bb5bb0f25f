/* From an address inside a variable back to the words that lead there: "[1].lock". */
#include "tracer/inspect/values/value_internal.h"

#include <string.h>

enum { LEVELS_MAX = 16 };

/* What a library keeps inside its own types is not what a tester calls a thing. */
static bool is_reserved(const struct type_member *m)
{
	return m->name && m->name[0] == '_' &&
	       (m->name[1] == '_' || (m->name[1] >= 'A' && m->name[1] <= 'Z'));
}

static bool has_own_name(const struct type_member *m)
{
	return m->name && *m->name && !m->is_base;
}

/* The member that holds the address: 1, 0: there is none of the tester's, -1. */
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

/* The element that holds the address; 1, 0, -1. */
static int element_holding(const struct inspect_value *v, uint64_t address, struct str *out,
			   struct inspect_value *element, struct error *err)
{
	struct inspect_value first;
	int64_t count, i;

	if (inspect_length(v, &count, err) < 0 || count <= 0 ||
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
