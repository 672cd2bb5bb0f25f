/* Where an inlined copy of a function begins, so that each call of it is one arrival. */
#include "tracer/source/resolve_marks.h"
#include "tracer/arch/arch.h"

struct copy_entry {
	struct resolver *r;
	const struct instance *instance;
	struct flow *flow;
	struct line_unit *lines; /* or NULL */
	struct flow_ways *out;
};

/* gcc may say that a copy is entered behind its first call: at an instruction that belongs to what
   was computed for the copy. Where control runs straight on from the copy's first code to there, the
   copy has begun with it. */
static uint64_t before_calls(struct scope_ref copy, const struct flow *flow, uint64_t entry)
{
	uint64_t first = entry;

	for (uint32_t i = 0; i < copy.scope->range_count; i++) {
		uint64_t low = copy.unit->ranges.items[copy.scope->first_range + i].low;

		if (low < first && flow_only_calls(flow, low, entry))
			first = low;
	}
	return first;
}

/* False also where its text cannot be read. */
static int begins_with_loop(const struct copy_entry *w, bool *out)
{
	struct die_table *t = dies_table(w->instance->module, w->r->err);
	const struct source_file *text;
	struct function f;

	*out = false;
	if (!t || function_read(t, w->instance->scope, &f, w->r->err) < 0)
		return -1;
	text = f.file ? lines_source(w->r->symbols, f.file) : NULL;
	*out = text && source_begins_with_loop(text, f.line);
	return 0;
}

/* A loop that the function begins with comes there again in each round; one that it is called in calls it in each. */
static int add_entry(const struct copy_entry *w, uint64_t one)
{
	const struct scope_ref copy = w->instance->scope;
	struct flow_ways ways = {0};
	bool loop = false;
	int answer = 0;

	if (flow_ways_to_loop(w->flow, copy.unit->ranges.items + copy.scope->first_range,
			      copy.scope->range_count, one, &ways))
		answer = begins_with_loop(w, &loop);
	if (!loop)
		*array_add(w->out) = (struct flow_way){one, false, one};
	for (size_t i = 0; loop && i < ways.count; i++)
		*array_add(w->out) = ways.items[i];
	array_fini(&ways);
	return answer;
}

/* Do two addresses begin the same statement? */
static bool begin_alike(const struct line_unit *l, uint64_t one, uint64_t other)
{
	const struct line_row *end_one = NULL, *end_other = NULL,
			      *a = l ? line_rows_at(l, one, &end_one) : NULL,
			      *first = l ? line_rows_at(l, other, &end_other) : NULL;

	for (; a && a < end_one && a->offset == one; a++)
		for (const struct line_row *b = first;
		     a->is_stmt && b && b < end_other && b->offset == other; b++)
			if (b->is_stmt && row_is_same(a, b))
				return true;
	return false;
}

/* Does control leave the copy from there without having done anything? What was taken out of a loop does so. */
static bool does_nothing(const struct copy_entry *w, uint64_t one)
{
	const struct scope_ref copy = w->instance->scope;
	const struct module_range *ranges = copy.unit->ranges.items + copy.scope->first_range;
	const struct arch_regs none = {0};
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_access access;
	struct arch_insn in;

	while (flow_in_ranges(ranges, copy.scope->range_count, one)) {
		size_t n = module_bytes(w->instance->module, one, bytes, sizeof(bytes));

		if (arch_decode(bytes, n, one, &in) < 0 || in.flow != ARCH_FLOW_NEXT ||
		    arch_access(bytes, n, one, &none, NULL, &access) == 0)
			return in.flow == ARCH_FLOW_JUMP &&
			       !flow_in_ranges(ranges, copy.scope->range_count, in.target);
		one += in.length;
	}
	return true;
}

/* clang lets a copy that a function begins with have its prologue, too. */
static uint64_t own_entry(const struct copy_entry *w, uint64_t entry)
{
	const struct scope_ref copy = w->instance->scope, outer = function_outermost(copy);
	uint64_t behind;

	if (!w->lines || entry != scope_entry(outer))
		return entry;
	behind = entry_behind_prologue(w->r, w->instance->module, outer, w->flow);
	return dies_covers(copy.unit, copy.scope, behind) ? behind : entry;
}

/* Where control may come into the copy. clang has one for all rounds of a loop that it has unrolled. */
static void copy_entries(const struct copy_entry *w, uint64_t entry, struct flow_offsets *out)
{
	const struct scope_ref copy = w->instance->scope;
	const struct module_range *ranges = copy.unit->ranges.items + copy.scope->first_range;

	flow_copy_entries(w->flow, ranges, copy.scope->range_count, entry, out);
	for (uint32_t i = 1; !copy.unit->is_gcc && i < copy.scope->range_count; i++) {
		bool known = false;

		array_each(const uint64_t, one, out)
			known = known || *one == ranges[i].low;
		if (!known && begin_alike(w->lines, own_entry(w, entry), ranges[i].low))
			*array_add(out) = ranges[i].low;
	}
}

/*
 * The debug information tells one entry of a copy, though the compiler may have made several beginnings of it: rounds of a loop, ways of a
 * condition. Of the others those are none where it does not begin; all are where what it tells was only taken out of a loop.
 */
int inlined_entries(struct resolver *r, const struct instance *copy, struct flow *flow,
		    struct line_unit *lines, struct flow_ways *out)
{
	const struct copy_entry w = {r, copy, flow, lines, out};
	uint64_t entry = scope_entry(copy->scope), own = own_entry(&w, entry);
	struct flow_offsets all = {0};
	bool known = false;
	int answer = 0;

	copy_entries(&w, entry, &all);
	array_each(const uint64_t, one, &all)
		known = known || *one == entry;
	for (size_t i = 0; i < all.count && answer == 0; i++) {
		uint64_t one = all.items[i];

		if (one != entry && one != own &&
		    (known ? begin_alike(lines, own, one) : !does_nothing(&w, one)))
			answer = add_entry(&w, one);
	}
	if (answer == 0 && (known || !out->count))
		answer = add_entry(&w, own == entry ? before_calls(copy->scope, flow, entry) : own);
	array_fini(&all);
	return answer;
}
