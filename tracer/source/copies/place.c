/* Makes sites of one copy of a line: determines its code and its end. */
#include "tracer/source/copies/copy.h"

#include <stdlib.h>

/* ---- code of the copy ----------------------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
	const struct module_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* Sorts the ranges and merges those that overlap or touch. */
static void merge_ranges(struct flow_ranges *code)
{
	size_t n = 0;

	array_sort(code, by_low);
	array_each(const struct module_range, r, code) {
		struct module_range *last = n ? &code->items[n - 1] : NULL;

		if (!last || r->low > last->high)
			code->items[n++] = *r;
		else if (r->high > last->high)
			last->high = r->high;
	}
	code->count = n;
}

static void add_range(struct flow_ranges *code, uint64_t low, uint64_t high)
{
	*array_add(code) = (struct module_range){low, high};
}

static const struct module_range *piece_of(const struct copy_work *w, uint64_t offset)
{
	array_each(const struct module_range, r, &w->function)
		if (offset >= r->low && offset < r->high)
			return r;
	return NULL;
}

/* Returns the last line of the rows of the same file between the addresses; 0 if one is before the
   statement or the line program is unknown. */
static unsigned last_line_between(const struct copy_work *w, uint64_t from, uint64_t to)
{
	struct line_walk walk = lines_walk(w->lines, from, to);
	const struct line_row *row;
	unsigned last = 0;

	while ((row = lines_next(&walk))) {
		if (!row->line || !function_same_file(lines_file(w->lines, row->file), w->file))
			continue;
		if (row->line < w->line)
			return 0;
		last = row->line > last ? row->line : last;
	}
	return last;
}

/*
 * Returns the offset from which on, between two parts of a statement, all code has line 0
 * or the function's first line: generated code, and moved parts of the prologue. Returns
 * `to` if there is none.
 */
static uint64_t nobodys_from(const struct copy_work *w, uint64_t from, uint64_t to)
{
	struct line_walk walk = lines_walk(w->lines, from, to);
	const struct function *f = &w->around;
	const struct line_row *row;
	uint64_t at = to;

	while ((row = lines_next(&walk))) {
		if (row[1].offset == row->offset) /* a row without code */
			continue;
		if (row->line && (row->line != f->line || f->line == w->line ||
				  !function_same_file(lines_file(w->lines, row->file), f->file)))
			at = to;
		else if (at == to)
			at = row->offset;
	}
	return at;
}

/*
 * Returns the offset from which on, between two parts of a statement, code is entered from the
 * statement alone, runs straight to the next part and begins no other statement: code of other
 * lines that gcc moved. Returns `to` if there is none.
 */
static uint64_t mixed_from(const struct copy_work *w, uint64_t from, uint64_t to)
{
	uint64_t at = w->flow && w->outer.scope ? flow_led_to(w->flow, &w->all, to) : to;
	const struct line_row *row;
	struct line_walk walk;

	if (at < from || at >= to)
		return to;
	walk = lines_walk(w->lines, at, to);
	while ((row = lines_next(&walk)))
		if (row->is_stmt && row[1].offset > row->offset)
			return to;
	return at;
}

/* True if the statement continues at `to`: nothing else can happen between, or the source text says
   so. f(a,\n g(b),\n c) does; the destructor at the end of a block does not. */
static bool statement_goes_on(const struct copy_work *w, uint64_t from, uint64_t to)
{
	unsigned last;

	if (w->flow && flow_is_straight(w->flow, from, to))
		return true;
	last = last_line_between(w, from, to);
	return last && w->text && source_spans(w->text, w->line, last);
}

/* Adds the code between a start and later parts of the same execution: it has been executed
   when the last part ends. */
static void fill_between(struct copy_work *w, uint64_t start, uint64_t next)
{
	const struct module_range *piece = piece_of(w, start);
	uint64_t end = start;

	array_each(const struct module_range, r, &w->own) {
		if (r->high <= start || r->low >= next || piece_of(w, r->low) != piece)
			continue;
		if (r->low > start) {
			if (!statement_goes_on(w, end, r->low))
				continue;
			add_range(&w->all, end, r->high);
		}
		end = r->high;
	}
}

/* True if a start is between the addresses. */
static bool begins_between(const struct copy_work *w, uint64_t from, uint64_t to)
{
	array_each(const uint64_t, start, &w->starts)
		if (*start >= from && *start <= to)
			return true;
	return false;
}

/* Adds gaps between parts and inlined calls: generated code before a part, and code that control
   passes in a straight line. */
static void fill_gaps(struct copy_work *w)
{
	const size_t count = w->all.count;

	for (size_t i = 0; i + 1 < count; i++) {
		const uint64_t from = w->all.items[i].high, to = w->all.items[i + 1].low;
		uint64_t at = from;

		if (piece_of(w, from) != piece_of(w, to) || begins_between(w, from, to))
			continue;
		if (!w->flow || !flow_is_straight(w->flow, from, to))
			at = nobodys_from(w, from, to);
		if (at == to)
			at = mixed_from(w, from, to);
		if (at < to)
			add_range(&w->all, at, to);
	}
	merge_ranges(&w->all);
}

static void all_ranges(struct copy_work *w)
{
	flow_add_ranges(&w->all, &w->own);
	array_each(struct scope *, call, &w->c->calls) {
		const struct flow_ranges code = copy_call(w, *call);

		flow_add_ranges(&w->all, &code);
	}
	for (size_t i = 0; i < w->starts.count; i++)
		fill_between(w, w->starts.items[i],
			     i + 1 < w->starts.count ? w->starts.items[i + 1] : UINT64_MAX);
	merge_ranges(&w->all);
	fill_gaps(w);
}

/* ---- sites ---------------------------------------------------------------------------------- */

/* Returns the end of the prologue if the function begins on the line: its arguments
   are readable only there. */
static uint64_t arguments_known(struct copy_work *w, uint64_t offset)
{
	struct module_range here;

	if (!w->outer.scope || w->c->owner.scope != w->outer.scope || !w->flow ||
	    scope_entry(w->outer) != offset)
		return offset;
	offset = entry_behind_prologue(w->r, w->c->module, w->outer, w->flow);
	if (flow_in_ranges(&w->all, offset))
		return offset;
	here = (struct module_range){offset, offset + 1};
	for (size_t i = w->all.count; i-- > 0;) /* the rest of the prologue may be between */
		if (w->all.items[i].low > offset &&
		    flow_is_straight(w->flow, offset, w->all.items[i].low))
			here.high = w->all.items[i].low;
	*array_add(&w->all) = here;
	merge_ranges(&w->all);
	return offset;
}

/* Returns the rank of the statement among those at its address. */
static unsigned rank_of(const struct copy_work *w, uint64_t start)
{
	unsigned rank = 0;

	array_each(const struct block, b, &w->c->blocks)
		if (b->start == start)
			rank = b->order + 1;
	return rank;
}

static void add_site(struct copy_work *w, uint64_t start, bool if_taken, struct source_sites *out)
{
	uint64_t offset = arguments_known(w, start);
	bool rounds = w->facts & (COPY_MARKED | COPY_UNROLLED);
	struct source_site *site = array_add(out);

	site->kind = if_taken ? SOURCE_JUMP : SOURCE_STATEMENT;
	site->check_target = if_taken;
	site->module = w->c->module;
	site->offset = offset;
	site->file = w->file;
	site->line = w->line;
	site_describe(w->r, site, w->c->owner);
	flow_add_ranges(&site->ranges, &w->all);
	site->empty = w->facts & COPY_MARKED && !w->all.count;
	site->rank = rank_of(w, start);
	if (!w->all.count)
		add_range(&site->ranges, offset, offset + 1);
	site->is_round = w->facts & COPY_UNROLLED;
	/* an iteration ends where the next one begins */
	array_each(const uint64_t, other, &w->starts)
		if (rounds && *other != start)
			*array_add(&site->exits) = *other;
	if (!w->flow)
		return;
	flow_exits(w->flow, &site->ranges, &site->exits);
	site->closed =
		!site->empty && flow_is_closed(w->flow, &site->ranges, &w->starts, &site->exits);
}

/* ---- facts ---------------------------------------------------------------------------------- */

static void find_function(struct copy_work *w)
{
	const struct elf_symbol *s;
	struct module_range ranges[2];
	struct flow_ranges code;

	w->outer = function_outermost(w->c->owner);
	code = scope_code(w->outer);
	if (w->outer.scope) {
		resolve_function(w->r, w->c->module, w->outer, &w->around);
		w->lines = unit_lines(w->r, w->c->module, w->outer.unit);
	} else if ((s = module_symbol_at(w->c->module, w->c->symbol, true))) {
		code = symbol_ranges(w->c->module, s, ranges);
	}
	flow_add_ranges(&w->function, &code);
	if (w->function.count)
		w->flow = flow_for(w->c->module, &w->function);
}

static void set_facts(struct copy_work *w, bool code_elsewhere)
{
	const struct die_unit *u = w->c->owner.unit;
	bool alone = w->flow && w->outer.scope && w->function.count == 1 &&
		     w->c->owner.scope == w->outer.scope;

	w->facts = (u && u->is_gcc ? COPY_GCC : 0) | (u && !u->is_gcc ? COPY_CLANG : 0) |
		   (u && u->is_gcc && w->c->all_stmt ? COPY_PLAIN : 0) |
		   (w->outer.scope ? COPY_OUTER : 0) | (w->flow ? COPY_FLOW : 0) |
		   (w->own.count ? COPY_CODE : 0) | (code_elsewhere ? COPY_ELSEWHERE : 0) |
		   (w->c->calls.count ? COPY_CALLS : 0) | (alone ? COPY_ALONE : 0);
}

static void make_sites(struct copy_work *w, bool code_elsewhere, struct source_sites *out)
{
	array_each(const struct block, b, &w->c->blocks)
		if (b->low < b->high)
			add_range(&w->own, b->low, b->high);
	merge_ranges(&w->own);
	if (!w->own.count && !w->c->calls.count && !code_elsewhere && !w->c->markers)
		return;
	find_function(w);
	set_facts(w, code_elsewhere);
	copy_starts(w);
	copy_settle(w);
	all_ranges(w);
	array_each(const uint64_t, start, &w->starts)
		add_site(w, *start, false, out);
	array_each(const struct flow_way, way, &w->ways)
		add_site(w, way->offset, way->if_taken, out);
}

void copy_sites(struct resolver *r, struct line_copy *c, const char *file, unsigned line,
		bool code_elsewhere, struct source_sites *out)
{
	struct copy_work w = {.r = r, .c = c, .file = file, .line = line};

	w.dies = dies_table(c->module, r->err);
	w.text = lines_source(r->symbols, file);
	if (w.dies)
		make_sites(&w, code_elsewhere, out);
	array_fini(&w.function);
	array_fini(&w.starts);
	array_fini(&w.ways);
	array_fini(&w.own);
	array_fini(&w.all);
}
