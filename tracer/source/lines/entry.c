/* Sites of entries after their prologues, of returns and of plain addresses. */
#include "tracer/source/lines/resolve.h"

#include <inttypes.h>
#include <string.h>

void site_describe(struct resolver *r, struct source_site *site, struct scope_ref scope)
{
	struct die_table *t = dies_table(site->module, r->err);
	const struct elf_symbol *symbol;
	struct function f;

	if (t && !scope.scope) {
		symbol = module_symbol_at(site->module, site->offset, true);
		site->function = symbol ? dies_keep(t, names_of_symbol(symbol->name)) : NULL;
	}
	if (!resolve_function(r, site->module, scope, &f))
		return;
	site->function = f.name;
	site->scope = scope.scope->offset;
	if (scope.scope->kind == SCOPE_INLINED &&
	    resolve_function(r, site->module, function_outermost(scope), &f))
		site->inlined_into = f.name;
}

/* ---- rows at an address --------------------------------------------------------------------- */

const struct line_row *line_rows_at(const struct line_unit *l, uint64_t offset,
				    const struct line_row **end)
{
	array_each(const struct line_sequence, s, &l->sequences) {
		const struct line_row *rows = l->rows.items + s->first;
		size_t first;

		if (offset < s->low || offset >= s->high)
			continue;
		first = sorted_below(rows, s->count, offset, offset, false);
		*end = rows + s->count;
		return first < s->count && rows[first].offset == offset ? rows + first : NULL;
	}
	return NULL;
}

/* Returns the end of the prologue: clang marks it (prologue_end), gcc's is at the second row. The
   entry if a jump or call is between. */
static uint64_t behind_prologue(const struct line_unit *l, const struct flow *flow, uint64_t entry,
				uint64_t high)
{
	const struct line_row *end, *first = line_rows_at(l, entry, &end);
	uint64_t candidate = entry;

	if (!first)
		return entry;
	for (const struct line_row *row = first; row < end && row->offset < high; row++) {
		if (row->prologue_end) {
			candidate = row->offset;
			break;
		}
	}
	if (candidate == entry && !first->prologue_end && first + 1 < end &&
	    !first[1].end_sequence && first[1].offset < high)
		candidate = first[1].offset;
	return candidate == entry || flow_is_straight(flow, entry, candidate) ? candidate : entry;
}

uint64_t entry_behind_prologue(struct resolver *r, struct module *m, struct scope_ref f,
			       const struct flow *flow)
{
	struct line_unit *l = unit_lines(r, m, f.unit);
	uint64_t entry = scope_entry(f);

	return entry == UINT64_MAX || !l
		       ? entry
		       : behind_prologue(l, flow, entry, scope_code(f).items[0].high);
}

/* ---- one entry ------------------------------------------------------------------------------ */

/* Sets the site's ranges to the code of its line, for `after`. */
static void entry_range(const struct line_unit *l, struct source_site *site)
{
	const struct line_row *end = NULL, *row = l ? line_rows_at(l, site->offset, &end) : NULL;
	struct module_range range = {site->offset, site->offset + 1};
	const struct line_row *here;

	while (row && row + 1 < end && row[1].offset == site->offset)
		row++;
	for (here = row; row && row + 1 < end; row++) {
		if (row->line && (row->line != here->line || row->file != here->file))
			break;
		range.high = row[1].offset;
	}
	*array_add(&site->ranges) = range;
}

/* Sets the site's ranges to all code of an inlined copy, for `after`, with gaps that control passes
   in a straight line. A call ends where another one begins. */
static void copy_range(const struct flow *flow, struct scope_ref copy, const struct flow_ways *ways,
		       struct source_site *site)
{
	const struct flow_ranges code = scope_code(copy);

	flow_add_ranges(&site->ranges, &code);
	for (size_t i = 0; i + 1 < code.count; i++) {
		struct module_range gap = {code.items[i].high, code.items[i + 1].low};

		if (gap.low < gap.high && flow_is_straight(flow, gap.low, gap.high))
			*array_add(&site->ranges) = gap;
	}
	array_each(const struct flow_way, way, ways)
		if (way->to != site->offset)
			*array_add(&site->exits) = way->to;
}

static void entry_line(struct line_unit *l, struct source_site *site)
{
	const struct line_row *row = l ? lines_row_at(l, site->offset) : NULL;

	if (!row)
		return;
	site->line = row->line;
	site->file = lines_file(l, row->file);
}

static void finish_entry(struct resolver *r, struct source_site *site, struct flow *flow,
			 struct line_unit *l, struct scope_ref scope)
{
	entry_line(l, site);
	if (!site->ranges.count)
		entry_range(l, site);
	flow_exits(flow, &site->ranges, &site->exits);
	site->closed = flow_is_closed(flow, &site->ranges,
				      &(struct flow_offsets){&site->offset, 1, 1}, &site->exits);
	site_describe(r, site, scope);
}

/* Names the function by its symbol, which users know: malloc, not __libc_malloc. */
static void name_by_symbol(struct resolver *r, const struct instance *i, struct source_site *site)
{
	struct die_table *t = dies_table(i->module, r->err);

	if (t && i->symbol)
		site->function = dies_keep(t, names_of_symbol(i->symbol->name));
}

/* Takes the line from the call site if an inlined copy begins at the function's entry: the row
   there belongs to the inlined function. */
static void entry_own_line(struct resolver *r, struct line_unit *l, struct source_site *site,
			   struct scope_ref scope)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	int count = resolve_stack(r, site->module, site->offset, stack);

	for (int i = 1; l && i < count; i++) {
		const struct scope *copy = stack[i - 1].scope;

		if (stack[i].scope != scope.scope || copy->kind != SCOPE_INLINED ||
		    !copy->call_line || copy->call_file == FILE_NONE)
			continue;
		site->line = copy->call_line;
		site->file = lines_file(l, lines_file_index(l, copy->call_file));
	}
}

/* Describes the site by the place that the path leads to. */
static void add_way(struct resolver *r, const struct instance *i, struct flow *flow,
		    struct line_unit *lines, const struct flow_ways *ways,
		    const struct flow_way *way, struct source_sites *out)
{
	struct source_site *site = array_add(out);
	bool is_copy = i->scope.scope->kind == SCOPE_INLINED;

	site->kind = SOURCE_ENTRY;
	site->module = i->module;
	site->offset = way->to;
	if (is_copy)
		copy_range(flow, i->scope, ways, site);
	finish_entry(r, site, flow, lines, i->scope);
	entry_own_line(r, lines, site, i->scope);
	site->offset = way->offset;
	site->closed = site->closed && !is_copy;
	site->check_target = way->if_taken;
	if (way->offset != way->to)
		site->kind = way->if_taken ? SOURCE_JUMP : SOURCE_BEFORE;
	name_by_symbol(r, i, site);
}

static void scope_entry_sites(struct resolver *r, const struct instance *i,
			      struct source_sites *out)
{
	struct scope_ref outer = function_outermost(i->scope);
	const struct flow_ranges code = scope_code(outer);
	struct line_unit *lines = unit_lines(r, i->module, i->scope.unit);
	uint64_t entry = scope_entry(i->scope);
	struct flow_ways ways = {0};
	struct flow *flow;

	if (!code.count || entry == UINT64_MAX)
		return;
	flow = flow_for(i->module, &code);
	if (i->scope.scope->kind == SCOPE_FUNCTION && lines)
		entry = behind_prologue(lines, flow, entry, code.items[0].high);
	else if (!flow_is_insn(flow, entry) && flow_is_insn(flow, scope_entry(outer)))
		return; /* no instruction begins at the entry: wrong debug information */
	else if (i->scope.scope->kind == SCOPE_INLINED)
		inlined_entries(r, i, flow, lines, &ways);
	if (i->scope.scope->kind != SCOPE_INLINED)
		*array_add(&ways) = (struct flow_way){entry, false, entry};
	array_each(const struct flow_way, way, &ways)
		add_way(r, i, flow, lines, &ways, way, out);
	array_fini(&ways);
}

static void symbol_entry_site(struct resolver *r, const struct instance *i,
			      struct source_sites *out)
{
	struct module_range ranges[2];
	const struct flow_ranges code = symbol_ranges(i->module, i->symbol, ranges);
	struct source_site *site = array_add(out);

	site->kind = SOURCE_ENTRY;
	site->module = i->module;
	site->offset = i->symbol->offset;
	finish_entry(r, site, flow_for(i->module, &code), NULL, (struct scope_ref){0});
}

/* True for foo.part.0, the second part of foo, which foo or an inlined copy of it jumps to.
   Entering it is no call of foo. */
static bool is_part(struct resolver *r, const struct instance *i)
{
	struct die_table *t = dies_table(i->module, r->err);
	struct scope_ref origin;
	const struct elf_symbol *s;
	bool half = false;

	if (!t || !i->scope.scope)
		return false;
	if (i->scope.scope->kind == SCOPE_INLINED)
		return function_is_half(t, i->scope, &half, r->err) == 0 && half;
	if (dies_origin(t, i->scope, &origin, r->err) < 0 || !origin.scope ||
	    origin.scope->declaration) /* checked first: symbols need not be loaded */
		return false;
	s = module_symbol_at(i->module, scope_entry(i->scope), true);
	return s && strstr(s->name, ".part.");
}

/* True if entering the instance is no call: a split part, or a destructor that calls another
   version of it, which is counted there. */
static bool is_left_out(struct resolver *r, const struct instance *i)
{
	return is_part(r, i) || destructor_calls(r, i);
}

void entry_sites(struct resolver *r, const struct location_match *match, struct source_sites *out)
{
	array_each(const struct instance, i, &match->instances) {
		if (match->instances.count > 1 && is_left_out(r, i))
			continue;
		if (i->scope.scope)
			scope_entry_sites(r, i, out);
		else
			symbol_entry_site(r, i, out);
	}
}

/* ---- returns -------------------------------------------------------------------------------- */

static void instance_returns(struct resolver *r, const struct instance *i, struct source_sites *out)
{
	struct module_range of_symbol[2];
	struct flow_returns returns = {0};
	const struct flow_ranges code = i->scope.scope
						? scope_code(i->scope)
						: symbol_ranges(i->module, i->symbol, of_symbol);
	struct line_unit *l = i->scope.scope ? unit_lines(r, i->module, i->scope.unit) : NULL;

	flow_returns(flow_for(i->module, &code), &returns);
	array_each(const struct flow_return, one, &returns) {
		struct source_site *site = array_add(out);

		site->kind = one->tail ? SOURCE_TAIL : SOURCE_RETURN;
		site->module = i->module;
		site->offset = one->offset;
		site->check_target = one->check_target;
		flow_add_ranges(&site->ranges, &code);
		entry_line(l, site);
		site_describe(r, site, i->scope);
		name_by_symbol(r, i, site);
	}
	array_fini(&returns);
}

void return_sites(struct resolver *r, const struct location_match *match, struct source_sites *out)
{
	array_each(const struct instance, i, &match->instances) {
		if (is_left_out(r, i))
			continue;
		if (!i->scope.scope || i->scope.scope->kind == SCOPE_FUNCTION)
			instance_returns(r, i, out);
		else
			out->inlined_skipped++;
	}
	if (out->count || r->err->code)
		return;
	if (!out->inlined_skipped) {
		error_set(r->err, ERROR_LOCATION, "%s: %s never returns", r->location->text,
			  match->name);
		return;
	}
	error_set(r->err, ERROR_LOCATION,
		  "%s: %s was inlined wherever it is called: there is no return to stop at",
		  r->location->text, r->location->name);
	error_hint(r->err, "with { after = true } at %s is the end of each copy",
		   r->location->name);
}

/* ---- *0xADDR -------------------------------------------------------------------------------- */

/* Returns false with r->err set if the address is inside an instruction. */
static bool check_insn(struct resolver *r, struct module *m, const struct flow *flow, uint64_t low)
{
	uint64_t offset = r->location->address, before = offset;

	if (!flow_is_insn(flow, low) || flow_is_insn(flow, offset))
		return true;
	while (before > low && !flow_is_insn(flow, before))
		before--;
	error_set(r->err, ERROR_LOCATION, "%s: no instruction of %s begins at 0x%llx",
		  r->location->text, module_name(m), (unsigned long long)offset);
	error_hint(r->err, "the one that holds it begins at *0x%llx", (unsigned long long)before);
	return false;
}

/* The code around an address, and what holds it. */
struct around {
	struct scope_ref stack[FUNCTIONS_DEEP];
	int depth;
	struct module_range ranges[2];
	struct flow_ranges code;
	struct line_unit *lines; /* may be NULL */
};

static void look_around(struct resolver *r, struct module *m, uint64_t offset, struct around *a)
{
	const struct elf_symbol *symbol = module_symbol_at(m, offset, true);

	*a = (struct around){.ranges = {{offset, offset + 1}}};
	a->depth = resolve_stack(r, m, offset, a->stack);
	a->code = (struct flow_ranges){a->ranges, 1, 1};
	if (a->depth > 0) {
		a->code = scope_code(a->stack[a->depth - 1]);
		a->lines = unit_lines(r, m, a->stack[0].unit);
	} else if (symbol) {
		a->code = symbol_ranges(m, symbol, a->ranges);
	}
}

static void site_around(struct resolver *r, struct module *m, uint64_t offset, unsigned length,
			const struct around *a, struct source_sites *out)
{
	struct source_site *site = array_add(out);
	int at = 0;

	site->kind = SOURCE_STATEMENT;
	site->module = m;
	site->offset = offset;
	if (length)
		*array_add(&site->ranges) = (struct module_range){offset, offset + length};
	/* An inlined copy without ranges has no instruction of its own (merged
	   into its neighbours). */
	while (at + 1 < a->depth && !a->stack[at].scope->range_count)
		at++;
	finish_entry(r, site, flow_for(m, &a->code), a->lines, a->stack[at]);
}

void instruction_site(struct resolver *r, struct module *m, uint64_t offset, unsigned length,
		      struct source_sites *out)
{
	struct around a;

	look_around(r, m, offset, &a);
	site_around(r, m, offset, length, &a, out);
}

/* Returns false with an error if the location's sum is that of another build. */
static bool check_build(struct resolver *r, struct module *m)
{
	const char *wanted = r->location->search;
	STR(sum);

	if (!wanted)
		return true;
	str_addf(&sum, "%08" PRIx32, module_code_sum(m));
	if (strcmp(wanted, str_text(&sum)) == 0)
		return true;
	error_set(r->err, ERROR_LOCATION,
		  "%s: this is an address of another build of %s: the sum of its code is %s here",
		  r->location->text, module_name(m), str_text(&sum));
	error_hint(r->err, "find the address again, by gatectl explore or objdump -dl");
	return false;
}

void address_sites(struct resolver *r, struct module *m, struct source_sites *out)
{
	uint64_t offset = r->location->address;
	struct around a;

	if (!check_build(r, m))
		return;
	if (!module_is_code(m, offset)) {
		error_set(r->err, ERROR_LOCATION, "%s: 0x%llx is not in the code of %s",
			  r->location->text, (unsigned long long)offset, module_name(m));
		return;
	}
	look_around(r, m, offset, &a);
	if (check_insn(r, m, flow_for(m, &a.code), a.code.items[0].low))
		site_around(r, m, offset, 0, &a, out);
}
