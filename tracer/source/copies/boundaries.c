/*
 * Function boundaries: where the function that contains the sites is entered, and where it is
 * left.
 *
 * Only the units that contain the sites are searched; they have been read already. Searching all
 * units by name would cost more than the whole start of a run. The result says where copies in
 * other units may be missing.
 */
#include "tracer/source/lines/resolve.h"
#include "tracer/base/files/path.h"
#include "tracer/base/text/word.h"

#include <string.h>

enum { RETURN_LINES = 32, UNITS_MOST = 32, CHAIN = 3 };

struct boundary_unit {
	struct module *module;
	struct die_unit *unit;
};

struct boundary_search {
	struct resolver r;
	struct location location;
	struct error err;
	struct location_match match; /* the function, with all of its copies there */
	ARRAY(uint64_t) chain;	     /* DIEs whose copies are copies of it */
	ARRAY(struct boundary_unit) units;
	char *name; /* what r.wanted was made of */
	bool all;   /* there is none in other units */
};

/* ---- which function ------------------------------------------------------------------------- */

/* As it is written at the site. */
static bool function_of(struct boundary_search *w, const struct source_site *site,
			struct scope_ref *owner, struct function *out)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	struct die_table *t = dies_table(site->module, &w->err);
	int count = t && site->file ? functions_stack(t, site->offset, stack, &w->err) : 0;

	return count > 0 &&
	       functions_owner(t, stack, count, site->file, site->line, owner, &w->err) == 0 &&
	       owner->scope && function_read(t, *owner, out, &w->err) == 0 && out->name &&
	       out->file && out->line;
}

static bool in_chain(const struct boundary_search *w, uint64_t die)
{
	array_each(const uint64_t, known, &w->chain)
		if (*known == die)
			return true;
	return false;
}

static void boundaries_add_unit(struct boundary_search *w, struct module *m, struct die_unit *u)
{
	array_each(const struct boundary_unit, known, &w->units)
		if (known->unit == u)
			return;
	if (w->units.count < UNITS_MOST)
		*array_add(&w->units) = (struct boundary_unit){m, u};
	else
		w->all = false;
}

/* Written in the file that this unit was made from, not in a header; no link-time optimisation. */
static bool is_only_here(const struct scope_ref *owner, const struct function *f)
{
	return owner->unit == f->named.unit && owner->unit->name &&
	       path_names_file(f->file, owner->unit->name);
}

/* False: the sites are in several functions, or it is not known in which. Instances of one template
   are one function. */
static bool find_function(struct boundary_search *w, const struct source_sites *sites)
{
	w->all = true;
	array_each(const struct source_site, site, sites) {
		struct scope_ref owner;
		struct function f;

		if (!function_of(w, site, &owner, &f))
			return false;
		if (!w->match.line) {
			w->match.module = site->module;
			w->match.name = f.name;
			w->match.file = f.file;
			w->match.line = w->match.begins = f.line;
		} else if (w->match.line != f.line || !function_same_file(w->match.file, f.file)) {
			return false;
		}
		if (!in_chain(w, f.named.scope->offset))
			*array_add(&w->chain) = f.named.scope->offset;
		w->all &= is_only_here(&owner, &f);
		boundaries_add_unit(w, site->module, owner.unit);
	}
	return w->match.line;
}

/* ---- its copies ----------------------------------------------------------------------------- */

static void add_instances(struct boundary_search *w, const struct boundary_unit *in)
{
	array_each(struct scope, s, &in->unit->scopes) {
		struct instance *one;

		if (s->kind == SCOPE_SPACE || !in_chain(w, s->offset) || !dies_has_code(s))
			continue;
		if (s->kind == SCOPE_INLINED && !in->unit->is_gcc) {
			w->all = false; /* clang does not say where a copy is entered */
			continue;
		}
		one = array_add(&w->match.instances);
		one->module = in->module;
		one->scope = (struct scope_ref){in->unit, s};
	}
}

/* Copy -> abstract function -> declaration in the class: from the end of the chain to its heads. */
static void find_instances(struct boundary_search *w)
{
	array_each(const struct boundary_unit, in, &w->units) {
		for (int round = 0; round < CHAIN; round++) {
			array_each(const struct scope, s, &in->unit->scopes)
				if (s->kind != SCOPE_SPACE && s->origin && in_chain(w, s->origin) &&
				    !in_chain(w, s->offset))
					*array_add(&w->chain) = s->offset;
		}
		add_instances(w, in);
	}
}

/* ---- out ------------------------------------------------------------------------------------ */

/* The statement is the first on its line: executing the line means returning. */
static bool is_return(const char *line)
{
	static const char word[] = "return";

	line += strspn(line, " \t");
	return strncmp(line, word, strlen(word)) == 0 && !word_char(line[strlen(word)]);
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
		if (files_find(&w->r, in->module, w->match.file, &groups) == 0 &&
		    (g = files_group(&groups, w->match.file)))
			line_place(&w->r, in->module, g, line, &w->match, out);
		files_fini(&groups);
	}
}

/* Most functions have one return instruction, at the closing brace, for all their returns: the
   statements tell them apart. */
static void return_lines(struct boundary_search *w, struct source_sites *out)
{
	const struct source_file *f = lines_source(w->r.symbols, w->match.file);
	unsigned opens, last = f ? source_block_end(f, w->match.line, &opens) : 0, seen = 0;

	for (unsigned n = w->match.line; n <= last && seen < RETURN_LINES; n++) {
		if (!is_return(f->lines.items[n - 1]))
			continue;
		return_line(w, n, out);
		seen++;
	}
}

/* ---- what was found last: many places are in one function -------------------------------------- */

struct kept_boundaries {
	ARRAY(uint64_t) chain; /* the question: which function, */
	ARRAY(struct die_unit *) units;
	struct source_sites found; /* the answer */
	bool all, valid;
};

struct boundary_cache {
	struct kept_boundaries in, out;
};

static void boundaries_forget(struct kept_boundaries *k)
{
	array_fini(&k->chain);
	array_fini(&k->units);
	source_sites_fini(&k->found);
	k->valid = false;
}

static void boundary_cache_free(void *data)
{
	struct boundary_cache *c = data;

	boundaries_forget(&c->in);
	boundaries_forget(&c->out);
	base_free(c);
}

static void copy_sites_of(const struct source_sites *from, struct source_sites *to)
{
	array_each(const struct source_site, site, from) {
		struct source_site *copy = array_add(to);

		*copy = *site;
		memset(&copy->ranges, 0, sizeof(copy->ranges));
		memset(&copy->exits, 0, sizeof(copy->exits));
		array_each(const struct module_range, range, &site->ranges)
			*array_add(&copy->ranges) = *range;
		array_each(const uint64_t, exit, &site->exits)
			*array_add(&copy->exits) = *exit;
	}
}

/* NULL: it is in several modules, and nothing is kept of it. */
static struct kept_boundaries *kept_for(const struct boundary_search *w, bool out)
{
	struct module *m = w->match.module;

	array_each(const struct boundary_unit, in, &w->units)
		if (in->module != m)
			return NULL;
	if (!m->boundaries)
		m->boundaries =
			cleanup_alloc(&m->cleanups, sizeof(*m->boundaries), boundary_cache_free);
	return out ? &m->boundaries->out : &m->boundaries->in;
}

static bool boundaries_is_known(const struct boundary_search *w, const struct kept_boundaries *k)
{
	if (!k->valid || k->chain.count != w->chain.count || k->units.count != w->units.count)
		return false;
	for (size_t i = 0; i < k->units.count; i++)
		if (k->units.items[i] != w->units.items[i].unit)
			return false;
	return memcmp(k->chain.items, w->chain.items, k->chain.count * sizeof(uint64_t)) == 0;
}

static void boundaries_ask(const struct boundary_search *w, struct kept_boundaries *k)
{
	boundaries_forget(k);
	array_each(const uint64_t, die, &w->chain)
		*array_add(&k->chain) = *die;
	array_each(const struct boundary_unit, in, &w->units)
		*array_add(&k->units) = in->unit;
}

/* ---- both ----------------------------------------------------------------------------------- */

static void boundaries_fini(struct boundary_search *w)
{
	match_fini(&w->match);
	flows_trim(w->r.symbols);
	names_fini(&w->r.wanted);
	base_free(w->name);
	array_fini(&w->chain);
	array_fini(&w->units);
	error_fini(&w->r.complaint);
	error_fini(&w->err);
}

static bool find_boundaries(struct boundary_search *w, bool out, struct source_sites *found)
{
	find_instances(w);
	w->name = names_plain(w->match.name);
	names_split(w->name, &w->r.wanted);
	if (out) {
		return_sites(&w->r, &w->match, found);
		return_lines(w, found);
	} else if (entry_sites(&w->r, &w->match, found) < 0) {
		return false;
	}
	w->all &= out || found->count == w->match.instances.count;
	return found->count;
}

static bool boundaries_find(struct boundary_search *w, const struct source_sites *sites, bool out,
			    struct source_sites *found)
{
	struct kept_boundaries *kept;

	if (!find_function(w, sites))
		return false;
	kept = kept_for(w, out);
	if (kept && boundaries_is_known(w, kept)) {
		copy_sites_of(&kept->found, found);
		w->all = kept->all;
		return found->count;
	}
	if (kept)
		boundaries_ask(w, kept);
	if (!find_boundaries(w, out, found))
		return false;
	if (kept) {
		copy_sites_of(found, &kept->found);
		kept->all = w->all;
		kept->valid = true;
	}
	return true;
}

bool source_boundaries(struct modules *s, const struct source_sites *sites, bool out,
		       struct source_sites *found, bool *all)
{
	struct boundary_search *w = base_alloc(1, sizeof(*w));
	bool any;

	memset(found, 0, sizeof(*found));
	w->location.kind = out ? LOCATION_RETURN : LOCATION_FUNC;
	w->location.text = (char *)"";
	w->r.symbols = s;
	w->r.location = &w->location;
	w->r.err = &w->err;
	any = boundaries_find(w, sites, out, found);
	*all = any && w->all;
	if (!any)
		source_sites_fini(found);
	boundaries_fini(w);
	base_free(w);
	return any;
}
