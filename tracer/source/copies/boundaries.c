/*
 * Boundaries of the function that contains the sites: entries and exits. Only the units of the
 * sites are searched, which are loaded already; searching all units takes longer than the start of
 * a run. The result says if copies in other units may be missing.
 */
#include "tracer/base/files/path.h"
#include "tracer/base/text/token.h"
#include "tracer/source/lines/resolve.h"

#include <string.h>

enum { RETURN_LINES = 32, UNITS_MOST = 32, CHAIN = 3 };

struct boundary_unit {
	struct module *module;
	struct die_unit *unit;
};

struct boundary_search {
	struct resolver r;
	struct location_match *match; /* the function with all its copies; in r.matches */
	struct flow_offsets chain;    /* DIEs of the function: their copies are its copies */
	ARRAY(struct boundary_unit) units;
	bool all; /* no other unit has a copy */
};

/* ---- the function --------------------------------------------------------------------------- */

/* Finds the function that contains the site in the source. Returns false if it is unknown. */
static bool function_of(struct boundary_search *w, const struct source_site *site,
			struct scope_ref *owner, struct function *out)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	int count = site->file ? resolve_stack(&w->r, site->module, site->offset, stack) : 0;

	return count > 0 &&
	       functions_owner(site->module->dies, stack, count, site->file, site->line, owner,
			       w->r.err) == 0 &&
	       resolve_function(&w->r, site->module, *owner, out) && out->name && out->file &&
	       out->line;
}

static void add_boundary_unit(struct boundary_search *w, struct module *m, struct die_unit *u)
{
	array_each(const struct boundary_unit, known, &w->units)
		if (known->unit == u)
			return;
	if (w->units.count < UNITS_MOST)
		*array_add(&w->units) = (struct boundary_unit){m, u};
	else
		w->all = false;
}

/* True if the function is defined in the unit's own source file: no header, no
   link-time optimisation. */
static bool is_only_here(const struct scope_ref *owner, const struct function *f)
{
	return owner->unit == f->named.unit && owner->unit->name &&
	       path_names_file(f->file, owner->unit->name);
}

/* Finds the function of all sites. Returns false if there are several or it is unknown. Instances
   of a template are one function. */
static bool find_function(struct boundary_search *w, const struct source_sites *sites)
{
	w->all = true;
	array_each(const struct source_site, site, sites) {
		struct scope_ref owner;
		struct function f;

		if (!function_of(w, site, &owner, &f))
			return false;
		if (!w->match->line) {
			w->match->module = site->module;
			w->match->name = f.name;
			w->match->file = f.file;
			w->match->line = w->match->begins = f.line;
		} else if (w->match->line != f.line ||
			   !function_same_file(w->match->file, f.file)) {
			return false;
		}
		if (!flow_has(&w->chain, f.named.scope->offset))
			*array_add(&w->chain) = f.named.scope->offset;
		w->all &= is_only_here(&owner, &f);
		add_boundary_unit(w, site->module, owner.unit);
	}
	return w->match->line;
}

/* ---- copies of the function ----------------------------------------------------------------- */

static void add_instances(struct boundary_search *w, const struct boundary_unit *in)
{
	array_each(struct scope, s, &in->unit->scopes) {
		if (s->kind == SCOPE_SPACE || !flow_has(&w->chain, s->offset) || !dies_has_code(s))
			continue;
		if (s->kind == SCOPE_INLINED && !in->unit->is_gcc)
			w->all = false; /* clang does not give the entry of a copy */
		else
			*array_add(&w->match->instances) =
				(struct instance){in->module, {in->unit, s}, NULL};
	}
}

/* Collects the chain of DIEs from its end (declaration in the class) to its heads (inlined copies)
   and adds their instances. */
static void find_instances(struct boundary_search *w)
{
	array_each(const struct boundary_unit, in, &w->units) {
		for (int round = 0; round < CHAIN; round++) {
			array_each(const struct scope, s, &in->unit->scopes)
				if (s->kind != SCOPE_SPACE && s->origin &&
				    flow_has(&w->chain, s->origin) &&
				    !flow_has(&w->chain, s->offset))
					*array_add(&w->chain) = s->offset;
		}
		add_instances(w, in);
	}
}

/* ---- exits ---------------------------------------------------------------------------------- */

/* True if the first statement of the line is a return. */
static bool is_return(const char *line)
{
	struct token first = token_at(line);

	return token_is(&first, "return");
}

static void return_line(struct boundary_search *w, unsigned line, struct source_sites *out)
{
	struct module *last = NULL;

	array_each(const struct boundary_unit, in, &w->units) {
		struct file_groups groups = {0};
		const struct file_group *g;

		if (in->module == last)
			continue;
		last = in->module;
		files_find(&w->r, in->module, w->match->file, &groups);
		g = files_group(&groups, w->match->file);
		if (g)
			line_place(&w->r, in->module, g, line, w->match, out);
		files_fini(&groups);
	}
}

/* Adds lines that begin with `return`: most functions have one return instruction for all of them,
   at the closing brace. */
static void return_lines(struct boundary_search *w, struct source_sites *out)
{
	const struct source_file *f = lines_source(w->r.symbols, w->match->file);
	unsigned opens, last = f ? source_block_end(f, w->match->line, &opens) : 0, seen = 0;

	for (unsigned n = w->match->line; n <= last && seen < RETURN_LINES; n++) {
		if (!is_return(f->lines.items[n - 1]))
			continue;
		return_line(w, n, out);
		seen++;
	}
}

/* ---- entries and exits ---------------------------------------------------------------------- */

static bool boundaries_find(struct boundary_search *w, const struct source_sites *sites, bool out,
			    struct source_sites *found)
{
	char *name;

	if (!find_function(w, sites))
		return false;
	find_instances(w);
	name = names_plain(w->match->name);
	names_split(name, &w->r.wanted);
	if (out) {
		return_sites(&w->r, w->match, found);
		error_fini(w->r.err); /* a function without return instructions is no error */
		return_lines(w, found);
	} else {
		entry_sites(&w->r, w->match, found);
		w->all &= found->count == w->match->instances.count;
	}
	names_fini(&w->r.wanted);
	base_free(name);
	return found->count && !w->r.err->code;
}

void source_boundaries(struct modules *s, const struct source_sites *sites, bool out,
		       struct source_sites *found, bool *all)
{
	ERROR(failure);
	char text[] = "";
	const struct location location = {.kind = out ? LOCATION_RETURN : LOCATION_FUNC,
					  .text = text};
	struct boundary_search w = {.r = {.symbols = s, .location = &location, .err = &failure}};
	bool any;

	memset(found, 0, sizeof(*found));
	w.match = array_add(&w.r.matches);
	any = boundaries_find(&w, sites, out, found);
	*all = any && w.all;
	if (!any)
		source_sites_fini(found);
	matches_fini(&w.r.matches);
	flows_trim(s);
	array_fini(&w.chain);
	array_fini(&w.units);
	error_fini(&w.r.complaint);
}
