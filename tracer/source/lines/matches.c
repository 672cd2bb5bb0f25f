/* Matches and the first complaint of a query, and access to the debug information that
   records errors in r->err. */
#include "tracer/source/lines/resolve.h"

#include <stdarg.h>
#include <string.h>

void site_fini(struct source_site *s)
{
	array_fini(&s->ranges);
	array_fini(&s->exits);
}

void source_sites_fini(struct source_sites *s)
{
	array_each(struct source_site, site, s)
		site_fini(site);
	array_fini(s);
}

static void match_fini(struct location_match *match)
{
	array_fini(&match->instances);
	source_sites_fini(&match->sites);
}

static bool same_thing(const struct location_match *match, const char *file, unsigned line,
		       const char *plain)
{
	if (match->line != line || !match->plain != !plain)
		return false;
	if (plain && strcmp(match->plain, plain) != 0)
		return false;
	return (!match->file && !file) || function_same_file(match->file, file);
}

struct location_match *match_get(struct resolver *r, struct module *m, const char *file,
				 unsigned line, const char *plain)
{
	struct location_match *match;

	array_each(struct location_match, old, &r->matches) {
		if (same_thing(old, file, line, plain))
			return old;
	}
	match = array_add(&r->matches);
	match->module = m;
	match->file = file;
	match->line = line;
	if (plain) {
		match->plain = dies_keep(m->dies, base_strdup(plain));
		match->begins = line;
	}
	return match;
}

void matches_fini(struct location_matches *matches)
{
	array_each(struct location_match, match, matches)
		match_fini(match);
	array_fini(matches);
}

void matches_keep(struct resolver *r, bool (*keeps)(struct resolver *, struct location_match *))
{
	size_t kept = 0;

	array_each(struct location_match, match, &r->matches) {
		if (keeps(r, match))
			r->matches.items[kept++] = *match;
		else
			match_fini(match);
	}
	r->matches.count = kept;
}

void complain(struct resolver *r, const char *fmt, ...)
{
	va_list ap;

	if (r->complained)
		return;
	va_start(ap, fmt);
	error_vset(&r->complaint, ERROR_LOCATION, fmt, ap);
	va_end(ap);
	r->complained = true;
}

/* ---- debug information ---------------------------------------------------------------------- */

bool resolve_function(struct resolver *r, struct module *m, struct scope_ref scope,
		      struct function *out)
{
	struct die_table *t = scope.scope ? dies_table(m, r->err) : NULL;

	if (t && function_read(t, scope, out, r->err) == 0)
		return true;
	*out = (struct function){0};
	return false;
}

int resolve_stack(struct resolver *r, struct module *m, uint64_t offset,
		  struct scope_ref out[FUNCTIONS_DEEP])
{
	struct die_table *t = dies_table(m, r->err);
	int count = t ? functions_stack(t, offset, out, r->err) : 0;

	return count > 0 ? count : 0;
}

struct line_unit *unit_lines(struct resolver *r, struct module *m, const struct die_unit *u)
{
	struct line_table *lines = lines_units(m, r->err);
	struct line_unit *l = lines && u->has_stmt_list ? lines_unit_at(lines, u->stmt_list) : NULL;

	return l && lines_decode(m, l, r->err) == 0 ? l : NULL;
}
