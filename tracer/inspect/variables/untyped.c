/* Debug information without types: -g1, -gline-tables-only, debuginfo=1 of rustc. */
#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

static bool is_type(const struct entry *e)
{
	switch (e->tag) {
	case DW_TAG_base_type:
	case DW_TAG_pointer_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_imported_unit: /* dwz has moved them there */
		return true;
	default: /* who declares what it takes knows types, though it may use none */
		return entry_flag(e, DW_AT_prototyped);
	}
}

/* What cannot be read is no reason to say that there are none. */
static bool has_types(struct die_table *t, const struct die_unit *u)
{
	ERROR(ignored);
	struct entry top, e;
	uint64_t next = 0;
	int more;

	if (u->split == UNIT_MISSING || entry_read(t, u->first, &top, &ignored) < 0)
		return true;
	while ((more = entry_child(&top, &next, &e, &ignored)) > 0)
		if (is_type(&e))
			return true;
	return more < 0;
}

/* The types of a copy are those of its abstract function's unit: they differ after LTO. */
static struct die_unit *unit_of_types(struct die_table *t, uint64_t offset, struct error *err)
{
	struct scope_ref scope;
	struct entry e;
	uint64_t origin;

	if (dies_function_at(t, offset, &scope, err) < 0)
		return NULL;
	if (!scope.scope)
		return dies_unit_at(t, offset);
	if (entry_read(t, scope.scope->offset, &e, err) < 0)
		return NULL;
	origin = entry_ref(&e, DW_AT_abstract_origin);
	return origin ? dies_unit_of(t, origin) : scope.unit;
}

bool untyped_at(struct module *m, uint64_t offset)
{
	ERROR(ignored);
	struct die_table *t = m ? dies_table(m, &ignored) : NULL;
	struct die_unit *u = t ? unit_of_types(t, offset, &ignored) : NULL;

	return u && !has_types(t, u);
}

int untyped_error(const char *what, const char *unknown, struct error *err)
{
	error_set(err, ERROR_STATE, "%s: the debug information has no types here: %s", what,
		  unknown);
	return error_hint(err, "build with -g (of rustc: -C debuginfo=2) instead of -g1 or "
			       "-gline-tables-only");
}
