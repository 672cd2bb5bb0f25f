/* Entries behind prologues, returns, and plain addresses. */
#include "tracer/source/lines/resolve.h"

#include <string.h>

int unit_lines(struct resolver *r, struct module *m, const struct die_unit *u,
	       struct line_unit **out)
{
	struct line_table *lines = lines_units(m, r->err);

	*out = NULL;
	if (!lines)
		return -1;
	if (u->has_stmt_list)
		*out = lines_unit_at(lines, u->stmt_list);
	return *out ? lines_decode(m, *out, r->err) : 0;
}

uint64_t scope_entry(struct scope_ref scope)
{
	const struct die_unit *u = scope.unit;
	const struct scope *s = scope.scope;
	struct scope_ref outer = function_outermost(scope);
	uint64_t lowest = UINT64_MAX;

	/* Where a copy's code was moved elsewhere, it is still entered here. */
	if (s->has_entry && outer.scope && dies_covers(outer.unit, outer.scope, s->entry))
		return s->entry;
	for (uint32_t i = 0; i < s->range_count; i++) {
		uint64_t low = u->ranges.items[s->first_range + i].low;

		/* A function's first range holds its entry, whatever address its cold part has. */
		if (s->kind == SCOPE_FUNCTION)
			return low;
		if (low < lowest)
			lowest = low;
	}
	return lowest;
}

/* A readable name without arguments. */
static char *symbol_name(const struct elf_symbol *s)
{
	char *full = source_demangle(s->name), *name;

	if (strcmp(full, s->name) == 0)
		return full;
	name = names_without_args(full);
	base_free(full);
	return name;
}

int site_describe(struct resolver *r, struct source_site *site, struct scope_ref scope)
{
	struct die_table *t = dies_table(site->module, r->err);
	const struct elf_symbol *symbol;
	struct function f;

	if (!t)
		return -1;
	if (!scope.scope) {
		symbol = module_symbol_at(site->module, site->offset, true);
		site->function = symbol ? dies_keep(t, symbol_name(symbol)) : NULL;
		return 0;
	}
	if (function_read(t, scope, &f, r->err) < 0)
		return -1;
	site->function = f.name;
	site->scope = scope.scope->offset;
	if (scope.scope->kind != SCOPE_INLINED)
		return 0;
	scope = function_outermost(scope);
	if (!scope.scope)
		return 0;
	if (function_read(t, scope, &f, r->err) < 0)
		return -1;
	site->inlined_into = f.name;
	return 0;
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

/* Where the prologue ends: clang marks it; of gcc it is the second row. */
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
	uint64_t entry = scope_entry(f);
	struct line_unit *l;

	if (entry == UINT64_MAX || unit_lines(r, m, f.unit, &l) < 0 || !l)
		return entry;
	return behind_prologue(l, flow, entry, f.unit->ranges.items[f.scope->first_range].high);
}

/* ---- one entry ------------------------------------------------------------------------------ */

/* The code of the line that begins at the site, for `after`. */
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

static void entry_line(struct line_unit *l, struct source_site *site)
{
	const struct line_row *row = l ? lines_row_at(l, site->offset) : NULL;

	if (!row)
		return;
	site->line = row->line;
	site->file = lines_file(l, row->file);
}

static int finish_entry(struct resolver *r, struct source_site *site, struct flow *flow,
			struct line_unit *l, struct scope_ref scope)
{
	entry_line(l, site);
	entry_range(l, site);
	flow_exits(flow, site->ranges.items, site->ranges.count, &site->exits.items,
		   &site->exits.count, &site->exits.capacity);
	site->closed = flow_is_closed(flow, site->ranges.items, site->ranges.count, &site->offset,
				      1, site->exits.items, site->exits.count);
	return site_describe(r, site, scope);
}

/* The tester knows it by the name of the symbol: malloc, not __libc_malloc. */
static int name_by_symbol(struct resolver *r, const struct instance *i, struct source_site *site)
{
	struct die_table *t = dies_table(i->module, r->err);

	if (t && i->symbol)
		site->function = dies_keep(t, symbol_name(i->symbol));
	return t ? 0 : -1;
}

/* Code may begin with a copy of another function, the row there is that one's: the place of its call is
   this function's own. */
static int entry_own_line(struct resolver *r, struct line_unit *l, struct source_site *site,
			  struct scope_ref scope)
{
	struct die_table *t = dies_table(site->module, r->err);
	struct scope_ref stack[FUNCTIONS_DEEP];
	int count = t ? functions_stack(t, site->offset, stack, r->err) : -1;

	for (int i = 1; l && i < count; i++) {
		const struct scope *copy = stack[i - 1].scope;

		if (stack[i].scope != scope.scope || copy->kind != SCOPE_INLINED ||
		    !copy->call_line || copy->call_file == FILE_NONE)
			continue;
		site->line = copy->call_line;
		site->file = lines_file(l, lines_file_index(l, copy->call_file));
	}
	return count < 0 ? -1 : 0;
}

struct entry_work {
	struct resolver *r;
	const struct instance *instance;
	struct flow *flow;
	struct line_unit *lines; /* or NULL */
	struct source_sites *out;
};

/* What is there is said of where it leads. */
static int add_way(const struct entry_work *w, const struct flow_way *way)
{
	struct source_site *site = array_add(w->out);

	site->kind = SOURCE_ENTRY;
	site->module = w->instance->module;
	site->offset = way->to;
	if (finish_entry(w->r, site, w->flow, w->lines, w->instance->scope) < 0 ||
	    entry_own_line(w->r, w->lines, site, w->instance->scope) < 0)
		return -1;
	site->offset = way->offset;
	site->closed = site->closed && way->offset == way->to;
	site->check_target = way->if_taken;
	if (way->offset != way->to)
		site->kind = way->if_taken ? SOURCE_JUMP : SOURCE_BEFORE;
	return name_by_symbol(w->r, w->instance, site);
}

static int add_copy(const struct entry_work *w)
{
	struct flow_ways ways = {0};
	int answer = inlined_entries(w->r, w->instance, w->flow, w->lines, &ways);

	for (size_t i = 0; i < ways.count && answer == 0; i++)
		answer = add_way(w, &ways.items[i]);
	array_fini(&ways);
	return answer;
}

static int scope_entry_sites(struct resolver *r, const struct instance *i, struct source_sites *out)
{
	struct die_unit *u = i->scope.unit;
	struct scope_ref outer = function_outermost(i->scope);
	struct entry_work w = {.r = r, .instance = i, .out = out};
	uint64_t entry = scope_entry(i->scope);

	if (!outer.scope || !outer.scope->range_count || entry == UINT64_MAX)
		return 0;
	if (unit_lines(r, i->module, u, &w.lines) < 0)
		return -1;
	w.flow = flow_for(i->module, u->ranges.items + outer.scope->first_range,
			  outer.scope->range_count);
	if (i->scope.scope->kind == SCOPE_FUNCTION && w.lines) {
		const struct module_range *first = &u->ranges.items[outer.scope->first_range];

		entry = behind_prologue(w.lines, w.flow, entry, first->high);
	} else if (!flow_is_insn(w.flow, entry) && flow_is_insn(w.flow, scope_entry(outer))) {
		return 0; /* no instruction begins there: the debug information is wrong */
	} else if (i->scope.scope->kind == SCOPE_INLINED) {
		return add_copy(&w);
	}
	return add_way(&w, &(struct flow_way){entry, false, entry});
}

static int symbol_entry_site(struct resolver *r, const struct instance *i, struct source_sites *out)
{
	struct module_range ranges[2];
	struct source_site *site = array_add(out);
	size_t count;

	symbol_ranges(i->module, i->symbol, ranges, &count);
	site->kind = SOURCE_ENTRY;
	site->module = i->module;
	site->offset = i->symbol->offset;
	return finish_entry(r, site, flow_for(i->module, ranges, count), NULL,
			    (struct scope_ref){0});
}

/* foo.part.0 is what foo, or a copy of it, goes on to: it is no call of foo. */
static int is_part(struct resolver *r, const struct instance *i, bool *out)
{
	struct die_table *t = dies_table(i->module, r->err);
	struct scope_ref origin;
	const struct elf_symbol *s;

	*out = false;
	if (!t)
		return -1;
	if (!i->scope.scope)
		return 0;
	if (i->scope.scope->kind == SCOPE_INLINED)
		return function_is_half(t, i->scope, out, r->err);
	if (dies_origin(t, i->scope, &origin, r->err) < 0)
		return -1;
	if (!origin.scope || origin.scope->declaration) /* and the symbols need not be read */
		return 0;
	s = module_symbol_at(i->module, scope_entry(i->scope), true);
	*out = s && strstr(s->name, ".part.");
	return 0;
}

/* A destructor that calls another version of it: that one's calls are those of the destructor. */
static int is_caller(struct resolver *r, const struct instance *i, bool *out)
{
	struct die_table *t = dies_table(i->module, r->err);

	if (!t)
		return -1;
	if (i->scope.scope)
		return destructor_calls(t, i->module, i->scope, out, r->err);
	*out = destructor_symbol_calls(i->module, i->symbol);
	return 0;
}

static int is_left_out(struct resolver *r, const struct instance *i, bool *out)
{
	return is_part(r, i, out) < 0 || (!*out && is_caller(r, i, out) < 0) ? -1 : 0;
}

static int entry_site(struct resolver *r, const struct instance *i, bool only,
		      struct source_sites *out)
{
	bool left_out;

	if (is_left_out(r, i, &left_out) < 0)
		return -1;
	if (left_out && !only)
		return 0;
	return i->scope.scope ? scope_entry_sites(r, i, out) : symbol_entry_site(r, i, out);
}

int entry_sites(struct resolver *r, const struct location_match *match, struct source_sites *out)
{
	array_each(const struct instance, i, &match->instances) {
		if (entry_site(r, i, match->instances.count == 1, out) < 0)
			return -1;
	}
	return 0;
}

/* ---- returns -------------------------------------------------------------------------------- */

static int return_site(struct resolver *r, const struct instance *i,
		       const struct module_range *ranges, size_t count,
		       const struct flow_return *ret, struct source_sites *out)
{
	struct source_site *site = array_add(out);
	struct line_unit *l = NULL;

	site->kind = ret->tail ? SOURCE_TAIL : SOURCE_RETURN;
	site->module = i->module;
	site->offset = ret->offset;
	site->check_target = ret->check_target;
	for (size_t k = 0; k < count; k++)
		*array_add(&site->ranges) = ranges[k];
	if (i->scope.scope && unit_lines(r, i->module, i->scope.unit, &l) < 0)
		return -1;
	entry_line(l, site);
	return site_describe(r, site, i->scope) || name_by_symbol(r, i, site) ? -1 : 0;
}

/* All of its code; in `of_symbol` where the debug information does not know it. */
static const struct module_range *instance_ranges(const struct instance *i,
						  struct module_range of_symbol[2], size_t *count)
{
	if (!i->scope.scope) {
		symbol_ranges(i->module, i->symbol, of_symbol, count);
		return of_symbol;
	}
	*count = i->scope.scope->range_count;
	return i->scope.unit->ranges.items + i->scope.scope->first_range;
}

static int instance_returns(struct resolver *r, const struct instance *i, struct source_sites *out)
{
	struct module_range of_symbol[2];
	struct flow_returns returns = {0};
	size_t count;
	const struct module_range *ranges = instance_ranges(i, of_symbol, &count);
	int answer = 0;

	flow_returns(flow_for(i->module, ranges, count), &returns);
	for (size_t k = 0; answer == 0 && k < returns.count; k++)
		answer = return_site(r, i, ranges, count, &returns.items[k], out);
	array_fini(&returns);
	return answer;
}

static int returns_of(struct resolver *r, const struct instance *i, struct source_sites *out)
{
	bool left_out;

	if (is_left_out(r, i, &left_out) < 0)
		return -1;
	if (left_out)
		return 0;
	if (!i->scope.scope || i->scope.scope->kind == SCOPE_FUNCTION)
		return instance_returns(r, i, out);
	out->inlined_skipped++;
	return 0;
}

int return_sites(struct resolver *r, const struct location_match *match, struct source_sites *out)
{
	array_each(const struct instance, i, &match->instances) {
		if (returns_of(r, i, out) < 0)
			return -1;
	}
	if (out->count)
		return 0;
	if (!out->inlined_skipped)
		return error_set(r->err, ERROR_LOCATION, "%s: %s never returns", r->location->text,
				 match->name);
	error_set(r->err, ERROR_LOCATION,
		  "%s: %s was inlined wherever it is called: there is no return to stop at",
		  r->location->text, match->name);
	return error_hint(r->err,
			  "name the line behind the call, or give %s __attribute__((noinline))",
			  match->name);
}

/* ---- *0xADDR -------------------------------------------------------------------------------- */

static int check_insn(struct resolver *r, struct module *m, const struct flow *flow, uint64_t low,
		      uint64_t offset)
{
	uint64_t before = offset;

	if (!flow_is_insn(flow, low) || flow_is_insn(flow, offset))
		return 0;
	while (before > low && !flow_is_insn(flow, before))
		before--;
	error_set(r->err, ERROR_LOCATION, "%s: no instruction of %s begins at 0x%llx",
		  r->location->text, module_name(m), (unsigned long long)offset);
	return error_hint(r->err, "the one that holds it begins at *0x%llx",
			  (unsigned long long)before);
}

int address_sites(struct resolver *r, struct module *m, struct source_sites *out)
{
	uint64_t offset = r->location->address;
	struct die_table *t = dies_table(m, r->err);
	struct scope_ref stack[FUNCTIONS_DEEP];
	struct module_range ranges[2] = {{offset, offset + 1}};
	const struct module_range *around = ranges;
	const struct elf_symbol *symbol = module_symbol_at(m, offset, true);
	struct line_unit *l = NULL;
	struct source_site *site;
	size_t count = 1;
	int depth, at;

	if (!module_is_code(m, offset))
		return error_set(r->err, ERROR_LOCATION, "%s: 0x%llx is not in the code of %s",
				 r->location->text, (unsigned long long)offset, module_name(m));
	depth = t ? functions_stack(t, offset, stack, r->err) : -1;
	if (depth < 0)
		return -1;
	if (depth > 0) {
		struct scope_ref outer = stack[depth - 1];

		around = outer.unit->ranges.items + outer.scope->first_range;
		count = outer.scope->range_count;
		if (unit_lines(r, m, outer.unit, &l) < 0)
			return -1;
	} else if (symbol) {
		symbol_ranges(m, symbol, ranges, &count);
	}
	struct flow *flow = flow_for(m, around, count);

	if (check_insn(r, m, flow, around[0].low, offset) < 0)
		return -1;
	site = array_add(out);
	site->kind = SOURCE_STATEMENT;
	site->module = m;
	site->offset = offset;
	/* A copy that was merged into its neighbours has no instruction of its own. */
	for (at = 0; at + 1 < depth && !stack[at].scope->range_count;)
		at++;
	return finish_entry(r, site, flow, l, depth > 0 ? stack[at] : (struct scope_ref){0});
}
