/* Runs the analysis: facts, call graph, checks. */
#include "tracer/audit/audit.h"

#include "tracer/audit/checks/checks.h"
#include "tracer/audit/flow/flow.h"
#include "tracer/base/files/path.h"

#include <string.h>

static bool is_named(const struct audit_program *p, const struct audit_record *r, const char *type)
{
	const char *name = strncmp(type, "struct ", 7) == 0 ? type + 7 : type;

	return strcmp(name, program_text(p, r->name)) == 0 ||
	       (r->alias && strcmp(name, program_text(p, r->alias)) == 0);
}

int audit_types_check(const struct audit_program *p, const char *const *types, struct error *err)
{
	for (; types && *types; types++) {
		bool is_there = false;

		array_each(const struct audit_record, r, &p->records)
			is_there |= is_named(p, r, *types);
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
		return error_hint(
			err, "@guarded_by takes the name of the lock, a field of the same struct");
	}
	return 0;
}

/* Restricts the analysis to the structs of --type. */
static void choose_types(struct audit *a)
{
	array_each(struct audit_record, r, &a->program->records) {
		bool is_chosen = false;

		if (!a->options->types)
			return;
		for (const char *const *type = a->options->types; *type; type++)
			is_chosen |= is_named(a->program, r, *type);
		r->thread_safe = is_chosen;
		r->not_shared = !is_chosen;
	}
}

/* Limits the confidence of what is often false in projects of many files; see
   tests/audit/README.md. */
static void limit_confidence(struct audit *a)
{
	enum { FILES = 20 };

	if (a->program->sources.count <= FILES)
		return;
	array_each(struct finding, f, &a->findings.items)
		if (f->confidence == CONFIDENCE_HIGH &&
		    (f->tag == FINDING_P3 ? !(f->access & FINDING_FIRM)
					  : f->tag != FINDING_P2 && f->tag != FINDING_WAIT &&
						    f->tag != FINDING_RETURN_WITH_LOCK))
			finding_evidence(f, EVIDENCE_HIGH - 1 - f->points,
					 "in more than %d files such evidence is often wrong",
					 FILES);
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
	parallel_find(a);
	graph_find(a);
	entries_collect(a);
	a->variables = entries_variables(a);
	checks_run(a);
	limit_confidence(a);
	findings_sort(&a->findings, p);
}

void audit_fini(struct audit *a)
{
	for (size_t i = 0; a->facts && i < a->program->functions.count; i++) {
		struct audit_facts *f = &a->facts[i];

		array_fini(&f->accesses);
		array_fini(&f->written);
		array_fini(&f->acquisitions);
		array_fini(&f->effects);
		array_fini(&f->deeds);
		array_fini(&f->returns);
		if (a->roles)
			array_fini(&a->roles[i].locks.items);
	}
	entries_forget(a);
	base_free(a->facts);
	base_free(a->roles);
	base_free(a->sequential);
	base_free(a->parallel);
	array_fini(&a->calls);
	array_fini(&a->suspicions);
	array_fini(&a->waits);
	number_map_fini(&a->handed);
	number_map_fini(&a->recursive);
	number_map_fini(&a->leavers);
	number_map_fini(&a->givers);
	number_map_fini(&a->parts);
	number_map_fini(&a->given_whole);
	number_map_fini(&a->own_threads);
	number_map_fini(&a->joined);
	number_map_fini(&a->called);
	number_map_fini(&a->asked);
	number_map_fini(&a->flags);
	array_fini(&a->helds.all);
	number_map_fini(&a->helds.index);
	terms_fini(&a->terms);
	findings_fini(&a->findings);
}
