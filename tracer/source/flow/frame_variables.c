/* Finds the variables of a function that are in its frame. */
#include "tracer/source/flow/flow_internal.h"

#include "tracer/dwarf/cursor.h"
#include "tracer/dwarf/expressions/expression.h"
#include "tracer/source/types/types.h"

#include <libdwarf/dwarf.h>

enum { NOWHERE = ARCH_NO_REGISTER - 1 }; /* no register */

struct variables {
	uint64_t function;
	unsigned frame_base; /* FRAME_VARIABLE_CFA, a register, or NOWHERE */
	int64_t frame_add;
	void (*each)(void *ctx, unsigned base, int64_t offset, uint64_t size);
	void *ctx;
};

/* Reads an expression that is a register, or a register plus a distance; false for any other. */
static bool register_of(struct cursor c, unsigned *base, int64_t *add)
{
	unsigned op = cursor_u8(&c);

	*add = 0;
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		*base = op - DW_OP_reg0;
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		*base = op - DW_OP_breg0;
		*add = cursor_sleb(&c);
	} else if (op == DW_OP_call_frame_cfa) {
		*base = FRAME_VARIABLE_CFA;
	} else {
		return false;
	}
	return !c.broken && !cursor_left(&c);
}

static bool is_in_frame(unsigned base)
{
	return base == FRAME_VARIABLE_CFA || base == ARCH_DWARF_SP || base == ARCH_DWARF_FP;
}

/* Finds the variable's place in the frame. Returns false if it is elsewhere. */
static bool frame_variables_place_of(const struct variables *v, struct cursor c, unsigned *base,
				     int64_t *add)
{
	struct cursor at = c;

	if (cursor_u8(&at) == DW_OP_fbreg) {
		*base = v->frame_base;
		*add = v->frame_add + cursor_sleb(&at);
		return !at.broken && !cursor_left(&at) && is_in_frame(*base);
	}
	return c.at < c.end && *c.at >= DW_OP_breg0 && register_of(c, base, add) &&
	       is_in_frame(*base);
}

/* Returns the expression that is valid at this offset, or an empty one. */
static struct cursor code_at(const struct entry *e, const struct attr *a, uint64_t offset)
{
	const uint8_t *code;
	size_t size;
	ERROR(ignored);

	if (loclist_find(e, a, offset, &code, &size, &ignored) < 0 || !code)
		return (struct cursor){0};
	return (struct cursor){.at = code, .end = code + size};
}

/* Finds the variable's place in the frame. An optimised variable is in memory for a part of its
   life only, so both ends of each range of its location list are tried. */
static bool frame_variables_find(const struct variables *v, const struct entry *e, unsigned *base,
				 int64_t *add)
{
	const struct attr *a = entry_attr(e, DW_AT_location);
	struct loclist_ranges ranges = {0};
	bool found = false;
	ERROR(ignored);

	if (!a)
		return false;
	if (a->block)
		return frame_variables_place_of(v, code_at(e, a, v->function), base, add);
	if (loclist_ranges(e, a, &ranges, &ignored) == 0)
		for (size_t i = 0; i < ranges.count && !found; i++)
			found = frame_variables_place_of(v, code_at(e, a, ranges.items[i].low),
							 base, add) ||
				frame_variables_place_of(v, code_at(e, a, ranges.items[i].high - 1),
							 base, add);
	array_fini(&ranges);
	return found;
}

static void frame_variables_look(const struct variables *v, const struct entry *e)
{
	const struct type *type;
	unsigned base;
	int64_t add;
	ERROR(ignored);

	if ((e->tag != DW_TAG_variable && e->tag != DW_TAG_formal_parameter) ||
	    !frame_variables_find(v, e, &base, &add))
		return;
	type = type_of_entry(e, &ignored);
	if (type && type->size)
		v->each(v->ctx, base, add, type->size);
}

void frame_variables(struct module *m, uint64_t function,
		     void (*each)(void *ctx, unsigned base, int64_t offset, uint64_t size),
		     void *ctx)
{
	struct variables v = {.function = function, .each = each, .ctx = ctx};
	struct scope_ref scope = {0};
	const struct attr *a;
	struct entry e;
	unsigned deep;
	ERROR(ignored);
	struct die_table *t = dies_table(m, &ignored);

	if (!t || dies_function_at(t, function, &scope, &ignored) < 0 || !scope.scope ||
	    entry_read(t, scope.scope->offset, &e, &ignored) < 0)
		return;
	a = entry_attr(&e, DW_AT_frame_base);
	if (!a || !register_of(code_at(&e, a, function), &v.frame_base, &v.frame_add))
		v.frame_base = NOWHERE;
	deep = e.children;
	while (deep > 0) {
		uint64_t at = e.offset;

		if (entry_read(t, e.next, &e, &ignored) < 0 || e.offset <= at)
			return;
		frame_variables_look(&v, &e);
		deep = e.tag ? deep + e.children : deep - 1;
	}
}
