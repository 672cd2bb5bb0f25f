/*
 * Finds the function that hit:call names: the program's own, a variable in scope, or a library's.
 */
#include "tracer/inspect/calls/calls.h"
#include "tracer/inspect/variables/variables.h"
#include "tracer/source/lines/source_lines.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { CACHE_MOST = 256, OVERLOADS_MAX = 64 };

/* Type of a function without debug information, whose parameters are not known. */
static struct type bare_function = {
	.kind = TYPE_FUNCTION, .name = "function", .flags = TYPE_FILLED};

/* ---- cache ---------------------------------------------------------------------------------- */

struct call_target {
	struct module *module;
	uint64_t offset, entry; /* entry: DIE of its prototype, 0: none */
	const char *name;	/* the module owns it */
	uint64_t absolute;	/* IFUNC: offset of the chosen implementation; else 0 */
	size_t thing;
	const char *file; /* source file; NULL: unknown */
	unsigned line;
	bool own, rust;
	bool near;	/* in the unit that makes the call */
	bool no_global; /* no global variable has this name: searched for once */
};

/* Cache of functions by name, since a call may be made at every arrival. */
struct call_cache {
	ARRAY(struct kept {
		char *name;
		int count;
		struct module *main;	     /* the executable: an exec changes it */
		const struct die_unit *unit; /* the unit that makes the call */
		struct call_target found;
	})
	items;
};

static void clear(struct call_cache *c)
{
	array_each(struct kept, k, &c->items)
		base_free(k->name);
	array_fini(&c->items);
}

static void call_cache_free(void *data)
{
	clear(data);
	base_free(data);
}

static struct call_target *cached(struct call_cache *c, const struct module *main,
				  const struct die_unit *unit, const char *name, int count)
{
	for (size_t i = 0; c && i < c->items.count; i++) {
		struct kept *k = &c->items.items[i];

		if (k->count == count && k->main == main && k->unit == unit &&
		    strcmp(k->name, name) == 0)
			return &k->found;
	}
	return NULL;
}

static void calls_find_keep(struct modules *s, struct module *main, const struct die_unit *unit,
			    const char *name, int count, const struct call_target *f)
{
	struct kept *k;

	if (!s->calls)
		s->calls = cleanup_alloc(&s->cleanups, sizeof(*s->calls), call_cache_free);
	if (s->calls->items.count == CACHE_MOST)
		clear(s->calls);
	k = array_add(&s->calls->items);
	*k = (struct kept){base_strdup(name), count, main, unit, *f};
}

/* ---- candidates ----------------------------------------------------------------------------- */

struct candidates {
	const struct dwarf_program *program;
	const char *name;
	int count;		     /* number of arguments; -1: any */
	const struct die_unit *unit; /* the unit that makes the call */
	ARRAY(struct module *) modules;
	struct found_functions found;
	ARRAY(struct call_target) items; /* different functions */
	ARRAY(const char *) linkages;	 /* linkage names of `items` */
	bool inlined;			 /* there are inlined copies */
	struct error *err;
};

static int calls_find_fail(struct candidates *c, const char *fmt, const char *name)
{
	STR(what);

	str_addf(&what, "hit:call(\"%s\"): ", c->name);
	str_addf(&what, fmt, name);
	return error_set(c->err, ERROR_STATE, "%s", str_text(&what));
}

/* Returns the DIE that has all parameters: that of a copy may lack those that the compiler does
   not use. */
static uint64_t prototype_of(struct die_table *t, uint64_t entry, struct error *err)
{
	struct entry e;
	uint64_t origin;

	if (entry_read(t, entry, &e, err) < 0)
		return 0;
	origin = entry_ref(&e, DW_AT_abstract_origin);
	return origin ? origin : entry;
}

bool function_is_rust(const struct die_unit *u, const char *linkage)
{
	return u->language == DW_LANG_Rust && linkage &&
	       (strncmp(linkage, "_ZN", 3) == 0 || strncmp(linkage, "_R", 2) == 0);
}

/* True if both linkage names mean one function. Overloads may be on one line; symbols of one
   constructor demangle to the same name. */
static bool calls_find_is_same(const char *a, const char *b)
{
	char *one, *other;
	bool same;

	if (!a || !b || strcmp(a, b) == 0)
		return true;
	one = source_demangle(a);
	other = source_demangle(b);
	same = one && other && strcmp(one, other) == 0;
	base_free(one);
	base_free(other);
	return same;
}

/* True if a candidate has the same name and place: a copy of a header's `static inline`, or
   another symbol of a constructor. */
static bool calls_find_is_known(const struct candidates *c, const struct call_target *f,
				const char *linkage)
{
	for (size_t i = 0; i < c->items.count; i++) {
		const struct call_target *old = &c->items.items[i];

		if (old->module == f->module && old->offset == f->offset)
			return true;
		if (old->entry && f->entry && old->thing == f->thing && old->name && f->name &&
		    strcmp(old->name, f->name) == 0 &&
		    calls_find_is_same(c->linkages.items[i], linkage))
			return true;
	}
	return false;
}

static void calls_find_add(struct candidates *c, const struct call_target *f, const char *linkage)
{
	if (calls_find_is_known(c, f, linkage) || c->items.count == OVERLOADS_MAX)
		return;
	*array_add(&c->items) = *f;
	*array_add(&c->linkages) = linkage;
}

static int add_scope(struct candidates *c, const struct instance *i, size_t thing)
{
	struct die_table *t = dies_table(i->module, c->err);
	struct call_target f = {.module = i->module, .thing = thing};
	struct function known;

	if (!t || function_read(t, i->scope, &known, c->err) < 0)
		return -1;
	if (i->scope.scope->kind == SCOPE_INLINED) {
		c->inlined = true;
		return 0;
	}
	f.offset = scope_entry(i->scope);
	if (f.offset == UINT64_MAX)
		return 0;
	f.entry = prototype_of(t, i->scope.scope->offset, c->err);
	f.name = known.name;
	f.own = !i->module->debug_separate;
	f.file = known.file;
	f.line = known.line;
	f.near = i->scope.unit == c->unit;
	f.rust = function_is_rust(i->scope.unit, known.linkage);
	calls_find_add(c, &f, known.linkage);
	return 0;
}

static int add_instance(struct candidates *c, const struct found_function *found)
{
	const struct instance *i = &found->instance;
	struct call_target f = {.module = i->module};

	if (i->scope.scope)
		return add_scope(c, i, found->thing);
	f.offset = i->symbol->offset;
	f.name = i->symbol->name;
	calls_find_add(c, &f, NULL);
	return 0;
}

/* ---- IFUNCs --------------------------------------------------------------------------------- */

static const struct elf_symbol *ifunc_named(struct module *m, const char *name)
{
	uint64_t offset;

	if (module_symbol(m, name, &offset, NULL) < 0)
		return NULL;
	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		if (s->offset == offset && s->ifunc && strcmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

/* Finds an IFUNC of this name, such as strlen. Returns 1, 0 if there is none, or -1 with *err
   set. */
static int find_ifunc(struct candidates *c, struct call_target *out)
{
	uint64_t bias;
	struct module *m;

	for (size_t i = 0; (m = dwarf_module(c->program, i, &bias)); i++) {
		const struct elf_symbol *s = ifunc_named(m, c->name);

		if (!s && module_symbol(m, c->name, &bias, NULL) == 0)
			return 0; /* the program defines its own function */
		if (!s)
			continue;
		*out = (struct call_target){.module = m, .offset = s->offset, .name = s->name};
		out->absolute = ifunc_target(c->program, m, bias, s);
		if (out->absolute) {
			out->absolute -= bias;
			return 1;
		}
		return calls_find_fail(
			c,
			"%s is an IFUNC, which the loader resolves to one of several "
			"implementations: name the implementation, as nm lists it",
			c->name);
	}
	return 0;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static bool function_is_variadic(const struct type *function)
{
	ERROR(err);
	struct die_table *d;
	struct entry e, child;
	uint64_t next = 0;

	if (!function->module || !function->entry || !(d = dies_table(function->module, &err)) ||
	    entry_read(d, function->entry, &e, &err) < 0)
		return false;
	while (entry_child(&e, &next, &child, &err) > 0)
		if (child.tag == DW_TAG_unspecified_parameters)
			return true;
	/* int f(): C without a prototype */
	return !e.children && e.unit->language != DW_LANG_Rust && !function->cxx &&
	       !entry_flag(&e, DW_AT_prototyped);
}

bool callee_takes(const struct type *function, bool variadic, size_t count)
{
	size_t own = function->members.count;

	return count == own || (variadic && count > own);
}

static const struct type *type_of(const struct call_target *f, struct error *err)
{
	const struct type *t = f->entry ? type_get(f->module, f->entry, err) : NULL;

	return t && t->kind == TYPE_FUNCTION && type_members(t, err) == 0 ? t : NULL;
}

static void list(struct candidates *c, struct str *out)
{
	for (size_t i = 0; i < c->items.count; i++) {
		const struct call_target *f = &c->items.items[i];
		char *full = c->linkages.items[i] ? source_demangle(c->linkages.items[i]) : NULL;

		str_addf(out, "\n  %s  (%s", full ? full : f->name, module_name(f->module));
		if (f->file && f->line)
			str_addf(out, ", %s:%u", f->file, f->line);
		str_add(out, ")");
		base_free(full);
	}
}

static int ambiguous(struct candidates *c, const char *what)
{
	STR(text);

	str_addf(&text, "hit:call(\"%s\"): %s", c->name, what);
	list(c, &text);
	error_set(c->err, ERROR_STATE, "%s", str_text(&text));
	return error_hint(c->err, "write its arguments' types, its namespace, or OBJECT!%s",
			  c->name);
}

static bool takes(struct candidates *c, const struct call_target *f)
{
	const struct type *t = c->count >= 0 ? type_of(f, c->err) : NULL;

	return !t || callee_takes(t, function_is_variadic(t), (size_t)c->count);
}

/* Returns the only candidate that takes the arguments, or the only such one of the calling unit,
   which hides the others as in C. NULL: ambiguous. */
static const struct call_target *choose_fitting(struct candidates *c, size_t *fitting)
{
	const struct call_target *best = NULL, *near = NULL;
	size_t near_count = 0;

	*fitting = 0;
	array_each(const struct call_target, f, &c->items) {
		if (!takes(c, f))
			continue;
		best = f;
		++*fitting;
		if (!f->near)
			continue;
		near = f;
		near_count++;
	}
	return *fitting == 1 ? best : near_count == 1 ? near : NULL;
}

static int calls_find_choose(struct candidates *c, struct call_target *out)
{
	const struct call_target *best;
	size_t fitting = 0;

	if (!c->items.count)
		return calls_find_fail(
			c,
			c->inlined ? "%s was inlined everywhere: there is no function to call"
				   : "there is no code of %s",
			c->name);
	best = c->items.count == 1 ? c->items.items : choose_fitting(c, &fitting);
	if (!best)
		return ambiguous(
			c, fitting ? "several functions of this name take this number of arguments:"
				   : "no function of this name takes this number of arguments:");
	*out = *best;
	if (!out->absolute && call_is_changed(out->module, out->offset))
		return calls_find_fail(
			c,
			"the compiler has changed the arguments of %s, so that it cannot be called",
			c->name);
	return 0;
}

static int gather_found(struct candidates *c)
{
	for (size_t i = 0; i < c->found.count; i++) {
		if (add_instance(c, &c->found.items[i]) < 0)
			return -1;
	}
	return 0;
}

static int calls_find_search(struct candidates *c, struct call_target *out)
{
	struct location location;
	struct module *m;
	uint64_t bias;
	int answer;

	for (size_t i = 0; (m = dwarf_module(c->program, i, &bias)); i++)
		*array_add(&c->modules) = m;
	if (location_parse(c->name, &location, c->err) < 0)
		return calls_find_fail(c, "%s is not the name of a function", c->name);
	for (size_t i = 0; location.object && i < c->modules.count;) {
		if (module_matches(c->modules.items[i], location.object))
			i++;
		else
			array_remove(&c->modules, i);
	}
	if (location.kind != LOCATION_FUNC)
		answer = calls_find_fail(c, "%s is not the name of a function", c->name);
	else
		answer = resolve_functions(c->modules.items, c->modules.count, &location, &c->found,
					   c->err);
	location_fini(&location);
	if (answer < 0)
		return -1;
	return gather_found(c) < 0 ? -1 : calls_find_choose(c, out);
}

static const struct die_unit *unit_of(const struct dwarf_frame *f, struct error *err)
{
	struct die_table *t = f->module ? dies_table(f->module, err) : NULL;

	return t ? dies_unit_at(t, f->lookup_pc - f->bias) : NULL;
}

/* Finds a function: first in the cache, then among IFUNCs, then in debug information and
   symbols. */
static int calls_find_find(const struct inspect_call *call, const char *name, int count,
			   struct call_target *out, struct error *err)
{
	struct candidates c = {
		.program = call->frame.program, .name = name, .count = count, .err = err};
	uint64_t bias;
	struct module *main = dwarf_module(c.program, 0, &bias);
	const struct call_target *old;
	int answer;

	c.unit = unit_of(&call->frame, err);
	old = main ? cached(main->owner->calls, main, c.unit, name, count) : NULL;
	if (old) {
		*out = *old;
		return 0;
	}
	answer = find_ifunc(&c, out);
	if (answer == 0)
		answer = calls_find_search(&c, out) < 0 ? -1 : 1;
	array_fini(&c.modules);
	array_fini(&c.found);
	array_fini(&c.items);
	array_fini(&c.linkages);
	if (answer > 0 && main)
		calls_find_keep(main->owner, main, c.unit, name, count, out);
	return answer > 0 ? 0 : -1;
}

/* ---- callees -------------------------------------------------------------------------------- */

static int untyped_call(const char *name, struct error *err)
{
	STR(what);

	str_addf(&what, "hit:call(\"%s\")", name);
	untyped_error(str_text(&what), "what the function takes and returns is not known", err);
	return -1;
}

static int callee_of(const struct dwarf_program *program, const struct call_target *f,
		     struct callee *out, struct error *err)
{
	struct module *m;
	uint64_t bias;
	size_t i = 0;

	while ((m = dwarf_module(program, i, &bias)) && m != f->module)
		i++;
	if (!m)
		return error_set(err, ERROR_STATE, "hit:call(\"%s\"): %s is not loaded any more",
				 f->name, module_name(f->module));
	memset(out, 0, sizeof(*out));
	if (!f->absolute && untyped_at(m, f->offset))
		return untyped_call(f->name, err);
	out->address = bias + (f->absolute ? f->absolute : f->offset);
	out->function = type_of(f, err);
	out->variadic = out->function && function_is_variadic(out->function);
	out->rust = f->rust;
	return 0;
}

/* Makes a callee of a function or of a function pointer. Returns 0, or -1 with *err set. */
static int callee_of_value(const char *name, struct inspect_value *v, struct callee *out,
			   struct error *err)
{
	const struct type *t;

	if (value_whole(v, err) < 0)
		return -1;
	t = v->type;
	memset(out, 0, sizeof(*out));
	if (t->kind == TYPE_FUNCTION) {
		out->address = v->address;
	} else if (t->kind == TYPE_POINTER && t->of && t->of->kind == TYPE_FUNCTION) {
		if (value_address(v, &out->address, err) < 0)
			return -1;
		t = t->of;
	} else {
		return error_set(err, ERROR_STATE, "hit:call(\"%s\"): this is not a function",
				 name);
	}
	if (!out->address)
		return error_set(err, ERROR_STATE, "hit:call(\"%s\"): the pointer is NULL", name);
	if (t != &bare_function && type_members(t, err) < 0)
		return -1;
	out->function = t == &bare_function ? NULL : t;
	out->variadic = out->function && function_is_variadic(t);
	return 0;
}

static bool is_expression(const char *name)
{
	/* The star in f(char *) belongs to an argument's type. */
	size_t end = *name == '(' ? strlen(name) : strcspn(name, "(");
	size_t first = strcspn(name, ".[*");

	return first < end && !strstr(name, "operator") && !strchr(name, '!') && !strchr(name, '<');
}

static void note_no_global(const struct inspect_call *call, const char *name, int count)
{
	const struct dwarf_program *program = call->frame.program;
	ERROR(ignored);
	uint64_t bias;
	struct module *main = dwarf_module(program, 0, &bias);
	struct call_target *f = NULL;

	if (main)
		f = cached(main->owner->calls, main, unit_of(&call->frame, &ignored), name, count);
	if (f)
		f->no_global = true;
}

int callee_find(const struct inspect_call *call, const char *name, int count, struct callee *out,
		struct error *err)
{
	struct inspect_value v;
	ERROR(ignored);
	struct call_target f;
	int found, variable;

	if (strstr(name, "->") ? !strstr(name, "operator") : is_expression(name)) {
		if (inspect_eval(call, name, &v, err) < 0)
			return -1;
		return callee_of_value(name, &v, out, err);
	}
	found = calls_find_find(call, name, count, &f, err);
	if (found == 0 && f.own)
		return callee_of(call->frame.program, &f, out, err);
	/* A variable in scope hides a function of a library. */
	variable = found == 0 && f.no_global ? inspect_variable_local(call, name, &v, &ignored)
					     : inspect_variable(call, name, &v, &ignored);
	if (found == 0 && variable < 0)
		note_no_global(call, name, count);
	if (variable == 0)
		variable = callee_of_value(name, &v, out, found == 0 ? &ignored : err);
	else if (found < 0)
		variable = -1;
	if (variable == 0)
		return 0;
	return found == 0 ? callee_of(call->frame.program, &f, out, err) : -1;
}

int call_function_value(const struct inspect_call *call, const char *name,
			struct inspect_value *out)
{
	ERROR(ignored);
	struct callee c;
	struct call_target f;
	int answer = calls_find_find(call, name, -1, &f, &ignored);

	if (answer == 0)
		answer = callee_of(call->frame.program, &f, &c, &ignored);
	if (answer < 0)
		return -1;
	*out = value_in_memory(call->frame.program, c.function ? c.function : &bare_function,
			       c.address);
	return 0;
}
