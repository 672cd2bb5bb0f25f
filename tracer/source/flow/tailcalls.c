/*
 * Finds the functions that left their frame by a tail call. If a call goes to one function but the
 * frame above it is another's, and exactly one path of tail calls leads from the first to the
 * second, the functions on it were called. As in gdb, paths stay in one module.
 */
#include "tracer/dwarf/frames/frames.h"
#include "tracer/source/names/names.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { CHAIN = 8, VISITS = 64 };

struct path_search {
	struct module *module;
	uint64_t goal;			    /* offset of the frame's function */
	uint64_t path[CHAIN], found[CHAIN]; /* offsets after the jumps, the outermost first */
	uint64_t functions[CHAIN];	    /* functions that contain the jumps */
	unsigned depth, found_depth, paths, visits;
	bool unknown; /* the target of a jump is unknown */
};

static bool begins_function(struct module *m, uint64_t offset)
{
	struct call_owner owner;
	ERROR(ignored);

	return callsite_owner(m, offset, &owner, &ignored) == 0 && owner.low == offset;
}

/* Reads the target of the call or jump before the offset from its bytes: e8, e9 and 0f 8x with a
   distance of 4 bytes, eb and 7x with 1. Returns false unless a function begins at the target. */
static bool by_bytes(struct module *m, uint64_t offset, uint64_t *out)
{
	uint8_t b[6];
	int32_t far;

	if (offset < sizeof(b) || module_bytes(m, offset - sizeof(b), b, sizeof(b)) != sizeof(b))
		return false;
	memcpy(&far, b + 2, sizeof(far));
	*out = offset + (uint64_t)(int64_t)far;
	if ((b[1] == 0xe8 || b[1] == 0xe9 || (b[0] == 0x0f && (b[1] & 0xf0) == 0x80)) &&
	    begins_function(m, *out))
		return true;
	*out = offset + (uint64_t)(int64_t)(int8_t)b[5];
	return (b[4] == 0xeb || (b[4] & 0xf0) == 0x70) && begins_function(m, *out);
}

/* Finds the target by the name in the call site, for calls through the PLT. Returns 1, 0 if it is
   outside of the module, -1 if unknown. */
static int tailcalls_by_name(const struct entry *site, struct module *m, uint64_t *out)
{
	ERROR(ignored);
	const char *name;
	struct entry e;

	if (!callsite_origin(site) ||
	    entry_read(site->table, callsite_origin(site), &e, &ignored) < 0 ||
	    callsite_root(&e, &ignored) < 0)
		return -1;
	name = callsite_linkage(&e);
	if (!name)
		return -1;
	return module_symbol(m, name, out, NULL) == 0;
}

/* ---- paths ---------------------------------------------------------------------------------- */

static void search_from(struct path_search *s, uint64_t function);

static bool on_path(const struct path_search *s, uint64_t function)
{
	for (unsigned i = 0; i < s->depth; i++)
		if (s->functions[i] == function)
			return true;
	return false;
}

static void take_jump(struct path_search *s, const struct entry *site, uint64_t function)
{
	uint64_t behind, target;
	int known = 1;

	if (!callsite_return(site, &behind) || on_path(s, function))
		return;
	if (!by_bytes(s->module, behind, &target))
		known = tailcalls_by_name(site, s->module, &target);
	if (known < 0)
		s->unknown = true;
	if (known <= 0 || s->depth == CHAIN)
		return;
	s->functions[s->depth] = function;
	s->path[s->depth++] = behind;
	if (target == s->goal) {
		s->paths++;
		s->found_depth = s->depth;
		memcpy(s->found, s->path, sizeof(s->found));
	} else {
		search_from(s, target);
	}
	s->depth--;
}

static void search_from(struct path_search *s, uint64_t function)
{
	struct call_owner owner;
	struct call_walk walk;
	ERROR(ignored);
	struct entry site;

	if (++s->visits > VISITS)
		s->unknown = true;
	if (s->unknown || callsite_owner(s->module, function, &owner, &ignored) < 0 ||
	    owner.low != function)
		return;
	walk = callsite_walk(&owner);
	while (!s->unknown && callsite_next(&walk, &site, &ignored) > 0)
		if (entry_flag(&site, DW_AT_call_tail_call) ||
		    entry_flag(&site, DW_AT_GNU_tail_call))
			take_jump(s, &site, function);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Returns the frame at the jump: the caller's registers with the return
   address on top of the stack. */
static struct dwarf_frame make_frame(const struct dwarf_frame *caller, uint64_t behind)
{
	struct dwarf_frame f = *caller;

	f.regs[ARCH_DWARF_SP] -= 8;
	f.pc = f.regs[ARCH_DWARF_PC] = behind + f.bias;
	f.lookup_pc = f.pc - 1;
	return f;
}

size_t tailcalls_between(const struct dwarf_frame *callee, const struct dwarf_frame *caller,
			 struct dwarf_frame *out, size_t most)
{
	struct path_search s = {.module = callee->module};
	struct call_owner owner;
	ERROR(ignored);
	uint64_t first;
	size_t count = 0;

	if (!callee->module || callee->signal || caller->module != callee->module ||
	    caller->lookup_pc == caller->pc ||
	    callsite_owner(callee->module, callee->lookup_pc - callee->bias, &owner, &ignored) < 0)
		return 0;
	s.goal = owner.low;
	if (!by_bytes(s.module, caller->pc - caller->bias, &first) || first == s.goal)
		return 0;
	search_from(&s, first);
	if (s.unknown || s.paths != 1)
		return 0;
	for (unsigned i = s.found_depth; i-- > 0 && count < most;)
		out[count++] = make_frame(caller, s.found[i]);
	return count;
}
