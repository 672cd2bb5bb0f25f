/* Functions that the compiler has given another calling convention than their type says. */
#include "tracer/inspect/calls/calls.h"

#include <libdwarf/dwarf.h>

#include <string.h>

/* The function that holds the offset, as the linker knows it. */
static bool is_clone(struct module *m, uint64_t offset, const char *kind)
{
	const struct elf_symbol *s = module_symbol_at(m, offset, true);

	return s && strstr(s->name, kind);
}

/* What LLVM writes where it has taken away arguments or the value: it does not say which. */
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
	for (int i = 0; at && i < 2;
	     i++) { /* a copy's entry may leave it to the abstract function */
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

/* gcc's .constprop alone takes fewer arguments, but returns what the function does. */
bool call_returns_otherwise(struct module *m, uint64_t offset)
{
	return is_clone(m, offset, ".isra.") || is_clone(m, offset, ".part.") ||
	       is_nocall(m, offset);
}
