/* Inlined calls by the line that they stand on: a unit may have very many, or none. */
#include "tracer/dwarf/dies.h"

#include <stdlib.h>

static int by_line(const void *a, const void *b)
{
	const struct scope_call *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->scope < y->scope ? -1 : x->scope > y->scope;
}

static void make(struct die_unit *u)
{
	u->calls_known = true;
	for (uint32_t i = 0; i < u->scopes.count; i++) {
		const struct scope *s = &u->scopes.items[i];

		if (s->kind == SCOPE_INLINED && dies_has_code(s))
			*array_add(&u->calls) = (struct scope_call){s->call_line, i};
	}
	if (u->calls.count)
		qsort(u->calls.items, u->calls.count, sizeof(*u->calls.items), by_line);
}

const struct scope_call *dies_calls(struct die_unit *u, unsigned line, size_t *count)
{
	size_t low = 0, high;

	if (!u->calls_known)
		make(u);
	for (high = u->calls.count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (u->calls.items[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < u->calls.count; (*count)++)
		if (u->calls.items[low + *count].line != line)
			break;
	return u->calls.items + low;
}
