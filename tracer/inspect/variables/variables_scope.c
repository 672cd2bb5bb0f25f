/* Scopes: the blocks around a place, and the variables in them. */
#include "tracer/inspect/variables/variables.h"

#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { BLOCKS_DEEP = 48 };

static bool is_block(const struct entry *e)
{
	return e->tag == DW_TAG_lexical_block || e->tag == DW_TAG_try_block ||
	       e->tag == DW_TAG_catch_block || e->tag == DW_TAG_with_stmt;
}

/* True for a block without addresses, which older compilers emit: its variables count as the
   enclosing block's. */
static bool is_transparent(const struct entry *e)
{
	return !entry_attr(e, DW_AT_low_pc) && !entry_attr(e, DW_AT_ranges);
}

static bool in_ranges(const struct die_unit *u, size_t from, uint64_t offset)
{
	for (size_t i = from; i < u->ranges.count; i++) {
		if (offset >= u->ranges.items[i].low && offset < u->ranges.items[i].high)
			return true;
	}
	return false;
}

/* Returns 1 if the block's code holds the offset, 0, or -1. */
static int block_covers(const struct entry *e, uint64_t offset, struct error *err)
{
	struct die_table *t = e->table;
	struct cursor c = {.at = dies_bytes(e->unit, e->offset),
			   .end = dies_bytes(e->unit, e->unit->end)};
	size_t before = e->unit->ranges.count;
	bool inside;
	struct die d;

	if (!abbrevs_get(t, e->unit, err) || die_read(t, e->unit, &c, true, &d, err) < 0 ||
	    die_ranges(t, e->unit, &d, err) < 0)
		return -1;
	inside = in_ranges(e->unit, before, offset);
	e->unit->ranges.count = before; /* die_ranges() appended them for this test only */
	return inside;
}

/* ---- levels --------------------------------------------------------------------------------- */

/* Finds the block directly inside this DIE that covers the offset. *out is 0 if there is none. */
static int inner_block(struct code_place *p, uint64_t entry, int deep, uint64_t *out,
		       struct error *err)
{
	struct entry around, child;
	uint64_t next = 0;
	int answer = 1;

	*out = 0;
	if (deep > BLOCKS_DEEP)
		return 0;
	if (entry_read(p->table, entry, &around, err) < 0)
		return -1;
	while (!*out && (answer = entry_child(&around, &next, &child, err)) > 0) {
		if (!is_block(&child))
			continue;
		if (is_transparent(&child))
			answer = inner_block(p, child.offset, deep + 1, out, err);
		else if ((answer = block_covers(&child, p->offset, err)) > 0)
			*out = child.offset;
		if (answer < 0)
			return -1;
	}
	return answer < 0 ? -1 : 0;
}

static int place_levels(struct code_place *p, struct error *err)
{
	uint64_t outward[SCOPE_LEVELS], at;
	size_t count = 0;

	p->count = 0;
	at = p->self.scope ? p->self.scope->offset : 0;
	while (at && count < SCOPE_LEVELS) {
		outward[count++] = at;
		if (inner_block(p, at, 0, &at, err) < 0)
			return -1;
	}
	while (count > 0)
		p->levels[p->count++] = outward[--count];
	return 0;
}

int place_find(struct module *m, uint64_t offset, unsigned depth, struct code_place *out,
	       struct error *err)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	int count;

	memset(out, 0, sizeof(*out));
	out->module = m;
	out->offset = offset;
	out->table = dies_table(m, err);
	if (!out->table)
		return -1;
	count = functions_stack(out->table, offset, stack, err);
	if (count <= 0)
		return count;
	out->self = stack[depth < (unsigned)count ? depth : (unsigned)count - 1];
	return place_levels(out, err);
}

/* ---- walks ---------------------------------------------------------------------------------- */

const char *entry_name(const struct entry *e)
{
	struct entry holder;
	ERROR(ignored);

	if (entry_attr(e, DW_AT_name))
		return entry_text(e, DW_AT_name);
	if (!entry_inherited(e, DW_AT_name, &holder, &ignored))
		return NULL;
	return entry_text(&holder, DW_AT_name);
}

/* One walk. `seen` are the DIEs that were shown and their origins. */
struct block_walk {
	const struct code_place *place;
	struct local_walk *user;
	bool everywhere; /* into all blocks, not only one level */
	bool absent;	 /* the walk is in the abstract function */
	int deep;
	ARRAY(uint64_t) seen;
};

static bool was_seen(const struct block_walk *w, uint64_t entry)
{
	array_each(const uint64_t, s, &w->seen) {
		if (*s == entry)
			return true;
	}
	return false;
}

/* Marks the DIE and the chain of its abstract origins. */
static void mark_seen(struct block_walk *w, const struct entry *e)
{
	struct entry at = *e;
	ERROR(ignored);

	for (int i = 0; i < ORIGINS_MAX; i++) {
		uint64_t origin = entry_ref(&at, DW_AT_abstract_origin);

		*array_add(&w->seen) = at.offset;
		if (!origin || entry_read(w->place->table, origin, &at, &ignored) < 0)
			break;
	}
}

static int variables_scope_show(struct block_walk *w, const struct entry *e, struct error *err)
{
	struct entry holder;
	ERROR(ignored);
	struct local l = {.entry = e, .name = entry_name(e), .absent = w->absent};

	if (was_seen(w, e->offset))
		return 0;
	mark_seen(w, e);
	l.argument = e->tag == DW_TAG_formal_parameter;
	l.artificial = entry_inherited(e, DW_AT_artificial, &holder, &ignored) != NULL;
	return w->user->found(w->user, &l, err);
}

/* Shows the variable of a using-declaration. */
static int show_imported(struct block_walk *w, const struct entry *e, struct error *err)
{
	uint64_t target = entry_ref(e, DW_AT_import);
	ERROR(ignored);
	struct entry named;

	if (!target || entry_read(w->place->table, target, &named, &ignored) < 0 ||
	    named.tag != DW_TAG_variable)
		return 0;
	return variables_scope_show(w, &named, err);
}

static int walk_children(struct block_walk *w, uint64_t entry, struct error *err);

static int walk_child(struct block_walk *w, const struct entry *child, struct error *err)
{
	switch (child->tag) {
	case DW_TAG_variable:
	case DW_TAG_formal_parameter:
		return variables_scope_show(w, child, err);
	case DW_TAG_imported_declaration:
		return show_imported(w, child, err);
	case DW_TAG_GNU_formal_parameter_pack:
		return walk_children(w, child->offset, err);
	default:
		break;
	}
	if (is_block(child) && (w->everywhere || (is_transparent(child) && !w->absent)))
		return walk_children(w, child->offset, err);
	return 0;
}

static int walk_children(struct block_walk *w, uint64_t entry, struct error *err)
{
	struct entry around, child;
	uint64_t next = 0;
	int answer = 0, more;

	if (w->deep >= BLOCKS_DEEP)
		return 0;
	if (entry_read(w->place->table, entry, &around, err) < 0)
		return -1;
	w->deep++;
	while (answer == 0 && (more = entry_child(&around, &next, &child, err)) != 0)
		answer = more < 0 ? -1 : walk_child(w, &child, err);
	w->deep--;
	return answer;
}

/* Walks the abstract origins of a block or function: their other variables were removed from this
   copy. */
static int walk_origins(struct block_walk *w, uint64_t entry, struct error *err)
{
	struct entry at;
	int answer = 0;

	w->absent = true;
	if (entry_read(w->place->table, entry, &at, err) < 0)
		return -1;
	for (int i = 0; i < ORIGINS_MAX && answer == 0; i++) {
		uint64_t origin = entry_ref(&at, DW_AT_abstract_origin);

		if (!origin)
			break;
		answer = walk_children(w, origin, err);
		if (answer == 0 && entry_read(w->place->table, origin, &at, err) < 0)
			answer = -1;
	}
	return answer;
}

static int walk_entry(struct block_walk *w, uint64_t entry, struct error *err)
{
	int answer = walk_children(w, entry, err);

	if (answer == 0)
		answer = walk_origins(w, entry, err);
	array_fini(&w->seen);
	return answer;
}

int place_walk(const struct code_place *p, size_t level, struct local_walk *user, struct error *err)
{
	struct block_walk w = {.place = p, .user = user};

	return walk_entry(&w, p->levels[level], err);
}

void place_walk_all(const struct code_place *p, struct local_walk *user, struct error *err)
{
	struct block_walk w = {.place = p, .user = user, .everywhere = true};

	if (p->self.scope)
		walk_entry(&w, p->self.scope->offset, err);
}
