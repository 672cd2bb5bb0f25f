/*
 * One copy of a line: where it begins, which code it is, where it ends.
 *
 * A copy has several blocks when the compiler moved things about, in loops, and when a statement
 * goes over several lines. Control flow tells which of them begin an execution (flow.h).
 */
#include "tracer/symbols/resolve.h"

#include <stdlib.h>

struct work {
	struct resolver *r;
	struct line_copy *c;
	const char *file;
	unsigned line;
	struct scope_ref outer; /* the function that has the code; scope NULL unknown */
	ARRAY(struct symbols_range) function; /* its ranges */
	struct flow *flow;
	bool has_code, code_elsewhere; /* the line's: in this copy, in another one */
	ARRAY(uint64_t) starts;
	ARRAY(struct symbols_range)
	own, all; /* without and with what was inlined and lies between */
	size_t kept;
};

/* ---- where it may begin --------------------------------------------------------------------- */

static void add_start(struct work *w, uint64_t offset)
{
	array_each(const uint64_t, old, &w->starts) {
		if (*old == offset)
			return;
	}
	*array_add(&w->starts) = offset;
}

/*
 * Blocks that begin with a statement row. A statement row without code of its own counts where the
 * line's instructions come later as other rows: the compiler moved them, the statement begins there.
 */
static void statement_starts(struct work *w)
{
	uint64_t pending = 0;
	bool waiting = false;

	array_each(const struct block, b, &w->c->blocks) {
		if (b->low == b->high) {
			if (b->stmt && !waiting) {
				waiting = true;
				pending = b->start;
			}
			continue;
		}
		if (b->stmt)
			add_start(w, b->start);
		else if (waiting)
			add_start(w, pending);
		waiting = false;
	}
	/* Melted into its neighbours here, but no less executed. */
	if (!w->has_code && waiting)
		add_start(w, pending);
	if (w->starts.count || !w->has_code)
		return;
	array_each(const struct block, b, &w->c->blocks) {
		if (b->low < b->high)
			add_start(w, b->low);
	}
}

/* Where the line begins with a call that was inlined, that is where it begins. Entries of copies
   in several pieces are known only where the debug information says so. */
static void call_starts(struct work *w)
{
	struct die_unit *u = w->c->owner.unit;

	array_each(struct scope *, call, &w->c->calls) {
		uint64_t entry = scope_entry((struct scope_ref){u, *call});

		if (entry != UINT64_MAX &&
		    (!w->has_code || (*call)->has_entry || (*call)->range_count == 1))
			add_start(w, entry);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Debug information may be wrong: a trap in the middle of an instruction would break the program. */
static void drop_broken_starts(struct work *w)
{
	if (!w->flow || !w->function.count || !flow_is_insn(w->flow, w->function.items[0].low))
		return;
	for (size_t i = 0; i < w->starts.count;) {
		if (flow_is_insn(w->flow, w->starts.items[i]))
			i++;
		else
			array_remove(&w->starts, i);
	}
}

/*
 * The columns of the starts, or NULL. Where a loop was unrolled each copy of a statement begins at
 * the same column, and is an execution of its own; the later rows of a statement over several lines
 * begin elsewhere. Not so with gcc where it marks no statements (-O0, -g1): it goes back to the
 * column of a call when it has evaluated the arguments.
 */
static unsigned *start_columns(const struct work *w)
{
	unsigned *columns;

	if (!w->c->owner.unit || (w->c->owner.unit->is_gcc && w->c->all_stmt))
		return NULL;
	columns = base_alloc(w->starts.count, sizeof(*columns));
	for (size_t i = 0; i < w->starts.count; i++) {
		array_each(const struct block, b, &w->c->blocks) {
			if (b->start == w->starts.items[i])
				columns[i] = b->column;
		}
	}
	return columns;
}

/* Sorts the starts and takes away those that need no trap. */
static void prune_starts(struct work *w)
{
	if (w->starts.count)
		qsort(w->starts.items, w->starts.count, sizeof(*w->starts.items), by_value);
	drop_broken_starts(w);
	w->kept = w->starts.count;
	if (w->kept > 1 && w->flow) {
		unsigned *columns = start_columns(w);

		w->kept = flow_statement_starts(w->flow, w->starts.items, columns, w->starts.count,
						w->own.items, w->own.count);
		base_free(columns);
	}
	w->starts.count = w->kept;
	if (w->kept)
		qsort(w->starts.items, w->kept, sizeof(*w->starts.items), by_value);
}

/*
 * With the entries of inlined calls the statement begins where it should, before the calls it
 * makes. But where those do not lead to all of the statement's own code (the compiler copied some
 * of it elsewhere), one execution would count twice: then its own code alone says where it begins.
 */
static void choose_starts(struct work *w)
{
	struct work without = *w;

	statement_starts(w);
	if (!w->c->calls.count) {
		prune_starts(w);
		return;
	}
	statement_starts(&without);
	prune_starts(&without);
	call_starts(w);
	prune_starts(w);
	if (without.kept && w->kept > without.kept) {
		array_fini(&w->starts);
		*w = without;
	} else {
		array_fini(&without.starts);
	}
}

/* ---- which code ----------------------------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
	const struct symbols_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static size_t merge(struct symbols_range *ranges, size_t count)
{
	size_t n = 0;

	if (count)
		qsort(ranges, count, sizeof(*ranges), by_low);
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

static void own_ranges(struct work *w)
{
	array_each(const struct block, b, &w->c->blocks) {
		if (b->low < b->high)
			*array_add(&w->own) = (struct symbols_range){b->low, b->high};
	}
	w->own.count = merge(w->own.items, w->own.count);
	w->has_code = w->own.count != 0;
}

static const struct symbols_range *piece_of(const struct work *w, uint64_t offset)
{
	array_each(const struct symbols_range, r, &w->function) {
		if (offset >= r->low && offset < r->high)
			return r;
	}
	return NULL;
}

/* Rows of the same file between two addresses: the last line of them, 0 where one lies before the
   statement or the line program is unknown. */
static int last_line_between(struct work *w, uint64_t from, uint64_t to, unsigned *out)
{
	struct line_unit *l = NULL;

	*out = 0;
	if (w->outer.scope && unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	for (size_t i = 0; l && i < l->rows.count; i++) {
		const struct line_row *row = &l->rows.items[i];

		if (row->offset < from || row->offset >= to || row->end_sequence || !row->line ||
		    !function_same_file(lines_file(l, row->file), w->file))
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

/* Does the statement go on at `to`? Either nothing else can happen between, or the source text
   says so: f(a,\n g(b),\n c) does; the destructor at the end of a block does not. */
static int goes_on(struct work *w, uint64_t from, uint64_t to, bool *out)
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
static int fill_between(struct work *w, uint64_t start, uint64_t next)
{
	const struct symbols_range *piece = piece_of(w, start);
	uint64_t end = start;

	for (size_t i = 0; i < w->own.count; i++) {
		struct symbols_range *r = &w->own.items[i];
		bool same;

		if (r->high <= start || r->low >= next || piece_of(w, r->low) != piece)
			continue;
		if (r->low <= start) {
			end = r->high;
			continue;
		}
		if (goes_on(w, end, r->low, &same) < 0)
			return -1;
		if (!same)
			continue;
		*array_add(&w->all) = (struct symbols_range){end, r->high};
		end = r->high;
	}
	return 0;
}

static int all_ranges(struct work *w)
{
	const struct die_unit *u = w->c->owner.unit;

	array_each(const struct symbols_range, r, &w->own)
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
	return 0;
}

/* ---- the function around it ----------------------------------------------------------------- */

static void find_function(struct work *w)
{
	const struct elf_symbol *s;
	struct symbols_range ranges[2];
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
		w->flow = flow_for(w->r, w->c->module, w->function.items, w->function.count);
}

/* A line on which a function begins has its arguments only behind the prologue. */
static uint64_t arguments_known(struct work *w, uint64_t offset)
{
	struct symbols_range here;

	if (!w->outer.scope || w->c->owner.scope != w->outer.scope || !w->flow ||
	    scope_entry(w->outer) != offset)
		return offset;
	offset = entry_behind_prologue(w->r, w->c->module, w->outer, w->flow);
	for (size_t i = 0; i < w->all.count; i++) {
		if (offset >= w->all.items[i].low && offset < w->all.items[i].high)
			return offset;
	}
	here = (struct symbols_range){offset, offset + 1};
	for (size_t i = w->all.count; i-- > 0;) { /* the rest of the prologue may lie between */
		if (w->all.items[i].low > offset &&
		    flow_is_straight(w->flow, offset, w->all.items[i].low))
			here.high = w->all.items[i].low;
	}
	*array_add(&w->all) = here;
	w->all.count = merge(w->all.items, w->all.count);
	return offset;
}

static int add_site(struct work *w, uint64_t start, struct symbols_sites *out)
{
	uint64_t offset = arguments_known(w, start);
	struct symbols_site *site = array_add(out);

	site->kind = SYMBOLS_STATEMENT;
	site->module = w->c->module;
	site->offset = offset;
	site->file = w->file;
	site->line = w->line;
	if (site_describe(w->r, site, w->c->owner) < 0)
		return -1;
	array_each(const struct symbols_range, r, &w->all)
		*array_add(&site->ranges) = *r;
	if (!w->all.count)
		*array_add(&site->ranges) = (struct symbols_range){offset, offset + 1};
	if (w->flow)
		flow_exits(w->flow, site->ranges.items, site->ranges.count, &site->exits.items,
			   &site->exits.count, &site->exits.capacity);
	return 0;
}

static int make_sites(struct work *w, struct symbols_sites *out)
{
	own_ranges(w);
	if (!w->has_code && !w->c->calls.count && !w->code_elsewhere)
		return 0;
	find_function(w);
	choose_starts(w);
	if (all_ranges(w) < 0)
		return -1;
	for (size_t i = 0; i < w->kept; i++) {
		if (add_site(w, w->starts.items[i], out) < 0)
			return -1;
	}
	return 0;
}

int copy_sites(struct resolver *r, struct line_copy *c, const char *file, unsigned line,
	       bool code_elsewhere, struct symbols_sites *out)
{
	struct work w = {.r = r, .c = c, .file = file, .line = line};
	int answer;

	w.code_elsewhere = code_elsewhere;
	answer = make_sites(&w, out);
	array_fini(&w.function);
	array_fini(&w.starts);
	array_fini(&w.own);
	array_fini(&w.all);
	return answer;
}
