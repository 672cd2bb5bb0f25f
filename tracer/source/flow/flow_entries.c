/* Finds the places where control enters a part of a function's code: an inlined copy, or a
   statement in its middle. */
#include "tracer/source/flow/flow_internal.h"

static void add_once(struct flow_offsets *out, uint64_t offset)
{
	if (!flow_has(out, offset))
		*array_add(out) = offset;
}

static bool calls_from(const struct flow *f, uint32_t insn, const struct flow_block *b)
{
	for (uint32_t i = insn; i <= b->last; i++)
		if (flow_is_call(&f->insns.items[i]))
			return true;
	return false;
}

/* True if control at `one` goes straight to another of `all`, each time: code of a constant
   hoisted out of a loop. */
static bool leads_to_another(const struct flow *f, const struct flow_offsets *all, uint64_t one)
{
	uint32_t insn = flow_find(f, one);
	const struct flow_block *b;
	uint64_t to;

	if (insn == FLOW_NONE)
		return false;
	b = &f->blocks.items[f->insns.items[insn].block];
	if (b->indirect || (b->next[0] == FLOW_NONE) == (b->next[1] == FLOW_NONE) ||
	    calls_from(f, insn, b))
		return false;
	to = f->insns.items[f->blocks.items[b->next[b->next[0] == FLOW_NONE]].first].offset;
	return to != one && flow_has(all, to);
}

/* True if control enters, from outside, a block with a single successor that ends in the ranges: it
   returns from a call outside of the ranges, or comes from another block. */
static bool comes_in(const struct flow *f, const struct flow_ranges *code, uint32_t block)
{
	const struct flow_block *b = &f->blocks.items[block];

	if (b->next[0] != FLOW_NONE && b->next[1] != FLOW_NONE)
		return false;
	for (uint32_t i = b->first; i <= b->last; i++)
		if (!flow_in_ranges(code, f->insns.items[i].offset) &&
		    flow_is_call(&f->insns.items[i]))
			return true;
	if (!flow_in_ranges(code, f->insns.items[b->first].offset))
		return false;
	array_each(const struct flow_block, before, &f->blocks)
		if (before->live && flow_leads_to(before, block) &&
		    !flow_in_ranges(code, f->insns.items[before->last].offset))
			return true;
	return false;
}

/*
 * True if `entry` is the head of a loop in the ranges and control comes from outside
 * by unconditional jumps alone, or with `falls` by instructions that are no call.
 * Appends these to *out.
 */
static bool comes_by_jumps(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
			   bool falls, struct flow_offsets *out)
{
	uint32_t insn = flow_find(f, entry);
	bool loops = false;

	for (uint32_t i = 0; insn != FLOW_NONE && i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		const struct flow_insn *last = &f->insns.items[b->last];
		uint32_t here = f->insns.items[insn].block;
		bool inside = flow_in_ranges(code, last->offset);

		if (!b->live || !flow_leads_to(b, here))
			continue;
		if (inside && !comes_in(f, code, i))
			loops = true;
		else if (!inside && (last->flow == ARCH_FLOW_JUMP ||
				     (falls && last->flow == ARCH_FLOW_NEXT && !b->padding)))
			add_once(out, last->offset);
		else
			return false;
	}
	return loops && !f->blocks.items[f->insns.items[insn].block].unknown &&
	       insn == f->blocks.items[f->insns.items[insn].block].first;
}

/* True if the block has an instruction outside of the ranges: control leaves them there. */
static bool is_outside(const struct flow *f, const struct flow_ranges *code, uint32_t block)
{
	const struct flow_block *b = &f->blocks.items[block];

	for (uint32_t i = b->first; i <= b->last; i++)
		if (!flow_in_ranges(code, f->insns.items[i].offset))
			return true;
	return false;
}

/* True if control enters at `one` only after it entered at `before`, and not again from outside
   without passing `before`. */
static bool flow_entries_goes_on(struct flow_walk *w, const struct flow_ranges *code,
				 uint64_t before, uint64_t one)
{
	const struct flow *f = w->flow;
	uint32_t first = flow_block_at(f, before), here = flow_block_at(f, one);
	ARRAY(uint32_t) left = {0};
	bool again;

	if (first == FLOW_NONE || here == FLOW_NONE)
		return false;
	if (first == here)
		return before < one;
	if (!flow_dominates(w, first, here))
		return false;
	flow_walk_clear(w, first);
	flow_walk_next(w, here);
	flow_walk_run(w);
	for (uint32_t i = 0; i < f->blocks.count; i++)
		if (w->seen[i] && is_outside(f, code, i))
			*array_add(&left) = i;
	flow_walk_clear(w, first);
	array_each(const uint32_t, block, &left)
		flow_walk_next(w, *block);
	flow_walk_run(w);
	again = w->seen[here];
	array_fini(&left);
	return !again;
}

static bool goes_on_from_another(const struct flow *f, const struct flow_ranges *code,
				 const struct flow_offsets *all, uint64_t one)
{
	struct flow_walk w;
	bool found = false;

	flow_walk_init(&w, f);
	array_each(const uint64_t, other, all)
		found = found || (*other != one && flow_entries_goes_on(&w, code, *other, one));
	flow_walk_fini(&w);
	return found;
}

/* ---- entries of an inlined call ------------------------------------------------------------- */

/* Appends the places where control enters from other code of the function, inside a
   block or between blocks. */
static void coming_in(const struct flow *f, const struct flow_ranges *code,
		      struct flow_offsets *out)
{
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		bool inside = true;

		for (uint32_t k = b->first; b->live && k <= b->last; k++) {
			bool was = inside;

			inside = flow_in_ranges(code, f->insns.items[k].offset);
			if (inside && !was)
				add_once(out, f->insns.items[k].offset);
		}
		for (unsigned k = 0; b->live && !inside && k < 3; k++) {
			uint32_t next = k < 2 ? b->next[k] : b->pad;
			uint64_t to;

			if (next == FLOW_NONE)
				continue;
			to = f->insns.items[f->blocks.items[next].first].offset;
			if (flow_in_ranges(code, to))
				add_once(out, to);
		}
	}
}

/* Appends all entries, and `entry` without its padding if no known edge leads there. */
void flow_all_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		      struct flow_offsets *out)
{
	uint32_t first = flow_block_at(f, entry);

	coming_in(f, code, out);
	while (first != FLOW_NONE && f->blocks.items[first].padding && first + 1 < f->blocks.count)
		entry = f->insns.items[f->blocks.items[++first].first].offset;
	if (first != FLOW_NONE && f->blocks.items[first].unknown && flow_in_ranges(code, entry))
		add_once(out, entry);
}

bool flow_only_computes(const struct flow *f, const struct module_range *range)
{
	for (size_t i = array_below(&f->insns, offset, range->low);
	     i < f->insns.count && f->insns.items[i].offset < range->high; i++)
		if (f->insns.items[i].flow != ARCH_FLOW_NEXT &&
		    f->insns.items[i].flow != ARCH_FLOW_JUMP)
			return false;
	return true;
}

/* Appends the places where each entry at `one` is one arrival: `one`, or the
   jumps that lead there. */
static void flow_entries_add_entry(const struct flow *f, const struct flow_ranges *code,
				   uint64_t one, bool marked, const struct flow_offsets *own,
				   struct flow_offsets *out)
{
	bool falls = marked || flow_passing(f, code, one, own) == FLOW_TURNS;
	struct flow_offsets jumps = {0};

	if (flow_turns_at(f, code, one, own) || !comes_by_jumps(f, code, one, falls, &jumps))
		add_once(out, one);
	else
		array_each(const uint64_t, from, &jumps)
			add_once(out, *from);
	array_fini(&jumps);
}

/* Appends the entries, so that each call passes one of them once. */
static void own_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
			const struct flow_offsets *marks, struct flow_offsets *out)
{
	struct flow_offsets all = {0}, some = {0};

	flow_all_entries(f, code, entry, &all);
	array_each(const uint64_t, one, &all)
		if (!leads_to_another(f, &all, *one) &&
		    (!marks || *one == entry || flow_has(marks, *one)))
			add_once(&some, *one);
	array_each(const uint64_t, one, &some)
		if (!goes_on_from_another(f, code, &some, *one))
			*array_add(out) = *one;
	array_fini(&all);
	array_fini(&some);
}

void flow_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		  const struct flow_offsets *marks, const struct flow_offsets *own,
		  struct flow_offsets *out)
{
	struct flow_offsets entries = {0};

	own_entries(f, code, entry, marks, &entries);
	array_each(const uint64_t, one, &entries)
		flow_entries_add_entry(f, code, *one, marks != NULL, own, out);
	array_fini(&entries);
}

bool flow_ways_to_loop(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		       struct flow_ways *out)
{
	uint32_t insn = flow_find(f, one),
		 here = insn == FLOW_NONE ? 0 : f->insns.items[insn].block;
	bool loops = false, known = true;
	struct flow_walk inside;

	if (insn == FLOW_NONE || f->blocks.items[here].unknown ||
	    f->blocks.items[here].first != insn)
		return false;
	flow_walk_init(&inside, f);
	flow_walk_inside(&inside, code, here);
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		const struct flow_insn *last = &f->insns.items[b->last];

		if (!b->live || b->padding || !flow_leads_to(b, here))
			continue;
		if (inside.seen[i] && flow_in_ranges(code, last->offset)) {
			loops = true;
			continue;
		}
		known = known && (last->flow == ARCH_FLOW_JUMP || last->flow == ARCH_FLOW_BRANCH ||
				  last->flow == ARCH_FLOW_NEXT);
		*array_add(out) =
			(struct flow_way){last->offset, last->flow != ARCH_FLOW_NEXT, one};
	}
	flow_walk_fini(&inside);
	return loops && known && out->count;
}

void flow_copy_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		       bool known, struct flow_offsets *out)
{
	const struct flow_offsets first = {&entry, 1, 1};
	struct flow_offsets all = {0};

	if (!known) {
		own_entries(f, code, entry, NULL, out);
		return;
	}
	flow_all_entries(f, code, entry, &all);
	array_each(const uint64_t, one, &all)
		if (*one != entry && !goes_on_from_another(f, code, &first, *one))
			*array_add(out) = *one;
	array_fini(&all);
}

/* ---- entries into the middle of a statement ------------------------------------------------- */

/* Appends the jumps from outside that lead to the block. *inside is true if code in the ranges also
   leads there. Returns false if control may enter in another way. */
static bool jumps_in(const struct flow *f, const struct flow_ranges *code, uint32_t here,
		     struct flow_ways *out, bool *inside)
{
	uint64_t one = f->insns.items[f->blocks.items[here].first].offset;

	*inside = false;
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		const struct flow_insn *last = &f->insns.items[b->last];

		if (!b->live || !flow_leads_to(b, here))
			continue;
		if (flow_in_ranges(code, last->offset))
			*inside = true;
		else if (b->indirect || last->target != one)
			return false;
		else
			*array_add(out) = (struct flow_way){last->offset,
							    last->flow == ARCH_FLOW_BRANCH, one};
	}
	return true;
}

/* True if the block contains one of `all` or always continues at one: that one counts for it. */
static bool leads_to_any(const struct flow *f, const struct flow_offsets *all, uint32_t block)
{
	const struct flow_block *b = &f->blocks.items[block];
	bool leads = !b->indirect && b->next[0] != FLOW_NONE && b->pad == FLOW_NONE;

	for (uint32_t i = b->first; i <= b->last; i++)
		if (flow_has(all, f->insns.items[i].offset))
			return true;
	for (unsigned k = 0; leads && k < 2; k++)
		leads = b->next[k] == FLOW_NONE ||
			flow_has(all, f->insns.items[f->blocks.items[b->next[k]].first].offset);
	return leads;
}

static bool begins_at(const struct flow *f, const struct flow_ranges *code,
		      const struct flow_offsets *starts, uint32_t block)
{
	uint64_t one = f->insns.items[f->blocks.items[block].first].offset;

	return !leads_to_any(f, starts, block) && !goes_on_from_another(f, code, starts, one);
}

void flow_ways_in(const struct flow *f, const struct flow_ranges *code,
		  const struct flow_offsets *starts, uint64_t one, struct flow_ways *out)
{
	uint32_t here = flow_block_at(f, one);
	struct flow_ways jumps = {0};
	bool inside;

	if (here != FLOW_NONE && f->insns.items[f->blocks.items[here].first].offset == one &&
	    jumps_in(f, code, here, &jumps, &inside) && jumps.count &&
	    begins_at(f, code, starts, here)) {
		if (!inside)
			*array_add(out) = (struct flow_way){one, false, one};
		for (size_t i = 0; inside && i < jumps.count; i++)
			*array_add(out) = jumps.items[i];
	}
	array_fini(&jumps);
}

bool flow_behind_jump(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		      uint64_t *jump)
{
	uint32_t insn = flow_find(f, one);
	const struct flow_insn *in, *before;
	struct flow_ways jumps = {0};
	bool inside, found;

	if (insn == FLOW_NONE || !insn)
		return false;
	in = &f->insns.items[insn];
	before = in - 1;
	if (before->flow != ARCH_FLOW_JUMP || !in->jumps ||
	    before->offset + before->length != one || !flow_in_ranges(code, before->offset))
		return false;
	found = jumps_in(f, code, in->block, &jumps, &inside) && jumps.count;
	array_fini(&jumps);
	*jump = before->offset;
	return found;
}
