/* Finds the entries of an inlined copy of a function, so that each call is one arrival. */
#include "tracer/arch/arch.h"
#include "tracer/source/copies/copy.h"

struct copy_entry {
	struct resolver *r;
	const struct instance *instance;
	struct flow *flow;
	struct line_unit *lines; /* NULL if unknown */
	struct flow_ranges code;
	struct flow_ways *out;
};

/* True if the copy's code between the addresses writes memory outside of the stack. */
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
 * gcc may place the entry of a copy after its first call, or after its first write, which was moved
 * before a statement of the caller. If control runs straight from the copy's first code to the
 * entry, that code is the entry: a thread held there has not written anything.
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

/* True if a row at the address, or at the next row with a line, is in a loop of the function. */
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

/* True if a loop of the function's own text begins at the offset. False if
   the text cannot be read. */
static bool is_own_loop(const struct copy_entry *w, uint64_t one)
{
	const struct source_file *text;
	struct function f;

	resolve_function(w->r, w->instance->module, w->instance->scope, &f);
	text = f.file ? lines_source(w->r->symbols, f.file) : NULL;
	return w->lines && text && is_line_in_loop(w->lines, text, &f, one);
}

/* Adds an entry. A loop that begins the function returns to the offset in each iteration; a loop
   around the call calls the function in each. */
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

/* True if the same statement begins at both addresses. */
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

/* True if control leaves the copy without any effect, as code hoisted out of a loop does. */
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

/* Moves the entry of a copy after the prologue of the enclosing function, or after nops that
   align a loop (clang). */
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

/* Adds an entry for each iteration of a loop that clang unrolled: all are in one copy. */
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
 * gcc gives the entry of a copy. Otherwise it is the lowest address (DWARF 5 2.18), possibly
 * code hoisted out of a loop. A copy may also have several entries: iterations of a loop,
 * branches of a condition.
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
