/* C++: what is read of a unit besides its text: functions that templates make. */
#include "tracer/audit/frontend/cxx.h"

#include <string.h>

bool cxx_is_source(const char *file)
{
	static const char *const ends[] = {".cc", ".cpp", ".cxx", ".c++", ".C"};
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

void cxx_want(struct audit_reader *r, CXCursor function)
{
	const CXCursor definition = r->clang.getCursorDefinition(function);
	struct cxx_unit *u = r->cxx_unit;
	unsigned usr;

	if (r->clang.Cursor_isNull(definition) ||
	    r->clang.Location_isInSystemHeader(r->clang.getCursorLocation(definition)))
		return;
	usr = cursor_usr(r, definition);
	if (!usr || number_map_get(&u->known, usr))
		return;
	number_map_set(&u->known, usr, 1);
	*array_add(&u->wanted) = definition;
}

void cxx_read_wanted(struct audit_reader *r)
{
	for (size_t i = 0; i < r->cxx_unit->wanted.count; i++)
		lower_function(r, r->cxx_unit->wanted.items[i]);
}

void cxx_unit_fini(struct cxx_unit *u)
{
	array_each(struct cxx_lambda, lambda, &u->lambdas)
		array_fini(&lambda->captures);
	array_fini(&u->lambdas);
	array_fini(&u->wanted);
	number_map_fini(&u->known);
	number_map_fini(&u->destructors);
}
