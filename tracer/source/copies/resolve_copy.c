/* One copy of a line: which code it is, and where it ends. */
#include "tracer/source/copies/resolve_copy.h"

#include <stdlib.h>

/* ---- which code ----------------------------------------------------------------------------- */

static int resolve_copy_by_low(const void *a, const void *b)
{
	const struct module_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static size_t merge(struct module_range *ranges, size_t count)
{
	size_t n = 0;

	if (count)
		qsort(ranges, count, sizeof(*ranges), resolve_copy_by_low);
	for (size_t i = 0; i < count; i++) {
		if (n && ranges[i].low <= ranges[n - 1].high) {
			if (ranges[i].high > ranges[n - 1].high)
				ranges[n - 1].high = ranges[i].high;
		} else {
			ranges[n++] = ranges[i];
		}
	}
	return n;
}

static void own_ranges(struct copy_work *w)
{
	array_each(const struct block, b, &w->c->blocks) {
		if (b->low < b->high)
			*array_add(&w->own) = (struct module_range){b->low, b->high};
	}
	w->own.count = merge(w->own.items, w->own.count);
	w->has_code = w->own.count != 0;
}

static const struct module_range *piece_of(const struct copy_work *w, uint64_t offset)
{
	array_each(const struct module_range, r, &w->function) {
		if (offset >= r->low && offset < r->high)
			return r;
	}
	return NULL;
}

/* Rows of the same file between two addresses: the last line of them, 0 where one lies before the
   statement or the line program is unknown. */
static int last_line_between(struct copy_work *w, uint64_t from, uint64_t to, unsigned *out)
{
	struct line_unit *l = NULL;
	const struct line_row *row;
	struct line_walk walk;

	*out = 0;
	if (w->outer.scope && unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	walk = lines_walk(l, from, to);
	while ((row = lines_next(&walk))) {
		if (!row->line || !function_same_file(lines_file(l, row->file), w->file))
			continue;
		if (row->line < w->line) {
			*out = 0;
			return 0;
		}
		if (row->line > *out)
			*out = row->line;
	}
	return 0;
}

/*
 * Between two parts of a statement: from where on do all rows belong to none, but to line 0 or to the line on which the
 * function begins? There compilers put what they make of their own, and what they move of the prologue. `to`: nowhere.
 */
static int nobodys_from(struct copy_work *w, uint64_t from, uint64_t to, uint64_t *out)
{
	struct line_unit *l = NULL;
	const struct line_row *row;
	struct line_walk walk;
	struct function f = {0};
	struct die_table *t;

	*out = to;
	if (!w->outer.scope)
		return 0;
	t = dies_table(w->c->module, w->r->err);
	if (!t || function_read(t, w->outer, &f, w->r->err) < 0 ||
	    unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	walk = lines_walk(l, from, to);
	while ((row = lines_next(&walk))) {
		if (row[1].offset == row->offset) /* of no code */
			continue;
		if (row->line && (row->line != f.line || f.line == w->line ||
				  !function_same_file(lines_file(l, row->file), f.file)))
			*out = to;
		else if (*out == to)
			*out = row->offset;
	}
	return 0;
}

/*
 * Between two parts of a statement: from where on is it code that control comes to from the statement alone, that runs straight
 * on to the next part, and in which no other statement begins? There gcc has moved code of other lines. `to`: nowhere.
 */
static int mixed_from(struct copy_work *w, uint64_t from, uint64_t to, uint64_t *out)
{
	uint64_t at = to;
	struct line_unit *l = NULL;
	const struct line_row *row;
	struct line_walk walk;

	*out = to;
	if (w->flow && w->outer.scope)
		at = flow_led_to(w->flow, w->all.items, w->all.count, to);
	if (at < from || at >= to)
		return 0;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	walk = lines_walk(l, at, to);
	while ((row = lines_next(&walk)))
		if (row->is_stmt && row[1].offset > row->offset)
			return 0;
	*out = at;
	return 0;
}

/* Does the statement go on at `to`? Either nothing else can happen between, or the source text
   says so: f(a,\n g(b),\n c) does; the destructor at the end of a block does not. */
static int resolve_copy_goes_on(struct copy_work *w, uint64_t from, uint64_t to, bool *out)
{
	const struct source_file *source;
	unsigned last;

	*out = w->flow && flow_is_straight(w->flow, from, to);
	if (*out)
		return 0;
	if (last_line_between(w, from, to, &last) < 0)
		return -1;
	source = lines_source(w->r->symbols, w->file);
	*out = last && source && source_spans(source, w->line, last);
	return 0;
}

/* What lies between a start and the later parts of the same execution belongs to it: it has been
   executed when the last part is left. */
static int fill_between(struct copy_work *w, uint64_t start, uint64_t next)
{
	const struct module_range *piece = piece_of(w, start);
	uint64_t end = start;

	for (size_t i = 0; i < w->own.count; i++) {
		struct module_range *r = &w->own.items[i];
		bool same;

		if (r->high <= start || r->low >= next || piece_of(w, r->low) != piece)
			continue;
		if (r->low <= start) {
			end = r->high;
			continue;
		}
		if (resolve_copy_goes_on(w, end, r->low, &same) < 0)
			return -1;
		if (!same)
			continue;
		*array_add(&w->all) = (struct module_range){end, r->high};
		end = r->high;
	}
	return 0;
}

/* Does it begin once more there? */
static bool begins_between(const struct copy_work *w, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < w->kept; i++)
		if (w->starts.items[i] >= from && w->starts.items[i] <= to)
			return true;
	return false;
}

/* Of all parts, and those of inlined calls: what is nobody's before one of them belongs to it, and so does what control can but
   run through from one to the other. */
static int fill_gaps(struct copy_work *w)
{
	const size_t count = w->all.count;

	for (size_t i = 0; i + 1 < count; i++) {
		const uint64_t from = w->all.items[i].high, to = w->all.items[i + 1].low;
		uint64_t at;

		if (piece_of(w, from) != piece_of(w, to) || begins_between(w, from, to))
			continue;
		if (w->flow && flow_is_straight(w->flow, from, to)) {
			*array_add(&w->all) = (struct module_range){from, to};
			continue;
		}
		if (nobodys_from(w, from, to, &at) < 0 ||
		    (at == to && mixed_from(w, from, to, &at) < 0))
			return -1;
		if (at < to)
			*array_add(&w->all) = (struct module_range){at, to};
	}
	w->all.count = merge(w->all.items, w->all.count);
	return 0;
}

static int all_ranges(struct copy_work *w)
{
	const struct die_unit *u = w->c->owner.unit;

	array_each(const struct module_range, r, &w->own)
		*array_add(&w->all) = *r;
	array_each(struct scope *, call, &w->c->calls) {
		for (uint32_t i = 0; i < (*call)->range_count; i++)
			*array_add(&w->all) = u->ranges.items[(*call)->first_range + i];
	}
	for (size_t i = 0; i < w->kept; i++) {
		uint64_t next = i + 1 < w->kept ? w->starts.items[i + 1] : UINT64_MAX;

		if (fill_between(w, w->starts.items[i], next) < 0)
			return -1;
	}
	w->all.count = merge(w->all.items, w->all.count);
	return fill_gaps(w);
}

/* ---- the function around it ----------------------------------------------------------------- */

static void find_function(struct copy_work *w)
{
	const struct elf_symbol *s;
	struct module_range ranges[2];
	size_t count = 0;

	w->outer = function_outermost(w->c->owner);
	if (w->outer.scope) {
		const struct scope *f = w->outer.scope;

		for (uint32_t i = 0; i < f->range_count; i++)
			*array_add(&w->function) = w->outer.unit->ranges.items[f->first_range + i];
	} else if ((s = module_symbol_at(w->c->module, w->c->symbol, true))) {
		symbol_ranges(w->c->module, s, ranges, &count);
		for (size_t i = 0; i < count; i++)
			*array_add(&w->function) = ranges[i];
	}
	if (w->function.count)
		w->flow = flow_for(w->c->module, w->function.items, w->function.count);
}

/* A line on which a function begins has its arguments only behind the prologue. */
static uint64_t arguments_known(struct copy_work *w, uint64_t offset)
{
	struct module_range here;

	if (!w->outer.scope || w->c->owner.scope != w->outer.scope || !w->flow ||
	    scope_entry(w->outer) != offset)
		return offset;
	offset = entry_behind_prologue(w->r, w->c->module, w->outer, w->flow);
	for (size_t i = 0; i < w->all.count; i++) {
		if (offset >= w->all.items[i].low && offset < w->all.items[i].high)
			return offset;
	}
	here = (struct module_range){offset, offset + 1};
	for (size_t i = w->all.count; i-- > 0;) { /* the rest of the prologue may lie between */
		if (w->all.items[i].low > offset &&
		    flow_is_straight(w->flow, offset, w->all.items[i].low))
			here.high = w->all.items[i].low;
	}
	*array_add(&w->all) = here;
	w->all.count = merge(w->all.items, w->all.count);
	return offset;
}

/* Which of the statements at its address it is, and whether it has any code. */
static void set_rank(const struct copy_work *w, uint64_t start, struct source_site *site)
{
	site->empty = w->marked && !w->all.count;
	array_each(const struct block, b, &w->c->blocks)
		if (b->start == start)
			site->rank = b->order + 1;
}

/* One round of an unrolled loop ends where the next one begins. */
static void add_rounds(const struct copy_work *w, uint64_t start, struct source_site *site)
{
	site->is_round = w->unrolled;
	for (size_t i = 0; (w->marked || w->unrolled) && i < w->kept; i++)
		if (w->starts.items[i] != start)
			*array_add(&site->exits) = w->starts.items[i];
}

static int resolve_copy_add_site(struct copy_work *w, uint64_t start, bool if_taken,
				 struct source_sites *out)
{
	uint64_t offset = arguments_known(w, start);
	struct source_site *site = array_add(out);

	site->kind = if_taken ? SOURCE_JUMP : SOURCE_STATEMENT;
	site->check_target = if_taken;
	site->module = w->c->module;
	site->offset = offset;
	site->file = w->file;
	site->line = w->line;
	if (site_describe(w->r, site, w->c->owner) < 0)
		return -1;
	array_each(const struct module_range, r, &w->all)
		*array_add(&site->ranges) = *r;
	set_rank(w, start, site);
	if (!w->all.count)
		*array_add(&site->ranges) = (struct module_range){offset, offset + 1};
	add_rounds(w, start, site);
	if (!w->flow)
		return 0;
	flow_exits(w->flow, site->ranges.items, site->ranges.count, &site->exits.items,
		   &site->exits.count, &site->exits.capacity);
	site->closed = !site->empty && flow_is_closed(w->flow, site->ranges.items,
						      site->ranges.count, w->starts.items, w->kept,
						      site->exits.items, site->exits.count);
	return 0;
}

static int make_sites(struct copy_work *w, struct source_sites *out)
{
	own_ranges(w);
	if (!w->has_code && !w->c->calls.count && !w->code_elsewhere && !w->c->markers)
		return 0;
	find_function(w);
	if (copy_starts(w) < 0 || copy_unoptimised(w) < 0)
		return -1;
	copy_before_deeds(w);
	if (all_ranges(w) < 0)
		return -1;
	for (size_t i = 0; i < w->kept; i++) {
		if (resolve_copy_add_site(w, w->starts.items[i], false, out) < 0)
			return -1;
	}
	array_each(const struct flow_way, way, &w->ways) {
		if (resolve_copy_add_site(w, way->offset, way->if_taken, out) < 0)
			return -1;
	}
	return 0;
}

int copy_sites(struct resolver *r, struct line_copy *c, const char *file, unsigned line,
	       bool code_elsewhere, struct source_sites *out)
{
	struct copy_work w = {.r = r, .c = c, .file = file, .line = line};
	int answer;

	w.code_elsewhere = code_elsewhere;
	answer = make_sites(&w, out);
	array_fini(&w.function);
	array_fini(&w.starts);
	array_fini(&w.ways);
	array_fini(&w.own);
	array_fini(&w.all);
	return answer;
}
