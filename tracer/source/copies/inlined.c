/* Where an inlined copy of a function begins, so that each call of it is one arrival. */
#include "tracer/arch/arch.h"
#include "tracer/source/copies/copy.h"

struct copy_entry {
	struct resolver *r;
	const struct instance *instance;
	struct flow *flow;
	struct line_unit *lines; /* or NULL */
	struct flow_ranges code;
	struct flow_ways *out;
};

/* Does the copy's code between the two addresses write memory that others can see? */
static bool writes_between(const struct copy_entry *w, uint64_t from, uint64_t to)
{
	struct arch_insn in;
	struct arch_deed deed;

	array_each(const struct module_range, piece, &w->code)
		for (uint64_t at = piece->low > from ? piece->low : from;
		     at < to && at < piece->high; at += deed.length) {
			if (!flow_decode(w->instance->module, at, &in, &deed))
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
static uint64_t before_deeds(const struct copy_entry *w, uint64_t entry)
{
	uint64_t first = entry;

	array_each(const struct module_range, piece, &w->code)
		if (piece->low < first && (flow_only_calls(w->flow, piece->low, entry) ||
					   (flow_is_straight(w->flow, piece->low, entry) &&
					    writes_between(w, piece->low, entry))))
			first = piece->low;
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
static bool is_own_loop(const struct copy_entry *w, uint64_t one)
{
	const struct source_file *text;
	struct function f;

	resolve_function(w->r, w->instance->module, w->instance->scope, &f);
	text = f.file ? lines_source(w->r->symbols, f.file) : NULL;
	return w->lines && text && is_line_in_loop(w->lines, text, &f, one);
}

/* A loop that the function begins with comes there again in each round; one that it is called in calls it in each. */
static void add_copy_entry(const struct copy_entry *w, uint64_t one)
{
	struct flow_ways ways = {0};

	if (flow_ways_to_loop(w->flow, &w->code, one, &ways) && is_own_loop(w, one))
		array_each(const struct flow_way, way, &ways)
			*array_add(w->out) = *way;
	else
		*array_add(w->out) = (struct flow_way){one, false, one};
	array_fini(&ways);
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
	const struct arch_regs none = {0};
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_access access;
	struct arch_insn in;

	while (flow_in_ranges(&w->code, one)) {
		size_t n = module_bytes(w->instance->module, one, bytes, sizeof(bytes));

		if (arch_decode(bytes, n, one, &in) < 0 || in.flow != ARCH_FLOW_NEXT ||
		    arch_access(bytes, n, one, &none, NULL, &access) == 0)
			return in.flow == ARCH_FLOW_JUMP && !flow_in_ranges(&w->code, in.target);
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
static void add_copy_rounds(const struct copy_entry *w, uint64_t own)
{
	for (size_t i = 1; !w->instance->scope.unit->is_gcc && i < w->code.count; i++) {
		uint64_t low = w->code.items[i].low;
		bool found = !begin_alike(w->lines, own, low);

		array_each(const struct flow_way, way, w->out)
			found = found || way->to == low;
		if (!found)
			add_copy_entry(w, low);
	}
}

/*
 * gcc tells the entry of a copy; if not, it is where the copy begins (DWARF 5, 2.18), which may be only what was taken out of a loop. And
 * the compiler may have made several beginnings of one copy: rounds of a loop, ways of a condition.
 */
void inlined_entries(struct resolver *r, const struct instance *copy, struct flow *flow,
		     struct line_unit *lines, struct flow_ways *out)
{
	const struct copy_entry w = {r, copy, flow, lines, scope_code(copy->scope), out};
	const struct scope *s = copy->scope.scope;
	uint64_t entry = scope_entry(copy->scope), own = own_entry(&w, entry);
	bool known = s->has_entry && s->entry == entry;
	struct flow_offsets all = {0};

	flow_copy_entries(flow, &w.code, entry, known, &all);
	array_each(const uint64_t, one, &all)
		known = known || (*one == own && own != entry) ||
			(*one == entry && !does_nothing(&w, entry));
	array_each(const uint64_t, one, &all)
		if (*one != entry && *one != own &&
		    (known ? begin_alike(lines, own, *one) : !does_nothing(&w, *one)))
			add_copy_entry(&w, *one);
	if (known || !out->count)
		add_copy_entry(&w, own == entry ? before_deeds(&w, entry) : own);
	array_fini(&all);
	add_copy_rounds(&w, own);
}
