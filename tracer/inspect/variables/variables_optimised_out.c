/* Errors for a variable that has no value here: optimised out, or unknown. */
#include "tracer/dwarf/units/units.h"

#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

#include <string.h>
#include <strings.h>

enum { LISTED_MAX = 10 };

/* ---- the nearest line with a value ---------------------------------------------------------- */

struct nearest {
	const struct code_place *place;
	const struct loclist_ranges *ranges;
	struct line_unit *lines;
	const char *file;
	unsigned line, far;
};

static bool lives_at(const struct loclist_ranges *r, uint64_t offset)
{
	array_each(const struct loclist_range, one, r) {
		if (offset >= one->low && offset < one->high)
			return true;
	}
	return false;
}

static void weigh_row(struct nearest *n, const struct line_row *row)
{
	const struct code_place *p = n->place;
	unsigned far;
	const char *file;

	if (!row->is_stmt || !row->line || row->end_sequence || !lives_at(n->ranges, row->offset) ||
	    !dies_covers(p->self.unit, p->self.scope, row->offset))
		return;
	far = row->line > p->line ? row->line - p->line : p->line - row->line;
	/* Another address of the same line is the last choice. */
	if (far == 0)
		far = UINT32_MAX - 1;
	if (far >= n->far)
		return;
	file = lines_file(n->lines, row->file);
	if (!file || (p->file && !function_same_file(file, p->file)))
		return;
	n->far = far;
	n->line = row->line;
	n->file = file;
}

static bool nearest_row(const struct code_place *p, const struct loclist_ranges *ranges,
			struct str *out)
{
	struct nearest n = {.place = p, .ranges = ranges, .far = UINT32_MAX};
	const struct die_unit *u = p->self.unit;
	ERROR(ignored);

	if (!u->has_stmt_list || !p->module->lines)
		return false;
	n.lines = lines_unit_at(p->module->lines, u->stmt_list);
	if (!n.lines || lines_decode(p->module, n.lines, &ignored) < 0)
		return false;
	array_each(const struct line_row, row, &n.lines->rows)
		weigh_row(&n, row);
	if (!n.file)
		return false;
	str_addf(out, "%s:%u", n.file, n.line);
	return true;
}

bool variable_nearest(const struct code_place *p, uint64_t entry, struct str *out)
{
	struct loclist_ranges ranges = {.count = 0};
	const struct attr *a;
	ERROR(ignored);
	struct entry e;
	bool found;

	if (!p->self.scope || !entry || entry_read(p->table, entry, &e, &ignored) < 0)
		return false;
	a = entry_attr(&e, DW_AT_location);
	if (a && a->block) /* one location for the whole block */
		return false;
	if (!a || loclist_ranges(&e, a, &ranges, &ignored) < 0) {
		array_fini(&ranges);
		return false;
	}
	found = nearest_row(p, &ranges, out);
	array_fini(&ranges);
	return found;
}

int variable_optimised_out(const struct code_place *p, const struct variable *v, const char *name,
			   struct error *err)
{
	uint64_t entry = v->kind == VARIABLE_MEMBER ? v->object->entry : v->entry;
	STR(where);

	if (p->module == v->module && variable_nearest(p, entry, &where))
		error_set(err, ERROR_STATE, "%s: optimised out at this line; it lives at %s", name,
			  str_text(&where));
	else
		error_set(err, ERROR_STATE,
			  "%s: optimised out at this line, and at every other line", name);
	return error_hint(err, "build with -O0 or -Og to see it at every line");
}

/* ---- unknown names -------------------------------------------------------------------------- */

struct close_names {
	const char *wanted, *same; /* same: differs only in upper and lower case */
	struct suggestions near;
	struct str list;
	int count;
	uint64_t elsewhere; /* DIE of a variable of that name in another block */
	unsigned elsewhere_line;
	bool placed; /* the variable has a single location, as at -O0 */
};

/* Offers a similar name. Two letters or less resemble too many names. */
static void suggest(struct close_names *n, const char *name)
{
	if (strcmp(name, n->wanted) == 0)
		return;
	if (strcasecmp(name, n->wanted) == 0)
		n->same = name;
	if (strlen(n->wanted) > 2)
		suggest_offer(&n->near, name);
}

/* True if the name is listed: an enclosing block may have a variable of the same name. */
static bool is_listed(const struct close_names *n, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = str_text(&n->list); *at; at += strspn(at, ", ")) {
		size_t word = strcspn(at, ",");

		if (word == length && strncmp(at, name, length) == 0)
			return true;
		at += word;
	}
	return false;
}

static int variables_optimised_out_offer(struct local_walk *w, const struct local *l,
					 struct error *err)
{
	struct close_names *n = w->ctx;

	(void)err;
	if (!l->name || !*l->name)
		return 0;
	suggest(n, l->name);
	if (is_listed(n, l->name))
		return 0;
	if (n->count++ < LISTED_MAX)
		str_addf(&n->list, "%s%s", n->list.length ? ", " : "", l->name);
	return 0;
}

static int note_elsewhere(struct local_walk *w, const struct local *l, struct error *err)
{
	struct close_names *n = w->ctx;
	struct entry holder;
	const struct attr *a;

	if (!l->name || strcmp(l->name, n->wanted) != 0)
		return 0;
	n->elsewhere = l->entry->offset;
	a = entry_attr(l->entry, DW_AT_location);
	n->placed = a && a->block;
	a = entry_inherited(l->entry, DW_AT_decl_line, &holder, err);
	n->elsewhere_line = a && a->number < UINT32_MAX ? (unsigned)a->number : 0;
	return 1;
}

static void offer_unit(const struct code_place *p, struct close_names *n)
{
	ERROR(ignored);
	const struct unit_globals *g;

	if (!p->self.scope)
		return;
	g = unit_globals(p->module, p->self.unit, &ignored);
	if (!g)
		return;
	array_each(const struct global, one, &g->globals) {
		if (one->name)
			suggest(n, one->name);
	}
}

/* Sets the error of a variable of this name in another block, or in this one where it has no
   code. */
static void say_elsewhere(const struct code_place *p, const struct close_names *n,
			  struct error *err)
{
	STR(where);

	if (variable_nearest(p, n->elsewhere, &where))
		error_set(err, ERROR_STATE, "%s: optimised out at this line; it lives at %s",
			  n->wanted, str_text(&where));
	else if (n->placed)
		error_set(err, ERROR_STATE,
			  "%s: not in scope here; it is declared on line %u, in another block",
			  n->wanted, n->elsewhere_line);
	else
		error_set(err, ERROR_STATE,
			  "%s: optimised out at this line, and at every other line", n->wanted);
}

int variable_unknown(const struct code_place *p, const char *name, struct error *err)
{
	struct close_names n = {.wanted = name, .near.wanted = name};
	struct local_walk w = {.found = variables_optimised_out_offer, .ctx = &n};
	struct local_walk everywhere = {.found = note_elsewhere, .ctx = &n};
	STR(near);
	ERROR(ignored);

	if (p->module->dies && (split_explain(p->module->dies, p->offset, name, err) ||
				alternate_explain(p->module->dies, name, err)))
		return -1;
	for (size_t i = 0; i < p->count; i++)
		place_walk(p, i, &w, &ignored);
	place_walk_all(p, &everywhere, &ignored);
	offer_unit(p, &n);
	suggest_take(&n.near, &near);
	if (n.elsewhere)
		say_elsewhere(p, &n, err);
	else if (n.same)
		error_set(err, ERROR_STATE, "no variable '%s' here; did you mean %s?", name,
			  n.same);
	else if (near.length)
		error_set(err, ERROR_STATE, "no variable '%s' here%s", name, str_text(&near));
	else if (n.count)
		error_set(err, ERROR_STATE, "no variable '%s' here; in scope are %s%s", name,
			  str_text(&n.list), n.count > LISTED_MAX ? ", ..." : "");
	else if (untyped_at(p->module, p->offset))
		error_set(err, ERROR_STATE,
			  "no variable '%s' here: the debug information has no types and no "
			  "variables (build with -g)",
			  name);
	else if (!p->self.scope)
		error_set(err, ERROR_STATE,
			  "no variable '%s' here: there is no debug information (build with -g)",
			  name);
	else
		error_set(err, ERROR_STATE, "no variable '%s' here", name);
	str_fini(&n.list);
	return -1;
}

/* ---- debug information without types: -g1, -gline-tables-only, debuginfo=1 of rustc --------- */

static bool is_type(const struct entry *e)
{
	switch (e->tag) {
	case DW_TAG_base_type:
	case DW_TAG_pointer_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_imported_unit: /* dwz moved the types there */
		return true;
	default: /* a prototype shows that types are known, even if none is used */
		return entry_flag(e, DW_AT_prototyped);
	}
}

/* True if the unit has types. A unit that cannot be read is assumed to have some. */
static bool has_types(struct die_table *t, const struct die_unit *u)
{
	ERROR(ignored);
	struct entry top, e;
	uint64_t next = 0;
	int more;

	if (u->split == UNIT_MISSING || entry_read(t, u->first, &top, &ignored) < 0)
		return true;
	while ((more = entry_child(&top, &next, &e, &ignored)) > 0)
		if (is_type(&e))
			return true;
	return more < 0;
}

/* Finds the unit with the types of a function. A copy uses those of its abstract function's unit,
   which may be another one after link-time optimisation. */
static struct die_unit *unit_of_types(struct die_table *t, uint64_t offset, struct error *err)
{
	struct scope_ref scope;
	struct entry e;
	uint64_t origin;

	if (dies_function_at(t, offset, &scope, err) < 0)
		return NULL;
	if (!scope.scope)
		return dies_unit_at(t, offset);
	if (entry_read(t, scope.scope->offset, &e, err) < 0)
		return NULL;
	origin = entry_ref(&e, DW_AT_abstract_origin);
	return origin ? dies_unit_of(t, origin) : scope.unit;
}

bool untyped_at(struct module *m, uint64_t offset)
{
	ERROR(ignored);
	struct die_table *t = m ? dies_table(m, &ignored) : NULL;
	struct die_unit *u = t ? unit_of_types(t, offset, &ignored) : NULL;

	return u && !has_types(t, u);
}

int untyped_error(const char *what, const char *unknown, struct error *err)
{
	error_set(err, ERROR_STATE, "%s: the debug information has no types here: %s", what,
		  unknown);
	return error_hint(err, "build with -g (of rustc: -C debuginfo=2) instead of -g1 or "
			       "-gline-tables-only");
}
