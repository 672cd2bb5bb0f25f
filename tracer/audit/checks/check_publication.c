/* P2: an object's fields have values before it is published, and it is freed only when
   unreachable. */
#include "tracer/audit/checks/checks.h"

/* Number of accesses of the field with a lock or atomic; *all gets the number of all accesses. */
static unsigned count_guarded(const struct audit *a, unsigned field, unsigned *all)
{
	unsigned guarded = 0;

	*all = 0;
	array_each(const struct entry_access, e, &entries_of_field(a, field)->items) {
		guarded += (e->access->held.count > 0) + entry_is(e, ACCESS_ATOMIC);
		++*all;
	}
	return guarded;
}

/* True if some access is guarded; else the lock may be for other fields. */
static bool is_protected(const struct audit *a, unsigned field)
{
	unsigned all;

	return audit_record_of(a, field)->thread_safe ||
	       a->program->fields.items[field - 1].is_atomic || count_guarded(a, field, &all);
}

/* True if most accesses are guarded; else the field may belong to one thread. */
static bool is_guarded(const struct audit *a, unsigned field)
{
	unsigned all, guarded = count_guarded(a, field, &all);

	return audit_record_of(a, field)->thread_safe || 2 * guarded > all;
}

/* True if all callers of the writing function hold a lock that the access holds. */
static bool callers_exclude(const struct audit *a, unsigned writer, const struct entry_access *e)
{
	array_each(const unsigned, item, &a->roles[writer].locks.items)
		for (unsigned i = 0; i < e->access->held.count; i++)
			if (audit_lock_key(a, e->access->held.items[i].lock) == *item / 2)
				return true;
	return false;
}

/* True if another thread is known to make the access when the object is shared: the thread that got
   the object, or one beside the function. */
static bool is_known_beside(const struct audit *a, const struct suspicion *s,
			    const struct entry_access *other)
{
	return s->thread || parallel_runs_beside(a, s->function, other);
}

/* Access of another function that may use the object once it is shared, or NULL: if one thread got
   it, the access is of that thread. One that is known comes first. */
static const struct entry_access *user_of(const struct audit *a, const struct suspicion *s)
{
	const unsigned thread = s->thread ? number_map_get(&a->program->function_of, s->thread) : 0;
	const struct entry_access *found = NULL;

	array_each(const struct entry_access, e, &entries_of_field(a, s->field)->items) {
		if (e->function == s->function || callers_exclude(a, s->function, e) ||
		    (thread && e->entry != thread - 1 &&
		     !graph_reaches(a, thread - 1, e->function)))
			continue;
		if (!entry_is(e, ACCESS_UNKNOWN) && is_known_beside(a, s, e))
			return e;
		if (!found)
			found = e;
	}
	return found;
}

/* Evidence of every finding of P2 about when the function runs. */
static void phase_evidence(const struct audit *a, const struct suspicion *s, struct finding *f)
{
	if (!graph_is_called_shared(a, s->function, s->moment))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "it is called only before all threads or after them");
	else if (graph_is_set_up(a, s->function, s->moment))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "a program also calls it before it makes threads");
	if (!s->thread && !graph_is_from_known(a, s->function))
		finding_evidence(
			f, EVIDENCE_AGAINST,
			"only pointers lead to the function: when it is called is not known");
	if (a->roles[s->function].locks.items.count)
		finding_evidence(f, EVIDENCE_AGAINST, "all callers hold a lock");
}

/* Evidence of a write or store against its user. */
static void beside_evidence(const struct audit *a, const struct suspicion *s,
			    const struct entry_access *other, struct finding *f)
{
	phase_evidence(a, s, f);
	if (!is_known_beside(a, s, other))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "no two threads are known to be at both places at once");
	if (entry_is(other, ACCESS_UNKNOWN))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "what the function does with the address is not known");
}

/* Finding of this function that is of the same publication, or NULL. */
static struct finding *of_publication(struct audit *a, const struct suspicion *s)
{
	const unsigned function = a->program->functions.items[s->function].name;

	array_each(struct finding, f, &a->findings.items)
		if (f->tag == FINDING_P2 && f->function == function)
			array_each(const struct finding_note, n, &f->notes)
				if (place_same(n->at, s->other))
					return f;
	return NULL;
}

static void late_evidence(const struct audit *a, const struct suspicion *s,
			  const struct entry_access *user, struct finding *f)
{
	const bool guarded = is_guarded(a, s->field), used = entries_is_thread(a, user->entry);

	if (s->is_certain)
		finding_evidence(f, EVIDENCE_CERTAIN,
				 "the object is new here, or was shared under a lock");
	if (!s->is_certain && guarded)
		finding_evidence(f, 40, "most accesses have a lock or are atomic");
	if (!s->is_certain && used)
		finding_evidence(f, s->thread ? 55 : 5, "a thread uses it");
	if (!s->is_certain && !guarded && !used)
		finding_evidence(f, 0, "the object may have been shared before, or not at all");
	if (s->is_certain && !s->thread && !used)
		check_doubt_name(a, s->function, f);
	if (s->is_of_unsure)
		finding_evidence(f, EVIDENCE_AGAINST,
				 "the object that it is stored in may not be shared itself");
}

static void check_late(struct audit *a, const struct suspicion *s)
{
	const struct entry_access *other = user_of(a, s);
	struct finding *f = other ? of_publication(a, s) : NULL;

	if (f) {
		finding_note(f, s->at, "'%s' is written here",
			     program_text(a->program, a->program->fields.items[s->field - 1].name));
		return;
	}
	f = other ? check_add(a, FINDING_P2, s->at, s->field, s->function) : NULL;
	if (!f)
		return;
	late_evidence(a, s, other, f);
	beside_evidence(a, s, other, f);
	if (check_is_element(a, s->term))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "which element of the array it is, is not known");
	f->other = other->at;
	check_say(a, f, "is written after the object has been shared");
	graph_notes(a, s->function, WAY_HERE, f);
	finding_step(f, WAY_HERE, s->other, "the object is shared here");
	finding_step(f, WAY_OTHER_END, other->at, "it is used here, in %s",
		     entries_name(a, other->function));
	entries_notes(a, other, WAY_OTHER, f);
}

static void check_unset(struct audit *a, const struct suspicion *s)
{
	const struct entry_access *reader = NULL;
	struct finding *f;
	bool is_set = false;

	if (!program_is_shared(audit_record_of(a, s->field)))
		return;
	array_each(const struct entry_access, e, &entries_of_field(a, s->field)->items) {
		is_set |= entry_is(e, ACCESS_WRITES) && !entry_is(e, ACCESS_READS) &&
			  e->function != s->function;
		if (entry_is(e, ACCESS_READS) && !reader)
			reader = e;
	}
	f = reader && !is_set ? check_add(a, FINDING_P2, reader->at, s->field, reader->function)
			      : NULL;
	if (!f)
		return;
	if (is_protected(a, s->field))
		finding_evidence(f, EVIDENCE_CERTAIN,
				 "the field is used with a lock or atomically");
	else
		finding_evidence(f, 0, "the field is nowhere used with a lock");
	phase_evidence(a, s, f);
	check_say(a, f, "is read, but a new object gives it no value");
	entries_notes(a, reader, WAY_HERE, f);
	finding_step(f, WAY_OTHER_END, s->at, "the new object is shared here, in %s",
		     entries_name(a, s->function));
	graph_notes(a, s->function, WAY_OTHER, f);
}

/* True if threads share the place that holds the address: a guarded field, or a global pointer. */
static bool is_shared_place(const struct audit *a, unsigned address)
{
	const struct term is = term_whole(&a->terms, address);
	const struct audit_global *g;

	if (is.kind == TERM_FIELD)
		return program_is_shared(audit_record_of(a, is.b + 1)) && is_guarded(a, is.b + 1);
	g = is.kind == TERM_GLOBAL ? program_global(a->program, is.a) : NULL;
	return g && g->record && program_is_shared(&a->program->records.items[g->record - 1]);
}

/* Field or variable (+ 1) that holds the address, or 0. */
static unsigned field_of_place(const struct audit *a, unsigned address)
{
	const struct term is = term_whole(&a->terms, address);
	const struct audit_global *g =
		is.kind == TERM_GLOBAL ? program_global(a->program, is.a) : NULL;

	return is.kind == TERM_FIELD ? is.b + 1 : g ? g->variable : 0;
}

/* Evidence of the lock with which the place is used that holds the address. */
static void place_evidence(struct audit *a, const struct suspicion *s, struct finding *f)
{
	enum { MOST = 3, OF = 5 };
	const unsigned field = field_of_place(a, s->term);
	struct majority m;

	finding_evidence(f, 20, "the place that holds its address is shared");
	if (!field)
		return;
	guards_find(a, entries_of_field(a, field));
	m = guards_majority(a, entries_of_field(a, field), field);
	if (OF * m.held < MOST * m.places)
		finding_evidence(f, EVIDENCE_AGAINST, "%u of %u places hold one lock for it",
				 m.held, m.places);
}

static void check_freed(struct audit *a, const struct suspicion *s)
{
	const struct audit_function *function = &a->program->functions.items[s->function];
	struct finding *f;
	STR(place);

	f = is_shared_place(a, s->term) ? check_add(a, FINDING_P2, s->at, 0, s->function) : NULL;
	if (!f)
		return;
	place_evidence(a, s, f);
	if (s->is_locked)
		finding_evidence(f, 60, "a lock is used to get at it");
	phase_evidence(a, s, f);
	check_doubt_name(a, s->function, f);
	if (s->moment == MOMENT_JOINED)
		finding_evidence(f, EVIDENCE_AGAINST, "threads were joined before");
	if (!s->is_certain)
		finding_evidence(f, EVIDENCE_AGAINST, "references to the object are counted");
	term_print(&a->terms, a->program, function, s->term, &place);
	finding_say(f,
		    "what '%s' points to is freed here while other threads can still reach it "
		    "there; in %s",
		    str_text(&place), program_text(a->program, f->function));
	graph_notes(a, s->function, WAY_HERE, f);
}

/* Access that reads the variable in another function and may happen in parallel, or NULL. */
static const struct entry_access *reader_of(const struct audit *a, const struct suspicion *s)
{
	array_each(const struct entry_access, e, &entries_of_field(a, s->field)->items)
		if (e->function != s->function && entry_is(e, ACCESS_READS) &&
		    !entry_is(e, ACCESS_ATOMIC))
			return e;
	return NULL;
}

static void check_plain_store(struct audit *a, const struct suspicion *s)
{
	const struct entry_access *reader = reader_of(a, s);
	struct finding *f = reader && !a->facts[s->function].is_once
				    ? check_add(a, FINDING_P2, s->at, s->field, s->function)
				    : NULL;

	if (!f)
		return;
	f->other = reader->at;
	finding_evidence(f, 40, "no lock and no atomic orders the store after the object's fields");
	if (number_map_get(&a->asked, s->term))
		finding_evidence(f, 30, "readers ask whether it is set, without a lock");
	if (!s->is_certain)
		finding_evidence(f, EVIDENCE_AGAINST, "no lock of the new object is made here");
	beside_evidence(a, s, reader, f);
	check_say(a, f,
		  "is set to a new object by a plain store: others may see the object "
		  "before its fields have their values");
	graph_notes(a, s->function, WAY_HERE, f);
	finding_step(f, WAY_OTHER_END, reader->at, "it is read here, in %s",
		     entries_name(a, reader->function));
	entries_notes(a, reader, WAY_OTHER, f);
}

void check_publication(struct audit *a)
{
	array_each(const struct suspicion, s, &a->suspicions) {
		if (!suspicion_is_shared(a, s))
			continue;
		if (s->kind == SUSPECT_LATE_WRITE)
			check_late(a, s);
		else if (s->kind == SUSPECT_UNSET)
			check_unset(a, s);
		else if (s->kind == SUSPECT_FREED)
			check_freed(a, s);
		else if (s->kind == SUSPECT_PLAIN_STORE)
			check_plain_store(a, s);
	}
}
