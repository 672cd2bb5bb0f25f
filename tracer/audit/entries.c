#include "tracer/audit/entries.h"

#include "tracer/audit/flow.h"

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

bool entries_is(const struct audit *a, unsigned function)
{
	const struct audit_program *p = a->program;
	const struct audit_function *f = &p->functions.items[function];
	bool is_called = number_map_get(&a->called, f->usr);

	if (a->facts[function].is_once)
		return false;
	if (number_map_get(&p->taken, f->usr) || (!is_called && !f->is_static))
		return true;
	/* One that nobody calls is not there. */
	if (f->is_static || *program_text(p, f->name) == '_' ||
	    wants_lock(program_text(p, f->name)))
		return false;
	/* In a program, what its own files call is no interface. */
	return !p->has_main;
}

bool entries_is_callback(const struct audit *a, unsigned function)
{
	const struct audit_function *f = &a->program->functions.items[function];

	return number_map_get(&a->program->taken, f->usr) == TAKEN_SOMEHOW &&
	       (f->is_static || a->program->has_main);
}

/* ---- accesses ------------------------------------------------------------------------------------------------ */

enum { LOOKS_BACK = 400 };

static bool is_main(const struct audit *a, unsigned function)
{
	return strcmp(entries_name(a, function), "main") == 0;
}

static bool is_same(const struct entry_access *a, const struct entry_access *b)
{
	return a->at.line == b->at.line && a->at.column == b->at.column &&
	       a->at.file == b->at.file && a->access->held.items == b->access->held.items &&
	       a->access->address == b->access->address && a->access->reads == b->access->reads &&
	       a->access->writes == b->access->writes;
}

static void add(struct audit *a, const struct audit_access *access, unsigned entry)
{
	struct entry_accesses *to = &a->of_fields[access->field - 1];
	const struct audit_access *in = access_innermost(access);
	const struct entry_access e = {access, entry, in->at, in->function, NULL};

	for (size_t i = to->items.count; i > 0 && to->items.count - i < LOOKS_BACK; i--)
		if (is_same(&to->items.items[i - 1], &e))
			return;
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
				add(a, f->accesses.items[k], i);
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

void entries_notes(const struct audit *a, const struct entry_access *e, struct finding *f)
{
	if (!e->access->inner)
		return;
	for (const struct audit_access *at = e->access; at->inner; at = at->inner)
		finding_note(f, at->at, "from here, in %s", entries_name(a, at->function));
}
