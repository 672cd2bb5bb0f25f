/* What was found so far for one location, and the first reason why something was not. */
#include "tracer/source/lines/resolve.h"

#include <stdarg.h>
#include <stdio.h>
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

void match_fini(struct location_match *match)
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

int complain(struct resolver *r, const char *fmt, ...)
{
	va_list ap;

	if (r->complained)
		return 0;
	va_start(ap, fmt);
	error_vset(&r->complaint, ERROR_LOCATION, fmt, ap);
	va_end(ap);
	r->complained = true;
	return 0;
}
