/* Builds the control-flow graph of a function: decoding, basic blocks, edges; answers
   queries that need no walk. */
#include "tracer/source/flow/flow_internal.h"
#include "tracer/dwarf/frames/frames.h"

enum { FLOW_BYTES_MAX = 64 << 20 }; /* limit for a damaged table */

bool flow_in_ranges(const struct flow_ranges *code, uint64_t offset)
{
	array_each(const struct module_range, r, code)
		if (offset >= r->low && offset < r->high)
			return true;
	return false;
}

bool flow_has(const struct flow_offsets *all, uint64_t offset)
{
	array_each(const uint64_t, one, all)
		if (*one == offset)
			return true;
	return false;
}

uint32_t flow_find(const struct flow *f, uint64_t offset)
{
	size_t i = array_below(&f->insns, offset, offset);

	if (i == f->insns.count || f->insns.items[i].offset != offset)
		return FLOW_NONE;
	return (uint32_t)i;
}

bool flow_is_insn(const struct flow *f, uint64_t offset)
{
	return flow_find(f, offset) != FLOW_NONE;
}

void flow_add_all(struct flow_offsets *to, const struct flow_offsets *what)
{
	array_each(const uint64_t, one, what)
		*array_add(to) = *one;
}

void flow_add_ranges(struct flow_ranges *to, const struct flow_ranges *what)
{
	array_each(const struct module_range, r, what)
		*array_add(to) = *r;
}

bool flow_decode(struct module *m, uint64_t at, struct arch_insn *in, struct arch_deed *deed)
{
	uint8_t bytes[ARCH_INSN_MAX];
	size_t n = module_bytes(m, at, bytes, sizeof(bytes));

	return arch_decode(bytes, n, at, in) == 0 && arch_deed(bytes, n, at, deed) == 0;
}

/* ---- decoding ------------------------------------------------------------------------------- */

static int compare_ranges(const void *a, const void *b)
{
	const struct module_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void take_ranges(struct flow *f, const struct flow_ranges *code)
{
	uint64_t end = 0;

	array_each(const struct module_range, r, code)
		if (r->low < r->high)
			*array_add(&f->ranges) = *r;
	array_sort(&f->ranges, compare_ranges);
	array_each(struct module_range, r, &f->ranges) {
		if (r->low < end)
			r->low = end;
		if (r->high < r->low)
			r->high = r->low;
		end = r->high;
	}
}

static void decode_range(struct flow *f, struct module *m, const struct module_range *r)
{
	size_t size = r->high - r->low > FLOW_BYTES_MAX ? FLOW_BYTES_MAX : r->high - r->low, at;
	uint8_t *bytes = base_alloc(size, 1);
	struct arch_insn in;

	size = module_bytes(m, r->low, bytes, size);
	for (at = 0; at < size; at += in.length) {
		if (arch_decode(bytes + at, size - at, r->low + at, &in) < 0)
			break;
		*array_add(&f->insns) = (struct flow_insn){
			.offset = r->low + at,
			.target = in.target,
			.length = in.length,
			.flow = (uint8_t)in.flow,
			.is_nop = in.is_nop,
			.may_be_table = in.may_be_table,
			.pad = FLOW_NONE,
			.returns = (uint8_t)call_returns(m, r->low + at, &in),
		};
	}
	f->whole = f->whole && at == r->high - r->low;
	base_free(bytes);
}

bool flow_has_target(const struct flow_insn *in)
{
	return in->flow == ARCH_FLOW_JUMP || in->flow == ARCH_FLOW_BRANCH;
}

static bool jumps_out(const struct flow *f, const struct flow_insn *in)
{
	return flow_has_target(in) && !flow_in_ranges(&f->ranges, in->target);
}

bool flow_is_call(const struct flow_insn *in)
{
	return in->flow == ARCH_FLOW_CALL || in->flow == ARCH_FLOW_CALL_INDIRECT;
}

bool flow_falls_through(const struct flow_insn *in)
{
	return in->flow == ARCH_FLOW_NEXT || in->flow == ARCH_FLOW_BRANCH ||
	       (flow_is_call(in) && in->returns != CALL_NEVER_RETURNS);
}

static bool ends_block(const struct flow_insn *in)
{
	return in->flow == ARCH_FLOW_BRANCH || !flow_falls_through(in);
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void mark_targets(struct flow *f)
{
	array_each(struct flow_insn, in, &f->insns) {
		uint32_t to = flow_has_target(in) ? flow_find(f, in->target) : FLOW_NONE;

		if (to != FLOW_NONE)
			f->insns.items[to].jumps++;
		else if (flow_has_target(in) && !jumps_out(f, in))
			f->whole = false;
		if (in->may_be_table)
			f->has_indirect = true;
	}
}

/* Sets the landing pads of the range's calls: calls that throw continue there. */
static void mark_pads(struct flow *f, struct module *m, const struct module_range *r)
{
	struct landing_pads pads = {0};

	landing_pads(m, r->low, &pads);
	array_each(const struct landing_pad, p, &pads) {
		uint32_t to = flow_find(f, p->pad);

		if (to == FLOW_NONE)
			continue;
		f->insns.items[to].is_pad = true;
		for (size_t i = array_below(&f->insns, offset, p->low);
		     i < f->insns.count && f->insns.items[i].offset < p->high; i++)
			if (flow_is_call(&f->insns.items[i]))
				f->insns.items[i].pad = to;
	}
	array_fini(&pads);
}

static bool begins_block(const struct flow *f, uint32_t i)
{
	const struct flow_insn *in = &f->insns.items[i], *before = in - 1;

	if (i == 0 || in->jumps || in->is_pad || before->pad != FLOW_NONE || ends_block(before) ||
	    before->offset + before->length != in->offset)
		return true;
	return f->blocks.items[before->block].padding && !in->is_nop;
}

/* True for nops after a jump or return that nothing jumps to. */
static bool begins_padding(const struct flow *f, uint32_t i)
{
	const struct flow_insn *in = &f->insns.items[i];

	return i && in->is_nop && !in->jumps && !flow_falls_through(in - 1) &&
	       in[-1].offset + in[-1].length == in->offset;
}

static void make_blocks(struct flow *f)
{
	for (uint32_t i = 0; i < f->insns.count; i++) {
		if (begins_block(f, i)) {
			struct flow_block *b = array_add(&f->blocks);

			b->first = i;
			b->padding = begins_padding(f, i);
		}
		f->insns.items[i].block = (uint32_t)f->blocks.count - 1;
		f->blocks.items[f->blocks.count - 1].last = i;
	}
}

uint32_t flow_block_at(const struct flow *f, uint64_t offset)
{
	uint32_t insn = flow_find(f, offset);

	return insn == FLOW_NONE ? FLOW_NONE : f->insns.items[insn].block;
}

bool flow_leads_to(const struct flow_block *b, uint32_t block)
{
	return b->next[0] == block || b->next[1] == block || b->pad == block;
}

static void connect_blocks(struct flow *f)
{
	array_each(struct flow_block, b, &f->blocks) {
		const struct flow_insn *last = &f->insns.items[b->last];

		b->next[0] = b->next[1] = FLOW_NONE;
		b->pad = last->pad == FLOW_NONE ? FLOW_NONE : f->insns.items[last->pad].block;
		b->indirect = last->may_be_table;
		if (flow_falls_through(last))
			b->next[0] = flow_block_at(f, last->offset + last->length);
		if (flow_has_target(last))
			b->next[1] = flow_block_at(f, last->target);
	}
	array_each(struct flow_block, b, &f->blocks) {
		const uint32_t to[] = {b->next[0], b->next[1], b->pad};

		for (int i = 0; i < 3 && !b->padding; i++)
			if (to[i] != FLOW_NONE)
				f->blocks.items[to[i]].entered = true;
	}
}

/* ---- walks ---------------------------------------------------------------------------------- */

void flow_walk_init(struct flow_walk *w, const struct flow *f)
{
	*w = (struct flow_walk){.flow = f, .avoid = FLOW_NONE};
	w->seen = base_alloc(f->blocks.count + 1, sizeof(*w->seen));
	w->stack = base_alloc(f->blocks.count + 1, sizeof(*w->stack));
}

void flow_walk_fini(struct flow_walk *w)
{
	base_free(w->seen);
	base_free(w->stack);
}

void flow_walk_clear(struct flow_walk *w, uint32_t avoid)
{
	for (size_t i = 0; i <= w->flow->blocks.count; i++)
		w->seen[i] = false;
	w->avoid = avoid;
	w->depth = 0;
}

void flow_walk_add(struct flow_walk *w, uint32_t block)
{
	if (block == FLOW_NONE || block == w->avoid || w->seen[block])
		return;
	w->seen[block] = true;
	w->stack[w->depth++] = block;
}

void flow_walk_next(struct flow_walk *w, uint32_t block)
{
	const struct flow_block *b = &w->flow->blocks.items[block];

	flow_walk_add(w, b->next[0]);
	flow_walk_add(w, b->next[1]);
	flow_walk_add(w, b->pad);
	if (!b->indirect || w->seen[w->flow->blocks.count])
		return;
	w->seen[w->flow->blocks.count] = true;
	array_each(const uint32_t, u, &w->flow->unknown)
		flow_walk_add(w, *u);
}

void flow_walk_run(struct flow_walk *w)
{
	while (w->depth)
		flow_walk_next(w, w->stack[--w->depth]);
}

void flow_walk_roots(struct flow_walk *w, uint32_t avoid)
{
	flow_walk_clear(w, avoid);
	array_each(const uint32_t, r, &w->flow->roots)
		flow_walk_add(w, *r);
	flow_walk_run(w);
}

bool flow_dominates(struct flow_walk *w, uint32_t head, uint32_t block)
{
	flow_walk_roots(w, head);
	return !w->seen[block];
}

/* ---- entries of the function ---------------------------------------------------------------- */

static bool entered_from_elsewhere(const struct flow *f, const struct module_range *r,
				   uint32_t block)
{
	array_each(const struct flow_block, b, &f->blocks) {
		uint64_t offset = f->insns.items[b->last].offset;

		if (flow_leads_to(b, block) && (offset < r->low || offset >= r->high))
			return true;
	}
	return false;
}

static void add_root(struct flow *f, uint32_t block)
{
	if (block == FLOW_NONE || f->blocks.items[block].unknown)
		return;
	f->blocks.items[block].unknown = true;
	*array_add(&f->roots) = block;
}

/* Adds the entry and the beginnings of ranges that no other range leads to: `entry`
   may not be the entry. */
static void find_roots(struct flow *f, uint64_t entry)
{
	add_root(f, flow_block_at(f, entry));
	array_each(const struct module_range, r, &f->ranges) {
		uint32_t block = flow_block_at(f, r->low);

		if (block != FLOW_NONE && !entered_from_elsewhere(f, r, block))
			add_root(f, block);
	}
}

/* Adds blocks that no edge leads to: landing pads of exceptions that no call throws, and possible
   targets of a jump table. */
static void add_unknown(struct flow *f, struct flow_walk *w, bool even_entered)
{
	for (uint32_t i = 0; i < f->blocks.count; i++) {
		struct flow_block *b = &f->blocks.items[i];

		if (w->seen[i] || (b->entered && !even_entered) || b->padding)
			continue;
		b->unknown = true;
		if (f->has_indirect)
			*array_add(&f->unknown) = i;
		else
			*array_add(&f->roots) = i;
		flow_walk_add(w, i);
		flow_walk_run(w);
	}
}

static void find_entries(struct flow *f, uint64_t entry)
{
	struct flow_walk w;

	find_roots(f, entry);
	flow_walk_init(&w, f);
	array_each(const uint32_t, r, &f->roots)
		flow_walk_add(&w, *r);
	flow_walk_run(&w);
	add_unknown(f, &w, false);
	add_unknown(f, &w, true); /* loops without an entry */
	for (uint32_t i = 0; i < f->blocks.count; i++)
		f->blocks.items[i].live = w.seen[i];
	flow_walk_fini(&w);
}

struct flow *flow_new(struct module *m, const struct flow_ranges *code)
{
	struct flow *f = base_alloc(1, sizeof(*f));

	f->whole = true;
	take_ranges(f, code);
	array_each(const struct module_range, r, &f->ranges)
		decode_range(f, m, r);
	mark_targets(f);
	array_each(const struct module_range, r, &f->ranges)
		mark_pads(f, m, r);
	make_blocks(f);
	connect_blocks(f);
	if (f->blocks.count)
		find_entries(f, code->items[0].low);
	return f;
}

void flow_free(struct flow *f)
{
	if (!f)
		return;
	array_fini(&f->ranges);
	array_fini(&f->insns);
	array_fini(&f->blocks);
	array_fini(&f->roots);
	array_fini(&f->unknown);
	base_free(f);
}

/* ---- queries without a walk ----------------------------------------------------------------- */

static void add_exits(const struct flow *f, const struct flow_insn *in,
		      const struct flow_ranges *code, struct flow_offsets *out)
{
	uint64_t next = in->offset + in->length;

	if (in->flow == ARCH_FLOW_RETURN || in->flow == ARCH_FLOW_JUMP_INDIRECT || jumps_out(f, in))
		*array_add(out) = in->offset;
	else if (flow_has_target(in) && !flow_in_ranges(code, in->target))
		*array_add(out) = in->target;
	if (flow_falls_through(in) && !flow_in_ranges(code, next) && flow_is_insn(f, next))
		*array_add(out) = next;
}

int flow_by_offset(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void flow_exits(const struct flow *f, const struct flow_ranges *code, struct flow_offsets *out)
{
	size_t kept = 0;

	array_each(const struct module_range, r, code)
		for (size_t i = array_below(&f->insns, offset, r->low);
		     i < f->insns.count && f->insns.items[i].offset < r->high; i++)
			if (f->blocks.items[f->insns.items[i].block].live)
				add_exits(f, &f->insns.items[i], code, out);
	array_sort(out, flow_by_offset);
	for (size_t i = 0; i < out->count; i++)
		if (!kept || out->items[kept - 1] != out->items[i])
			out->items[kept++] = out->items[i];
	out->count = kept;
}

void flow_returns(const struct flow *f, struct flow_returns *out)
{
	array_each(const struct flow_insn, in, &f->insns) {
		bool indirect = in->flow == ARCH_FLOW_JUMP_INDIRECT, tail = jumps_out(f, in);

		if (!f->blocks.items[in->block].live)
			continue;
		if (in->flow == ARCH_FLOW_RETURN || indirect || tail)
			*array_add(out) = (struct flow_return){
				.offset = in->offset,
				.tail = indirect || tail,
				.check_target = indirect || in->flow == ARCH_FLOW_BRANCH,
			};
	}
}

bool flow_is_jump(const struct flow *f, uint64_t offset)
{
	uint32_t insn = flow_find(f, offset);

	return insn != FLOW_NONE && f->insns.items[insn].flow == ARCH_FLOW_JUMP;
}

bool flow_is_branch(const struct flow *f, uint64_t offset, uint64_t *next)
{
	uint32_t insn = flow_find(f, offset);

	if (insn == FLOW_NONE || f->insns.items[insn].flow != ARCH_FLOW_BRANCH)
		return false;
	*next = offset + f->insns.items[insn].length;
	return true;
}

bool flow_branches_to(const struct flow *f, uint64_t from, uint64_t to)
{
	uint32_t insn = flow_find(f, from);

	for (uint32_t i = insn; insn != FLOW_NONE && i < f->insns.count; i++) {
		const struct flow_insn *in = &f->insns.items[i];

		if (in->offset >= to)
			break;
		if (in->flow == ARCH_FLOW_BRANCH && in->target == to)
			return true;
	}
	return false;
}

size_t flow_calls(const struct flow *f, uint64_t from, uint64_t to)
{
	uint32_t insn = flow_find(f, from);
	size_t n = 0;

	for (uint32_t i = insn; insn != FLOW_NONE && i < f->insns.count; i++)
		n += f->insns.items[i].offset < to && flow_is_call(&f->insns.items[i]);
	return n;
}

bool flow_has_table(const struct flow *f)
{
	return f->has_indirect;
}

bool flow_is_whole(const struct flow *f)
{
	return f->whole;
}

bool flow_falls_into(const struct flow *f, uint64_t offset)
{
	uint32_t insn = flow_find(f, offset);
	const struct flow_insn *before;

	if (insn == FLOW_NONE || !insn)
		return false;
	before = &f->insns.items[insn - 1];
	return before->offset + before->length == offset && flow_falls_through(before) &&
	       !f->blocks.items[before->block].padding;
}

bool flow_is_join(const struct flow *f, uint64_t offset)
{
	uint32_t insn = flow_find(f, offset);
	const struct flow_insn *before;

	if (insn == FLOW_NONE)
		return true;
	before = insn ? &f->insns.items[insn - 1] : NULL;
	if (!before || before->offset + before->length != offset || ends_block(before) ||
	    f->blocks.items[before->block].padding)
		return false;
	if (f->insns.items[insn].jumps)
		return true;
	array_each(const uint32_t, u, &f->unknown)
		if (f->blocks.items[*u].first == insn)
			return true;
	return false;
}

bool flow_is_jumped_to(const struct flow *f, uint64_t offset)
{
	uint32_t insn = flow_find(f, offset);

	return insn != FLOW_NONE && (f->insns.items[insn].jumps || f->insns.items[insn].is_pad);
}

void flow_jumps_to(const struct flow *f, uint64_t offset, struct flow_offsets *out)
{
	array_each(const struct flow_insn, in, &f->insns)
		if (flow_has_target(in) && in->target == offset)
			*array_add(out) = in->offset;
}

/* True if exactly one path without jumps leads from `from` to `to`; *calls is set to its number of
   calls. A cold part, a range of its own, does not continue in the next range. */
static bool runs_on(const struct flow *f, uint64_t from, uint64_t to, size_t *calls)
{
	uint32_t i = flow_find(f, from);
	uint64_t next = from;

	*calls = 0;
	if (i == FLOW_NONE || from > to)
		return false;
	for (; i < f->insns.count; i++) {
		const struct flow_insn *in = &f->insns.items[i];

		if (in->offset != next || (in->offset != from && in->jumps))
			return false;
		next = in->offset + in->length;
		if (in->offset == to)
			return true;
		if (flow_is_call(in))
			++*calls;
		else if (in->flow != ARCH_FLOW_NEXT)
			return false;
	}
	return false;
}

bool flow_is_straight(const struct flow *f, uint64_t from, uint64_t to)
{
	size_t calls;

	return runs_on(f, from, to, &calls) && calls == 0;
}

bool flow_only_calls(const struct flow *f, uint64_t from, uint64_t to)
{
	size_t calls;

	return runs_on(f, from, to, &calls) && calls > 0;
}
