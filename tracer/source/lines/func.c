/* Functions by name, in the DIEs of the units that can have them. */
#include "tracer/base/files/path.h"
#include "tracer/source/lines/resolve.h"

#include "tracer/base/text/str.h"

#include <string.h>

/* Rounds of the search for references to DIEs found: declaration, abstract function,
   inlined copy, copy of that. */
enum { ROUNDS_MAX = 4 };

struct function_search {
	struct resolver *r;
	struct module *m;
	struct die_table *t;
	char *last; /* the last part of the wanted name, without template arguments */
	size_t last_length;
	bool *marks, *done;    /* one for each unit */
	ARRAY(uint64_t) found; /* offsets of DIEs of this name, which other units may refer to */
	const char *file;      /* search only functions of this source file; NULL: all */
};

/* ---- matching ------------------------------------------------------------------------------- */

static bool begins_with_last(const struct function_search *s, const char *name)
{
	if (!name || strncmp(name, s->last, s->last_length) != 0)
		return false;
	return strchr("<[ ", name[s->last_length]) != NULL;
}

/* Compares the linkage name: DIE names have no arguments and lack Rust's <Type as Trait>. */
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

/* ---- results -------------------------------------------------------------------------------- */

/* Returns a key that is equal for functions of one name, wherever declared. Lambdas without a
   line differ by their DIE. */
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

static void take_function(struct function_search *s, const struct function *f)
{
	char *plain = identity(f);
	struct location_match *match = match_get(s->r, s->m, f->file, f->line, plain);

	if (!match->name)
		match->name = f->name;
	base_free(plain);
	if (f->self.scope->abstract)
		match->optimised = true;
	if (dies_has_code(f->self.scope))
		*array_add(&match->instances) = (struct instance){s->m, f->self, NULL};
	else
		*array_add(&s->found) = f->self.scope->offset;
}

static void visit_scope(struct function_search *s, struct scope_ref scope)
{
	const char *name = scope.scope->name;
	struct function f;

	if (scope.scope->kind == SCOPE_SPACE)
		return;
	/* Inlined copies without code are in abstract functions; skipping them avoids
	   following their origins. */
	if (scope.scope->kind == SCOPE_INLINED && !dies_has_code(scope.scope))
		return;
	if (!name && function_short_name(s->t, scope, &name, s->r->err) < 0)
		return;
	if (begins_with_last(s, name) && resolve_function(s->r, s->m, scope, &f) && f.name &&
	    (!s->file || function_same_file(f.file, s->file)) && function_matches(s, &f))
		take_function(s, &f);
}

/* Searches the marked units that are not done yet. Returns false if there were none. */
static bool search_marked(struct function_search *s)
{
	bool any = false;

	for (size_t i = 0; i < s->t->units.count && !s->r->err->code; i++) {
		struct die_unit *u = &s->t->units.items[i];

		if (!s->marks[i] || s->done[i])
			continue;
		s->done[i] = any = true;
		if (dies_load(s->t, u, s->r->err) == 0)
			array_each(struct scope, scope, &u->scopes)
				visit_scope(s, (struct scope_ref){u, scope});
	}
	return any;
}

/* Searches the name index. Returns false if there is none. */
static bool search_index(struct function_search *s)
{
	struct scope_refs found = {0};
	bool is_there = function_index_find(s->t, s->last, &found);

	array_each(const struct scope_ref, one, &found)
		visit_scope(s, *one);
	array_fini(&found);
	return is_there;
}

static void search_units(struct function_search *s)
{
	s->marks = base_alloc(s->t->units.count, sizeof(bool));
	s->done = base_alloc(s->t->units.count, sizeof(bool));
	dies_mark_functions(s->t, s->last, s->marks);
	for (int round = 0; round < ROUNDS_MAX && search_marked(s); round++) {
		dies_mark_referring(s->t, s->found.items, s->found.count, s->marks);
		s->found.count = 0;
	}
	base_free(s->marks);
	base_free(s->done);
}

static void search_name(struct function_search *s)
{
	s->last = names_last(&s->r->wanted);
	s->last_length = strlen(s->last);
	if (s->last_length && !search_index(s))
		search_units(s);
	array_fini(&s->found);
	base_free(s->last);
}

/* ---- test cases ----------------------------------------------------------------------------- */

/* Returns the part after a test case's name, "::{lambda()#1}", or the end of the string. */
static const char *behind_test_case(const char *name)
{
	const char *quote = *name == '"' ? strrchr(name, '"') : NULL;
	const char *inside = quote ? quote + 1 : strstr(name, "::");

	return inside ? inside : name + strlen(name);
}

/* Returns the method that GoogleTest generates for TEST(SUITE, CASE), given "SUITE.CASE";
   NULL for other names. */
static char *googletest_function(const char *name)
{
	const char *dot = strchr(name, '.'), *inside = behind_test_case(name);
	struct str function = {0};

	if (!dot || dot == name || dot + 1 >= inside ||
	    strcspn(name, ":;/ \"") < (size_t)(inside - name) ||
	    memchr(dot + 1, '.', (size_t)(inside - dot - 1)))
		return NULL;
	str_addf(&function, "%.*s_%.*s_Test::TestBody%s", (int)(dot - name), name,
		 (int)(inside - dot - 1), dot + 1, inside);
	return str_take(&function);
}

static void search_googletest(struct function_search *s)
{
	struct resolver *r = s->r;
	struct name_parts written = r->wanted;
	char *function = r->case_function ? NULL : googletest_function(r->location->name);

	if (!function)
		return;
	names_split(function, &r->wanted);
	search_name(s);
	if (r->matches.count) {
		names_fini(&written);
		r->case_function = function;
	} else {
		names_fini(&r->wanted);
		r->wanted = written;
		base_free(function);
	}
}

/* TEST_CASE("...") of Catch2 and doctest: a macro on this line expands to a function
   with a generated name. */
struct named_case {
	struct function_search *s;
	const char *inside; /* searched part of the test case, "::{lambda()#1}", or "" */
	const char *file;
	unsigned line;
};

static bool is_macro_of(const char *line, const char *quoted)
{
	size_t indent = strspn(line, " \t");
	size_t word = strspn(line + indent, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return word && line[indent + word] == '(' && strstr(line + indent + word, quoted);
}

/* True if the function has code after its first line. The function that registers the test case has
   code on that line alone. */
static bool goes_on_behind(struct resolver *r, struct module *m, const struct function *f)
{
	struct flow_ranges code = scope_code(f->self);
	struct line_unit *l = unit_lines(r, m, f->self.unit);
	const struct line_row *row;

	array_each(const struct module_range, range, &code) {
		struct line_walk walk = lines_walk(l, range->low, range->high);

		while (l && (row = lines_next(&walk)))
			if (row->line > f->line && row->is_stmt &&
			    function_same_file(lines_file(l, row->file), f->file))
				return true;
	}
	return false;
}

static bool is_case(const struct named_case *c, struct scope_ref scope, struct function *f)
{
	struct function_search *s = c->s;

	return scope.scope->kind != SCOPE_SPACE && dies_has_code(scope.scope) &&
	       resolve_function(s->r, s->m, scope, f) && f->name && f->line == c->line &&
	       function_same_file(f->file, c->file) && goes_on_behind(s->r, s->m, f);
}

static void search_inside(const struct named_case *c, const struct function *f)
{
	struct function_search *s = c->s;
	struct name_parts written = s->r->wanted;
	struct str name = {0};

	str_addf(&name, "%s%s", f->name, c->inside);
	names_split(str_text(&name), &s->r->wanted);
	s->file = c->file;
	search_name(s);
	s->file = NULL;
	names_fini(&s->r->wanted);
	s->r->wanted = written;
	str_fini(&name);
}

static void take_case(const struct named_case *c)
{
	struct function_search *s = c->s;

	array_each(struct die_unit, u, &s->t->units) {
		if (dies_load(s->t, u, s->r->err) < 0)
			return;
		array_each(struct scope, scope, &u->scopes) {
			struct function f;

			if (!is_case(c, (struct scope_ref){u, scope}, &f))
				continue;
			if (*c->inside) {
				search_inside(c, &f);
				return;
			}
			take_function(s, &f);
		}
	}
}

static void search_case_in(void *ctx, const char *path)
{
	struct function_search *s = ctx;
	const char *name = s->r->location->name, *inside = behind_test_case(name);
	char *quoted = base_strndup(name, (size_t)(inside - name));
	const struct source_file *f =
		path_is_system_source(path) ? NULL : lines_source(s->m->owner, path);

	for (unsigned i = 0; f && i < f->lines.count; i++) {
		const struct named_case found = {s, inside, path, i + 1};

		if (is_macro_of(f->lines.items[i], quoted))
			take_case(&found);
	}
	base_free(quoted);
}

void functions_find(struct resolver *r, struct module *m)
{
	struct function_search s = {.r = r, .m = m, .t = dies_table(m, r->err)};

	if (!s.t)
		return;
	if (*r->location->name == '"')
		source_paths(m, search_case_in, &s);
	else
		search_name(&s);
	if (!r->matches.count)
		search_googletest(&s);
	array_fini(&s.found);
}
