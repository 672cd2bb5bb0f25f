/*
 * Finds enumerators by name: first in the unit of the function that evaluates, then in all units.
 */
#include "tracer/inspect/eval/eval.h"

#include "tracer/source/names/names.h"
#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { SCOPES_DEEP = 24, ENTRIES_MAX = 2000000 };

struct enum_search {
	struct module *module;
	struct die_table *table;
	struct name_parts wanted;
	const char *last; /* the enumerator's own name */
	/* DIEs of the function that the call is in: its blocks are searched too */
	uint64_t function[2];
	const char *around[SCOPES_DEEP]; /* names of the enclosing scopes, the outermost first */
	unsigned depth;
	unsigned left; /* DIEs that may still be read */
	const struct type *type;
	int64_t value;
	bool found;
	/* DIE of an enum with the wanted name; a type unit may define it in another DIE */
	uint64_t declared;
	struct error *err;
};

static void search_children(struct enum_search *s, const struct entry *parent);

/* ---- matching ------------------------------------------------------------------------------- */

static char *eval_enum_joined(const struct enum_search *s, const char *name)
{
	struct str full = {0};

	for (unsigned i = 0; i < s->depth; i++) {
		if (s->around[i])
			str_addf(&full, "%s::", s->around[i]);
	}
	str_add(&full, name);
	return str_take(&full);
}

/* True if the name matches. An enumerator of a plain enum is also known without the enum's name. */
static bool name_matches(struct enum_search *s, const char *enum_name, bool class_enum)
{
	char *with, *without;
	bool same;

	if (s->wanted.parts.count == 1)
		return !class_enum;
	without = eval_enum_joined(s, s->last);
	s->around[s->depth++] = enum_name;
	with = eval_enum_joined(s, s->last);
	s->depth--;
	same = names_match(&s->wanted, with) || (!class_enum && names_match(&s->wanted, without));
	base_free(with);
	base_free(without);
	return same;
}

static void visit_enum(struct enum_search *s, const struct entry *e)
{
	bool class_enum = entry_flag(e, DW_AT_enum_class);
	const struct type *t;

	if (name_matches(s, entry_text(e, DW_AT_name), class_enum))
		s->declared = e->offset;
	else if (!s->declared || entry_ref(e, DW_AT_specification) != s->declared)
		return;
	t = type_get(s->module, e->offset, s->err);
	if (!t || type_members(t, s->err) < 0)
		return;
	array_each(const struct type_enumerator, x, &t->enumerators) {
		if (!x->name || strcmp(x->name, s->last) != 0)
			continue;
		s->found = true;
		s->type = t;
		s->value = x->value;
		return;
	}
}

/* ---- walking -------------------------------------------------------------------------------- */

static void go_in(struct enum_search *s, const struct entry *e, const char *name)
{
	if (s->depth + 2 >= SCOPES_DEEP || !e->children)
		return;
	s->around[s->depth++] = name;
	search_children(s, e);
	s->depth--;
}

static bool eval_enum_is_function(const struct enum_search *s, const struct entry *e)
{
	return e->offset == s->function[0] || e->offset == s->function[1];
}

static void visit_entry(struct enum_search *s, const struct entry *e)
{
	switch (e->tag) {
	case DW_TAG_enumeration_type:
		visit_enum(s, e);
		break;
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		go_in(s, e, entry_text(e, DW_AT_name));
		break;
	case DW_TAG_subprogram:
		if (eval_enum_is_function(s, e))
			go_in(s, e, NULL);
		break;
	case DW_TAG_lexical_block:
		go_in(s, e, NULL);
		break;
	default:
		break;
	}
}

static void search_children(struct enum_search *s, const struct entry *parent)
{
	/* on the heap: large, and this function is recursive */
	struct entry *e = base_alloc(1, sizeof(*e));
	uint64_t next = 0;

	while (!s->found && s->left && entry_child(parent, &next, e, s->err) > 0) {
		s->left--;
		visit_entry(s, e);
	}
	base_free(e);
}

static void search_unit(struct enum_search *s, const struct die_unit *u)
{
	struct entry *top = base_alloc(1, sizeof(*top));

	s->left = ENTRIES_MAX;
	s->depth = 0;
	s->declared = 0;
	if (entry_read(s->table, u->first, top, s->err) == 0)
		search_children(s, top);
	base_free(top);
}

/* ---- places to search ----------------------------------------------------------------------- */

static bool enter_module(struct enum_search *s, struct module *m)
{
	s->module = m;
	s->table = dies_table(m, s->err);
	return s->table && s->table->units.count;
}

static const struct die_unit *search_own_unit(struct enum_search *s, const struct dwarf_frame *f)
{
	struct die_unit *u;
	struct scope_ref function;

	if (!f->module || !enter_module(s, f->module))
		return NULL;
	u = dies_unit_at(s->table, f->lookup_pc - f->bias);
	if (!u)
		return NULL;
	if (dies_function_at(s->table, f->lookup_pc - f->bias, &function, s->err) == 0 &&
	    function.scope) {
		s->function[0] = function.scope->offset;
		s->function[1] = function.scope->origin;
	}
	search_unit(s, u);
	s->function[0] = s->function[1] = 0;
	return u;
}

/* Searches a type unit. Returns true if the enumerator was found. */
static int search_type(struct die_table *t, struct die_unit *u, void *ctx, struct error *err)
{
	struct enum_search *s = ctx;

	(void)t;
	(void)err;
	search_unit(s, u);
	return s->found;
}

static void search_others(struct enum_search *s, struct module *m, const struct die_unit *done)
{
	bool *marks;

	if (!enter_module(s, m))
		return;
	marks = base_alloc(s->table->units.count, sizeof(*marks));
	dies_mark_named(s->table, s->last, marks);
	for (size_t i = 0; i < s->table->units.count && !s->found; i++) {
		if (marks[i] && &s->table->units.items[i] != done)
			search_unit(s, &s->table->units.items[i]);
	}
	base_free(marks);
	if (!s->found)
		split_each_type(s->table, s->last, search_type, s, s->err);
}

static void search_all(struct enum_search *s, const struct eval_scope *scope)
{
	const struct dwarf_frame *f = &scope->call->frame;
	const struct die_unit *done = search_own_unit(s, f);
	struct module *m;
	uint64_t bias;

	if (!s->found && f->module)
		search_others(s, f->module, done);
	for (size_t i = 0; !s->found && (m = dwarf_module(scope->program, i, &bias)); i++)
		if (m != f->module)
			search_others(s, m, done);
}

bool eval_enumerator(const struct eval_scope *scope, const char *name, const struct type **type,
		     int64_t *value)
{
	ERROR(ignored);
	struct enum_search s = {.err = &ignored};
	char *last;

	names_split(name, &s.wanted);
	s.last = last = names_last(&s.wanted);
	if (*last)
		search_all(&s, scope);
	*type = s.type;
	*value = s.value;
	names_fini(&s.wanted);
	base_free(last);
	return s.found;
}
