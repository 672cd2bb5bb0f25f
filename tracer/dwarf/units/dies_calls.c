/* Inlined calls by the line that they stand on: a unit may have very many, or none. */
#include "tracer/dwarf/units/dies.h"

static int by_line(const void *a, const void *b)
{
	const struct scope_call *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->scope < y->scope ? -1 : x->scope > y->scope;
}

static void dies_calls_make(struct die_unit *u)
{
	u->calls_known = true;
	for (uint32_t i = 0; i < u->scopes.count; i++) {
		const struct scope *s = &u->scopes.items[i];

		if (s->kind == SCOPE_INLINED && dies_has_code(s))
			*array_add(&u->calls) = (struct scope_call){s->call_line, i};
	}
	array_sort(&u->calls, by_line);
}

const struct scope_call *dies_calls(struct die_unit *u, unsigned line, size_t *count)
{
	size_t first;

	if (!u->calls_known)
		dies_calls_make(u);
	first = array_below(&u->calls, line, line);
	*count = array_upto(&u->calls, line, line) - first;
	return u->calls.items + first;
}
