/* The code of one line: its rows as blocks, sorted into the copies that they are in. */
#include "tracer/dwarf/units/dies_read.h"
#include "tracer/source/copies/resolve_marks.h"

#include <stdlib.h>
#include <string.h>

struct line_scan {
	struct resolver *r;
	struct module *m;
	struct die_table *dies;
	const char *path;
	unsigned line;
	const struct location_match *within;
	struct line_unit *unit; /* that is read now */
	bool all_stmt, markers; /* ... */
	struct line_copies copies;
	uint32_t *slots;   /* hash of owners: index + 1 into copies; 0 is free */
	size_t slot_count; /* a power of two */
};

/* ---- copies --------------------------------------------------------------------------------- */

static size_t resolve_line_slot_of(const struct line_scan *s, const void *scope, uint64_t symbol)
{
	uint64_t key = ((uint64_t)(uintptr_t)scope >> 4) ^ symbol;

	return (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (s->slot_count - 1);
}

/* The slot that has the copy, or the free one where it belongs. */
static uint32_t *find_slot(const struct line_scan *s, const void *scope, uint64_t symbol)
{
	size_t at = resolve_line_slot_of(s, scope, symbol);

	for (; s->slots[at]; at = (at + 1) & (s->slot_count - 1)) {
		const struct line_copy *c = &s->copies.items.items[s->slots[at] - 1];

		if (c->owner.scope == scope && c->symbol == symbol)
			break;
	}
	return &s->slots[at];
}

static void grow_slots(struct line_scan *s)
{
	base_free(s->slots);
	s->slot_count = s->slot_count ? s->slot_count * 4 : 64;
	s->slots = base_alloc(s->slot_count, sizeof(*s->slots));
	for (size_t i = 0; i < s->copies.items.count; i++) {
		const struct line_copy *c = &s->copies.items.items[i];

		*find_slot(s, c->owner.scope, c->symbol) = (uint32_t)i + 1;
	}
}

/* The copy of this owner: a line of a header may have ten thousands of them. */
static struct line_copy *copy_get(struct line_scan *s, struct scope_ref owner, uint64_t symbol)
{
	struct line_copy *c;
	uint32_t *slot;

	if (s->copies.items.count * 2 >= s->slot_count)
		grow_slots(s);
	slot = find_slot(s, owner.scope, symbol);
	if (*slot)
		return &s->copies.items.items[*slot - 1];
	c = array_add(&s->copies.items);
	*slot = (uint32_t)s->copies.items.count;
	c->module = s->m;
	c->owner = owner;
	c->symbol = symbol;
	c->markers = s->markers && !marks_are_lost(s->unit, owner);
	c->all_stmt = s->all_stmt || c->markers != s->markers;
	return c;
}

/* Is the owner one of the functions that the tester named, or something inside their text? Another
   instantiation of the same template is not; nor is the function that makes a lambda, on the lambda's first line. */
static int is_within(struct line_scan *s, struct scope_ref owner, bool *out)
{
	struct function f;

	*out = true;
	if (!s->within || !s->within->begins || !owner.scope)
		return 0;
	if (function_read(s->dies, owner, &f, s->r->err) < 0)
		return -1;
	if (!f.name || !function_same_file(f.file, s->within->file))
		return 0;
	if (f.line == s->within->begins)
		*out = names_match(&s->r->wanted, f.name) || strcmp(f.name, s->within->name) == 0;
	else if (f.line < s->line && s->line == s->within->begins)
		*out = strstr(s->within->name, "{unnamed}::operator()") == NULL;
	return 0;
}

/* Both halves of a function that was cut in two are one copy. */
static int take_whole(struct line_scan *s, struct scope_ref *out)
{
	bool half = out->scope != NULL;

	while (half) {
		if (function_is_half(s->dies, *out, &half, s->r->err) < 0)
			return -1;
		if (half)
			*out = function_around(*out);
	}
	return 0;
}

/* The copy that a row is in; *out NULL: in one that is not asked for. */
static int copy_of_row(struct line_scan *s, const struct line_sequence *sequence, uint64_t offset,
		       struct line_copy **out)
{
	struct scope_ref stack[FUNCTIONS_DEEP], owner = {0};
	const struct elf_symbol *symbol;
	uint64_t start = 0;
	bool within;
	int count = functions_stack(s->dies, offset, stack, s->r->err);

	*out = NULL;
	if (count < 0)
		return -1;
	if (count > 0) {
		if (functions_owner(s->dies, stack, count, s->path, s->line, &owner, s->r->err) <
			    0 ||
		    take_whole(s, &owner) < 0)
			return -1;
	} else {
		symbol = module_symbol_at(s->m, offset, true);
		start = symbol ? symbol->offset : sequence->low;
	}
	if (is_within(s, owner, &within) < 0)
		return -1;
	if (within)
		*out = copy_get(s, owner, start);
	return 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* One run of rows while it is read. */
struct row_run {
	bool open;
	struct line_copy *copy;
	size_t block; /* index: blocks move */
};

static void extend(struct row_run *run, const struct line_row *row)
{
	struct block *b;

	if (!run->open || !run->copy || row[1].offset <= row->offset)
		return;
	b = &run->copy->blocks.items[run->block];
	if (b->low == b->high)
		b->low = row->offset;
	b->high = row[1].offset;
}

static int begin_statement(struct line_scan *s, const struct file_use *use,
			   const struct line_copy *copy, struct block *b,
			   const struct line_row *first, const struct line_row *row)
{
	b->stmt = true;
	b->start = row->offset;
	b->column = row->column;
	b->order = row_order(first, row);
	b->followed = row_followed(row);
	b->repeated = row_is_repeated(first, row);
	if (!copy->markers || b->repeated || !is_one_call(s->r, s->path, s->line))
		return 0;
	return row_ends_macro(&(struct row_place){s->dies, copy, use, s->path, s->line}, first, row,
			      &b->ends_macro, s->r->err);
}

/* One round of a loop that was unrolled may follow the other without a row between them. */
static bool is_next_round(const struct row_run *run, const struct line_row *row)
{
	const struct block *b;

	if (!run->copy->markers || !row->is_stmt || !row->column)
		return false;
	b = &run->copy->blocks.items[run->block];
	return b->stmt && b->column == row->column && b->start != row->offset;
}

static int take_row(struct line_scan *s, const struct file_use *use,
		    const struct line_sequence *sequence, struct row_run *run,
		    const struct line_row *first, const struct line_row *row)
{
	struct line_copy *copy;
	struct block *b;
	size_t copies = s->copies.items.count;

	if (copy_of_row(s, sequence, row->offset, &copy) < 0)
		return -1;
	/* A new copy may have moved the old ones. */
	if (!run->open || run->copy != copy || copies != s->copies.items.count ||
	    (copy && is_next_round(run, row))) {
		run->open = true;
		run->copy = copy;
		if (!copy)
			return 0;
		b = array_add(&copy->blocks);
		run->block = copy->blocks.count - 1;
		b->start = b->low = b->high = row->offset;
		b->column = row->column;
		b->order = row_order(first, row);
	}
	if (!copy)
		return 0;
	b = &copy->blocks.items[run->block];
	if (row->is_stmt && !b->stmt) {
		if (begin_statement(s, use, copy, b, first, row) < 0)
			return -1;
	} else if (row->offset > b->start) {
		*array_add(&copy->inner) = *row;
	}
	extend(run, row);
	return 0;
}

/* Code of no line (line 0) belongs to the statement before it. */
static void take_lineless(struct row_run *run, const struct line_row *row)
{
	extend(run, row);
	if (run->open && run->copy)
		*array_add(&run->copy->lineless) =
			(struct module_range){row->offset, row[1].offset};
}

/* From a row of the line on until a row of another one. *next: behind the last that was looked at. */
static int scan_run(struct line_scan *s, const struct file_use *use,
		    const struct line_sequence *sequence, size_t i, size_t *next)
{
	const struct line_row *rows = use->unit->rows.items + sequence->first;
	struct row_run run = {0};

	for (; i + 1 < sequence->count; i++) {
		if (rows[i].line == 0)
			take_lineless(&run, &rows[i]);
		else if (rows[i].line != s->line || !file_use_has(use, rows[i].file))
			break;
		else if (take_row(s, use, sequence, &run, rows, &rows[i]) < 0)
			return -1;
	}
	*next = i + 1;
	return 0;
}

static int scan_sequence(struct line_scan *s, const struct file_use *use,
			 const struct line_sequence *sequence)
{
	for (size_t i = 0; i + 1 < sequence->count;)
		if (scan_run(s, use, sequence, i, &i) < 0)
			return -1;
	return 0;
}

static int scan_places(struct line_scan *s, const struct file_use *use,
		       const struct line_place *places, size_t count)
{
	size_t next = 0;

	for (size_t i = 0; i < count; i++) {
		const struct line_place *p = &places[i];

		if (i && p->sequence == p[-1].sequence && p->row < next)
			continue;
		if (scan_run(s, use, &use->unit->sequences.items[p->sequence], p->row, &next) < 0)
			return -1;
	}
	return 0;
}

static int scan_rows(struct line_scan *s, const struct file_use *use)
{
	size_t count;
	const struct line_place *places = lines_places(use->unit, s->line, &count);

	if (places)
		return scan_places(s, use, places, count);
	array_each(const struct line_sequence, sequence, &use->unit->sequences)
		if (scan_sequence(s, use, sequence) < 0)
			return -1;
	return 0;
}

/* ---- calls that were inlined ---------------------------------------------------------------- */

static int take_call(struct line_scan *s, struct die_unit *u, struct scope *call)
{
	struct scope_ref owner = function_around((struct scope_ref){u, call});
	bool within;

	if (take_whole(s, &owner) < 0)
		return -1;
	if (!owner.scope)
		return 0;
	if (is_within(s, owner, &within) < 0)
		return -1;
	if (within)
		*array_add(&copy_get(s, owner, 0)->calls) = call;
	return 0;
}

static int scan_unit_calls(struct line_scan *s, const struct file_use *use, struct die_unit *u)
{
	const struct scope_call *calls;
	size_t count;

	if (dies_load(s->dies, u, s->r->err) < 0)
		return -1;
	calls = dies_calls(u, s->line, &count);
	for (size_t i = 0; i < count; i++) {
		struct scope *scope = &u->scopes.items[calls[i].scope];

		if (file_use_has(use, lines_file_index(use->unit, scope->call_file)) &&
		    take_call(s, u, scope) < 0)
			return -1;
	}
	return 0;
}

static int scan_calls(struct line_scan *s, const struct file_use *use)
{
	array_each(struct die_unit, u, &s->dies->units)
		if (u->has_stmt_list && u->stmt_list == use->unit->stmt_list &&
		    scan_unit_calls(s, use, u) < 0)
			return -1;
	return 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/*
 * gcc that optimises marks where statements begin (-gstatement-frontiers), and copies the marks with
 * the code: each is one execution. Others call every row of another line a beginning.
 */
static bool has_markers(const struct line_scan *s, const struct line_unit *l)
{
	if (s->all_stmt)
		return false;
	array_each(struct die_unit, u, &s->dies->units) {
		ERROR(ignored);

		if (u->has_stmt_list && u->stmt_list == l->stmt_list)
			return abbrevs_get(s->dies, u, &ignored) && u->is_gcc;
	}
	return false;
}

static int scan_use(struct line_scan *s, const struct file_use *use)
{
	if (lines_decode(s->m, use->unit, s->r->err) < 0)
		return -1;
	s->unit = use->unit;
	s->all_stmt = lines_all_stmt(use->unit);
	s->markers = has_markers(s, use->unit);
	return scan_rows(s, use) < 0 ? -1 : scan_calls(s, use);
}

static int scan_group(struct line_scan *s, const struct file_group *g)
{
	array_each(const struct file_use, use, &g->uses)
		if (scan_use(s, use) < 0)
			return -1;
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct source_site *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

bool copy_has_code(const struct line_copy *c)
{
	array_each(const struct block, b, &c->blocks)
		if (b->low < b->high)
			return true;
	return false;
}

/* ---- instructions that have strayed out of their copy --------------------------------------- */

/* The line that the function begins on, where this line can be in its text, else 0. */
static int text_begins(struct line_scan *s, struct scope_ref owner, bool *known, unsigned *out)
{
	struct function f;

	*known = false;
	*out = 0;
	if (!owner.scope)
		return 0;
	if (function_read(s->dies, owner, &f, s->r->err) < 0)
		return -1;
	*known = f.file != NULL;
	if (f.file && f.line <= s->line && function_same_file(f.file, s->path))
		*out = f.line;
	return 0;
}

static uint64_t resolve_line_distance(const struct block *b, const struct line_copy *to)
{
	uint64_t least = UINT64_MAX;

	array_each(const struct block, other, &to->blocks) {
		uint64_t d =
			b->start > other->start ? b->start - other->start : other->start - b->start;

		least = d < least ? d : least;
	}
	return least;
}

/* The copy nearest to a block of `c`, in the same code, whose function begins behind `begin` and has
   the line: of two functions around a line the inner one, a lambda, begins later. */
static int nearest_own(struct line_scan *s, const struct line_copy *c, const struct block *b,
		       unsigned begin, struct line_copy **out)
{
	*out = NULL;
	array_each(struct line_copy, other, &s->copies.items) {
		unsigned other_begin;
		bool known;

		if (other == c || !other->owner.scope || !other->blocks.count ||
		    function_outermost(other->owner).scope != function_outermost(c->owner).scope ||
		    (*out && resolve_line_distance(b, other) >= resolve_line_distance(b, *out)))
			continue;
		if (text_begins(s, other->owner, &known, &other_begin) < 0)
			return -1;
		if (other_begin > begin)
			*out = other;
	}
	return 0;
}

/* Its block that comes next behind the address, or the last one. */
static struct block *block_behind(struct line_copy *c, uint64_t offset)
{
	struct block *best = NULL;

	array_each(struct block, b, &c->blocks) {
		if (!best || (best->start < offset && b->start > best->start) ||
		    (b->start >= offset && b->start < best->start))
			best = b;
	}
	return best;
}

/* A mark is an execution of its own, where the copy has one already at its next code. */
static void give_block(struct line_copy *to, const struct block *b)
{
	struct block *next = block_behind(to, b->start);

	if (b->stmt && to->markers && next->stmt) {
		*array_add(&to->blocks) = *b;
		return;
	}
	if (b->stmt && !next->stmt)
		next->column = b->column;
	next->stmt |= b->stmt;
}

/*
 * gcc mixes instructions of a copy with those around it (the prologue of the function it was inlined
 * into, a neighbour) and then says that they are of those. The copy begins with the next one that is
 * its own: its variables are known there.
 */
static int return_strays(struct line_scan *s)
{
	array_each(struct line_copy, c, &s->copies.items) {
		struct line_copy *to = NULL;
		size_t kept = 0;
		unsigned begin;
		bool known;

		if (text_begins(s, c->owner, &known, &begin) < 0)
			return -1;
		if (!known)
			continue;
		array_each(const struct block, b, &c->blocks) {
			if (nearest_own(s, c, b, begin, &to) < 0)
				return -1;
			if (to)
				give_block(to, b);
			else
				c->blocks.items[kept++] = *b;
		}
		c->blocks.count = kept;
	}
	return 0;
}

static int place_copies(struct line_scan *s, struct source_sites *out)
{
	size_t before = out->count;
	bool code = false;

	array_each(const struct line_copy, c, &s->copies.items)
		code = code || copy_has_code(c);
	if (s->copies.items.count > 1 &&
	    (copies_drop(s->r, s->dies, s->path, s->line, &s->copies) < 0 || return_strays(s) < 0))
		return -1;
	array_each(struct line_copy, c, &s->copies.items)
		if (copy_sites(s->r, c, s->path, s->line, code, out) < 0)
			return -1;
	if (out->count > before)
		qsort(out->items + before, out->count - before, sizeof(*out->items), by_offset);
	return 0;
}

int line_place(struct resolver *r, struct module *m, const struct file_group *g, unsigned line,
	       const struct location_match *within, struct source_sites *out)
{
	struct line_scan s = {.r = r, .m = m, .path = g->path, .line = line, .within = within};
	int answer = -1;

	s.dies = dies_table(m, r->err);
	if (s.dies && scan_group(&s, g) == 0)
		answer = place_copies(&s, out);
	array_each(struct line_copy, c, &s.copies.items) {
		array_fini(&c->blocks);
		array_fini(&c->inner);
		array_fini(&c->lineless);
		array_fini(&c->calls);
	}
	array_fini(&s.copies.items);
	base_free(s.slots);
	return answer;
}
