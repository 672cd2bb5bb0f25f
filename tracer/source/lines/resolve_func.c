/* Functions by name, in the DIEs of the units that can have them. */
#include "tracer/source/names/functions_index.h"
#include "tracer/source/lines/resolve.h"

#include "tracer/base/text/str.h"

#include <string.h>

/* Rounds of "who refers to what was found": declaration, abstract function, copy, copy of that. */
enum { ROUNDS_MAX = 4 };

struct function_search {
	struct resolver *r;
	struct module *m;
	struct die_table *t;
	char *last; /* the last part of the wanted name, without template arguments */
	size_t last_length;
	bool *marks, *done;    /* for each unit */
	ARRAY(uint64_t) found; /* DIEs of this name that units may refer to */
};

/* ---- does it match? ------------------------------------------------------------------------- */

static bool begins_with_last(const struct function_search *s, const char *name)
{
	if (!name || strncmp(name, s->last, s->last_length) != 0)
		return false;
	return strchr("<[ ", name[s->last_length]) != NULL;
}

/* The arguments are only in the linkage name, and so is Rust's <Type as Trait>. */
static bool linkage_matches(const struct function_search *s, const char *linkage, bool args_only)
{
	char *full = source_demangle(linkage);
	bool same = args_only ? names_match_args(&s->r->wanted, full)
			      : names_match(&s->r->wanted, full);

	base_free(full);
	return same;
}

static bool function_matches(const struct function_search *s, const struct function *f)
{
	if (names_match(&s->r->wanted, f->name) || names_match(&s->r->wanted, f->spoken))
		return !s->r->wanted.args || !f->linkage || linkage_matches(s, f->linkage, true);
	return f->linkage && s->r->wanted.parts.count > 1 && linkage_matches(s, f->linkage, false);
}

/* ---- taking it ------------------------------------------------------------------------------ */

static void add_instance(struct function_search *s, struct location_match *match,
			 struct scope_ref scope)
{
	struct instance *i = array_add(&match->instances);

	i->module = s->m;
	i->scope = scope;
}

/* Functions are one where they are written in one place; two lambdas without a place are two. */
static char *identity(const struct function *f)
{
	struct str plain = {0};
	char *name = names_plain(f->name);

	str_add(&plain, name);
	if (!f->line)
		str_addf(&plain, "@%llx", (unsigned long long)f->named.scope->offset);
	base_free(name);
	return str_take(&plain);
}

static void resolve_func_take(struct function_search *s, const struct function *f)
{
	char *plain = identity(f);
	struct location_match *match = match_get(s->r, s->m, f->file, f->line, plain);

	if (!match->name)
		match->name = f->name;
	base_free(plain);
	if (f->self.scope->abstract)
		match->optimised = true;
	if (dies_has_code(f->self.scope))
		add_instance(s, match, f->self);
	else
		*array_add(&s->found) = f->self.scope->offset;
}

static int visit_scope(struct function_search *s, struct scope_ref scope)
{
	const char *name = scope.scope->name;
	struct function f;

	if (scope.scope->kind == SCOPE_SPACE)
		return 0;
	/* Copies in abstract functions have no code; all their chains need not be followed. */
	if (scope.scope->kind == SCOPE_INLINED && !dies_has_code(scope.scope))
		return 0;
	if (!name && function_short_name(s->t, scope, &name, s->r->err) < 0)
		return -1;
	if (!begins_with_last(s, name))
		return 0;
	if (function_read(s->t, scope, &f, s->r->err) < 0)
		return -1;
	if (f.name && function_matches(s, &f))
		resolve_func_take(s, &f);
	return 0;
}

static int search_unit_scopes(struct function_search *s, struct die_unit *u)
{
	if (dies_load(s->t, u, s->r->err) < 0)
		return -1;
	for (size_t i = 0; i < u->scopes.count; i++) {
		if (visit_scope(s, (struct scope_ref){u, &u->scopes.items[i]}) < 0)
			return -1;
	}
	return 0;
}

/* One round: the units that are marked and not looked at yet. 1 where there were some. */
static int search_marked(struct function_search *s)
{
	int any = 0;

	for (size_t i = 0; i < s->t->units.count; i++) {
		if (!s->marks[i] || s->done[i])
			continue;
		s->done[i] = true;
		any = 1;
		if (search_unit_scopes(s, &s->t->units.items[i]) < 0)
			return -1;
	}
	return any;
}

/* 1: they were looked at by the index; 0: there is none. */
static int search_index(struct function_search *s)
{
	struct scope_refs found = {0};
	int answer = function_index_find(s->t, s->last, &found);

	for (size_t i = 0; answer > 0 && i < found.count; i++)
		if (visit_scope(s, found.items[i]) < 0)
			answer = -1;
	array_fini(&found);
	return answer;
}

static int search_units(struct function_search *s)
{
	int any = 1;

	dies_mark_functions(s->t, s->last, s->marks);
	for (int round = 0; any > 0 && round < ROUNDS_MAX; round++) {
		s->found.count = 0;
		any = search_marked(s);
		if (any > 0)
			dies_mark_referring(s->t, s->found.items, s->found.count, s->marks);
	}
	return any < 0 ? -1 : 0;
}

int functions_find(struct resolver *r, struct module *m)
{
	struct function_search s = {.r = r, .m = m, .t = dies_table(m, r->err)};
	int answer = 0;

	if (!s.t)
		return -1;
	s.last = names_last(&r->wanted);
	s.last_length = strlen(s.last);
	s.marks = base_alloc(s.t->units.count, sizeof(bool));
	s.done = base_alloc(s.t->units.count, sizeof(bool));
	if (s.last_length)
		answer = search_index(&s);
	if (s.last_length && answer == 0)
		answer = search_units(&s);
	if (answer > 0)
		answer = 0;
	array_fini(&s.found);
	base_free(s.last);
	base_free(s.marks);
	base_free(s.done);
	return answer;
}
