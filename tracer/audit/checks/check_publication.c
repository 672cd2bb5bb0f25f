/* P2: all fields have values before others can see the object, and it is freed when nobody can. */
#include "tracer/audit/checks/entries.h"

/* Does anybody hold a lock, or use an atomic, for the field? Else its struct may have its lock for other ones. */
static bool is_protected(const struct audit *a, unsigned field)
{
	if (audit_record_of(a, field)->thread_safe || a->program->fields.items[field - 1].is_atomic)
		return true;
	array_each(const struct entry_access, e, &entries_of_field(a, field)->items)
		if (e->access->held.count || e->access->is_atomic)
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
		atomic += e->access->is_atomic;
		all++;
	}
	return audit_record_of(a, field)->thread_safe || 2 * (held + atomic) > all;
}

/* Does another thread use it for certain? */
static bool is_of_thread(const struct audit *a, const struct entry_access *e)
{
	return number_map_get(&a->program->taken, a->program->functions.items[e->entry].usr) ==
	       TAKEN_BY_THREAD;
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
		f->confidence = s->is_certain || is_guarded(a, s->field) || is_of_thread(a, other)
					? CONFIDENCE_HIGH
					: CONFIDENCE_LOW;
		finding_say(f,
			    "'%s' of struct %s is written when others can see the object already; "
			    "in %s",
			    program_text(a->program, f->field), program_text(a->program, f->record),
			    program_text(a->program, f->function));
		ways_notes(a, s->function, WAY_HERE, f);
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
		is_set |= e->access->writes && !e->access->reads && e->function != s->function;
		if (e->access->reads && !reader)
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
		ways_notes(a, s->function, WAY_OTHER, f);
	}
}

/* Is the place that still has the address one that threads share: a field of such a struct, or a global that points
   to one? */
static bool is_shared_place(const struct audit *a, unsigned address)
{
	struct term is = term_at(&a->terms, address);
	const struct audit_global *g;

	while (is.kind == TERM_ELEMENT)
		is = term_at(&a->terms, is.a);
	if (is.kind == TERM_FIELD)
		return program_is_shared(audit_record_of(a, is.b + 1)) && is_guarded(a, is.b + 1);
	g = is.kind == TERM_GLOBAL ? program_global(a->program, is.a) : NULL;
	return g && g->record && program_is_shared(&a->program->records.items[g->record - 1]);
}

static void check_freed(struct audit *a, const struct suspicion *s)
{
	struct str place = {0};
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
	ways_notes(a, s->function, WAY_HERE, f);
	str_fini(&place);
}

void check_publication(struct audit *a)
{
	array_each(const struct suspicion, s, &a->suspicions) {
		if (beside_nobody(a, s->function))
			continue;
		if (s->kind == SUSPECT_LATE_WRITE)
			check_late(a, s);
		else if (s->kind == SUSPECT_UNSET)
			check_unset(a, s);
		else if (s->kind == SUSPECT_FREED)
			check_freed(a, s);
	}
}
