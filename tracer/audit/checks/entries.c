#include "tracer/audit/checks/entries.h"

#include "tracer/audit/flow/flow.h"
#include "tracer/audit/frontend/targets.h"

#include <string.h>

const char *entries_name(const struct audit *a, unsigned function)
{
	return program_text(a->program, a->program->functions.items[function].name);
}

/* Its name says that the caller has the lock. */
static bool wants_lock(const char *name)
{
	static const char *const words[] = {"locked",  "unlocked", "nolock",
					    "no_lock", "unsafe",   "internal"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

bool entries_wants_lock(const struct audit *a, unsigned function)
{
	return wants_lock(entries_name(a, function));
}

static bool is_main(const struct audit *a, unsigned function)
{
	return strcmp(entries_name(a, function), "main") == 0;
}

/* ---- which functions are called from outside ------------------------------------------------------------------- */

/* What is known of a target: has it a main, and does another one call its functions? */
struct target_facts {
	bool has_main, is_used;
};

static const struct audit_unit *unit_of(const struct audit *a, unsigned function)
{
	const unsigned unit = a->program->functions.items[function].unit;

	return unit ? &a->program->sources.items[unit - 1] : NULL;
}

/* Is it known that they are not of one target? */
static bool are_of_others(const struct audit *a, const struct audit_unit *x,
			  const struct audit_unit *y)
{
	array_each(const unsigned, t, &x->targets)
		array_each(const unsigned, u, &y->targets)
			if (*t == *u || !targets_is_named(a->program, *t) ||
			    !targets_is_named(a->program, *u))
				return false;
	return true;
}

/* Functions that another target calls are an interface; it is known then which ones are. */
static void find_users(const struct audit *a, struct target_facts *targets, bool *is_used)
{
	array_each(const struct audit_edge, e, &a->calls) {
		const struct audit_unit *from = unit_of(a, e->from), *to = unit_of(a, e->to);

		if (!from || !to || !are_of_others(a, from, to))
			continue;
		is_used[e->to] = true;
		array_each(const unsigned, t, &to->targets)
			targets[*t].is_used = true;
	}
}

static bool is_program(const struct audit *a, const struct target_facts *targets, unsigned function)
{
	const struct audit_unit *u = unit_of(a, function);

	if (!u)
		return a->program->has_main;
	array_each(const unsigned, t, &u->targets)
		if (!(targets_is_named(a->program, *t) ? targets[*t].has_main
						       : a->program->has_main))
			return false;
	return true;
}

/* In a program, and in a library whose users are seen, what its own files alone call is no interface. */
static bool is_interface(const struct audit *a, const struct target_facts *targets,
			 unsigned function, bool is_used)
{
	const struct audit_unit *u = unit_of(a, function);

	if (is_used)
		return true;
	if (is_program(a, targets, function))
		return false;
	if (!u)
		return true;
	array_each(const unsigned, t, &u->targets)
		if (targets[*t].is_used)
			return false;
	return true;
}

static bool find_entry(const struct audit *a, const struct target_facts *targets, unsigned function,
		       bool is_used)
{
	const struct audit_program *p = a->program;
	const struct audit_function *f = &p->functions.items[function];
	bool is_called = number_map_get(&a->called, f->usr);

	if (a->facts[function].is_once || f->wants_lock)
		return false;
	if (number_map_get(&p->taken, f->usr) || (!is_called && !f->is_static))
		return true;
	/* One that nobody calls is not there. */
	if (f->is_static || *program_text(p, f->name) == '_' ||
	    wants_lock(program_text(p, f->name)))
		return false;
	return is_interface(a, targets, function, is_used);
}

void entries_find(struct audit *a)
{
	const struct audit_program *p = a->program;
	struct target_facts *targets = base_alloc(p->targets.count + 1, sizeof(*targets));
	bool *is_used = base_alloc(p->functions.count + 1, sizeof(*is_used));

	a->is_entry = base_alloc(p->functions.count + 1, sizeof(*a->is_entry));
	for (unsigned i = 0; i < p->functions.count; i++)
		if (unit_of(a, i) && is_main(a, i))
			array_each(const unsigned, t, &unit_of(a, i)->targets)
				targets[*t].has_main = true;
	find_users(a, targets, is_used);
	for (unsigned i = 0; i < p->functions.count; i++)
		a->is_entry[i] = find_entry(a, targets, i, is_used[i]);
	a->in_program = base_alloc(p->functions.count + 1, sizeof(*a->in_program));
	for (unsigned i = 0; i < p->functions.count; i++)
		a->in_program[i] = is_program(a, targets, i);
	base_free(targets);
	base_free(is_used);
}

bool entries_is(const struct audit *a, unsigned function)
{
	return a->is_entry[function];
}

bool entries_is_callback(const struct audit *a, unsigned function)
{
	const struct audit_function *f = &a->program->functions.items[function];

	return number_map_get(&a->program->taken, f->usr) == TAKEN_SOMEHOW &&
	       (f->is_static || a->program->has_main);
}

bool entries_is_unused(const struct audit *a, unsigned function)
{
	const struct audit_function *f = &a->program->functions.items[function];

	return a->in_program[function] && !is_main(a, function) &&
	       !number_map_get(&a->called, f->usr) && !number_map_get(&a->program->taken, f->usr);
}

/* ---- accesses ------------------------------------------------------------------------------------------------ */

enum { LOOKS_BACK = 400 };

bool entries_same_place(struct audit_place a, struct audit_place b)
{
	return a.file == b.file && a.line == b.line && a.column == b.column;
}

static bool entries_is_same(const struct entry_access *a, const struct entry_access *b)
{
	return a->at.line == b->at.line && a->at.column == b->at.column &&
	       a->at.file == b->at.file && a->access->held.items == b->access->held.items &&
	       a->access->address == b->access->address && a->access->reads == b->access->reads &&
	       a->access->writes == b->access->writes;
}

/* Somebody who calls it, or one of whom nobody knows when? */
static bool is_certain(const struct audit *a, unsigned entry)
{
	return !entries_is_callback(a, entry) && !entries_is_unused(a, entry);
}

static void entries_add(struct audit *a, const struct audit_access *access, unsigned entry)
{
	struct entry_accesses *to = &a->of_fields[access->field - 1];
	const struct audit_access *in = access_innermost(access);
	const struct entry_access e = {access, entry, in->at, in->function, NULL};

	for (size_t i = to->items.count; i > 0 && to->items.count - i < LOOKS_BACK; i--)
		if (entries_is_same(&to->items.items[i - 1], &e)) {
			if (!is_certain(a, to->items.items[i - 1].entry) && is_certain(a, entry))
				to->items.items[i - 1] = e;
			return;
		}
	*array_add(&to->items) = e;
}

static int by_place(const void *a, const void *b)
{
	const struct audit_place x = ((const struct entry_access *)a)->at,
				 y = ((const struct entry_access *)b)->at;

	if (x.file != y.file)
		return x.file < y.file ? -1 : 1;
	if (x.line != y.line)
		return x.line < y.line ? -1 : 1;
	return (x.column > y.column) - (x.column < y.column);
}

void entries_collect(struct audit *a)
{
	a->of_fields = base_alloc(a->program->fields.count + 1, sizeof(*a->of_fields));
	for (unsigned i = 0; i < a->program->functions.count; i++) {
		const struct audit_facts *f = &a->facts[i];
		bool is_entry = entries_is(a, i);

		for (size_t k = 0; !f->is_once && k < f->accesses.count; k++)
			if ((is_entry || f->accesses.items[k]->is_settled) &&
			    !(f->accesses.items[k]->alone && is_main(a, i)))
				entries_add(a, f->accesses.items[k], i);
	}
	for (size_t i = 0; i < a->program->fields.count; i++)
		array_sort(&a->of_fields[i].items, by_place);
}

void entries_forget(struct audit *a)
{
	for (size_t i = 0; a->of_fields && i < a->program->fields.count; i++)
		array_fini(&a->of_fields[i].items);
	base_free(a->of_fields);
}

struct entry_accesses *entries_of_field(const struct audit *a, unsigned field)
{
	return &a->of_fields[field - 1];
}

void entries_notes(const struct audit *a, const struct entry_access *e, enum finding_way way,
		   struct finding *f)
{
	if (!e->access->inner)
		return;
	for (const struct audit_access *at = e->access; at->inner; at = at->inner)
		finding_step(f, way, at->at, "from here, in %s", entries_name(a, at->function));
}
