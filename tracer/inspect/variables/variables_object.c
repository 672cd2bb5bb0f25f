/* Names that stand for members: of `this`, and of a lambda's captured variables. */
#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

#include <string.h>

/* Limits of a search: broken types may contain themselves several times. */
enum { TYPES_MAX = 2000, BASES_DEEP = 24 };

struct object_search {
	const char *name;
	int left;
};

static const struct type_member *search_member(struct object_search *s, const struct type *t,
					       int deep)
{
	const struct type_member *inner;
	ERROR(ignored);

	if (!t || deep > BASES_DEEP || s->left-- <= 0 ||
	    (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION) || type_members(t, &ignored) < 0)
		return NULL;
	array_each(const struct type_member, m, &t->members) {
		if (m->name && !m->is_base && strcmp(m->name, s->name) == 0)
			return m;
	}
	array_each(const struct type_member, m, &t->members) {
		if (!m->is_base && m->name && m->name[0])
			continue;
		inner = search_member(s, m->type, deep + 1);
		if (inner)
			return inner;
	}
	return NULL;
}

/* Finds a member, also in base classes and anonymous members. Returns NULL if there is none. */
static const struct type_member *find_member(const struct type *t, const char *name)
{
	struct object_search s = {.name = name, .left = TYPES_MAX};

	return search_member(&s, t, 0);
}

/* True for a lambda's class. gcc calls it <lambda(...)> and a captured variable __x; clang gives
   the class no name and calls the variable x. */
static bool is_lambda(const struct type *t)
{
	return !t->name || !t->name[0] || strncmp(t->name, "<lambda", 7) == 0;
}

static const struct type *pointed_to(const struct code_place *p, const struct type *t)
{
	if (!t || (t->kind != TYPE_POINTER && t->kind != TYPE_REFERENCE) || !t->of)
		return NULL;
	return type_whole(t->of, p->program);
}

static const struct type *type_of_member(const struct type *t, const char *name)
{
	array_each(const struct type_member, m, &t->members) {
		if (m->name && strcmp(m->name, name) == 0)
			return m->type;
	}
	return NULL;
}

static int make_member(const struct variable *self, const char *first, const char *second,
		       struct variable *out)
{
	memset(out, 0, sizeof(*out));
	out->kind = VARIABLE_MEMBER;
	out->module = self->module;
	out->type = self->type;
	out->object = base_alloc(1, sizeof(*out->object));
	*out->object = *self;
	out->path[0] = base_strdup(first);
	out->path[1] = second ? base_strdup(second) : NULL;
	return 1;
}

/* Finds a static member, which has an address of its own. */
static int make_static(const struct code_place *p, const struct type_member *m,
		       const struct type *t, struct variable *out, struct error *err)
{
	struct die_table *table = t->module ? dies_table(t->module, err) : NULL;
	struct entry e;

	if (!table || entry_read(table, m->entry, &e, err) < 0 ||
	    variable_of_entry(&e, p->offset, out, err) < 0)
		return -1;
	return out->kind == VARIABLE_OPTIMISED_OUT ? global_defined(p->program, &e, out, err) : 1;
}

/* Finds a member of the object that `self` points to, or that its captured pointer `captured`
   points to. */
static int of_object(const struct code_place *p, const struct variable *self, const struct type *t,
		     const char *captured, const char *name, struct variable *out,
		     struct error *err)
{
	const struct type_member *m = find_member(t, name);

	if (!m)
		return 0;
	if (m->is_static)
		return make_static(p, m, t, out, err);
	return make_member(self, captured ? captured : name, captured ? name : NULL, out);
}

/* Finds a captured variable, or a member of the captured `this`. */
static int of_lambda(const struct code_place *p, const struct variable *self, const struct type *t,
		     const char *name, struct variable *out, struct error *err)
{
	const struct type *object;
	const char *captured;
	STR(decorated);

	str_addf(&decorated, "__%s", name);
	if (find_member(t, str_text(&decorated)))
		return make_member(self, str_text(&decorated), NULL, out);
	captured = find_member(t, "__this") ? "__this" : "this";
	if (!find_member(t, captured))
		return 0;
	object = pointed_to(p, type_of_member(t, captured));
	return object ? of_object(p, self, object, captured, name, out, err) : 0;
}

static int find_this(struct local_walk *w, const struct local *l, struct error *err)
{
	struct variable *out = w->ctx;

	(void)err;
	if (!l->artificial || !l->name ||
	    !(strcmp(l->name, "this") == 0 || strcmp(l->name, "__closure") == 0))
		return 0;
	out->entry = l->entry->offset;
	return 1;
}

int variable_of_object(const struct code_place *p, const struct wanted_variable *w,
		       struct variable *out, struct error *err)
{
	const char *name = w->last;
	struct variable self = {.entry = 0};
	struct local_walk walk = {.found = find_this, .ctx = &self};
	const struct type *t;
	struct entry e;
	int answer = 0;

	if (!p->count)
		return 0;
	if (place_walk(p, p->count - 1, &walk, err) < 0)
		return -1;
	if (!self.entry)
		return 0;
	if (entry_read(p->table, self.entry, &e, err) < 0 ||
	    variable_of_entry(&e, p->offset, &self, err) < 0)
		return -1;
	self.function = function_outermost(p->self).scope->offset;
	t = pointed_to(p, self.type);
	if (t && is_lambda(t))
		answer = of_lambda(p, &self, t, name, out, err);
	return answer == 0 && t ? of_object(p, &self, t, NULL, name, out, err) : answer;
}

bool variable_of_union(const struct variable *unnamed, const char *name, struct variable *out)
{
	return unnamed->type->kind == TYPE_UNION && find_member(unnamed->type, name) &&
	       make_member(unnamed, name, NULL, out);
}
