#include "tracer/audit/entries.h"

#include <string.h>

const char *entries_name(const struct audit *a, unsigned function)
{
	return program_text(a->program, a->program->functions.items[function].name);
}

/* Its name says that the caller has the lock. */
static bool wants_lock(const char *name)
{
	static const char *const words[] = {"locked", "unlocked", "nolock", "unsafe", "internal"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(name, words[i]))
			return true;
	return name[0] == '_';
}

bool entries_is(const struct audit *a, unsigned function)
{
	const struct audit_program *p = a->program;
	const struct audit_function *f = &p->functions.items[function];
	bool is_called = number_map_get(&a->called, f->usr);

	if (a->facts[function].is_once)
		return false;
	if (number_map_get(&p->taken, f->usr) || !is_called)
		return true;
	if (f->is_static || wants_lock(program_text(p, f->name)))
		return false;
	/* In a program, what its own files call is no interface. */
	return !p->has_main;
}

/* ---- accesses ------------------------------------------------------------------------------------------------ */

static struct entry_access innermost(const struct audit_access *access, unsigned entry)
{
	const struct audit_access *in = access;

	while (in->inner)
		in = in->inner;
	return (struct entry_access){access, entry, in->at, in->function};
}

static bool is_main(const struct audit *a, unsigned function)
{
	return strcmp(entries_name(a, function), "main") == 0;
}

void entries_of_field(const struct audit *a, unsigned field, struct entry_accesses *out)
{
	for (unsigned i = 0; i < a->program->functions.count; i++) {
		const struct audit_facts *f = &a->facts[i];

		if (!entries_is(a, i))
			continue;
		for (size_t k = 0; k < f->accesses.count; k++)
			if (f->accesses.items[k]->field == field &&
			    !(f->accesses.items[k]->alone && is_main(a, i)))
				*array_add(&out->items) = innermost(f->accesses.items[k], i);
	}
}

void entries_notes(const struct audit *a, const struct entry_access *e, struct finding *f)
{
	if (!e->access->inner)
		return;
	for (const struct audit_access *at = e->access; at->inner; at = at->inner)
		finding_note(f, at->at, "from here, in %s", entries_name(a, at->function));
}
