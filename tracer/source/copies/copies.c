/* Collects the code of a line: groups its rows into blocks and assigns them to the
   copies that contain them. */
#include "tracer/base/hash.h"
#include "tracer/dwarf/units/units.h"
#include "tracer/source/copies/copy.h"

#include <string.h>

struct line_scan {
	struct resolver *r;
	struct module *m;
	struct die_table *dies;
	const char *path;
	unsigned line;
	const struct location_match *within;
	const struct file_use *use; /* file and line program that is read now */
	bool all_stmt, markers;	    /* of the unit of `use` */
	struct line_copies copies;
	uint32_t *slots;   /* hash table of owners: index + 1 into copies; 0 if free */
	size_t slot_count; /* a power of two */
};

/* ---- hash table of copies ------------------------------------------------------------------- */

/* Returns the slot of the copy, or the free slot for it. */
static uint32_t *find_slot(const struct line_scan *s, const void *scope, uint64_t symbol)
{
	size_t at = hash_slot(hash_word(hash_word(HASH_START, (uintptr_t)scope), symbol));

	for (;; at++) {
		uint32_t *slot = &s->slots[at & (s->slot_count - 1)];
		const struct line_copy *c = *slot ? &s->copies.items.items[*slot - 1] : NULL;

		if (!c || (c->owner.scope == scope && c->symbol == symbol))
			return slot;
	}
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

/* Returns the copy of this owner, a new one if needed. A hash table, because a line of a header may
   have tens of thousands of copies. */
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
	c->markers = s->markers && !marks_are_lost(s->use->unit, owner);
	c->all_stmt = s->all_stmt || c->markers != s->markers;
	return c;
}

/* True if the name is inside of another instantiation of the template than the wanted one. */
static bool is_in_other_instance(struct line_scan *s, const char *name)
{
	OWNED(plain) = names_plain(s->within->name);
	struct name_parts parts;
	bool other = false;

	names_split(name, &parts);
	for (size_t i = 0; !other && i + 1 < parts.parts.count; i++) {
		const struct name_part *part = &parts.parts.items[i];
		OWNED(around) = base_strndup(name, (size_t)(part->text - name) + part->length);
		OWNED(plain_around) = names_plain(around);

		other = strcmp(plain_around, plain) == 0 && !names_match(&s->r->wanted, around);
	}
	names_fini(&parts);
	return other;
}

/*
 * True if the owner is one of the functions that the location names, or inside its text.
 * Excludes other instantiations of its template, and the function that makes a lambda, on the
 * lambda's first line.
 */
static bool is_within(struct line_scan *s, struct scope_ref owner)
{
	struct function f;

	if (!s->within || !s->within->begins || !resolve_function(s->r, s->m, owner, &f) ||
	    !f.name || !function_same_file(f.file, s->within->file))
		return true;
	if (f.line == s->within->begins)
		return names_match(&s->r->wanted, f.name) || strcmp(f.name, s->within->name) == 0;
	if (strchr(f.name, '<') && is_in_other_instance(s, f.name))
		return false;
	return f.line >= s->line || s->line != s->within->begins ||
	       !strstr(s->within->name, "{unnamed}::operator()");
}

/* Returns the whole function of a half that gcc split off: both are one copy. */
static struct scope_ref whole_function(struct line_scan *s, struct scope_ref scope)
{
	bool half = scope.scope != NULL;

	while (half && function_is_half(s->dies, scope, &half, s->r->err) == 0 && half)
		scope = function_around(scope);
	return scope;
}

/* Returns the copy that contains a row, or NULL if the location excludes it. */
static struct line_copy *copy_of_row(struct line_scan *s, const struct line_sequence *sequence,
				     uint64_t offset)
{
	struct scope_ref stack[FUNCTIONS_DEEP], owner = {0};
	int count = resolve_stack(s->r, s->m, offset, stack);
	const struct elf_symbol *symbol;
	uint64_t start = 0;

	if (count > 0) {
		functions_owner(s->dies, stack, count, s->path, s->line, &owner, s->r->err);
		owner = whole_function(s, owner);
	} else {
		symbol = module_symbol_at(s->m, offset, true);
		start = symbol ? symbol->offset : sequence->low;
	}
	return is_within(s, owner) ? copy_get(s, owner, start) : NULL;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Rows of the line that are adjacent, while they are read. */
struct row_run {
	const struct line_sequence *sequence;
	const struct line_row *first; /* first row of the sequence */
	bool open;
	struct line_copy *copy;
	size_t block; /* index into copy->blocks, as blocks move */
};

static struct block *run_block(const struct row_run *run)
{
	return &run->copy->blocks.items[run->block];
}

static void extend(struct row_run *run, const struct line_row *row)
{
	struct block *b;

	if (!run->open || !run->copy || row[1].offset <= row->offset)
		return;
	b = run_block(run);
	if (b->low == b->high)
		b->low = row->offset;
	b->high = row[1].offset;
}

static void begin_statement(struct line_scan *s, const struct row_run *run,
			    const struct line_row *row)
{
	const struct row_place place = {s->r, run->copy, s->use, s->path};
	struct block *b = run_block(run);

	b->stmt = true;
	b->start = row->offset;
	b->column = row->column;
	b->order = row_order(run->first, row);
	b->followed = row_followed(row);
	b->repeated = row_is_repeated(run->first, row);
	b->ends_macro = run->copy->markers && !b->repeated && is_one_call(s->r, s->path, s->line) &&
			row_ends_macro(&place, run->first, row);
}

/* True if the row begins a block of its own: the next iteration of an unrolled loop may follow
   without other rows between. */
static bool is_next_round(const struct row_run *run, const struct line_row *row)
{
	const struct block *b;

	if (!run->copy->markers || !row->is_stmt || !row->column)
		return false;
	b = run_block(run);
	return b->stmt && b->column == row->column && b->start != row->offset;
}

static void take_row(struct line_scan *s, struct row_run *run, const struct line_row *row)
{
	size_t copies = s->copies.items.count;
	struct line_copy *copy = copy_of_row(s, run->sequence, row->offset);

	/* array_add() may have moved the copies. */
	if (!run->open || run->copy != copy || copies != s->copies.items.count ||
	    (copy && is_next_round(run, row))) {
		run->open = true;
		run->copy = copy;
		if (copy) {
			run->block = copy->blocks.count;
			*array_add(&copy->blocks) = (struct block){
				.start = row->offset,
				.low = row->offset,
				.high = row->offset,
				.column = row->column,
				.order = row_order(run->first, row),
			};
		}
	}
	if (!copy)
		return;
	if (row->is_stmt && !run_block(run)->stmt)
		begin_statement(s, run, row);
	else if (row->offset > run_block(run)->start)
		*array_add(&copy->inner) = *row;
	extend(run, row);
}

/* Code of line 0 belongs to the statement before it. */
static void take_lineless(struct row_run *run, const struct line_row *row)
{
	extend(run, row);
	if (run->open && run->copy)
		*array_add(&run->copy->lineless) =
			(struct module_range){row->offset, row[1].offset};
}

/* Reads rows from index i until a row of another line. Returns the index
   after the last row read. */
static size_t scan_run(struct line_scan *s, const struct line_sequence *sequence, size_t i)
{
	const struct line_row *rows = s->use->unit->rows.items + sequence->first;
	struct row_run run = {.sequence = sequence, .first = rows};

	for (; i + 1 < sequence->count; i++) {
		if (rows[i].line == 0)
			take_lineless(&run, &rows[i]);
		else if (rows[i].line != s->line || !file_use_has(s->use, rows[i].file))
			break;
		else
			take_row(s, &run, &rows[i]);
	}
	return i + 1;
}

static void scan_places(struct line_scan *s, const struct line_place *places, size_t count)
{
	size_t next = 0;

	for (const struct line_place *p = places; p < places + count; p++)
		if (p == places || p->sequence != p[-1].sequence || p->row >= next)
			next = scan_run(s, &s->use->unit->sequences.items[p->sequence], p->row);
}

static void scan_rows(struct line_scan *s)
{
	size_t count;
	const struct line_place *places = lines_places(s->use->unit, s->line, &count);

	if (places) {
		scan_places(s, places, count);
		return;
	}
	array_each(const struct line_sequence, sequence, &s->use->unit->sequences)
		for (size_t i = 0; i + 1 < sequence->count;)
			i = scan_run(s, sequence, i);
}

/* ---- inlined calls -------------------------------------------------------------------------- */

static void scan_unit_calls(struct line_scan *s, struct die_unit *u)
{
	const struct scope_call *calls;
	size_t count;

	if (dies_load(s->dies, u, s->r->err) < 0)
		return;
	calls = dies_calls(u, s->line, &count);
	for (size_t i = 0; i < count; i++) {
		struct scope *call = &u->scopes.items[calls[i].scope];
		struct scope_ref owner;

		if (!file_use_has(s->use, lines_file_index(s->use->unit, call->call_file)))
			continue;
		owner = whole_function(s, function_around((struct scope_ref){u, call}));
		if (owner.scope && is_within(s, owner))
			*array_add(&copy_get(s, owner, 0)->calls) = call;
	}
}

/* ---- line ----------------------------------------------------------------------------------- */

static bool has_rows(const struct die_unit *u, const struct line_unit *l)
{
	return u->has_stmt_list && u->stmt_list == l->stmt_list;
}

/* True if each statement row is one execution: optimising gcc (-gstatement-frontiers) copies
   markers with the code. Other compilers set is_stmt on each row of another line. */
static bool has_markers(const struct line_scan *s, const struct line_unit *l)
{
	ERROR(ignored);

	if (!s->all_stmt)
		array_each(struct die_unit, u, &s->dies->units)
			if (has_rows(u, l))
				return abbrevs_get(s->dies, u, &ignored) && u->is_gcc;
	return false;
}

static void scan_use(struct line_scan *s, const struct file_use *use)
{
	if (lines_decode(s->m, use->unit, s->r->err) < 0)
		return;
	s->use = use;
	s->all_stmt = lines_all_stmt(use->unit);
	s->markers = has_markers(s, use->unit);
	scan_rows(s);
	array_each(struct die_unit, u, &s->dies->units)
		if (has_rows(u, use->unit))
			scan_unit_calls(s, u);
}

bool copy_has_code(const struct line_copy *c)
{
	array_each(const struct block, b, &c->blocks)
		if (b->low < b->high)
			return true;
	return false;
}

/* ---- instructions assigned to the wrong copy ------------------------------------------------ */

/* Returns the first line of the function if its text may contain this line, else 0. *known is
   false if it has no file. */
static unsigned text_begins(struct line_scan *s, struct scope_ref owner, bool *known)
{
	struct function f;

	*known = resolve_function(s->r, s->m, owner, &f) && f.file;
	return *known && f.line <= s->line && function_same_file(f.file, s->path) ? f.line : 0;
}

static uint64_t distance_to_copy(const struct block *b, const struct line_copy *to)
{
	uint64_t least = UINT64_MAX;

	array_each(const struct block, other, &to->blocks) {
		uint64_t d =
			b->start > other->start ? b->start - other->start : other->start - b->start;

		least = d < least ? d : least;
	}
	return least;
}

/* Returns the copy nearest to a block of `c`, in the same code, whose function begins after `begin`
   and contains the line. Of nested functions the inner one, a lambda, begins later. */
static struct line_copy *nearest_own(struct line_scan *s, const struct line_copy *c,
				     const struct block *b, unsigned begin)
{
	struct line_copy *nearest = NULL;

	array_each(struct line_copy, other, &s->copies.items) {
		bool known;

		if (other != c && other->owner.scope && other->blocks.count &&
		    function_outermost(other->owner).scope == function_outermost(c->owner).scope &&
		    (!nearest || distance_to_copy(b, other) < distance_to_copy(b, nearest)) &&
		    text_begins(s, other->owner, &known) > begin)
			nearest = other;
	}
	return nearest;
}

/* Returns the copy's next block after the address, or its last one. */
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

/* Gives the block to the copy. A marker is an execution of its own if the copy's next
   code has one already. */
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
 * Moves blocks to the copy of their function: gcc assigns some instructions of a copy to the code
 * around it, such as the prologue. The copy then begins at its next own instruction, where its
 * variables are known.
 */
static void return_strays(struct line_scan *s)
{
	array_each(struct line_copy, c, &s->copies.items) {
		bool known;
		unsigned begin = text_begins(s, c->owner, &known);
		size_t kept = 0;

		if (!known)
			continue;
		array_each(const struct block, b, &c->blocks) {
			struct line_copy *to = nearest_own(s, c, b, begin);

			if (to)
				give_block(to, b);
			else
				c->blocks.items[kept++] = *b;
		}
		c->blocks.count = kept;
	}
}

static int site_by_offset(const void *a, const void *b)
{
	const struct source_site *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void place_copies(struct line_scan *s, struct source_sites *out)
{
	const char *lambda = NULL;
	size_t before = out->count;
	bool code = false;

	array_each(const struct line_copy, c, &s->copies.items)
		code = code || copy_has_code(c);
	if (s->copies.items.count > 1) {
		lambda = copies_drop(s->r, s->path, s->line, &s->copies);
		return_strays(s);
	}
	array_each(struct line_copy, c, &s->copies.items)
		copy_sites(s->r, c, s->path, s->line, code, out);
	for (size_t i = before; i < out->count; i++)
		out->items[i].lambda = lambda;
	if (out->count > before)
		array_qsort(out->items + before, out->count - before, sizeof(*out->items),
			    site_by_offset);
}

void line_place(struct resolver *r, struct module *m, const struct file_group *g, unsigned line,
		const struct location_match *within, struct source_sites *out)
{
	struct line_scan s = {.r = r, .m = m, .path = g->path, .line = line, .within = within};

	s.dies = dies_table(m, r->err);
	if (!s.dies)
		return;
	array_each(const struct file_use, use, &g->uses)
		scan_use(&s, use);
	place_copies(&s, out);
	array_each(struct line_copy, c, &s.copies.items) {
		array_fini(&c->blocks);
		array_fini(&c->inner);
		array_fini(&c->lineless);
		array_fini(&c->calls);
	}
	array_fini(&s.copies.items);
	base_free(s.slots);
}
