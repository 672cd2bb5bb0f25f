/* Reachability: whether control at one place passes others before it is there again, inside and
   outside of a statement's ranges. */
#include "tracer/source/flow/flow_internal.h"

static bool is_outside(const struct flow *f, const struct flow_ranges *code, uint32_t block)
{
	const struct flow_block *b = &f->blocks.items[block];

	for (uint32_t i = b->first; i <= b->last; i++)
		if (flow_in_ranges(code, f->insns.items[i].offset))
			return false;
	return true;
}

/* Clears the walk and makes it avoid the blocks of `all`. */
static void avoid(struct flow_walk *w, const struct flow_offsets *all)
{
	flow_walk_clear(w, FLOW_NONE);
	array_each(const uint64_t, one, all) {
		uint32_t block = flow_block_at(w->flow, *one);

		if (block != FLOW_NONE)
			w->seen[block] = true;
	}
}

/* Visits what is reachable from the block's end without entering a block of `all`. */
static void walk_without(struct flow_walk *w, uint32_t from, const struct flow_offsets *all)
{
	avoid(w, all);
	flow_walk_next(w, from);
	flow_walk_run(w);
}

/* True if the block of `from` contains one of `all` after `from`. */
static bool flow_passing_passes(const struct flow *f, uint64_t from, const struct flow_offsets *all)
{
	const struct flow_block *b = &f->blocks.items[flow_block_at(f, from)];

	array_each(const uint64_t, one, all)
		if (*one >= from && *one <= f->insns.items[b->last].offset)
			return true;
	return false;
}

struct flow_numbers {
	uint32_t *items;
	size_t count, capacity;
};

static bool is_end(const struct flow_block *b)
{
	return b->next[0] == FLOW_NONE && b->next[1] == FLOW_NONE && !b->indirect;
}

/* Visits what is reachable from the block within the ranges. Appends to *left (or NULL) the blocks
   where control leaves them or the function. */
static void walk_inside(struct flow_walk *w, const struct flow_ranges *code, uint32_t from,
			struct flow_numbers *left)
{
	flow_walk_next(w, from);
	while (w->depth) {
		uint32_t block = w->stack[--w->depth];
		bool leaves = is_outside(w->flow, code, block);

		if (left && (leaves || is_end(&w->flow->blocks.items[block])))
			*array_add(left) = block;
		if (!leaves)
			flow_walk_next(w, block);
	}
}

void flow_walk_inside(struct flow_walk *w, const struct flow_ranges *code, uint32_t from)
{
	flow_walk_clear(w, FLOW_NONE);
	walk_inside(w, code, from, NULL);
}

/* True if the function's end, or the block `again`, is reachable from one of the blocks. */
static bool comes_to_an_end(struct flow_walk *w, const struct flow_numbers *left, uint32_t again)
{
	bool found = false;

	array_each(const uint32_t, one, left)
		flow_walk_add(w, *one);
	while (w->depth) {
		uint32_t block = w->stack[--w->depth];

		found = found || block == again || is_end(&w->flow->blocks.items[block]);
		flow_walk_next(w, block);
	}
	return found;
}

static bool is_reached(struct flow_walk *w, uint32_t block)
{
	array_each(const uint32_t, r, &w->flow->roots)
		flow_walk_add(w, *r);
	flow_walk_run(w);
	return w->seen[block];
}

enum flow_passing flow_passing(const struct flow *f, const struct flow_ranges *code, uint64_t from,
			       const struct flow_offsets *all)
{
	enum flow_passing answer = FLOW_PASSES;
	uint32_t here = flow_block_at(f, from);
	struct flow_numbers left = {0};
	struct flow_walk w;

	if (here == FLOW_NONE || flow_passing_passes(f, from, all))
		return FLOW_PASSES;
	flow_walk_init(&w, f);
	avoid(&w, all);
	walk_inside(&w, code, here, &left);
	if (is_end(&f->blocks.items[here]))
		*array_add(&left) = here;
	if (w.seen[here]) {
		answer = FLOW_TURNS;
	} else {
		avoid(&w, all);
		if (is_reached(&w, here)) {
			avoid(&w, all);
			if (comes_to_an_end(&w, &left, here))
				answer = FLOW_SKIPS;
		}
	}
	array_fini(&left);
	flow_walk_fini(&w);
	return answer;
}

static bool holds_any(const struct flow *f, const struct flow_offsets *all, uint32_t block)
{
	array_each(const uint64_t, one, all)
		if (flow_block_at(f, *one) == block)
			return true;
	return false;
}

bool flow_comes_again(const struct flow *f, uint64_t from, const struct flow_offsets *all)
{
	uint32_t here = flow_block_at(f, from);
	struct flow_walk w;
	bool again;

	if (here == FLOW_NONE || flow_passing_passes(f, from, all))
		return false;
	flow_walk_init(&w, f);
	walk_without(&w, here, all);
	again = w.seen[here];
	flow_walk_fini(&w);
	return again;
}

bool flow_leads(const struct flow *f, uint64_t from, uint64_t to)
{
	uint32_t here = flow_block_at(f, from), there = flow_block_at(f, to);
	struct flow_walk w;
	bool leads;

	if (here == FLOW_NONE || there == FLOW_NONE || (here == there && from <= to))
		return true;
	flow_walk_init(&w, f);
	walk_without(&w, here, &(struct flow_offsets){0});
	leads = w.seen[there];
	flow_walk_fini(&w);
	return leads;
}

bool flow_comes_by(const struct flow *f, uint64_t from, const struct flow_offsets *others,
		   const struct flow_offsets *all)
{
	uint32_t here = flow_block_at(f, from);
	struct flow_numbers passed = {0};
	struct flow_walk w;
	bool again;

	if (here == FLOW_NONE || flow_passing_passes(f, from, all))
		return false;
	flow_walk_init(&w, f);
	walk_without(&w, here, all);
	array_each(const uint64_t, one, others) {
		uint32_t block = flow_block_at(f, *one);

		if (block != FLOW_NONE && (block == here || w.seen[block]) &&
		    !holds_any(f, all, block))
			*array_add(&passed) = block;
	}
	avoid(&w, all);
	array_each(const uint32_t, block, &passed)
		flow_walk_next(&w, *block);
	flow_walk_run(&w);
	again = w.seen[here];
	array_fini(&passed);
	flow_walk_fini(&w);
	return again;
}

bool flow_turns(const struct flow *f, const struct flow_ranges *code, uint64_t from,
		const struct flow_offsets *all)
{
	uint32_t here = flow_block_at(f, from);
	struct flow_walk w;
	bool turns;

	if (here == FLOW_NONE || holds_any(f, all, here))
		return false;
	flow_walk_init(&w, f);
	avoid(&w, all);
	walk_inside(&w, code, here, NULL);
	turns = w.seen[here];
	flow_walk_fini(&w);
	return turns;
}

bool flow_passes_two(const struct flow *f, const struct flow_ranges *code,
		     const struct flow_offsets *all)
{
	bool two = false;
	struct flow_walk w;

	flow_walk_init(&w, f);
	array_each(const uint64_t, one, all) {
		uint32_t here = flow_block_at(f, *one);

		flow_walk_clear(&w, FLOW_NONE);
		if (here != FLOW_NONE)
			walk_inside(&w, code, here, NULL);
		array_each(const uint64_t, other, all) {
			uint32_t there = flow_block_at(f, *other);

			if (other == one || there == FLOW_NONE)
				continue;
			two = two || (there == here ? *other > *one : w.seen[there]);
		}
	}
	flow_walk_fini(&w);
	return two;
}

bool flow_turns_at(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		   const struct flow_offsets *own)
{
	uint32_t here = flow_block_at(f, one);
	bool turns = false, always = true;
	struct flow_walk any, without;

	if (here == FLOW_NONE)
		return false;
	flow_walk_init(&any, f);
	flow_walk_init(&without, f);
	walk_inside(&any, code, here, NULL);
	avoid(&without, own);
	if (!flow_passing_passes(f, one, own))
		walk_inside(&without, code, here, NULL);
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		if (!any.seen[i] || !flow_leads_to(&f->blocks.items[i], here) ||
		    is_outside(f, code, i))
			continue;
		turns = true;
		always = always && (holds_any(f, own, i) || !without.seen[i]);
	}
	flow_walk_fini(&without);
	flow_walk_fini(&any);
	return turns && always;
}
