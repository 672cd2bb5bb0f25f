/* All variables of a name, over the units and modules that may have it, and the choice among them. */
#include "tracer/symbols/variables_hunt.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { LISTED_MAX = 10 };

/* ---- from an entry of the index to its definition -------------------------------------------- */

static bool is_dead(const struct variable *v)
{
	uint64_t offset, low, high;

	if (v->kind != VARIABLE_PLACED || !variable_static_address(v, &offset))
		return false;
	module_span(v->module, &low, &high); /* the linker puts what it dropped at 0 */
	return offset == 0 || offset < low || offset >= high;
}

/* What the entry says, unless the linker dropped it. 1: a value or a place. */
static int try_entry(struct hunt *h, struct die_table *t, uint64_t entry, struct variable *out,
		     struct error *err)
{
	struct entry e;

	if (entry_read(t, entry, &e, err) < 0 || variable_of_entry(&e, h->offset, out, err) < 0)
		return -1;
	if (out->kind == VARIABLE_GONE || is_dead(out)) {
		out->kind = VARIABLE_GONE;
		return 0;
	}
	return 1;
}

/* The entries of this unit that complete another one: definitions of what a class or `extern`
   declared, and what link-time optimisation made of it. */
static int try_completions(struct hunt *h, struct die_table *t, struct die_unit *u, uint64_t entry,
			   struct variable *out, struct error *err)
{
	const struct unit_globals *g = unit_globals(t->module, u, err);
	int answer = g ? 0 : -1;

	for (size_t i = 0; answer == 0 && i < g->globals.count; i++) {
		const struct global *one = &g->globals.items[i];

		if (one->origin == entry && one->entry != entry)
			answer = try_entry(h, t, one->entry, out, err);
	}
	return answer;
}

static int try_other_units(struct hunt *h, struct die_table *t, const struct die_unit *own,
			   uint64_t entry, struct variable *out, struct error *err)
{
	bool *marks = base_alloc(t->units.count + 1, sizeof(*marks));
	int answer = 0;

	dies_mark_referring(t, &entry, 1, marks);
	for (size_t i = 0; answer == 0 && i < t->units.count; i++) {
		if (marks[i] && &t->units.items[i] != own)
			answer = try_completions(h, t, &t->units.items[i], entry, out, err);
	}
	base_free(marks);
	return answer;
}

/* 1: found; 0: this is only a declaration, or dropped (out says GONE). */
static int define(struct hunt *h, struct die_table *t, struct die_unit *u, uint64_t entry,
		  struct variable *out, struct error *err)
{
	struct variable other;
	int answer = try_entry(h, t, entry, out, err);

	if (answer == 0)
		answer = try_completions(h, t, u, entry, &other, err);
	else
		return answer;
	if (answer == 0)
		answer = try_other_units(h, t, u, entry, &other, err);
	if (answer > 0)
		*out = other;
	return answer;
}

static bool holder_flag(const struct entry *e, unsigned name)
{
	struct entry holder;
	struct error ignored;
	const struct attr *a = entry_inherited(e, name, &holder, &ignored);

	return a && a->number;
}

const char *linkage_name(const struct entry *e)
{
	struct entry holder;
	struct error ignored;

	if (entry_inherited(e, DW_AT_linkage_name, &holder, &ignored))
		return entry_text(&holder, DW_AT_linkage_name);
	return entry_name(e);
}

int hunt_entry(const struct symbols_program *program, const struct entry *e, uint64_t offset,
	       struct variable *out, struct error *err)
{
	struct hunt h = {.program = program, .offset = offset};
	struct entry definition;
	int answer = define(&h, e->table, e->unit, e->offset, out, err);

	if (answer <= 0)
		return answer;
	if (entry_read(e->table, out->entry, &definition, err) < 0)
		return -1;
	if (holder_flag(&definition, DW_AT_external))
		global_link(program, linkage_name(&definition), out);
	return 1;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static void describe(struct candidate *c, struct die_table *t, const struct die_unit *u,
		     const struct entry *e)
{
	struct entry holder;
	struct error ignored;
	const struct attr *a;

	c->unit = u->name;
	c->external = holder_flag(e, DW_AT_external);
	c->linkage = linkage_name(e);
	a = entry_inherited(e, DW_AT_decl_file, &holder, &ignored);
	if (a && a->number < UINT32_MAX)
		c->file = function_file(t, holder.unit, (unsigned)a->number);
	a = entry_inherited(e, DW_AT_decl_line, &holder, &ignored);
	if (a && a->number < UINT32_MAX)
		c->line = (unsigned)a->number;
}

/* A library whose debug information stands apart is the system's: what is private to its files is
   nothing that a tester means, unless he names the file. */
static bool is_foreign(const struct hunt *h, const struct module *m)
{
	uint64_t bias;

	return m->debug_separate && m != h->home &&
	       (!h->program || m != h->program->module(h->program->ctx, 0, &bias));
}

static bool is_wanted(const struct hunt *h, const struct candidate *c)
{
	const char *file = h->wanted->file;

	if (!c->external && (h->exported || (!file && is_foreign(h, c->variable.module))))
		return false;
	return !file || (c->file && lines_file_matches(c->file, file)) ||
	       (c->unit && lines_file_matches(c->unit, file));
}

static bool is_known(const struct hunt *h, const struct candidate *c)
{
	array_each(const struct candidate, old, &h->found) {
		if (old->variable.module == c->variable.module &&
		    (old->variable.entry == c->variable.entry ||
		     (old->address && old->address == c->address)))
			return true;
	}
	return false;
}

static int offer_global(struct hunt *h, struct die_table *t, struct die_unit *u,
			const struct unit_globals *g, const struct global *one, struct error *err)
{
	struct candidate c = {.space = g->spaces.items[one->space].name, .name = one->name};
	struct entry e;
	int answer = define(h, t, u, one->entry, &c.variable, err);

	if (answer < 0 || entry_read(t, c.variable.entry, &e, err) < 0)
		return -1;
	if (answer == 0 && one->declaration)
		return 0;
	describe(&c, t, u, &e);
	if (!variable_static_address(&c.variable, &c.address))
		c.address = 0;
	if (!is_wanted(h, &c) || is_known(h, &c))
		return 0;
	*array_add(&h->found) = c;
	if (c.external && answer > 0 &&
	    (h->exported || (h->enough && strcmp(c.space, h->enough) == 0)))
		h->done = true;
	return 0;
}

int hunt_unit(struct hunt *h, struct die_table *t, struct die_unit *u, struct error *err)
{
	const struct unit_globals *g = unit_globals(t->module, u, err);

	if (!g)
		return -1;
	for (size_t i = 0; i < g->globals.count && !h->done; i++) {
		const struct global *one = &g->globals.items[i];

		if (!one->name || strcmp(one->name, h->wanted->last) != 0 ||
		    (h->space && strcmp(g->spaces.items[one->space].name, h->space) != 0))
			continue;
		if (offer_global(h, t, u, g, one, err) < 0)
			return -1;
	}
	return 0;
}

static int hunt_module(struct hunt *h, struct module *m, struct error *err)
{
	struct die_table *t = dies_table(m, err);
	bool *marks;
	int answer = 0;

	if (!t)
		return -1;
	if (!t->units.count)
		return 0;
	marks = base_alloc(t->units.count, sizeof(*marks));
	dies_mark_named(t, h->wanted->last, marks);
	for (size_t i = 0; answer == 0 && !h->done && i < t->units.count; i++) {
		if (marks[i])
			answer = hunt_unit(h, t, &t->units.items[i], err);
	}
	base_free(marks);
	return answer;
}

int hunt_modules(struct hunt *h, struct module *first, struct error *err)
{
	uint64_t bias;

	h->home = first;
	if (first && hunt_module(h, first, err) < 0)
		return -1;
	for (size_t i = 0; !h->done && h->program && h->program->module; i++) {
		struct module *m = h->program->module(h->program->ctx, i, &bias);

		if (!m)
			break;
		if (m != first && hunt_module(h, m, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- the choice ----------------------------------------------------------------------------- */

static bool space_fits(const struct candidate *c, const char *exact, const struct wanted *w)
{
	struct name_parts parts;
	struct str full = {0}, wanted = {0};
	bool fits;

	if (exact)
		return strcmp(c->space, exact) == 0;
	str_addf(&full, "%s%s%s", c->space, c->space[0] ? "::" : "", c->name);
	str_addf(&wanted, "%s%s%s", w->space, w->space[0] ? "::" : "", w->last);
	names_split(str_text(&wanted), &parts);
	fits = names_match(&parts, str_text(&full));
	names_fini(&parts);
	str_fini(&full);
	str_fini(&wanted);
	return fits;
}

static void list_candidate(const struct candidate *c, struct str *out)
{
	str_addf(out, "%s%s%s%s", out->length ? ", " : "", c->space, c->space[0] ? "::" : "",
		 c->name);
	if (c->file)
		str_addf(out, " of %s:%u", c->file, c->line);
	else
		str_addf(out, " of %s", c->unit ? c->unit : module_name(c->variable.module));
}

/* Does the candidate say nothing new: behind an exported one, or another of its name? */
static bool is_behind(const struct candidate *c, const struct candidate *best)
{
	if (!best || !best->external)
		return false;
	return !c->external || strcmp(c->space, best->space) == 0;
}

static int ambiguous(const struct hunt *h, const struct str *list, struct error *err)
{
	error_set(err, ERROR_STATE, "variable '%s' is ambiguous: %s", h->wanted->text,
		  str_text(list));
	return error_hint(err, "name its file: 'FILE'::%s", h->wanted->last);
}

int hunt_choose(struct hunt *h, const char *exact, struct variable *out, struct error *err)
{
	const struct candidate *best = NULL, *gone = NULL;
	struct str list = {0};
	int count = 0;

	array_each(const struct candidate, c, &h->found) {
		if (!space_fits(c, exact, h->wanted))
			continue;
		if (c->variable.kind == VARIABLE_GONE) {
			gone = c;
			continue;
		}
		if (is_behind(c, best))
			continue;
		if (c->external && best && !best->external) {
			count = 0;
			str_clear(&list);
		}
		if (count++ == 0)
			best = c;
		if (count <= LISTED_MAX)
			list_candidate(c, &list);
	}
	if (count > 1)
		ambiguous(h, &list, err);
	str_fini(&list);
	if (count > 1)
		return -1;
	if (!best && !gone)
		return 0;
	*out = best ? best->variable : gone->variable;
	if (best && best->external)
		global_link(h->program, best->linkage, out);
	return 1;
}

void hunt_fini(struct hunt *h)
{
	array_fini(&h->found);
}
