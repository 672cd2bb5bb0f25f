/* Search for variables outside of functions in all units and modules, and the choice among them. */
#include "tracer/inspect/variables/variables.h"
#include "tracer/dwarf/units/units.h"
#include "tracer/base/files/path.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { LISTED_MAX = 10 };

/* ---- from a DIE of the index to its definition ---------------------------------------------- */

static bool is_dead(const struct variable *v)
{
	uint64_t offset, low, high;

	if (v->kind != VARIABLE_PLACED || !variable_static_address(v, &offset))
		return false;
	module_span(v->module, &low, &high); /* the linker gives removed code the address 0 */
	return offset == 0 || offset < low || offset >= high;
}

/* Reads a variable from its DIE. Returns 1, 0 if the linker or the compiler dropped it, or -1. */
static int try_entry(struct variable_search *h, struct die_table *t, uint64_t entry,
		     struct variable *out, struct error *err)
{
	struct entry e;

	if (entry_read(t, entry, &e, err) < 0 || variable_of_entry(&e, h->offset, out, err) < 0)
		return -1;
	if (out->kind == VARIABLE_OPTIMISED_OUT || is_dead(out)) {
		out->kind = VARIABLE_OPTIMISED_OUT;
		return 0;
	}
	return 1;
}

/* Tries the unit's DIEs that complete `entry`: definitions of a class's or an `extern`'s
   declaration, and those that link-time optimisation made. */
static int try_completions(struct variable_search *h, struct die_table *t, struct die_unit *u,
			   uint64_t entry, struct variable *out, struct error *err)
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

static int try_other_units(struct variable_search *h, struct die_table *t,
			   const struct die_unit *own, uint64_t entry, struct variable *out,
			   struct error *err)
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

static bool holder_flag(const struct entry *e, unsigned name)
{
	struct entry holder;
	ERROR(ignored);
	const struct attr *a = entry_inherited(e, name, &holder, &ignored);

	return a && a->number;
}

/* True for a file-private variable in a partial unit. Each unit that imports it has its own
   definition, which unit_globals() lists. */
static bool is_private_part(struct die_table *t, const struct die_unit *u, uint64_t entry)
{
	ERROR(ignored);
	struct entry e;

	return u->partial && entry_read(t, entry, &e, &ignored) == 0 &&
	       !holder_flag(&e, DW_AT_external);
}

/* Finds the definition for a DIE. Returns 1, 0 with VARIABLE_OPTIMISED_OUT if it is only declared
   or dropped, or -1. */
static int define(struct variable_search *h, struct die_table *t, struct die_unit *u,
		  uint64_t entry, struct variable *out, struct error *err)
{
	struct variable other;
	int answer = try_entry(h, t, entry, out, err);

	if (answer == 0)
		answer = try_completions(h, t, u, entry, &other, err);
	else
		return answer;
	if (answer == 0 && !is_private_part(t, u, entry))
		answer = try_other_units(h, t, u, entry, &other, err);
	if (answer > 0)
		*out = other;
	return answer;
}

const char *linkage_name(const struct entry *e)
{
	struct entry holder;
	ERROR(ignored);

	if (entry_inherited(e, DW_AT_linkage_name, &holder, &ignored))
		return entry_text(&holder, DW_AT_linkage_name);
	return entry_name(e);
}

int search_entry(const struct dwarf_program *program, const struct entry *e, struct variable *out,
		 struct error *err)
{
	struct variable_search h = {.program = program};
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

static void variables_search_describe(struct variable_candidate *c, struct die_table *t,
				      const struct die_unit *u, const struct entry *e)
{
	struct entry holder;
	ERROR(ignored);
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

/* True for a system library, which has a separate debug file. Its file-private variables count only
   if the tester names their file. */
static bool is_foreign(const struct variable_search *h, const struct module *m)
{
	uint64_t bias;

	return m->debug_separate && m != h->own &&
	       (!h->program || m != dwarf_module(h->program, 0, &bias));
}

static bool variables_search_is_wanted(const struct variable_search *h,
				       const struct variable_candidate *c)
{
	const char *file = h->wanted->file;

	if (!c->external && (h->exported || (!file && is_foreign(h, c->variable.module))))
		return false;
	return !file || (c->file && path_names_file(c->file, file)) ||
	       (c->unit && path_names_file(c->unit, file));
}

static bool variables_search_is_known(const struct variable_search *h,
				      const struct variable_candidate *c)
{
	array_each(const struct variable_candidate, old, &h->found) {
		if (old->variable.module == c->variable.module &&
		    (old->variable.entry == c->variable.entry ||
		     (old->address && old->address == c->address)))
			return true;
	}
	return false;
}

static int offer_global(struct variable_search *h, struct die_table *t, struct die_unit *u,
			const struct unit_globals *g, const struct global *one, struct error *err)
{
	struct variable_candidate c = {.space = g->spaces.items[one->space].name,
				       .name = one->name};
	struct entry e;
	int answer = define(h, t, u, one->entry, &c.variable, err);

	if (answer < 0 || entry_read(t, c.variable.entry, &e, err) < 0)
		return -1;
	variables_search_describe(&c, t, u, &e);
	if (answer == 0 && one->declaration && c.external)
		return 0; /* otherwise a namespace's static variable that was dropped */
	if (!variable_static_address(&c.variable, &c.address))
		c.address = 0;
	if (!variables_search_is_wanted(h, &c) || variables_search_is_known(h, &c))
		return 0;
	*array_add(&h->found) = c;
	if (c.external && answer > 0 &&
	    (h->exported || (h->enough && strcmp(c.space, h->enough) == 0)))
		h->done = true;
	return 0;
}

int search_unit(struct variable_search *h, struct die_table *t, struct die_unit *u,
		struct error *err)
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

/* Marks units that import a marked partial unit, which declares their variables. */
static void mark_importing(struct die_table *t, bool *marks)
{
	ARRAY(uint64_t) tops = {0};

	for (size_t i = 0; i < t->units.count; i++)
		if (marks[i] && t->units.items[i].partial)
			*array_add(&tops) = t->units.items[i].first;
	dies_mark_importing(t, tops.items, tops.count, marks);
	array_fini(&tops);
}

static int search_type(struct die_table *t, struct die_unit *u, void *ctx, struct error *err)
{
	return search_unit(ctx, t, u, err);
}

static int search_module(struct variable_search *h, struct module *m, struct error *err)
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
	mark_importing(t, marks);
	for (size_t i = 0; answer == 0 && !h->done && i < t->units.count; i++) {
		if (marks[i])
			answer = search_unit(h, t, &t->units.items[i], err);
	}
	base_free(marks);
	if (answer == 0 && !h->found.count)
		answer = split_each_type(t, h->wanted->last, search_type, h, err);
	return answer;
}

/* True if the symbol, which may be mangled, is one of the name. */
static bool names_it(const char *symbol, const char *name)
{
	bool mangled = symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');

	return strcmp(symbol, name) == 0 || (mangled && strstr(symbol, name));
}

/*
 * True if the module may have the variable. A system library's exported variable has a symbol,
 * unless it is constant or thread-local. Reading libc's whole debug file takes 100 ms, during
 * which other threads run.
 */
static bool is_likely(const struct variable_search *h, struct module *m)
{
	module_find_debug(m);
	if (h->wanted->file || !is_foreign(h, m))
		return true;
	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		if (s->global && !s->function && names_it(s->name, h->wanted->last))
			return true;
	}
	return false;
}

static int search_others(struct variable_search *h, bool likely, struct error *err)
{
	struct module *m;
	uint64_t bias;

	for (size_t i = 0; !h->done && (m = dwarf_module(h->program, i, &bias)); i++)
		if (m != h->own && is_likely(h, m) == likely && search_module(h, m, err) < 0)
			return -1;
	return 0;
}

/* True if a candidate is in the wanted space. */
static bool has_found(const struct variable_search *h)
{
	array_each(const struct variable_candidate, c, &h->found) {
		if (c->variable.kind != VARIABLE_OPTIMISED_OUT &&
		    (!h->enough || strcmp(c->space, h->enough) == 0 ||
		     strcmp(c->space, h->wanted->space) == 0))
			return true;
	}
	return false;
}

int search_modules(struct variable_search *h, struct module *first, struct error *err)
{
	h->own = first;
	if ((first && search_module(h, first, err) < 0) || search_others(h, true, err) < 0)
		return -1;
	return has_found(h) ? 0 : search_others(h, false, err);
}

/* ---- the choice ----------------------------------------------------------------------------- */

static bool space_fits(const struct variable_candidate *c, const char *exact,
		       const struct wanted_variable *w)
{
	struct name_parts parts;
	STR(full);
	STR(wanted);
	bool fits;

	if (exact)
		return strcmp(c->space, exact) == 0;
	str_addf(&full, "%s%s%s", c->space, c->space[0] ? "::" : "", c->name);
	str_addf(&wanted, "%s%s%s", w->space, w->space[0] ? "::" : "", w->last);
	names_split(str_text(&wanted), &parts);
	fits = names_match(&parts, str_text(&full));
	names_fini(&parts);
	return fits;
}

static void list_candidate(const struct variable_candidate *c, struct str *out)
{
	str_addf(out, "%s%s%s%s", out->length ? ", " : "", c->space, c->space[0] ? "::" : "",
		 c->name);
	if (c->file)
		str_addf(out, " of %s:%u", c->file, c->line);
	else
		str_addf(out, " of %s", c->unit ? c->unit : module_name(c->variable.module));
}

/* True if an exported candidate makes this one redundant: it is not exported, or has the same
   name. */
static bool is_behind(const struct variable_candidate *c, const struct variable_candidate *best)
{
	if (!best || !best->external)
		return false;
	return !c->external || strcmp(c->space, best->space) == 0;
}

static int ambiguous(const struct variable_search *h, const struct str *list, struct error *err)
{
	error_set(err, ERROR_STATE, "variable '%s' is ambiguous: %s", h->wanted->text,
		  str_text(list));
	return error_hint(err, "name its file: 'FILE'::%s", h->wanted->last);
}

int search_choose(struct variable_search *h, const char *exact, struct variable *out,
		  struct error *err)
{
	const struct variable_candidate *best = NULL, *dropped = NULL;
	STR(list);
	int count = 0;

	array_each(const struct variable_candidate, c, &h->found) {
		if (!space_fits(c, exact, h->wanted))
			continue;
		if (c->variable.kind == VARIABLE_OPTIMISED_OUT) {
			dropped = c;
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
		return ambiguous(h, &list, err);
	if (!best && !dropped)
		return 0;
	*out = best ? best->variable : dropped->variable;
	if (best && best->external)
		global_link(h->program, best->linkage, out);
	return 1;
}

void search_fini(struct variable_search *h)
{
	array_fini(&h->found);
}
