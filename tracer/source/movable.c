/* Which instructions may be moved elsewhere together: see source_movable(). */
#include "tracer/arch/arch.h"
#include "tracer/source/resolve.h"

#include <string.h>

struct movable {
	struct module *module;
	uint64_t from, to; /* the instructions */
	uint64_t last;	   /* of them */
};

struct code_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

/* ---- the instructions ----------------------------------------------------------------------- */

/* So many that they have `need` bytes. NULL, or why they cannot be. */
static const char *gather(struct movable *x, unsigned need)
{
	uint8_t bytes[2 * ARCH_INSN_MAX];
	size_t n = module_bytes(x->module, x->from, bytes, sizeof(bytes)), at = 0;
	struct arch_insn in = {.flow = ARCH_FLOW_NEXT};

	for (; at < need; at += in.length) {
		if (in.flow != ARCH_FLOW_NEXT)
			return "a jump or a call comes before there is room for one of ours";
		if (arch_decode(bytes + at, n - at, x->from + at, &in) < 0 || in.is_trap)
			return "what comes next is no instruction, or a trap";
		if (in.is_syscall && (at || in.length < need))
			return "a system call comes next, which may have to be made again";
		x->last = x->from + at;
	}
	x->to = x->from + at;
	return NULL;
}

/* ---- who comes from elsewhere --------------------------------------------------------------- */

/* Is there a short jump in another function? By chance two bytes look like one more often than not. */
static bool is_short_jump(const struct movable *x, uint64_t at, uint64_t to)
{
	const struct elf_symbol *symbol = module_symbol_at(x->module, at, true);
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn in;

	for (uint64_t begin = symbol ? symbol->offset : at; begin <= at; begin += in.length) {
		size_t n = module_bytes(x->module, begin, bytes, sizeof(bytes));

		if (arch_decode(bytes, n, begin, &in) < 0)
			return true;
		if (begin == at)
			return in.target == to;
	}
	return false;
}

/*
 * All bytes of the module's code that would lead there, were they a short jump, or the distance of a long
 * one (which they hardly ever are by chance): so no jump of whatever function is overlooked. Those of the
 * function itself are known, and not looked at.
 */
static bool may_be_jumped_to(const struct movable *x, const struct code_section *text,
			     const struct module_range *own)
{
	const uint64_t first = x->from + 1 - text->address, count = x->to - x->from - 1;

	for (size_t i = 0; i + sizeof(int32_t) <= text->size; i++) {
		uint64_t at = text->address + i;
		uint64_t next = i + 2 + (uint64_t)(int64_t)(int8_t)text->bytes[i + 1];
		int32_t distance;

		memcpy(&distance, text->bytes + i, sizeof(distance));
		if (i + sizeof(distance) + (uint64_t)(int64_t)distance - first < count)
			return true;
		if (next - first < count && (at < own->low || at >= own->high) &&
		    is_short_jump(x, at, next + text->address))
			return true;
	}
	return false;
}

/* The ranges of the function that was compiled there; 0: it is not known. */
static size_t function_ranges(struct module *m, uint64_t offset, const struct module_range **out)
{
	ERROR(ignored);
	struct die_table *t = dies_table(m, &ignored);
	struct scope_ref stack[FUNCTIONS_DEEP], outer;
	int depth = t ? functions_stack(t, offset, stack, &ignored) : 0;

	if (depth <= 0)
		return 0;
	outer = stack[depth - 1];
	*out = outer.unit->ranges.items + outer.scope->first_range;
	return outer.scope->range_count;
}

static const struct module_range *own_range(const struct movable *x,
					    const struct module_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (x->from >= ranges[i].low && x->to <= ranges[i].high)
			return &ranges[i];
	return NULL;
}

static const char *entered(const struct movable *x, const struct code_section *text)
{
	const struct module_range *ranges = NULL, *own;
	size_t count = function_ranges(x->module, x->from, &ranges);
	const char *why = NULL;
	struct flow *flow;

	own = own_range(x, ranges, count);
	if (!own)
		return "without debug information nobody knows what leads into the middle";
	if (may_be_jumped_to(x, text, own))
		return "a jump may lead into the middle";
	flow = flow_new(x->module, ranges, count);
	if (flow_has_table(flow))
		why = "a jump table of its function may lead into the middle";
	else if (!flow_is_straight(flow, x->from, x->last))
		why = "a jump leads into the middle";
	flow_free(flow);
	return why;
}

unsigned source_movable(struct module *m, uint64_t offset, unsigned need, const char **why)
{
	struct movable x = {.module = m, .from = offset};
	struct section_data section;
	struct code_section text;

	*why = gather(&x, need);
	if (*why)
		return 0;
	if (x.last == offset)
		return (unsigned)(x.to - offset);
	if (module_loaded_section(m, ".text", &section, &text.address) &&
	    offset - text.address < section.size) {
		text.bytes = section.bytes;
		text.size = section.size;
		*why = entered(&x, &text);
	} else {
		*why = "it is not in .text";
	}
	return *why ? 0 : (unsigned)(x.to - offset);
}
