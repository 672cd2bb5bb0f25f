/* Decides whether instructions can be replaced by a jump and executed
   elsewhere (source_movable()). */
#include "tracer/arch/arch.h"
#include "tracer/source/flow/flow_internal.h"
#include "tracer/source/names/names.h"

struct movable {
	struct module *module;
	struct module_range symbol; /* range of a function without debug information */
	uint64_t from, to;	    /* range of the instructions */
	uint64_t last;		    /* the last instruction */
	/* Offsets that no jump may lead to: all instructions but the first, and the byte after its
	   prefix. */
	uint64_t inner[ARCH_INSN_MAX];
	size_t inner_count;
};

/* ---- the instructions ----------------------------------------------------------------------- */

/* Collects instructions until they have `need` bytes. Returns NULL, or why they cannot be moved. */
static const char *movable_gather(struct movable *x, unsigned need)
{
	uint8_t bytes[2 * ARCH_INSN_MAX];
	size_t n = module_bytes(x->module, x->from, bytes, sizeof(bytes)), at = 0;
	struct arch_insn in = {.flow = ARCH_FLOW_NEXT};

	for (; at < need; at += in.length) {
		if (in.flow != ARCH_FLOW_NEXT)
			return "a jump or a call comes within the bytes that gatectl's jump needs";
		if (arch_decode(bytes + at, n - at, x->from + at, &in) < 0 || in.is_trap)
			return "the next bytes are not an instruction, or are a trap";
		if (in.is_syscall && (at || in.length < need))
			return "the next instruction is a system call, which the kernel may "
			       "restart";
		x->last = x->from + at;
		if (at || in.is_locked)
			x->inner[x->inner_count++] = at ? x->last : x->from + 1;
	}
	x->to = x->from + at;
	return NULL;
}

/* ---- jumps from elsewhere ------------------------------------------------------------------- */

/* True if a jump to `to` begins at `at`, decoding from the beginning of the function: two bytes
   often look like a short jump by chance. */
static bool is_short_jump(const struct movable *x, uint64_t at, uint64_t to)
{
	enum { LONG = 1 << 20 }; /* a longer function takes too long to decode */
	const struct elf_symbol *symbol = module_symbol_at(x->module, at, true);
	uint64_t begin = symbol && at - symbol->offset < LONG ? symbol->offset : at;
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn in;

	for (; begin <= at; begin += in.length) {
		size_t n = module_bytes(x->module, begin, bytes, sizeof(bytes));

		if (arch_decode(bytes, n, begin, &in) < 0)
			return true;
		if (begin == at)
			return in.target == to;
	}
	return false;
}

/* True if a short jump of another function may lead into the instructions. Jumps of their own
   function are known from its flow. */
static bool is_jumped_to_from_near(const struct movable *x, const struct module_range *own)
{
	enum { REACH = 128, JUMP = 2 };
	uint8_t bytes[2 * REACH + 2 * ARCH_INSN_MAX];
	uint64_t low = x->from - REACH - JUMP;
	size_t n;

	while (!(n = module_bytes(x->module, low, bytes, sizeof(bytes))) && low < x->from)
		low++; /* before the beginning of the code */
	for (size_t i = 0; i + JUMP <= n; i++) {
		uint64_t at = low + i, to = at + JUMP + (uint64_t)(int64_t)(int8_t)bytes[i + 1];

		if (to > x->from && to < x->to && (at < own->low || at >= own->high) &&
		    is_short_jump(x, at, to))
			return true;
	}
	return false;
}

/*
 * Returns the code of the function at `from`; empty if unknown. Without debug information the
 * symbol gives its range; jumps of a cold part elsewhere are found like those of other functions.
 */
static struct flow_ranges function_code(struct movable *x)
{
	const struct elf_symbol *symbol = module_symbol_at(x->module, x->from, true);
	ERROR(ignored);
	struct die_table *t = dies_table(x->module, &ignored);
	struct scope_ref stack[FUNCTIONS_DEEP];
	int depth = t ? functions_stack(t, x->from, stack, &ignored) : 0;

	if (depth > 0)
		return scope_code(stack[depth - 1]);
	if (!symbol || !symbol->size)
		return (struct flow_ranges){0};
	x->symbol = (struct module_range){symbol->offset, symbol->offset + symbol->size};
	return (struct flow_ranges){&x->symbol, 1, 1};
}

static const char *entered(struct movable *x)
{
	const struct flow_ranges code = function_code(x);
	const struct module_range *own = NULL;
	const char *why = NULL;
	struct flow *flow;

	array_each(const struct module_range, r, &code)
		if (!own && x->from >= r->low && x->to <= r->high)
			own = r;
	if (!own)
		return "neither debug information nor a symbol says where its function ends";
	if (references_to(x->module, x->inner, x->inner_count) || is_jumped_to_from_near(x, own))
		return "a jump may lead into the middle";
	flow = flow_new(x->module, &code);
	if (flow_has_table(flow))
		why = "a jump table of its function may lead into the middle";
	else if (!flow_is_whole(flow) || !flow_is_straight(flow, x->from, x->last))
		why = "a jump leads into the middle, or into another instruction of its function";
	flow_free(flow);
	return why;
}

unsigned source_movable(struct module *m, uint64_t offset, unsigned need, const char **why)
{
	struct movable x = {.module = m, .from = offset};

	*why = movable_gather(&x, need);
	if (!*why && x.inner_count)
		*why = entered(&x);
	return *why ? 0 : (unsigned)(x.to - offset);
}

const char *source_site_doubt(const struct source_site *site)
{
	if (site->check_target)
		return "gatectl has to check where its jump goes";
	return site->kind == SOURCE_BEFORE ? "it is before the function's copy" : NULL;
}
