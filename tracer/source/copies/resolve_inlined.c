/* Where an inlined copy of a function begins, so that each call of it is one arrival. */
#include "tracer/source/copies/resolve_marks.h"
#include "tracer/arch/arch.h"

struct copy_entry {
	struct resolver *r;
	const struct instance *instance;
	struct flow *flow;
	struct line_unit *lines; /* or NULL */
	struct flow_ways *out;
};

/* Does the copy's code between the two addresses write memory that others can see? */
static bool writes_between(const struct instance *copy, uint64_t from, uint64_t to)
{
	const struct scope *s = copy->scope.scope;
	const struct module_range *pieces = copy->scope.unit->ranges.items + s->first_range;
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_deed deed;

	for (uint32_t i = 0; i < s->range_count; i++)
		for (uint64_t at = pieces[i].low > from ? pieces[i].low : from;
		     at < to && at < pieces[i].high; at += deed.length) {
			size_t n = module_bytes(copy->module, at, bytes, sizeof(bytes));

			if (arch_deed(bytes, n, at, &deed) < 0)
				return false;
			if (deed.written && !deed.on_stack)
				return true;
		}
	return false;
}

/*
 * gcc may say that a copy is entered behind its first call, at an instruction that belongs to what was computed for the copy;
 * and behind what the copy writes, where that was moved before a statement of the caller's. Where control runs straight on from the
 * copy's first code to there, the copy has begun with it: who is held there is to have written nothing.
 */
static uint64_t before_deeds(const struct instance *copy, const struct flow *flow, uint64_t entry)
{
	const struct scope_ref c = copy->scope;
	uint64_t first = entry;

	for (uint32_t i = 0; i < c.scope->range_count; i++) {
		uint64_t low = c.unit->ranges.items[c.scope->first_range + i].low;

		if (low < first &&
		    (flow_only_calls(flow, low, entry) ||
		     (flow_is_straight(flow, low, entry) && writes_between(copy, low, entry))))
			first = low;
	}
	return first;
}

/* Is one of the rows at the address, or at the first one behind it that has a line, in a loop of the function? */
static bool is_line_in_loop(struct line_unit *l, const struct source_file *text,
			    const struct function *f, uint64_t one)
{
	const struct line_row *end = NULL, *row = line_rows_at(l, one, &end);
	uint64_t at = UINT64_MAX;

	for (; row && row < end && (at == UINT64_MAX || row->offset == at); row++) {
		if (!row->line)
			continue;
		at = row->offset;
		if (row->line >= f->line && function_same_file(lines_file(l, row->file), f->file) &&
		    source_in_loop(text, f->line, row->line))
			return true;
	}
	return false;
}

/* Does a loop of the function's own begin there, as its text says? False also where that cannot be read. */
static int is_own_loop(const struct copy_entry *w, uint64_t one, bool *out)
{
	struct die_table *t = dies_table(w->instance->module, w->r->err);
	const struct source_file *text;
	struct function f;

	*out = false;
	if (!t || function_read(t, w->instance->scope, &f, w->r->err) < 0)
		return -1;
	text = f.file ? lines_source(w->r->symbols, f.file) : NULL;
	*out = w->lines && text && is_line_in_loop(w->lines, text, &f, one);
	return 0;
}

/* A loop that the function begins with comes there again in each round; one that it is called in calls it in each. */
static int resolve_inlined_add_entry(const struct copy_entry *w, uint64_t one)
{
	const struct scope_ref copy = w->instance->scope;
	struct flow_ways ways = {0};
	bool loop = false;
	int answer = 0;

	if (flow_ways_to_loop(w->flow, copy.unit->ranges.items + copy.scope->first_range,
			      copy.scope->range_count, one, &ways))
		answer = is_own_loop(w, one, &loop);
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

/* clang lets a copy begin with the prologue of the function around it, or with nops that align a loop. */
static uint64_t own_entry(const struct copy_entry *w, uint64_t entry)
{
	const struct scope_ref copy = w->instance->scope, outer = function_outermost(copy);
	const struct line_row *row;
	uint64_t behind = entry;

	if (!w->lines)
		return entry;
	row = lines_row_at(w->lines, entry);
	if (entry == scope_entry(outer))
		behind = entry_behind_prologue(w->r, w->instance->module, outer, w->flow);
	else if (row && row->offset < entry && !row->end_sequence && !copy.unit->is_gcc)
		behind = row[1].offset;
	return dies_covers(copy.unit, copy.scope, behind) ? behind : entry;
}

/* All rounds of a loop that clang has unrolled are in one copy. */
static int add_rounds(const struct copy_entry *w, uint64_t own)
{
	const struct scope_ref copy = w->instance->scope;
	int answer = 0;

	for (uint32_t i = 1; !copy.unit->is_gcc && i < copy.scope->range_count && !answer; i++) {
		uint64_t low = copy.unit->ranges.items[copy.scope->first_range + i].low;
		bool found = !begin_alike(w->lines, own, low);

		array_each(const struct flow_way, way, w->out)
			found = found || way->to == low;
		if (!found)
			answer = resolve_inlined_add_entry(w, low);
	}
	return answer;
}

/*
 * gcc tells the entry of a copy; if not, it is where the copy begins (DWARF 5, 2.18), which may be only what was taken out of a loop. And
 * the compiler may have made several beginnings of one copy: rounds of a loop, ways of a condition.
 */
int inlined_entries(struct resolver *r, const struct instance *copy, struct flow *flow,
		    struct line_unit *lines, struct flow_ways *out)
{
	const struct copy_entry w = {r, copy, flow, lines, out};
	const struct scope *s = copy->scope.scope;
	uint64_t entry = scope_entry(copy->scope), own = own_entry(&w, entry);
	bool known = s->has_entry && s->entry == entry;
	struct flow_offsets all = {0};
	int answer = 0;

	flow_copy_entries(flow, copy->scope.unit->ranges.items + s->first_range, s->range_count,
			  entry, known, &all);
	array_each(const uint64_t, one, &all)
		known = known || (*one == own && own != entry) ||
			(*one == entry && !does_nothing(&w, entry));
	for (size_t i = 0; i < all.count && answer == 0; i++) {
		uint64_t one = all.items[i];

		if (one != entry && one != own &&
		    (known ? begin_alike(lines, own, one) : !does_nothing(&w, one)))
			answer = resolve_inlined_add_entry(&w, one);
	}
	if (answer == 0 && (known || !out->count))
		answer = resolve_inlined_add_entry(
			&w, own == entry ? before_deeds(copy, flow, entry) : own);
	array_fini(&all);
	return answer < 0 ? -1 : add_rounds(&w, own);
}
