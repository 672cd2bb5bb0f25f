/* Functions found in the symbol table. */
#include "tracer/source/lines/resolve.h"

#include "tracer/base/text/str.h"

#include <string.h>

static const struct elf_symbol *symbol_named(struct module *m, const char *name)
{
	uint64_t offset, size;

	if (module_symbol(m, name, &offset, &size) < 0)
		return NULL;
	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		if (s->offset == offset && strcmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

/* Returns the end of a function. Symbols of assembler code may have no size;
   they end at the next one. */
static uint64_t symbol_end(struct module *m, const struct elf_symbol *s)
{
	const struct elf_symbol *end = m->symbols.items + m->symbols.count;

	if (s->size)
		return s->offset + s->size;
	for (const struct elf_symbol *next = s; next < end; next++) {
		if (next->function && next->offset > s->offset)
			return next->offset;
	}
	return s->offset + 1;
}

struct flow_ranges symbol_ranges(struct module *m, const struct elf_symbol *s,
				 struct module_range out[2])
{
	struct str cold = {0};
	const struct elf_symbol *other;

	out[0] = (struct module_range){s->offset, symbol_end(m, s)};
	str_addf(&cold, "%s.cold", s->name);
	other = symbol_named(m, str_text(&cold));
	str_fini(&cold);
	if (other)
		out[1] = (struct module_range){other->offset, symbol_end(m, other)};
	return (struct flow_ranges){out, other ? 2 : 1, 2};
}

/* True if the symbol's name contains the last part of the searched name. A cheap test: demangling
   every symbol is slow. */
static bool may_match(const struct elf_symbol *s, const char *last)
{
	if (s->name[0] != '_')
		return strncmp(s->name, last, strlen(last)) == 0;
	if (strncmp(last, "operator", 8) == 0)
		return true;
	return strstr(s->name, last[0] == '~' ? last + 1 : last) != NULL;
}

static bool symbol_matches(struct resolver *r, const struct elf_symbol *s, const char *last,
			   char **full)
{
	*full = NULL;
	if (!s->function || s->hidden || !may_match(s, last))
		return false;
	if (strcmp(s->name, r->location->name) == 0) {
		*full = base_strdup(s->name);
		return true;
	}
	*full = source_demangle(s->name);
	if (strstr(s->name, ".cold") == NULL && strcmp(*full, s->name) != 0 &&
	    names_match(&r->wanted, *full))
		return true;
	base_free(*full);
	*full = NULL;
	return false;
}

static void refuse_ifunc(struct resolver *r, struct module *m, const struct elf_symbol *s)
{
	complain(r,
		 "%s: %s of %s is an IFUNC, which the loader resolves to one of several "
		 "implementations: it has no single entry",
		 r->location->text, s->name, module_name(m));
	if (!r->complaint.hint)
		error_hint(&r->complaint, "name the implementation that is used, as nm lists it");
}

/* True if the symbol belongs to this match. A constructor has several symbols; two static functions
   of one name are two matches. */
static bool is_same_thing(const struct location_match *match, const struct elf_symbol *s,
			  const char *full)
{
	if (strcmp(match->plain, full) != 0)
		return false;
	array_each(const struct instance, i, &match->instances) {
		if (i->symbol->offset == s->offset)
			return true;
		if (strcmp(i->symbol->name, s->name) == 0)
			return false;
	}
	return true;
}

static struct location_match *match_of_symbol(struct resolver *r, struct module *m,
					      struct die_table *t, const struct elf_symbol *s,
					      const char *full)
{
	struct location_match *match;

	array_each(struct location_match, old, &r->matches) {
		if (old->module == m && is_same_thing(old, s, full))
			return old;
	}
	match = array_add(&r->matches);
	match->module = m;
	match->name = match->plain = dies_keep(t, base_strdup(full));
	return match;
}

static void take_symbol(struct resolver *r, struct module *m, const struct elf_symbol *s,
			const char *full)
{
	struct die_table *t = dies_table(m, r->err);
	struct location_match *match;
	struct scope_ref scope;

	if (!t)
		return;
	if (s->ifunc) {
		refuse_ifunc(r, m, s);
		return;
	}
	match = match_of_symbol(r, m, t, s, full);
	array_each(const struct instance, old, &match->instances)
		if (old->symbol->offset == s->offset)
			return;
	if (dies_function_at(t, s->offset, &scope, r->err) < 0)
		return;
	/* The symbol may be an alias of a function with debug information, or lie inside it. */
	if (scope.scope && scope_entry(scope) != s->offset)
		scope = (struct scope_ref){0};
	*array_add(&match->instances) = (struct instance){m, scope, s};
}

void source_find(struct resolver *r, struct module *m, bool exported)
{
	char *last = names_last(&r->wanted), *full;

	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		if ((exported && !s->global) || !symbol_matches(r, s, last, &full))
			continue;
		take_symbol(r, m, s, full);
		base_free(full);
	}
	base_free(last);
}

/* Fills in the match from the debug information. Returns false if an instance has none. */
static bool take_source(struct resolver *r, struct location_match *match)
{
	struct function f;

	array_each(const struct instance, i, &match->instances)
		if (!i->scope.scope)
			return false;
	if (!match->instances.count ||
	    !resolve_function(r, match->module, match->instances.items[0].scope, &f))
		return false;
	match->name = f.name;
	match->file = f.file;
	match->line = match->begins = f.line;
	return true;
}

void symbols_written(struct resolver *r, struct module *m)
{
	source_find(r, m, false);
	matches_keep(r, take_source);
}
