/* Resolves a location: gathers matches in one group of modules after the other, chooses one match
   and places its sites. */
#include "tracer/source/lines/resolve.h"

#include "tracer/dwarf/units/units.h"

#include <limits.h>
#include <string.h>

/*
 * Groups of modules, searched in this order until something matches. A distribution's debug file
 * has internal functions with common names, so it comes late: `malloc` is what libc exports, with
 * or without its -dbg package.
 */
enum group { GROUP_OWN, GROUP_EXPORTED, GROUP_SEPARATE, GROUP_SYMBOLS, GROUP_COUNT };

/* ---- gathering ------------------------------------------------------------------------------ */

static void gather_line(struct resolver *r, struct module *m)
{
	struct file_groups groups = {0};

	files_find(r, m, r->location->name, &groups);
	array_each(const struct file_group, g, &groups.items) {
		struct source_sites sites = {0};
		struct location_match *match;

		line_place(r, m, g, r->location->line, NULL, &sites);
		match = sites.count ? match_get(r, m, g->path, r->location->line, NULL) : NULL;
		array_each(struct source_site, site, &sites)
			*array_add(&match->sites) = *site;
		array_fini(&sites);
	}
	if (groups.items.count && !r->matches.count && !r->complained)
		report_no_code(r, m, &groups.items.items[0], r->location->line);
	files_fini(&groups);
}

/* Drops functions that are only declared in this module or have no code left. */
static bool has_code(struct resolver *r, struct location_match *match)
{
	if (!match->instances.count && match->optimised)
		complain(r, "%s: %s was optimised away: %s has no code for it", r->location->text,
			 match->name, module_name(match->module));
	return match->instances.count;
}

/* True for locations that need no line of the function. */
static bool is_of_code(const struct resolver *r)
{
	return r->location->kind == LOCATION_FUNC || r->location->kind == LOCATION_RETURN ||
	       r->location->kind == LOCATION_CALL;
}

static bool is_text(const struct resolver *r)
{
	return r->location->kind == LOCATION_TEXT || r->location->kind == LOCATION_MARK;
}

/* Explains a missing .dwo or dwz file. Returns false if none is missing. */
static bool explain_missing(struct resolver *r, struct module *m)
{
	struct die_table *t = dies_table(m, &r->complaint);
	const struct location_match *match = &r->matches.items[0];

	if (!t || !match->instances.count || !match->instances.items[0].symbol)
		return false;
	return split_explain(t, match->instances.items[0].symbol->offset, r->location->text,
			     &r->complaint) ||
	       alternate_explain(t, r->location->text, &r->complaint);
}

static void gather_symbols(struct resolver *r, struct module *m, bool exported)
{
	bool function = r->location->kind == LOCATION_OFFSET || r->location->kind == LOCATION_TEXT;

	if (is_of_code(r)) {
		source_find(r, m, exported);
		return;
	}
	if (!function || exported)
		return;
	if (is_text(r))
		text_find_by_symbol(r, m);
	else
		symbols_written(r, m);
	if (r->matches.count || r->complained)
		return;
	source_find(r, m, false);
	if (r->matches.count && !r->complained && explain_missing(r, m)) {
		r->complained = true;
	} else if (r->matches.count && !r->complained) {
		complain(r, "%s: %s of %s has no debug information, only its symbol is known",
			 r->location->text, r->matches.items[0].name, module_name(m));
		error_hint(&r->complaint, "compile it with -g");
	}
	matches_fini(&r->matches);
}

static void gather_debug(struct resolver *r, struct module *m)
{
	switch (r->location->kind) {
	case LOCATION_LINE:
		gather_line(r, m);
		break;
	case LOCATION_TEXT:
		text_find(r, m);
		break;
	case LOCATION_MARK:
		mark_find(r, m);
		break;
	default:
		functions_find(r, m);
	}
}

static bool in_group(const struct resolver *r, struct module *m, enum group group)
{
	if (group == GROUP_EXPORTED || group == GROUP_SYMBOLS)
		return true;
	if (!module_find_debug(m))
		return false;
	/* The sources of a distribution's libraries have no marks and are not installed. */
	if (group == GROUP_SEPARATE && r->location->kind == LOCATION_MARK)
		return false;
	return (m != r->first && m->debug_separate) == (group == GROUP_SEPARATE);
}

static void resolve_gather(struct resolver *r, struct module *const *modules, size_t count,
			   enum group group)
{
	r->modules.count = 0;
	for (size_t i = 0; i < count && !r->err->code; i++) {
		struct module *m = modules[i];

		if (!in_group(r, m, group))
			continue;
		*array_add(&r->modules) = m;
		if (group == GROUP_EXPORTED || group == GROUP_SYMBOLS)
			gather_symbols(r, m, group == GROUP_EXPORTED);
		else
			gather_debug(r, m);
	}
	if (r->location->kind != LOCATION_LINE && !is_text(r))
		matches_keep(r, has_code);
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* Orders by file, line and name; matches without a file come last, by module. */
static int by_source(const void *a, const void *b)
{
	const struct location_match *x = a, *y = b;
	int files;

	if (!x->file != !y->file)
		return x->file ? -1 : 1;
	files = x->file ? strcmp(x->file, y->file)
			: strcmp(module_name(x->module), module_name(y->module));
	if (files)
		return files;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

/* Returns the only match with code: a comment may contain the same text. Returns NULL with r->err
   set if there are several, or none. */
static struct location_match *only_counted(struct resolver *r)
{
	struct location_match *only = NULL;
	size_t counted = matches_count(r);

	array_each(struct location_match, match, &r->matches)
		if (!match->uncounted)
			only = match;
	if (counted == 1)
		return only;
	if (counted)
		report_ambiguous(r);
	else
		report_none_counts(r);
	return NULL;
}

/* Chooses the match. #K also counts lines without code, so that its number does
   not depend on the build. */
static struct location_match *resolve_choose(struct resolver *r)
{
	unsigned wanted = r->location->kind == LOCATION_CALL ? 0 : r->location->match;

	array_sort(&r->matches, by_source);
	if (!wanted && r->matches.count > 1)
		return only_counted(r);
	if (wanted > r->matches.count) {
		report_ambiguous(r);
		return NULL;
	}
	return &r->matches.items[wanted ? wanted - 1 : 0];
}

/* ---- placing -------------------------------------------------------------------------------- */

static void place_in_module(struct resolver *r, struct module *m,
			    const struct location_match *match, unsigned line,
			    struct source_sites *out)
{
	struct file_groups groups = {0};
	const struct file_group *g;
	size_t before = out->count;

	files_find(r, m, match->file, &groups);
	g = files_group(&groups, match->file);
	if (g)
		line_place(r, m, g, line, match, out);
	if (g && out->count == before && m == match->module)
		report_no_code(r, m, g, line);
	files_fini(&groups);
}

/* Places a line found by its text, or counted from a function's first line. */
static void place_line(struct resolver *r, const struct location_match *match, unsigned line,
		       struct source_sites *out)
{
	if (!match->file || !match->line) {
		error_set(r->err, ERROR_LOCATION,
			  "%s: the debug information does not say where %s is written",
			  r->location->text, match->name ? match->name : "it");
		return;
	}
	/* An earlier complaint is about other modules, such as a missing source file of theirs. */
	error_fini(&r->complaint);
	r->complained = false;
	array_each(struct module *, m, &r->modules)
		place_in_module(r, *m, match, line, out);
	if (out->count || r->err->code)
		return;
	r->without_code = true;
	complain(r, "%s: line %u of %s has no code", r->location->text, line, match->file);
	error_move(r->err, &r->complaint);
}

static void resolve_place(struct resolver *r, struct location_match *match,
			  struct source_sites *out)
{
	switch (r->location->kind) {
	case LOCATION_LINE:
		*out = match->sites;
		memset(&match->sites, 0, sizeof(match->sites));
		break;
	case LOCATION_FUNC:
		entry_sites(r, match, out);
		break;
	case LOCATION_RETURN:
		return_sites(r, match, out);
		break;
	case LOCATION_CALL:
		call_sites(r, match, out);
		break;
	case LOCATION_OFFSET:
		if (r->location->line > INT_MAX - match->line)
			error_set(r->err, ERROR_LOCATION, "%s: no file has so many lines",
				  r->location->text);
		else
			place_line(r, match, match->line + r->location->line, out);
		break;
	default:
		place_line(r, match, match->line, out);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct source_site *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sorts the sites by address and drops duplicates: a breakpoint is hit once,
   whatever copies begin there. */
static void tidy(struct source_sites *out)
{
	size_t n = 0;

	if (!out->count)
		return;
	array_sort(out, by_address);
	for (size_t i = 0; i < out->count; i++) {
		if (n && by_address(&out->items[n - 1], &out->items[i]) == 0)
			site_fini(&out->items[i]);
		else
			out->items[n++] = out->items[i];
	}
	out->count = n;
}

/* ---- the question --------------------------------------------------------------------------- */

static enum source_answer place_chosen(struct resolver *r, struct source_sites *out)
{
	struct location_match *match = resolve_choose(r);

	if (match)
		resolve_place(r, match, out);
	if (match && r->location->part && !r->err->code)
		part_sites(r, out);
	if (match && r->err->code && is_text(r) && r->without_code)
		return SOURCE_NO_CODE;
	if (!match || r->err->code)
		return SOURCE_ERROR;
	tidy(out);
	if (out->count)
		return SOURCE_FOUND;
	error_set(r->err, ERROR_LOCATION, "%s: the debug information gives no address of it",
		  r->location->text);
	return SOURCE_ERROR;
}

/* Gathers matches, group by group, until there are some. A complaint ends the search for a line; a
   function may still have code in another group. */
static void gather_all(struct resolver *r, struct module *const *modules, size_t count)
{
	bool line = r->location->kind == LOCATION_LINE || is_text(r);

	for (enum group group = 0; group < GROUP_COUNT && !r->matches.count && !r->err->code;
	     group++) {
		resolve_gather(r, modules, count, group);
		if (r->complained && (line || group == GROUP_EXPORTED))
			break;
	}
}

static enum source_answer resolve(struct resolver *r, struct module *const *modules, size_t count,
				  struct source_sites *out)
{
	if (r->location->kind == LOCATION_ADDRESS && count) {
		address_sites(r, modules[0], out);
		return r->err->code ? SOURCE_ERROR : SOURCE_FOUND;
	}
	if (r->location->kind != LOCATION_ADDRESS)
		gather_all(r, modules, count);
	if (r->err->code)
		return SOURCE_ERROR;
	if (r->matches.count)
		return place_chosen(r, out);
	if (!r->complained) {
		report_not_found(r, modules, count);
		return SOURCE_NOT_FOUND;
	}
	if (r->location->kind == LOCATION_LINE || is_text(r))
		hint_elsewhere(r, modules, count);
	error_move(r->err, &r->complaint);
	return SOURCE_ERROR;
}

struct chosen_modules {
	ARRAY(struct module *) items;
};

/* Splits the location and selects the modules that OBJECT! means. */
static void resolve_begin(struct resolver *r, struct module *const *modules, size_t count,
			  struct chosen_modules *chosen)
{
	r->first = count ? modules[0] : NULL;
	for (size_t i = 0; i < count; i++)
		if (!r->location->object || module_matches(modules[i], r->location->object))
			*array_add(&chosen->items) = modules[i];
	if (r->location->name)
		names_split(r->location->name, &r->wanted);
}

static void resolve_end(struct resolver *r, struct chosen_modules *chosen)
{
	matches_fini(&r->matches);
	if (r->first)
		flows_trim(r->first->owner);
	array_fini(&r->modules);
	array_fini(&chosen->items);
	names_fini(&r->wanted);
	base_free(r->case_function);
	error_fini(&r->complaint);
}

enum source_answer source_resolve(struct modules *s, struct module *const *modules, size_t count,
				  const struct location *location, struct source_sites *out,
				  struct error *err)
{
	ERROR(failure);
	struct resolver r = {.symbols = s, .location = location, .err = &failure};
	struct chosen_modules chosen = {0};
	enum source_answer answer;

	memset(out, 0, sizeof(*out));
	resolve_begin(&r, modules, count, &chosen);
	answer = resolve(&r, chosen.items.items, chosen.items.count, out);
	if (answer != SOURCE_FOUND) {
		source_sites_fini(out);
		error_move(err, &failure);
	}
	resolve_end(&r, &chosen);
	return answer;
}

/* ---- matches only --------------------------------------------------------------------------- */

/* Gathers matches without placing them. Returns 0, or -1 with r->err set if there are none. */
static int gather_any(struct resolver *r, struct module *const *modules, size_t count)
{
	for (enum group group = 0; group < GROUP_COUNT && !r->matches.count && !r->err->code;
	     group++)
		resolve_gather(r, modules, count, group);
	if (r->err->code)
		return -1;
	if (r->matches.count)
		return 0;
	if (r->complained)
		return error_move(r->err, &r->complaint);
	report_not_found(r, modules, count);
	return -1;
}

int resolve_functions(struct module *const *modules, size_t count, const struct location *location,
		      struct found_functions *out, struct error *err)
{
	ERROR(failure);
	struct resolver r = {.location = location, .err = &failure};
	struct chosen_modules chosen = {0};
	int answer;

	resolve_begin(&r, modules, count, &chosen);
	answer = gather_any(&r, modules, count);
	for (size_t i = 0; answer == 0 && i < r.matches.count; i++)
		array_each(const struct instance, one, &r.matches.items[i].instances)
			*array_add(out) = (struct found_function){*one, i};
	if (answer < 0)
		error_move(err, &failure);
	resolve_end(&r, &chosen);
	return answer;
}

int source_matches(struct modules *s, struct module *const *modules, size_t count,
		   const struct location *location, struct source_matches *out, struct error *err)
{
	ERROR(failure);
	struct resolver r = {.symbols = s, .location = location, .err = &failure};
	struct chosen_modules chosen = {0};
	int answer;

	resolve_begin(&r, modules, count, &chosen);
	answer = gather_any(&r, chosen.items.items, chosen.items.count);
	array_sort(&r.matches, by_source);
	for (size_t i = 0; answer == 0 && i < r.matches.count; i++)
		*array_add(out) =
			(struct source_match){r.matches.items[i].file, r.matches.items[i].line};
	if (answer < 0)
		error_move(err, &failure);
	resolve_end(&r, &chosen);
	return answer;
}
