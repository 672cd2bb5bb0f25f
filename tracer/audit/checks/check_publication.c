/* P2: all fields have values before others can see the object, and it is freed when nobody can. */
#include "tracer/audit/checks/checks.h"

/* Does anybody hold a lock, or use an atomic, for the field? Else its struct may have its lock for other ones. */
static bool is_protected(const struct audit *a, unsigned field)
{
	if (audit_record_of(a, field)->thread_safe || a->program->fields.items[field - 1].is_atomic)
		return true;
	array_each(const struct entry_access, e, &entries_of_field(a, field)->items)
		if (e->access->held.count || entry_is(e, ACCESS_ATOMIC))
			return true;
	return false;
}

static struct finding *check_publication_add(struct audit *a, const struct suspicion *s,
					     struct audit_place at, unsigned field)
{
	const struct audit_program *p = a->program;
	struct finding *f = findings_add(&a->findings, FINDING_P2, at,
					 field ? p->fields.items[field - 1].name : 0);

	if (!f)
		return NULL;
	finding_is_of(f, field ? audit_record_of(a, field) : NULL);
	f->function = p->functions.items[s->function].name;
	f->confidence = !field || is_protected(a, field) ? CONFIDENCE_HIGH : CONFIDENCE_LOW;
	return f;
}

/* Somebody else who uses the field. */
static const struct entry_access *other_use(const struct entry_accesses *all, unsigned function)
{
	array_each(const struct entry_access, e, &all->items)
		if (e->function != function)
			return e;
	return NULL;
}

/* Is some lock held at most places of the field? Else it may belong to one thread. */
static bool is_guarded(const struct audit *a, unsigned field)
{
	unsigned held = 0, atomic = 0, all = 0;

	array_each(const struct entry_access, e, &entries_of_field(a, field)->items) {
		held += e->access->held.count > 0;
		atomic += entry_is(e, ACCESS_ATOMIC);
		all++;
	}
	return audit_record_of(a, field)->thread_safe || 2 * (held + atomic) > all;
}

static void check_late(struct audit *a, const struct suspicion *s)
{
	const struct entry_accesses *all = entries_of_field(a, s->field);
	const struct entry_access *other;
	struct finding *f = NULL;

	other = other_use(all, s->function);
	if (other)
		f = check_publication_add(a, s, s->at, s->field);
	if (f) {
		f->confidence = s->is_certain || is_guarded(a, s->field) ||
						entries_is_thread(a, other->entry)
					? CONFIDENCE_HIGH
					: CONFIDENCE_LOW;
		finding_say(f,
			    "'%s' of struct %s is written when others can see the object already; "
			    "in %s",
			    program_text(a->program, f->field), program_text(a->program, f->record),
			    program_text(a->program, f->function));
		graph_notes(a, s->function, WAY_HERE, f);
		finding_step(f, WAY_HERE, s->other, "others can see it from here on");
		finding_step(f, WAY_OTHER_END, other->at, "it is used here, in %s",
			     entries_name(a, other->function));
		entries_notes(a, other, WAY_OTHER, f);
		f->other = other->at;
	}
}

static void check_unset(struct audit *a, const struct suspicion *s)
{
	const struct entry_accesses *all = entries_of_field(a, s->field);
	const struct entry_access *reader = NULL;
	struct finding *f = NULL;
	bool is_set = false;

	array_each(const struct entry_access, e, &all->items) {
		is_set |= entry_is(e, ACCESS_WRITES) && !entry_is(e, ACCESS_READS) &&
			  e->function != s->function;
		if (entry_is(e, ACCESS_READS) && !reader)
			reader = e;
	}
	if (reader && !is_set)
		f = check_publication_add(a, s, reader->at, s->field);
	if (f) {
		f->function = a->program->functions.items[reader->function].name;
		finding_say(f, "'%s' of struct %s is read, and has no value in a new object; in %s",
			    program_text(a->program, f->field), program_text(a->program, f->record),
			    program_text(a->program, f->function));
		entries_notes(a, reader, WAY_HERE, f);
		finding_step(f, WAY_OTHER_END, s->at, "the new object is given away here, in %s",
			     entries_name(a, s->function));
		graph_notes(a, s->function, WAY_OTHER, f);
	}
}

/* Is the place that still has the address one that threads share: a field of such a struct, or a global that points
   to one? */
static bool is_shared_place(const struct audit *a, unsigned address)
{
	const struct term is = term_whole(&a->terms, address);
	const struct audit_global *g;

	if (is.kind == TERM_FIELD)
		return program_is_shared(audit_record_of(a, is.b + 1)) && is_guarded(a, is.b + 1);
	g = is.kind == TERM_GLOBAL ? program_global(a->program, is.a) : NULL;
	return g && g->record && program_is_shared(&a->program->records.items[g->record - 1]);
}

static void check_freed(struct audit *a, const struct suspicion *s)
{
	STR(place);
	struct finding *f;

	if (!is_shared_place(a, s->term))
		return;
	f = check_publication_add(a, s, s->at, 0);
	if (!f)
		return;
	term_print(&a->terms, a->program, &a->program->functions.items[s->function], s->term,
		   &place);
	if (!s->is_certain)
		f->confidence = CONFIDENCE_LOW;
	finding_say(
		f,
		"what '%s' points to is ended here while others can still come to it there; in %s",
		str_text(&place), program_text(a->program, f->function));
	graph_notes(a, s->function, WAY_HERE, f);
}

void check_publication(struct audit *a)
{
	array_each(const struct suspicion, s, &a->suspicions) {
		if (parallel_to_nothing(a, s->function))
			continue;
		if (s->kind == SUSPECT_LATE_WRITE)
			check_late(a, s);
		else if (s->kind == SUSPECT_UNSET)
			check_unset(a, s);
		else if (s->kind == SUSPECT_FREED)
			check_freed(a, s);
	}
}
