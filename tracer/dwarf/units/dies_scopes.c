/* Scopes of a unit: functions, inlined copies, and the namespaces and classes around them. */
#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

#include <limits.h>

/* A pass through a unit; `open` has the current scope of each level. */
struct die_walk {
	struct die_table *t;
	struct die_unit *u;
	ARRAY(uint32_t) open;
};

static enum scope_kind dies_scopes_kind_of(unsigned tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
		return SCOPE_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return SCOPE_INLINED;
	default:
		return SCOPE_SPACE;
	}
}

static unsigned small(const struct attr *v)
{
	return v->number < UINT_MAX ? (unsigned)v->number : 0;
}

static unsigned file_number(const struct attr *v)
{
	return v->form && v->number < UINT_MAX ? (unsigned)v->number : FILE_NONE;
}

static void add_spans(struct die_unit *u, uint32_t index)
{
	const struct scope *s = &u->scopes.items[index];

	for (uint32_t i = 0; i < s->range_count; i++) {
		struct scope_span *span = array_add(&u->spans);

		span->low = u->ranges.items[s->first_range + i].low;
		span->high = u->ranges.items[s->first_range + i].high;
		span->scope = index;
	}
}

static void fill_place(struct die_walk *w, struct scope *s, const struct die *d)
{
	s->call_file = file_number(&d->at[DIE_CALL_FILE]);
	s->call_line = small(&d->at[DIE_CALL_LINE]);
	s->declaration = d->at[DIE_DECLARATION].number != 0;
	s->abstract = d->at[DIE_INLINE].number != 0;
	s->has_entry = die_address(w->t, w->u, &d->at[DIE_ENTRY], &s->entry);
	/* DW_AT_entry_pc of DWARF 5 may be an offset from the lowest address. */
	if (!s->has_entry && d->at[DIE_ENTRY].form && s->range_count) {
		s->entry = w->u->ranges.items[s->first_range].low + d->at[DIE_ENTRY].number;
		s->has_entry = true;
	}
	s->has_entry = s->has_entry && module_is_code(w->t->module, s->entry);
}

static int add_scope(struct die_walk *w, const struct die *d, struct error *err)
{
	struct scope *s = array_add(&w->u->scopes);
	uint32_t index = (uint32_t)w->u->scopes.count - 1;
	int count;

	s->kind = dies_scopes_kind_of(d->tag);
	s->tag = d->tag;
	s->offset = d->offset;
	s->parent = w->open.count ? w->open.items[w->open.count - 1] : SCOPE_NONE;
	s->end = index + 1;
	s->name = die_name(w->t, w->u, d);
	s->linkage = die_text(w->t, w->u, &d->at[DIE_LINKAGE]);
	s->origin = d->at[DIE_ORIGIN].form ? d->at[DIE_ORIGIN].number : 0;
	s->decl_file = file_number(&d->at[DIE_DECL_FILE]);
	s->decl_line = small(&d->at[DIE_DECL_LINE]);
	s->silent = s->kind == SCOPE_SPACE && (!s->name || d->at[DIE_EXPORT].number);
	if (s->kind == SCOPE_SPACE)
		return 0;
	s->first_range = (uint32_t)w->u->ranges.count;
	count = die_ranges(w->t, w->u, d, err);
	if (count < 0)
		return -1;
	s->range_count = (uint32_t)count;
	fill_place(w, s, d);
	if (s->kind == SCOPE_FUNCTION)
		add_spans(w->u, index);
	return 0;
}

static void close_list(struct die_walk *w)
{
	uint32_t scope;

	if (!w->open.count)
		return;
	scope = w->open.items[--w->open.count];
	if (scope != SCOPE_NONE)
		w->u->scopes.items[scope].end = (uint32_t)w->u->scopes.count;
}

static int walk_unit(struct die_walk *w, struct error *err)
{
	struct cursor c = {.at = dies_bytes(w->u, w->u->first), .end = dies_bytes(w->u, w->u->end)};
	struct die d;

	while (c.at < c.end) {
		uint32_t inner = w->open.count ? w->open.items[w->open.count - 1] : SCOPE_NONE;

		if (die_read(w->t, w->u, &c, false, &d, err) < 0)
			return -1;
		if (!d.tag) {
			close_list(w);
			continue;
		}
		if (d.wanted) {
			if (add_scope(w, &d, err) < 0)
				return -1;
			inner = (uint32_t)w->u->scopes.count - 1;
		}
		if (d.children)
			*array_add(&w->open) = inner;
	}
	while (w->open.count)
		close_list(w);
	return 0;
}

static int dies_scopes_by_low(const void *a, const void *b)
{
	const struct scope_span *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

void dies_unload(struct die_unit *u)
{
	array_fini(&u->scopes);
	array_fini(&u->ranges);
	array_fini(&u->spans);
	u->loaded = false;
}

int dies_load(struct die_table *t, struct die_unit *u, struct error *err)
{
	struct die_walk w = {.t = t, .u = u};
	int answer;

	if (u->loaded)
		return 0;
	if (!abbrevs_get(t, u, err))
		return -1;
	answer = walk_unit(&w, err);
	array_fini(&w.open);
	if (answer < 0) {
		dies_unload(u);
		return -1;
	}
	array_sort(&u->spans, dies_scopes_by_low);
	u->loaded = true;
	return 0;
}

/* ---- queries -------------------------------------------------------------------------------- */

bool dies_has_code(const struct scope *s)
{
	return s->range_count || (s->kind == SCOPE_INLINED && s->has_entry);
}

bool dies_covers(const struct die_unit *u, const struct scope *s, uint64_t offset)
{
	if (!s->range_count)
		return dies_has_code(s) && s->entry == offset;
	for (uint32_t i = 0; i < s->range_count; i++) {
		const struct module_range *r = &u->ranges.items[s->first_range + i];

		if (offset >= r->low && offset < r->high)
			return true;
	}
	return false;
}

int dies_function_at(struct die_table *t, uint64_t offset, struct scope_ref *out, struct error *err)
{
	struct die_unit *u = dies_unit_at(t, offset);
	size_t n;

	*out = (struct scope_ref){0};
	if (!u)
		return 0;
	if (dies_load(t, u, err) < 0)
		return -1;
	n = array_upto(&u->spans, low, offset);
	if (n > 0 && offset < u->spans.items[n - 1].high) {
		out->unit = u;
		out->scope = &u->scopes.items[u->spans.items[n - 1].scope];
	}
	return 0;
}

struct scope *dies_scope_of(struct die_unit *u, uint64_t die)
{
	size_t i = array_below(&u->scopes, offset, die);

	if (i == u->scopes.count || u->scopes.items[i].offset != die)
		return NULL;
	return &u->scopes.items[i];
}

int dies_origin(struct die_table *t, struct scope_ref of, struct scope_ref *out, struct error *err)
{
	struct die_unit *u;

	*out = (struct scope_ref){0};
	if (!of.scope->origin)
		return 0;
	u = dies_unit_of(t, of.scope->origin);
	if (!u)
		return 0;
	if (dies_load(t, u, err) < 0)
		return -1;
	out->unit = u;
	out->scope = dies_scope_of(u, of.scope->origin);
	return 0;
}

/* ---- inlined calls by line, because a unit may have very many ------------------------------- */

static int by_line(const void *a, const void *b)
{
	const struct scope_call *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->scope < y->scope ? -1 : x->scope > y->scope;
}

static void dies_calls_make(struct die_unit *u)
{
	u->calls_known = true;
	for (uint32_t i = 0; i < u->scopes.count; i++) {
		const struct scope *s = &u->scopes.items[i];

		if (s->kind == SCOPE_INLINED && dies_has_code(s))
			*array_add(&u->calls) = (struct scope_call){s->call_line, i};
	}
	array_sort(&u->calls, by_line);
}

const struct scope_call *dies_calls(struct die_unit *u, unsigned line, size_t *count)
{
	size_t first;

	if (!u->calls_known)
		dies_calls_make(u);
	first = array_below(&u->calls, line, line);
	*count = array_upto(&u->calls, line, line) - first;
	return u->calls.items + first;
}
