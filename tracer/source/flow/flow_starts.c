/* Selects the starts of a statement that need a breakpoint, so that one execution is one arrival
   (rules: README.md). One walk for each start that stays answers for all others at once. */
#include "tracer/source/flow/flow_internal.h"

struct starts {
	const struct flow *flow;
	const struct flow_ranges *code;
	uint64_t *items;
	const unsigned *columns;
	size_t *calls; /* of each start, up to the next one */
	size_t most_calls;
	size_t count;
	bool marks; /* starts of one column are separate executions */
	bool *dropped;
};

static const struct flow_insn *start_insn(const struct starts *s, size_t i)
{
	uint32_t insn = flow_find(s->flow, s->items[i]);

	return insn == FLOW_NONE ? NULL : &s->flow->insns.items[insn];
}

static bool flow_starts_inside(const struct starts *s, uint64_t offset)
{
	return flow_in_ranges(s->code, offset);
}

static bool is_kept_start(const struct starts *s, uint64_t offset)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->dropped[i] && s->items[i] == offset)
			return true;
	return false;
}

/* True if the block can be reached from itself without passing `avoid`. */
static bool on_cycle(struct flow_walk *w, uint32_t block, uint32_t avoid)
{
	flow_walk_clear(w, avoid);
	flow_walk_next(w, block);
	while (w->depth && !w->seen[block])
		flow_walk_next(w, w->stack[--w->depth]);
	return w->seen[block];
}

/* Returns the number of calls in the statement's code from this start up to the next one. */
static size_t calls_behind(const struct starts *s, size_t start)
{
	const struct flow *f = s->flow;
	size_t calls = 0;

	for (uint32_t i = flow_find(f, s->items[start]); i < f->insns.count; i++) {
		const struct flow_insn *in = &f->insns.items[i];

		if (!flow_starts_inside(s, in->offset))
			break;
		for (size_t k = 0; k < s->count; k++)
			if (k != start && s->items[k] == in->offset)
				return calls;
		calls += in->flow == ARCH_FLOW_CALL || in->flow == ARCH_FLOW_CALL_INDIRECT;
	}
	return calls;
}

/* True for two copies of the whole statement. Two parts of one, such as an argument computed long
   before the call in the same column, do not both make the calls. */
static bool are_twins(const struct starts *s, size_t a, size_t b)
{
	if (!s->columns || !s->columns[a] || s->columns[a] != s->columns[b])
		return false;
	if (s->marks)
		return true;
	return s->calls[a] == s->calls[b] && s->calls[a] == s->most_calls;
}

/* True if the start is one of several iterations: no other start counts for it. */
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

/* Drops starts that are reached through start a alone, and not twice before a is passed again. */
static void drop_dominated(struct starts *s, size_t a, struct flow_walk *roots,
			   struct flow_walk *cycle)
{
	const struct flow_insn *from = start_insn(s, a), *to;

	flow_walk_roots(roots, from->block);
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

static void avoid_others(struct flow_walk *w, const struct starts *s, size_t b)
{
	flow_walk_clear(w, FLOW_NONE);
	for (size_t a = 0; a < s->count; a++) {
		const struct flow_insn *other = start_insn(s, a);

		if (a != b && other && !s->dropped[a] && !are_twins(s, a, b))
			w->seen[other->block] = true;
	}
}

/* True if the start is reached through the other starts alone, and not twice before one of
   them is passed again. */
static bool is_behind_others(struct flow_walk *w, const struct starts *s, size_t b)
{
	uint32_t block = start_insn(s, b)->block;

	avoid_others(w, s, b);
	if (w->seen[block])
		return false; /* its block contains another start */
	array_each(const uint32_t, r, &s->flow->roots)
		flow_walk_add(w, *r);
	flow_walk_run(w);
	if (w->seen[block])
		return false;
	avoid_others(w, s, b);
	flow_walk_next(w, block);
	flow_walk_run(w);
	return !w->seen[block];
}

/* Drops the statement's end, if the compiler duplicated its beginning: several starts
   dominate it together. */
static void drop_behind_others(struct starts *s)
{
	struct flow_walk w;

	flow_walk_init(&w, s->flow);
	for (size_t b = 0; b < s->count && s->count > 2; b++) {
		const struct flow_insn *in = start_insn(s, b);

		if (in && !s->dropped[b] && s->flow->blocks.items[in->block].live)
			s->dropped[b] = is_behind_others(&w, s, b);
	}
	flow_walk_fini(&w);
}

/* True if the instruction is reached from outside of the statement. */
static bool entered_from_outside(const struct starts *s, const struct flow_insn *in)
{
	const struct flow *f = s->flow;
	const struct flow_block *own = &f->blocks.items[in->block];
	uint32_t i = (uint32_t)(in - f->insns.items);

	if (i > own->first)
		return !flow_starts_inside(s, f->insns.items[i - 1].offset);
	if (own->unknown || own->padding) /* may be the nop of an empty case */
		return true;
	array_each(const struct flow_block, b, &f->blocks) {
		if (flow_leads_to(b, in->block) && b->live &&
		    !flow_starts_inside(s, f->insns.items[b->last].offset))
			return true;
	}
	return false;
}

/*
 * Drops starts entered from inside alone. Iterations are entered from inside when control
 * falls into them; one that is only jumped to is the unlikely part of a macro, which the
 * compiler moved away.
 */
static void drop_inner(struct starts *s)
{
	size_t left = s->count;

	for (size_t i = 0; i < s->count; i++) {
		const struct flow_insn *in = start_insn(s, i);

		s->dropped[i] = in && !entered_from_outside(s, in) &&
				(!is_round(s, i) || !flow_falls_into(s->flow, s->items[i]));
		left -= s->dropped[i];
	}
	/* The statement is entered in the middle: its starts are the only ones. */
	for (size_t i = 0; i < s->count && !left; i++)
		s->dropped[i] = false;
}

/* True if the rest of the block belongs to the statement. A jump at its end may have no line. */
static bool stays_inside(const struct starts *s, const struct flow_insn *in)
{
	const struct flow *f = s->flow;

	for (uint32_t i = (uint32_t)(in - f->insns.items); i <= f->blocks.items[in->block].last;
	     i++)
		if (!flow_starts_inside(s, f->insns.items[i].offset) &&
		    f->insns.items[i].flow != ARCH_FLOW_JUMP)
			return false;
	return true;
}

/* True if the block leads to other starts alone. `in` itself does not count. */
static bool leads_to_starts(const struct starts *s, const struct flow_insn *in)
{
	const struct flow *f = s->flow;
	const struct flow_block *b = &f->blocks.items[in->block];
	const struct flow_insn *last = &f->insns.items[b->last];
	int edges = 0, expected = last->flow == ARCH_FLOW_BRANCH ? 2 : 1;

	if (!stays_inside(s, in) || b->pad != FLOW_NONE)
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

		if (in && !s->dropped[i] && leads_to_starts(s, in) &&
		    (!is_round(s, i) || in->flow == ARCH_FLOW_JUMP))
			s->dropped[i] = true;
	}
}

void flow_statement_starts(const struct flow *f, struct flow_offsets *starts,
			   const unsigned *columns, bool marks, const struct flow_ranges *code)
{
	struct starts s = {.flow = f,
			   .code = code,
			   .items = starts->items,
			   .columns = columns,
			   .calls = base_alloc(starts->count, sizeof(size_t)),
			   .count = starts->count,
			   .marks = marks,
			   .dropped = base_alloc(starts->count, sizeof(bool))};
	size_t kept = 0;

	/*
	 * The order matters: a rule may rely on a start that a later rule drops, since that one is
	 * dropped only if another counts for it. In reverse order, condition and increment of a for
	 * loop could be dropped for each other's sake.
	 */
	count_calls(&s);
	drop_inner(&s);
	drop_all_dominated(&s);
	drop_behind_others(&s);
	drop_detours(&s);
	for (size_t i = 0; i < s.count; i++)
		if (!s.dropped[i])
			starts->items[kept++] = starts->items[i];
	starts->count = kept ? kept : s.count != 0;
	base_free(s.dropped);
	base_free(s.calls);
}

void flow_heads(const struct flow *f, const struct flow_ranges *code, struct flow_offsets *out)
{
	struct flow_walk w;

	flow_walk_init(&w, f);
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		uint64_t from = f->insns.items[b->last].offset, to;

		if (!b->live || b->next[1] == FLOW_NONE || flow_in_ranges(code, from))
			continue;
		to = f->insns.items[f->blocks.items[b->next[1]].first].offset;
		if (flow_in_ranges(code, to) && flow_dominates(&w, b->next[1], i))
			*array_add(out) = to;
	}
	flow_walk_fini(&w);
}

/* True if the block is entered, and from code outside of the ranges alone. */
static bool comes_from_outside(const struct flow *f, const struct flow_ranges *code, uint32_t block)
{
	bool entered = false;

	if (f->blocks.items[block].unknown)
		return false;
	array_each(const struct flow_block, b, &f->blocks) {
		if (!b->live || !flow_leads_to(b, block))
			continue;
		if (flow_in_ranges(code, f->insns.items[b->last].offset))
			return false;
		entered = true;
	}
	return entered;
}

void flow_round_ends(const struct flow *f, const struct flow_ranges *code, struct flow_offsets *out)
{
	struct flow_walk w;

	flow_walk_init(&w, f);
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		const struct flow_block *b = &f->blocks.items[i];
		uint64_t first = f->insns.items[b->first].offset;
		bool turns = false;

		if (!b->live || !flow_in_ranges(code, first) ||
		    !flow_in_ranges(code, f->insns.items[b->last].offset) ||
		    !comes_from_outside(f, code, i))
			continue;
		for (int k = 0; k < 2 && !turns; k++)
			turns = b->next[k] != FLOW_NONE && flow_dominates(&w, b->next[k], i);
		if (turns)
			*array_add(out) = first;
	}
	flow_walk_fini(&w);
}

bool flow_leads_on(const struct flow *f, uint64_t from, uint64_t to, struct flow_ranges *passed)
{
	uint32_t i = flow_find(f, from);

	for (uint32_t blocks = 0; i != FLOW_NONE && blocks < f->blocks.count; blocks++) {
		const struct flow_block *b = &f->blocks.items[f->insns.items[i].block];
		struct module_range here = {f->insns.items[i].offset, to};

		for (; i <= b->last; i++) {
			const struct flow_insn *in = &f->insns.items[i];

			if (in->offset == to && (blocks || to > from)) {
				*array_add(passed) = here;
				return true;
			}
			if (in->flow != ARCH_FLOW_NEXT && in->flow != ARCH_FLOW_JUMP)
				return false;
			here.high = in->offset + in->length;
		}
		*array_add(passed) = here;
		if (b->indirect || (b->next[0] == FLOW_NONE) == (b->next[1] == FLOW_NONE))
			return false;
		i = f->blocks.items[b->next[b->next[0] == FLOW_NONE]].first;
	}
	return false;
}
