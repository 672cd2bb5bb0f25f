/* Decides whether control passes a statement as a pipe: enters at its starts, leaves at its
   exits, and in no other way. */
#include "tracer/source/flow/flow_internal.h"

/* The statement's code as a pipe. */
struct pipe {
	const struct flow *flow;
	const struct flow_ranges *code;
	ARRAY(uint64_t) targets; /* targets of direct jumps in the ranges */
};

static bool flow_closed_is_inside(const struct pipe *p, uint64_t offset)
{
	return flow_in_ranges(p->code, offset);
}

static void find_targets(struct pipe *p)
{
	const struct flow *f = p->flow;

	array_each(const struct module_range, r, p->code)
		for (size_t i = array_below(&f->insns, offset, r->low);
		     i < f->insns.count && f->insns.items[i].offset < r->high; i++)
			if (flow_has_target(&f->insns.items[i]))
				*array_add(&p->targets) = f->insns.items[i].target;
}

static size_t jumps_from_inside(const struct pipe *p, uint64_t to)
{
	size_t n = 0;

	array_each(const uint64_t, target, &p->targets)
		n += *target == to;
	return n;
}

/* True if control reaches the instruction from the ranges alone. `known`: also if no known
   edge leads to its block. */
static bool is_behind(const struct pipe *p, const struct flow_insn *in, bool known)
{
	const struct flow *f = p->flow;
	const struct flow_block *b = &f->blocks.items[in->block];
	bool is_first = in == &f->insns.items[b->first];
	const struct flow_insn *before = in > f->insns.items ? in - 1 : NULL;

	if (in->is_pad || (is_first && b->unknown && !known) ||
	    (in->jumps && in->jumps != jumps_from_inside(p, in->offset)))
		return false;
	return !before || before->offset + before->length != in->offset ||
	       !flow_falls_through(before) || !f->blocks.items[before->block].live ||
	       flow_closed_is_inside(p, before->offset);
}

/* True if the block may be a jump table's target and all indirect jumps of the
   function are in the ranges. */
static bool is_in_inner_table(const struct pipe *p, uint32_t block)
{
	const struct flow *f = p->flow;
	bool found = false;

	array_each(const uint32_t, one, &f->unknown)
		found = found || *one == block;
	array_each(const struct flow_block, b, &f->blocks)
		if (b->live && b->indirect &&
		    !flow_closed_is_inside(p, f->insns.items[b->last].offset))
			return false;
	return found;
}

uint64_t flow_led_to(const struct flow *f, const struct flow_ranges *code, uint64_t to)
{
	struct pipe p = {.flow = f, .code = code};
	uint32_t block = flow_block_at(f, to);
	const struct flow_insn *first;
	bool inside;

	if (block == FLOW_NONE)
		return to;
	first = &f->insns.items[f->blocks.items[block].first];
	if (first->offset == to || !flow_is_straight(f, first->offset, to))
		return to;
	find_targets(&p);
	inside = is_behind(&p, first,
			   f->blocks.items[block].unknown && is_in_inner_table(&p, block));
	array_fini(&p.targets);
	return inside ? first->offset : to;
}

static bool comes_in_at_starts(const struct pipe *p, const struct flow_offsets *starts)
{
	const struct flow *f = p->flow;

	array_each(const struct module_range, r, p->code)
		for (size_t i = array_below(&f->insns, offset, r->low);
		     i < f->insns.count && f->insns.items[i].offset < r->high; i++) {
			const struct flow_insn *in = &f->insns.items[i];

			if (in->is_pad || in->returns == CALL_RETURNS_AGAIN ||
			    (!flow_has(starts, in->offset) && !is_behind(p, in, false)))
				return false;
		}
	return true;
}

/* True for an instruction outside that is reached from the ranges alone, and for a return inside. A
   tail jump is no end: its target runs first. */
static bool is_end(const struct pipe *p, uint64_t exit)
{
	uint32_t i = flow_find(p->flow, exit);
	const struct flow_insn *in = i == FLOW_NONE ? NULL : &p->flow->insns.items[i];

	if (!in)
		return false;
	if (!flow_closed_is_inside(p, exit))
		return is_behind(p, in, false);
	return in->flow == ARCH_FLOW_RETURN;
}

bool flow_is_closed(const struct flow *f, const struct flow_ranges *code,
		    const struct flow_offsets *starts, const struct flow_offsets *exits)
{
	struct pipe p = {.flow = f, .code = code};
	bool closed = f->whole && !f->has_indirect && exits->count > 0;

	if (!closed)
		return false;
	find_targets(&p);
	closed = comes_in_at_starts(&p, starts) &&
		 (starts->count == 1 || !flow_passes_two(f, code, starts));
	for (size_t i = 0; closed && i < exits->count; i++)
		closed = is_end(&p, exits->items[i]);
	array_fini(&p.targets);
	return closed;
}
