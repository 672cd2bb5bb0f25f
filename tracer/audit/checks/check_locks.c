/* Locks taken twice or kept at return; compound operations on atomics. */
#include "tracer/audit/checks/checks.h"

void check_lock_name(const struct audit *a, unsigned function, unsigned lock, struct str *out)
{
	term_print(&a->terms, a->program, &a->program->functions.items[function], lock, out);
}

unsigned check_place_name(const struct audit *a, unsigned lock)
{
	const struct term is = term_whole(&a->terms, lock);

	if (is.kind == TERM_FIELD)
		return a->program->fields.items[is.b].name;
	return is.kind == TERM_GLOBAL && program_global(a->program, is.a)
		       ? program_global(a->program, is.a)->name
		       : 0;
}

bool check_is_element(const struct audit *a, unsigned address)
{
	for (; term_kind(&a->terms, address) >= TERM_LOAD; address = term_at(&a->terms, address).a)
		if (term_kind(&a->terms, address) == TERM_ELEMENT)
			return true;
	return false;
}

/* ---- single locks ---------------------------------------------------------------------------- */

/* True if the lock is of an object that may be another one each time. What one call gave stays the
   same until the function returns. */
static bool is_of_any_object(const struct audit *a, const struct suspicion *s)
{
	const enum term_kind kind = term_kind(&a->terms, term_root(&a->terms, s->term));

	return kind == TERM_JOIN || (kind == TERM_SITE && s->kind != SUSPECT_KEPT_LOCK);
}

/* True if a function that is not called with the lock held, nor calls this one, releases it. */
static bool is_released_by_others(const struct audit *a, const struct suspicion *s)
{
	const unsigned key = audit_lock_key(a, s->term);
	unsigned leaver;

	for (size_t at = 0; key && (leaver = number_map_next(&a->leavers, key, &at));)
		if (!(number_map_get(&a->givers, leaver) & GIVER_HAS) &&
		    !graph_reaches(a, leaver - 1, s->function))
			return true;
	return false;
}

/* True for a lock that callers release, or others. */
static bool is_handed(const struct audit *a, const struct suspicion *s)
{
	return number_map_get(&a->handed, s->function + 1) || is_released_by_others(a, s);
}

static void report_lock(struct audit *a, const struct suspicion *s, enum finding_tag tag,
			const char *what)
{
	struct finding *f = findings_add(&a->findings, tag, s->at, check_place_name(a, s->term));
	STR(lock);

	if (!f)
		return;
	f->function = a->program->functions.items[s->function].name;
	f->other = s->other;
	check_lock_name(a, s->function, s->term, &lock);
	finding_say(f, "'%s' %s; in %s", str_text(&lock), what,
		    program_text(a->program, f->function));
	graph_notes(a, s->function, WAY_HERE, f);
	finding_step(f, WAY_HERE, s->other, "it is locked here");
	if (s->again.file)
		finding_step(f, WAY_HERE, s->again, "and here again");
	finding_evidence(f, EVIDENCE_CERTAIN, "one path does both");
	if (s->kind == SUSPECT_KEPT_LOCK && !s->is_certain)
		finding_evidence(f, -20, "the result says where it is kept");
	if (s->kind == SUSPECT_DOUBLE_LOCK && is_released_by_others(a, s))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "a function without the lock releases it: it may be handed over");
	if (is_of_any_object(a, s))
		finding_evidence(f, EVIDENCE_AGAINST, "which object it is of, is not known");
	if (check_is_element(a, s->term))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "which element of the array it is, is not known");
}

/* Evidence of the phases and threads of the function. */
static void step_evidence(const struct audit *a, const struct suspicion *s, struct finding *f)
{
	bool is_beside = false;

	array_each(const struct entry_access, e, &entries_of_field(a, s->field)->items)
		is_beside |= entry_is(e, ACCESS_WRITES) && parallel_runs_beside(a, s->function, e);
	if (!is_beside)
		finding_evidence(f, EVIDENCE_AGAINST,
				 "no second thread is known to write it at the same time");
	if (!graph_is_called_shared(a, s->function, s->moment))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "it is called only before all threads or after them");
	if (a->roles[s->function].locks.items.count)
		finding_evidence(f, EVIDENCE_AGAINST, "all callers hold a lock");
}

static void report_compound(struct audit *a, const struct suspicion *s)
{
	struct finding *f = check_add(a, FINDING_COMPOUND, s->at, s->field, s->function);

	if (!f)
		return;
	f->other = s->other;
	finding_evidence(f, EVIDENCE_CERTAIN, "one path does both steps without a lock");
	step_evidence(a, s, f);
	if (a->facts[s->function].makes_threads || a->facts[s->function].joins_threads)
		finding_evidence(f, EVIDENCE_AGAINST,
				 "the function makes or joins threads, which one thread does");
	check_say(
		a, f,
		"is loaded and then stored in two steps: another thread may change it in between");
	graph_notes(a, s->function, WAY_HERE, f);
}

static void report_sections(struct audit *a, const struct suspicion *s)
{
	struct finding *f = check_add(a, FINDING_COMPOUND, s->at, s->field, s->function);

	if (!f)
		return;
	finding_evidence(f, 60, "the lock was released between the test and the write");
	step_evidence(a, s, f);
	check_say(a, f,
		  "is written by what an earlier critical section has read: another thread may "
		  "have changed it in between");
	graph_notes(a, s->function, WAY_HERE, f);
}

void check_locks(struct audit *a)
{
	array_each(const struct suspicion, s, &a->suspicions) {
		if (s->kind == SUSPECT_COMPOUND && !suspicion_is_shared(a, s))
			continue;
		if (s->kind == SUSPECT_DOUBLE_LOCK && !audit_may_be_taken_twice(a, s->term))
			report_lock(a, s, FINDING_DOUBLE_LOCK,
				    "is locked by a thread that already holds it");
		else if (s->kind == SUSPECT_KEPT_LOCK && !is_handed(a, s))
			report_lock(a, s, FINDING_RETURN_WITH_LOCK,
				    "is still locked on this return path, and unlocked on others");
		else if (s->kind == SUSPECT_COMPOUND)
			report_compound(a, s);
		else if (s->kind == SUSPECT_SECTIONS && suspicion_is_shared(a, s))
			report_sections(a, s);
	}
}
