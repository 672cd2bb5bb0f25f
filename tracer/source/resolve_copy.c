/*
 * One copy of a line: where it begins, which code it is, where it ends.
 *
 * A copy has several blocks when the compiler moved things about, in loops, and when a statement
 * goes over several lines. Control flow tells which of them begin an execution (flow.h).
 */
#include "tracer/source/resolve.h"

#include <limits.h>
#include <stdlib.h>

struct work {
	struct resolver *r;
	struct line_copy *c;
	const char *file;
	unsigned line;
	struct scope_ref outer; /* the function that has the code; scope NULL unknown */
	ARRAY(struct module_range) function; /* its ranges */
	struct flow *flow;
	bool has_code, code_elsewhere; /* the line's: in this copy, in another one */
	bool marked;		       /* its starts are marks: g++ has none in templates */
	ARRAY(uint64_t) starts;
	ARRAY(struct module_range)
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
 * Is a mark without code of its own a place? What comes next at its address is executed with it, in
 * the order of the rows. But where a jump comes in at that address, too, it is not known which of the marks it
 * passes: only the last one is sure to stand behind its label.
 */
static bool is_sure(const struct work *w, const struct block *b)
{
	if (!w->c->markers || !b->stmt || !w->flow)
		return false;
	return !b->followed || !flow_is_join(w->flow, b->start);
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
			if (is_sure(w, b)) {
				add_start(w, b->start);
				waiting = false;
			} else if (b->stmt && !waiting) {
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
	/* Merged into its neighbours here, but executed all the same. */
	if (!w->has_code && waiting && !w->starts.count && (w->code_elsewhere || w->c->calls.count))
		add_start(w, pending);
	w->marked = w->c->markers && w->starts.count;
	if (w->starts.count || !w->has_code)
		return;
	array_each(const struct block, b, &w->c->blocks) {
		if (b->low < b->high)
			add_start(w, b->low);
	}
}

/* clang has one row for a loop's first round, of which some was moved before the loop, and for the
   others: control comes in in the middle of it. */
static void head_starts(struct work *w)
{
	struct flow_offsets heads = {0};

	if (!w->flow || !w->c->owner.unit || w->c->owner.unit->is_gcc || !w->has_code)
		return;
	flow_heads(w->flow, w->own.items, w->own.count, &heads);
	array_each(const uint64_t, head, &heads)
		add_start(w, *head);
	array_fini(&heads);
}

static void entry_starts(struct work *w, const struct scope *call, uint64_t entry)
{
	const struct module_range *ranges = &w->c->owner.unit->ranges.items[call->first_range];
	struct flow_offsets entries = {0};

	if (w->flow)
		flow_entries(w->flow, ranges, call->range_count, entry, &entries);
	if (!entries.count)
		add_start(w, entry);
	array_each(const uint64_t, one, &entries)
		add_start(w, *one);
	array_fini(&entries);
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
			entry_starts(w, *call, entry);
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

static bool same_row(const struct line_row *a, const struct line_row *b)
{
	return a->line == b->line && a->file == b->file && a->column == b->column;
}

/* Does a statement that begins between the two addresses begin outside of them, too? */
static bool comes_again(const struct line_unit *l, const struct line_row *one, uint64_t from,
			uint64_t to)
{
	array_each(const struct line_row, row, &l->rows)
		if (row->is_stmt && !row->end_sequence && same_row(row, one) &&
		    (row->offset < from || row->offset >= to))
			return true;
	return false;
}

/*
 * Are two starts at one column, one behind the other, parts of one statement after all? An
 * initialiser over several lines comes back to its first one after each of them. In an unrolled loop
 * what lies between comes again in other rounds, or is the loop's head, which stands before.
 */
static bool is_one_statement(const struct work *w, const struct line_unit *l, uint64_t from,
			     uint64_t to)
{
	if (!flow_is_straight(w->flow, from, to) && !flow_only_calls(w->flow, from, to))
		return false;
	array_each(const struct line_row, row, &l->rows) {
		if (row->offset < from || row->offset >= to || !row->is_stmt || !row->line ||
		    row->end_sequence || row->line == w->line)
			continue;
		if ((row->line < w->line && !w->c->markers) || comes_again(l, row, from, to))
			return false;
	}
	return true;
}

/* Starts whose column is taken away are no copies of the whole statement. */
static int part_columns(struct work *w, unsigned *columns)
{
	struct line_unit *l = NULL;

	if (!columns || w->marked || !w->outer.scope)
		return 0;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	for (size_t i = w->starts.count; l && i-- > 1;) {
		if (columns[i] == columns[i - 1] &&
		    is_one_statement(w, l, w->starts.items[i - 1], w->starts.items[i]))
			columns[i] = 0;
	}
	return 0;
}

/*
 * clang gives the jump at the end of an inner loop the place where that loop's statement ends, which
 * may be on this line. It is no execution where the line has other code, not further right.
 */
static void drop_jumps(struct work *w, const unsigned *columns)
{
	unsigned least = UINT_MAX;
	size_t n = 0;

	if (!columns || w->marked || w->c->owner.unit->is_gcc)
		return;
	for (size_t i = 0; i < w->starts.count; i++)
		if (columns[i] < least && !flow_is_jump(w->flow, w->starts.items[i]))
			least = columns[i];
	for (size_t i = 0; i < w->starts.count; i++)
		if (columns[i] < least || !flow_is_jump(w->flow, w->starts.items[i]))
			w->starts.items[n++] = w->starts.items[i];
	w->starts.count = n;
}

static bool is_repeated(const struct work *w, uint64_t start)
{
	array_each(const struct block, b, &w->c->blocks)
		if (b->start == start && b->stmt && !b->repeated)
			return false;
	return true;
}

/*
 * The rounds of an unrolled loop have the loop's own marks between them. Where a mark follows its like
 * and control falls into it, it is one more statement of a macro.
 */
static void drop_macros(struct work *w)
{
	size_t n = w->starts.count ? 1 : 0;

	if (!w->marked)
		return;
	for (size_t i = 1; i < w->starts.count; i++) {
		uint64_t start = w->starts.items[i];

		if (!is_repeated(w, start) || !flow_falls_into(w->flow, start))
			w->starts.items[n++] = start;
	}
	w->starts.count = n;
}

static int drop_by_flow(struct work *w)
{
	unsigned *columns = start_columns(w);
	int answer;

	drop_jumps(w, columns);
	drop_macros(w);
	base_free(columns);
	columns = start_columns(w);
	answer = part_columns(w, columns);
	if (answer == 0)
		w->kept = flow_statement_starts(w->flow, w->starts.items, columns, w->starts.count,
						w->marked, w->own.items, w->own.count);
	base_free(columns);
	return answer;
}

/* Sorts the starts and takes away those that need no trap. */
static int prune_starts(struct work *w)
{
	int answer = 0;

	array_sort(&w->starts, by_value);
	drop_broken_starts(w);
	w->kept = w->starts.count;
	if (w->kept > 1 && w->flow)
		answer = drop_by_flow(w);
	w->starts.count = w->kept;
	array_sort(&w->starts, by_value);
	return answer;
}

/* The body of a call may begin with a loop: its entry is passed in every round. */
static bool is_inner_loop(const struct work *w, const struct work *without)
{
	return w->flow && w->kept == 1 && without->kept == 1 &&
	       flow_comes_back(w->flow, w->starts.items[0], without->starts.items[0]);
}

/*
 * With the entries of inlined calls the statement begins where it should, before the calls it
 * makes. But where those do not lead to all of the statement's own code (the compiler copied some
 * of it elsewhere), one execution would count twice: then its own code alone says where it begins.
 */
static int choose_starts(struct work *w)
{
	struct work without = *w;
	int answer;

	statement_starts(w);
	head_starts(w);
	if (!w->c->calls.count)
		return prune_starts(w);
	statement_starts(&without);
	head_starts(&without);
	answer = prune_starts(&without);
	call_starts(w);
	if (prune_starts(w) < 0)
		answer = -1;
	if (without.kept && (w->kept > without.kept || is_inner_loop(w, &without))) {
		array_fini(&w->starts);
		*w = without;
	} else {
		array_fini(&without.starts);
	}
	return answer;
}

/* ---- which code ----------------------------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
	const struct module_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static size_t merge(struct module_range *ranges, size_t count)
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
			*array_add(&w->own) = (struct module_range){b->low, b->high};
	}
	w->own.count = merge(w->own.items, w->own.count);
	w->has_code = w->own.count != 0;
}

static const struct module_range *piece_of(const struct work *w, uint64_t offset)
{
	array_each(const struct module_range, r, &w->function) {
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
		if (goes_on(w, end, r->low, &same) < 0)
			return -1;
		if (!same)
			continue;
		*array_add(&w->all) = (struct module_range){end, r->high};
		end = r->high;
	}
	return 0;
}

static int all_ranges(struct work *w)
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
	return 0;
}

/* ---- the function around it ----------------------------------------------------------------- */

static void find_function(struct work *w)
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
static uint64_t arguments_known(struct work *w, uint64_t offset)
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
static void set_rank(const struct work *w, uint64_t start, struct source_site *site)
{
	site->empty = w->marked && !w->all.count;
	array_each(const struct block, b, &w->c->blocks)
		if (b->start == start)
			site->rank = b->order + 1;
}

/* One round of an unrolled loop ends where the next one begins. */
static void add_rounds(const struct work *w, uint64_t start, struct source_site *site)
{
	for (size_t i = 0; w->marked && i < w->kept; i++)
		if (w->starts.items[i] != start)
			*array_add(&site->exits) = w->starts.items[i];
}

static int add_site(struct work *w, uint64_t start, struct source_sites *out)
{
	uint64_t offset = arguments_known(w, start);
	struct source_site *site = array_add(out);

	site->kind = SOURCE_STATEMENT;
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
	if (w->flow)
		flow_exits(w->flow, site->ranges.items, site->ranges.count, &site->exits.items,
			   &site->exits.count, &site->exits.capacity);
	return 0;
}

static int make_sites(struct work *w, struct source_sites *out)
{
	own_ranges(w);
	if (!w->has_code && !w->c->calls.count && !w->code_elsewhere && !w->c->markers)
		return 0;
	find_function(w);
	if (choose_starts(w) < 0 || all_ranges(w) < 0)
		return -1;
	for (size_t i = 0; i < w->kept; i++) {
		if (add_site(w, w->starts.items[i], out) < 0)
			return -1;
	}
	return 0;
}

int copy_sites(struct resolver *r, struct line_copy *c, const char *file, unsigned line,
	       bool code_elsewhere, struct source_sites *out)
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
