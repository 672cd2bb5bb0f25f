/* Index of the variables outside of functions, unit by unit, from .debug_info. */
#include "tracer/inspect/variables/variables.h"

#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { NO_SPACE = UINT32_MAX }; /* inside a function */
enum { PARTS_DEEP = 16 };	/* levels of partial units that import others */

struct unit_scan {
	struct die_table *t;
	struct die_unit *u;
	struct unit_globals *g;
	struct cursor c;
	ARRAY(uint32_t) open; /* space of each open list of children */
};

/* ---- data that the module keeps ------------------------------------------------------------- */

static void unit_fini(struct unit_globals *g)
{
	array_each(char *, text, &g->strings)
		base_free(*text);
	array_fini(&g->strings);
	array_fini(&g->spaces);
	array_fini(&g->globals);
	array_fini(&g->imports);
	array_fini(&g->parts);
}

static void variables_free(void *data)
{
	struct variable_table *v = data;

	for (size_t i = 0; i < v->unit_count; i++)
		unit_fini(&v->units[i]);
	array_each(struct made_globals, m, &v->made) {
		unit_fini(m->globals);
		base_free(m->globals);
	}
	array_fini(&v->made);
	for (size_t i = 0; i < v->slot_count; i++)
		variable_free(v->slots[i]);
	base_free(v->slots);
	base_free(v->units);
	base_free(v);
}

struct variable_table *variable_table(struct module *m, struct error *err)
{
	struct die_table *t = dies_table(m, err);
	struct variable_table *v;

	if (!t)
		return NULL;
	if (t->variables)
		return t->variables;
	v = t->variables = cleanup_alloc(&t->cleanups, sizeof(*v), variables_free);
	v->unit_count = t->units.count;
	v->units = base_alloc(t->units.count + 1, sizeof(*v->units));
	return v;
}

/* ---- spaces --------------------------------------------------------------------------------- */

static const struct space *space_of_entry(const struct unit_globals *g, uint64_t entry)
{
	array_each(const struct space, s, &g->spaces) {
		if (s->entry == entry)
			return s;
	}
	return NULL;
}

static const char *space_name(struct unit_scan *s, const struct die *d, const char *outer)
{
	const char *name = die_name(s->t, s->u, d);
	const struct space *origin = NULL;
	struct str text = {0};

	if (d->at[DIE_ORIGIN].form) /* struct ns::C { ... } outside of its namespace */
		origin = space_of_entry(s->g, d->at[DIE_ORIGIN].number);
	if (origin)
		return origin->name;
	if (!name || d->at[DIE_EXPORT].number)
		return outer;
	if (!*outer)
		return name;
	str_addf(&text, "%s::%s", outer, name);
	return *array_add(&s->g->strings) = str_take(&text);
}

static uint32_t add_space(struct unit_scan *s, const struct die *d, uint32_t outer)
{
	const char *name = space_name(s, d, s->g->spaces.items[outer].name);
	struct space *made = array_add(&s->g->spaces);

	made->name = name;
	made->entry = d->offset;
	return (uint32_t)s->g->spaces.count - 1;
}

/* ---- DIEs ----------------------------------------------------------------------------------- */

static bool is_static_member(const struct die *d)
{
	return d->tag == DW_TAG_member && d->at[DIE_DECLARATION].number;
}

static void add_global(struct unit_scan *s, const struct die *d, uint32_t space)
{
	const struct attr *origin = &d->at[DIE_ORIGIN];
	struct global *g;

	if (d->tag != DW_TAG_variable && !is_static_member(d))
		return;
	g = array_add(&s->g->globals);
	g->name = die_text(s->t, s->u, &d->at[DIE_NAME]);
	g->entry = d->offset;
	g->origin = origin->form ? origin->number : 0;
	g->declaration = d->at[DIE_DECLARATION].number != 0;
	g->space = space;
}

/* Adds `using namespace ns` and `using ns::x`. */
static void add_import(struct unit_scan *s, const struct die *d, uint32_t space)
{
	struct entry e, target;
	ERROR(ignored);
	struct global *g;
	uint64_t to;

	if (entry_read(s->t, d->offset, &e, &ignored) < 0)
		return;
	to = entry_ref(&e, DW_AT_import);
	if (!to)
		return;
	if (d->tag == DW_TAG_imported_module) {
		*array_add(&s->g->imports) = (struct import){.space = space, .target = to};
		return;
	}
	if (entry_read(s->t, to, &target, &ignored) < 0 || target.tag != DW_TAG_variable)
		return;
	g = array_add(&s->g->globals);
	g->name = entry_text(&target, DW_AT_name);
	g->entry = to;
	g->declaration = entry_flag(&target, DW_AT_declaration);
	g->space = space;
}

/* Adds a partial unit, to which dwz has moved DIEs that several units share. */
static void add_part(struct unit_scan *s, const struct die *d)
{
	ERROR(ignored);
	struct entry e;
	uint64_t to;

	if (entry_read(s->t, d->offset, &e, &ignored) < 0)
		return;
	to = entry_ref(&e, DW_AT_import);
	if (to)
		*array_add(&s->g->parts) = to;
}

/* Reads the next DIE, with all attributes only for variables and members. */
static int read_next(struct unit_scan *s, struct die *d, struct error *err)
{
	struct cursor peek = s->c;
	const struct abbrev *a = abbrev_find(s->u->abbrevs, cursor_uleb(&peek));
	bool all = a && (a->tag == DW_TAG_variable || a->tag == DW_TAG_member);

	return die_read(s->t, s->u, &s->c, all, d, err);
}

/* Handles a DIE. Returns the space of its children. */
static uint32_t variables_index_take(struct unit_scan *s, const struct die *d, uint32_t space)
{
	if (space == NO_SPACE)
		return NO_SPACE;
	switch (d->tag) {
	case DW_TAG_variable:
	case DW_TAG_member:
		add_global(s, d, space);
		return NO_SPACE;
	case DW_TAG_imported_module:
	case DW_TAG_imported_declaration:
		add_import(s, d, space);
		return NO_SPACE;
	case DW_TAG_imported_unit:
		add_part(s, d);
		return NO_SPACE;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return d->children || d->at[DIE_DECLARATION].number ? add_space(s, d, space)
								    : space;
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_type_unit:
		return space;
	default:
		return NO_SPACE;
	}
}

static int scan_unit(struct unit_scan *s, struct error *err)
{
	struct die d;

	while (s->c.at < s->c.end) {
		uint32_t space = s->open.count ? s->open.items[s->open.count - 1] : 0;

		if (read_next(s, &d, err) < 0)
			return -1;
		if (!d.tag) {
			s->open.count -= s->open.count > 0;
			continue;
		}
		space = variables_index_take(s, &d, space);
		if (d.children)
			*array_add(&s->open) = space;
	}
	return 0;
}

/* Returns the place for the unit's variables. Type units of .dwo files are found one by one. */
static struct unit_globals *variables_index_slot_of(struct variable_table *v,
						    const struct die_table *t,
						    const struct die_unit *u)
{
	struct made_globals *made;

	if (u >= t->units.items && u < t->units.items + t->units.count)
		return &v->units[u - t->units.items];
	array_each(struct made_globals, old, &v->made)
		if (old->unit == u)
			return old->globals;
	made = array_add(&v->made);
	*made = (struct made_globals){u, base_alloc(1, sizeof(*made->globals))};
	return made->globals;
}

/* Reads the variables of the unit's own DIEs. */
static struct unit_globals *scanned(struct variable_table *v, struct die_table *t,
				    struct die_unit *u, struct error *err)
{
	struct unit_scan s = {.t = t, .u = u, .g = variables_index_slot_of(v, t, u)};
	int answer;

	if (s.g->read)
		return s.g;
	if (!abbrevs_get(t, u, err))
		return NULL;
	s.c = (struct cursor){.at = dies_bytes(u, u->first), .end = dies_bytes(u, u->end)};
	*array_add(&s.g->spaces) = (struct space){.name = ""};
	answer = scan_unit(&s, err);
	array_fini(&s.open);
	if (answer < 0) {
		unit_fini(s.g);
		return NULL;
	}
	s.g->read = true;
	return s.g;
}

/* ---- partial units -------------------------------------------------------------------------- */

static const struct global *declaration_in(const struct unit_globals *g, uint64_t entry)
{
	array_each(const struct global, one, &g->globals)
		if (one->entry == entry)
			return one;
	return NULL;
}

/* Gives a nameless definition the name and space of its declaration, which dwz moved to a partial
   unit. */
static void adopt(struct variable_table *v, struct die_table *t, struct unit_globals *g,
		  struct global *one)
{
	uint64_t origin = one->origin;

	for (int i = 0; i < ORIGINS_MAX && origin; i++) {
		struct die_unit *u = dies_unit_of(t, origin);
		const struct unit_globals *part;
		const struct global *declared;
		ERROR(ignored);

		if (!u || !u->partial || !(part = scanned(v, t, u, &ignored)) || part == g)
			return;
		declared = declaration_in(part, origin);
		if (!declared)
			return;
		if (declared->name) {
			*array_add(&g->spaces) =
				(struct space){.name = part->spaces.items[declared->space].name};
			one->name = declared->name;
			one->space = (uint32_t)g->spaces.count - 1;
			return;
		}
		origin = declared->origin;
	}
}

const struct unit_globals *unit_globals(struct module *m, struct die_unit *u, struct error *err)
{
	struct variable_table *v = variable_table(m, err);
	struct unit_globals *g = v ? scanned(v, m->dies, u, err) : NULL;

	if (!g || g->adopted)
		return g;
	g->adopted = true;
	array_each(struct global, one, &g->globals)
		if (!one->name && one->origin)
			adopt(v, m->dies, g, one);
	return g;
}

static void mark_parts(struct module *m, struct die_table *t, struct die_unit *u, bool *marks,
		       int deep)
{
	ERROR(ignored);
	const struct unit_globals *g = deep < PARTS_DEEP ? unit_globals(m, u, &ignored) : NULL;

	for (size_t i = 0; g && i < g->parts.count; i++) {
		struct die_unit *part = dies_unit_of(t, g->parts.items[i]);

		if (!part || !part->partial || marks[part - t->units.items])
			continue;
		marks[part - t->units.items] = true;
		mark_parts(m, t, part, marks, deep + 1);
	}
}

void unit_parts(struct module *m, struct die_unit *u, const char *name, struct unit_list *out)
{
	ERROR(ignored);
	struct variable_table *v = variable_table(m, &ignored);
	const struct unit_globals *g = v ? scanned(v, m->dies, u, &ignored) : NULL;
	struct die_table *t = m->dies;
	bool *parts, *named;

	if (!g || !g->parts.count)
		return;
	parts = base_alloc(t->units.count, sizeof(*parts));
	named = base_alloc(t->units.count, sizeof(*named));
	mark_parts(m, t, u, parts, 0);
	dies_mark_named(t, name, named);
	for (size_t i = 0; i < t->units.count; i++)
		if (parts[i] && named[i])
			*array_add(out) = &t->units.items[i];
	base_free(parts);
	base_free(named);
}
