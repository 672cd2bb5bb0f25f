/*
 * Which of the places where a statement's code begins need a trap, so that one execution of the
 * statement is one arrival. flow.h has the rules; one walk through the function for each start
 * that stays answers for all others at once.
 */
#include "tracer/source/flow_internal.h"

struct starts {
	const struct flow *flow;
	const struct module_range *ranges;
	size_t range_count;
	uint64_t *items;
	const unsigned *columns;
	size_t *calls; /* that each makes, up to the next one */
	size_t most_calls;
	size_t count;
	bool marks; /* starts of one column are executions of their own */
	bool *dropped;
};

static const struct flow_insn *start_insn(const struct starts *s, size_t i)
{
	uint32_t insn = flow_find(s->flow, s->items[i]);

	return insn == FLOW_NONE ? NULL : &s->flow->insns.items[insn];
}

static bool inside(const struct starts *s, uint64_t offset)
{
	return flow_in_ranges(s->ranges, s->range_count, offset);
}

static bool is_kept_start(const struct starts *s, uint64_t offset)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->dropped[i] && s->items[i] == offset)
			return true;
	return false;
}

static void walk_from_roots(struct flow_walk *w, uint32_t avoid)
{
	flow_walk_clear(w, avoid);
	array_each(const uint32_t, r, &w->flow->roots)
		flow_walk_add(w, *r);
	flow_walk_run(w);
}

/* Can the block be reached from itself without the other? */
static bool on_cycle(struct flow_walk *w, uint32_t block, uint32_t avoid)
{
	flow_walk_clear(w, avoid);
	flow_walk_next(w, block);
	while (w->depth && !w->seen[block])
		flow_walk_next(w, w->stack[--w->depth]);
	return w->seen[block];
}

/* In the statement's code from this start on, up to the next one. */
static size_t calls_behind(const struct starts *s, size_t start)
{
	const struct flow *f = s->flow;
	size_t calls = 0;

	for (uint32_t i = flow_find(f, s->items[start]); i < f->insns.count; i++) {
		const struct flow_insn *in = &f->insns.items[i];

		if (!inside(s, in->offset))
			break;
		for (size_t k = 0; k < s->count; k++)
			if (k != start && s->items[k] == in->offset)
				return calls;
		calls += in->flow == ARCH_FLOW_CALL || in->flow == ARCH_FLOW_CALL_INDIRECT;
	}
	return calls;
}

/* Copies of the whole statement, not two parts of one: an argument that is made ready long before
   the call stands in the same column, but calls nothing. */
static bool are_twins(const struct starts *s, size_t a, size_t b)
{
	if (!s->columns || !s->columns[a] || s->columns[a] != s->columns[b])
		return false;
	if (s->marks)
		return true;
	return s->calls[a] == s->calls[b] && s->calls[a] == s->most_calls;
}

/* One iteration of several: no other start counts for it. */
static bool is_round(const struct starts *s, size_t a)
{
	for (size_t b = 0; s->marks && b < s->count; b++)
		if (b != a && are_twins(s, a, b))
			return true;
	return false;
}

static void count_calls(struct starts *s)
{
	for (size_t i = 0; s->columns && i < s->count; i++) {
		s->calls[i] = calls_behind(s, i);
		if (s->calls[i] > s->most_calls)
			s->most_calls = s->calls[i];
	}
}

/* Drops starts that are reached only through start a, and not a second time before a is. */
static void drop_dominated(struct starts *s, size_t a, struct flow_walk *roots,
			   struct flow_walk *cycle)
{
	const struct flow_insn *from = start_insn(s, a), *to;

	walk_from_roots(roots, from->block);
	for (size_t b = 0; b < s->count; b++) {
		to = start_insn(s, b);
		if (s->dropped[b] || b == a || !to || are_twins(s, a, b))
			continue;
		if (to->block == from->block)
			s->dropped[b] = to->offset > from->offset;
		else if (!roots->seen[to->block] && s->flow->blocks.items[to->block].live)
			s->dropped[b] = !on_cycle(cycle, to->block, from->block);
	}
}

static void drop_all_dominated(struct starts *s)
{
	struct flow_walk roots, cycle;

	flow_walk_init(&roots, s->flow);
	flow_walk_init(&cycle, s->flow);
	for (size_t a = 0; a < s->count; a++)
		if (!s->dropped[a] && start_insn(s, a))
			drop_dominated(s, a, &roots, &cycle);
	flow_walk_fini(&cycle);
	flow_walk_fini(&roots);
}

/* Is this instruction reached from anywhere but the statement itself? */
static bool entered_from_outside(const struct starts *s, const struct flow_insn *in)
{
	const struct flow *f = s->flow;
	const struct flow_block *own = &f->blocks.items[in->block];
	uint32_t i = (uint32_t)(in - f->insns.items);

	if (i > own->first)
		return !inside(s, f->insns.items[i - 1].offset);
	if (own->unknown || own->padding) /* it may be the nop of an empty case after all */
		return true;
	array_each(const struct flow_block, b, &f->blocks) {
		if ((b->next[0] == in->block || b->next[1] == in->block) && b->live &&
		    !inside(s, f->insns.items[b->last].offset))
			return true;
	}
	return false;
}

static void drop_inner(struct starts *s)
{
	size_t left = s->count;

	for (size_t i = 0; i < s->count; i++) {
		const struct flow_insn *in = start_insn(s, i);

		s->dropped[i] = in && !entered_from_outside(s, in) && !is_round(s, i);
		left -= s->dropped[i];
	}
	/* entered in the middle: then these starts are the only ones */
	for (size_t i = 0; i < s->count && !left; i++)
		s->dropped[i] = false;
}

/* Does everything from here to the end of the block belong to the statement? */
static bool stays_inside(const struct starts *s, const struct flow_insn *in)
{
	const struct flow *f = s->flow;

	for (uint32_t i = (uint32_t)(in - f->insns.items); i <= f->blocks.items[in->block].last;
	     i++)
		if (!inside(s, f->insns.items[i].offset))
			return false;
	return true;
}

/* Does it only lead to other starts? `in` itself counts as none of them. */
static bool leads_to_starts(const struct starts *s, const struct flow_insn *in)
{
	const struct flow *f = s->flow;
	const struct flow_block *b = &f->blocks.items[in->block];
	const struct flow_insn *last = &f->insns.items[b->last];
	int edges = 0, expected = last->flow == ARCH_FLOW_BRANCH ? 2 : 1;

	if (!stays_inside(s, in))
		return false;
	for (int i = 0; i < 2; i++) {
		const struct flow_insn *first;

		if (b->next[i] == FLOW_NONE)
			continue;
		first = &f->insns.items[f->blocks.items[b->next[i]].first];
		if (first == in || !is_kept_start(s, first->offset))
			return false;
		edges++;
	}
	return edges == expected;
}

static void drop_detours(struct starts *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct flow_insn *in = start_insn(s, i);

		if (in && !s->dropped[i] && leads_to_starts(s, in) && !is_round(s, i))
			s->dropped[i] = true;
	}
}

size_t flow_statement_starts(const struct flow *f, uint64_t *starts, const unsigned *columns,
			     size_t count, bool marks, const struct module_range *ranges,
			     size_t range_count)
{
	struct starts s = {.flow = f,
			   .ranges = ranges,
			   .range_count = range_count,
			   .items = starts,
			   .columns = columns,
			   .calls = base_alloc(count, sizeof(size_t)),
			   .count = count,
			   .marks = marks,
			   .dropped = base_alloc(count, sizeof(bool))};
	size_t kept = 0;

	/* In this order: each rule may rest on starts that a later one drops, as these are only
	   dropped where another counts for them; the other way round the condition of a for loop
	   and its increment could each be dropped for the sake of the other. */
	count_calls(&s);
	drop_inner(&s);
	drop_all_dominated(&s);
	drop_detours(&s);
	for (size_t i = 0; i < count; i++)
		if (!s.dropped[i])
			starts[kept++] = starts[i];
	base_free(s.dropped);
	base_free(s.calls);
	return kept ? kept : count != 0;
}

/* Do all paths to the one block lead through the other? */
static bool dominates(struct flow_walk *w, uint32_t head, uint32_t block)
{
	walk_from_roots(w, head);
	return !w->seen[block];
}

void flow_heads(const struct flow *f, const struct module_range *ranges, size_t range_count,
		struct flow_offsets *out)
{
	struct flow_walk w;

	flow_walk_init(&w, f);
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		uint64_t from = f->insns.items[b->last].offset, to;

		if (!b->live || b->next[1] == FLOW_NONE ||
		    flow_in_ranges(ranges, range_count, from))
			continue;
		to = f->insns.items[f->blocks.items[b->next[1]].first].offset;
		if (flow_in_ranges(ranges, range_count, to) && dominates(&w, b->next[1], i))
			*array_add(out) = to;
	}
	flow_walk_fini(&w);
}

/* ---- where control comes into a part of the code ---------------------------------------------------- */

static void add_once(struct flow_offsets *out, uint64_t offset)
{
	array_each(const uint64_t, old, out)
		if (*old == offset)
			return;
	*array_add(out) = offset;
}

static bool calls_from(const struct flow *f, uint32_t insn, const struct flow_block *b)
{
	for (uint32_t i = insn; i <= b->last; i++)
		if (f->insns.items[i].flow == ARCH_FLOW_CALL ||
		    f->insns.items[i].flow == ARCH_FLOW_CALL_INDIRECT)
			return true;
	return false;
}

/* Of a constant that was taken out of a loop: control goes from there straight to another one, and so it does each time. */
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
	array_each(const uint64_t, other, all)
		if (*other == to && to != one)
			return true;
	return false;
}

/* Where it is the head of a loop within the ranges, that is passed in each round: those who come from outside, if each of
   them jumps there, whatever happens. */
static bool comes_by_jumps(const struct flow *f, const struct module_range *ranges, size_t count,
			   uint64_t entry, struct flow_offsets *out)
{
	uint32_t insn = flow_find(f, entry);
	bool loops = false;

	for (uint32_t i = 0; insn != FLOW_NONE && i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		const struct flow_insn *last = &f->insns.items[b->last];
		uint32_t here = f->insns.items[insn].block;

		if (!b->live || (b->next[0] != here && b->next[1] != here))
			continue;
		if (flow_in_ranges(ranges, count, last->offset))
			loops = true;
		else if (last->flow == ARCH_FLOW_JUMP)
			add_once(out, last->offset);
		else
			return false;
	}
	return loops && !f->blocks.items[f->insns.items[insn].block].unknown &&
	       insn == f->blocks.items[f->insns.items[insn].block].first;
}

static uint32_t block_of(const struct flow *f, uint64_t offset)
{
	uint32_t insn = flow_find(f, offset);

	return insn == FLOW_NONE ? FLOW_NONE : f->insns.items[insn].block;
}

/* A block of which something is outside of the ranges: control has left them there. */
static bool is_outside(const struct flow *f, const struct module_range *ranges, size_t count,
		       uint32_t block)
{
	const struct flow_block *b = &f->blocks.items[block];

	for (uint32_t i = b->first; i <= b->last; i++)
		if (!flow_in_ranges(ranges, count, f->insns.items[i].offset))
			return true;
	return false;
}

/* Does control come in at `one` only after it has come in at `before`, and not again from outside without that? */
static bool goes_on(struct flow_walk *w, const struct module_range *ranges, size_t count,
		    uint64_t before, uint64_t one)
{
	const struct flow *f = w->flow;
	uint32_t first = block_of(f, before), here = block_of(f, one);
	ARRAY(uint32_t) left = {0};
	bool again;

	if (first == FLOW_NONE || here == FLOW_NONE)
		return false;
	if (first == here)
		return before < one;
	if (!dominates(w, first, here))
		return false;
	flow_walk_clear(w, first);
	flow_walk_next(w, here);
	flow_walk_run(w);
	for (uint32_t i = 0; i < f->blocks.count; i++)
		if (w->seen[i] && is_outside(f, ranges, count, i))
			*array_add(&left) = i;
	flow_walk_clear(w, first);
	array_each(const uint32_t, block, &left)
		flow_walk_next(w, *block);
	flow_walk_run(w);
	again = w->seen[here];
	array_fini(&left);
	return !again;
}

static bool goes_on_from_another(const struct flow *f, const struct module_range *ranges,
				 size_t count, const struct flow_offsets *all, uint64_t one)
{
	struct flow_walk w;
	bool found = false;

	flow_walk_init(&w, f);
	array_each(const uint64_t, other, all)
		found = found || (*other != one && goes_on(&w, ranges, count, *other, one));
	flow_walk_fini(&w);
	return found;
}

/* From other code of the function, in the middle of a block or from one block to another. */
static void coming_in(const struct flow *f, const struct module_range *ranges, size_t count,
		      struct flow_offsets *out)
{
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		bool inside = true;

		for (uint32_t k = b->first; b->live && k <= b->last; k++) {
			bool was = inside;

			inside = flow_in_ranges(ranges, count, f->insns.items[k].offset);
			if (inside && !was)
				add_once(out, f->insns.items[k].offset);
		}
		for (unsigned k = 0; b->live && !inside && k < 2; k++) {
			uint64_t to;

			if (b->next[k] == FLOW_NONE)
				continue;
			to = f->insns.items[f->blocks.items[b->next[k]].first].offset;
			if (flow_in_ranges(ranges, count, to))
				add_once(out, to);
		}
	}
}

/* All of them: from other code of the function, and at `entry`, if it is not known how. What aligns it is passed over. */
static void all_entries(const struct flow *f, const struct module_range *ranges, size_t count,
			uint64_t entry, struct flow_offsets *out)
{
	uint32_t first = block_of(f, entry);

	coming_in(f, ranges, count, out);
	while (first != FLOW_NONE && f->blocks.items[first].padding && first + 1 < f->blocks.count)
		entry = f->insns.items[f->blocks.items[++first].first].offset;
	if (first != FLOW_NONE && f->blocks.items[first].unknown &&
	    flow_in_ranges(ranges, count, entry))
		add_once(out, entry);
}

void flow_entries(const struct flow *f, const struct module_range *ranges, size_t count,
		  uint64_t entry, struct flow_offsets *out)
{
	struct flow_offsets all = {0}, some = {0};

	all_entries(f, ranges, count, entry, &all);
	array_each(const uint64_t, one, &all)
		if (!leads_to_another(f, &all, *one))
			add_once(&some, *one);
	array_each(const uint64_t, one, &some) {
		struct flow_offsets jumps = {0};

		if (goes_on_from_another(f, ranges, count, &some, *one))
			continue;
		if (!comes_by_jumps(f, ranges, count, *one, &jumps)) {
			jumps.count = 0;
			add_once(&jumps, *one);
		}
		array_each(const uint64_t, from, &jumps)
			add_once(out, *from);
		array_fini(&jumps);
	}
	array_fini(&all);
	array_fini(&some);
}

bool flow_comes_back(const struct flow *f, uint64_t offset, uint64_t without)
{
	uint32_t at = flow_find(f, offset), other = flow_find(f, without);
	struct flow_walk w;
	bool answer;

	if (at == FLOW_NONE || other == FLOW_NONE ||
	    f->insns.items[at].block == f->insns.items[other].block)
		return false;
	flow_walk_init(&w, f);
	answer = on_cycle(&w, f->insns.items[at].block, f->insns.items[other].block);
	flow_walk_fini(&w);
	return answer;
}
