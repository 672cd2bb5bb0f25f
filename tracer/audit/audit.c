#include "tracer/audit/checks/guards.h"
#include "tracer/base/files/path.h"

#include <string.h>

static bool audit_is_called(const struct audit_program *p, const struct audit_record *r,
			    const char *type)
{
	const char *wanted = strncmp(type, "struct ", 7) == 0 ? type + 7 : type;

	return strcmp(wanted, program_text(p, r->name)) == 0 ||
	       (r->alias && strcmp(wanted, program_text(p, r->alias)) == 0);
}

static bool is_type(const struct audit *a, const struct audit_record *r)
{
	for (const char *const *type = a->options->types; *type; type++)
		if (audit_is_called(a->program, r, *type))
			return true;
	return false;
}

int audit_types_check(const struct audit_program *p, const char *const *types, struct error *err)
{
	for (; types && *types; types++) {
		bool is_there = false;

		array_each(const struct audit_record, r, &p->records)
			is_there |= audit_is_called(p, r, *types);
		if (!is_there)
			return error_set(err, ERROR_USAGE,
					 "--type: no struct of these sources is called '%s'",
					 *types);
	}
	return 0;
}

static bool has_field(const struct audit_program *p, const struct audit_record *r, unsigned name)
{
	array_each(const unsigned, field, &r->fields)
		if (p->fields.items[*field].name == name)
			return true;
	return false;
}

int audit_marks_check(const struct audit_program *p, struct error *err)
{
	array_each(const struct audit_field, f, &p->fields) {
		const struct audit_record *r = &p->records.items[f->record];

		if (!f->guarded_by || has_field(p, r, f->guarded_by))
			continue;
		error_set(err, ERROR_USAGE, "%s:%u: @guarded_by(%s): struct %s has no field '%s'",
			  path_shown(program_text(p, f->at.file)), f->at.line,
			  program_text(p, f->guarded_by), program_text(p, r->name),
			  program_text(p, f->guarded_by));
		return error_hint(err, "it names the lock, a field of the same struct");
	}
	return 0;
}

/* --type: those alone. */
static void choose_types(struct audit *a)
{
	array_each(struct audit_record, r, &a->program->records) {
		if (!a->options->types)
			continue;
		r->thread_safe = is_type(a, r);
		r->not_shared = !r->thread_safe;
	}
}

void audit_run(struct audit *a, struct audit_program *p, const struct audit_options *options)
{
	a->program = p;
	a->options = options;
	a->facts = base_alloc(p->functions.count + 1, sizeof(*a->facts));
	(void)term_of(&a->terms, TERM_CONSTANT, 0, 0);
	choose_types(a);
	for (unsigned i = 0; i < p->functions.count; i++)
		audit_facts_of(a, i);
	entries_find(a);
	beside_find(a);
	callers_find(a);
	ways_find(a);
	entries_collect(a);
	check_escape(a);
	check_publication(a);
	check_guards(a);
	check_locks(a);
	findings_sort(&a->findings, p);
}

void audit_fini(struct audit *a)
{
	for (size_t i = 0; a->facts && i < a->program->functions.count; i++) {
		struct audit_facts *f = &a->facts[i];

		array_fini(&f->accesses);
		array_fini(&f->acquisitions);
		array_fini(&f->effects);
		array_fini(&f->stored);
		array_fini(&f->made);
		array_fini(&f->freed);
		array_fini(&f->spared);
		array_fini(&f->counted);
		array_fini(&f->given);
		array_fini(&f->inits);
		array_fini(&f->begun);
		array_fini(&f->out);
		array_fini(&f->starts);
	}
	base_free(a->facts);
	base_free(a->is_entry);
	base_free(a->in_program);
	base_free(a->sequential);
	base_free(a->beside);
	base_free(a->thread_of);
	base_free(a->entry_of);
	base_free(a->way_to);
	array_fini(&a->calls);
	array_fini(&a->suspicions);
	number_map_fini(&a->handed);
	number_map_fini(&a->recursive);
	number_map_fini(&a->givers);
	number_map_fini(&a->parts);
	number_map_fini(&a->given_whole);
	number_map_fini(&a->own_threads);
	number_map_fini(&a->called);
	entries_forget(a);
	callers_forget(a);
	audit_helds_fini(a);
	terms_fini(&a->terms);
	findings_fini(&a->findings);
}
