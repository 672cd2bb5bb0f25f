/* Waits for conditions: a test that is not repeated; an atomic that is waited for and is changed
   without the lock that the wait releases. */
#include "tracer/audit/checks/checks.h"

/* ---- once, without a loop -------------------------------------------------------------------- */

static void report_wait(struct audit *a, const struct suspicion *s)
{
	struct finding *f =
		findings_add(&a->findings, FINDING_WAIT, s->at, check_place_name(a, s->term));
	STR(condition);

	if (!f)
		return;
	f->function = a->program->functions.items[s->function].name;
	f->other = s->other;
	finding_evidence(f, EVIDENCE_CERTAIN, "the test before the wait is not repeated after it");
	term_print(&a->terms, a->program, &a->program->functions.items[s->function], s->term,
		   &condition);
	finding_say(f, "'%s' is waited for once, not in a loop that tests again; in %s",
		    str_text(&condition), program_text(a->program, f->function));
	graph_notes(a, s->function, WAY_HERE, f);
}

/* ---- changed without the lock ---------------------------------------------------------------- */

/* True if the function takes the lock after the write: who tests before has begun to wait then. */
static bool takes_after(const struct audit *a, const struct entry_access *e, unsigned key)
{
	array_each(const struct audit_acquisition *const, at, &a->facts[e->function].acquisitions)
		if (audit_lock_key(a, (*at)->lock) == key && (*at)->at.line > e->at.line)
			return true;
	return false;
}

/* An atomic needs no lock to be written, but between the test of it and the wait the wake-up is
   lost. Other writes are P3. */
static bool loses_wake_up(const struct audit *a, const struct audit_wait *wait,
			  const struct entry_access *e)
{
	return entry_is(e, ACCESS_WRITES) && entry_is(e, ACCESS_ATOMIC | ACCESS_VOLATILE) &&
	       !guards_hold(e, wait->key) && !takes_after(a, e, wait->key) &&
	       e->function != wait->function && graph_is_access_shared(a, e) &&
	       !parallel_to_nothing(a, e->function);
}

static void report_change(struct audit *a, const struct audit_wait *wait,
			  const struct entry_access *e)
{
	struct finding *f = check_add(a, FINDING_WAIT, e->at, wait->field, e->function);

	if (!f)
		return;
	f->other = wait->at;
	finding_evidence(f, EVIDENCE_CERTAIN, "it can come between the test and the wait");
	if (entries_is_callback(a, e->entry) || entries_is_unused(a, e->entry))
		finding_evidence(f, EVIDENCE_AGAINST, "who calls the function is not known");
	check_say(a, f,
		  "is changed without '%s', with which it is tested and waited for: the wake-up "
		  "can be lost",
		  guards_name(a, wait->key));
	entries_notes(a, e, WAY_HERE, f);
	finding_step(f, WAY_OTHER_END, wait->at, "it is waited for here, in %s",
		     entries_name(a, wait->function));
	graph_notes(a, wait->function, WAY_OTHER, f);
}

void check_waits(struct audit *a)
{
	array_each(const struct suspicion, s, &a->suspicions)
		if (s->kind == SUSPECT_WAIT)
			report_wait(a, s);
	/* Another object's field may have another lock, as the count of a list. */
	array_each(const struct audit_wait, wait, &a->waits)
		array_each(const struct entry_access, e, &entries_of_field(a, wait->field)->items)
			if (guards_is_own(a, wait->key, wait->field) && e->guards &&
			    loses_wake_up(a, wait, e))
				report_change(a, wait, e);
}
