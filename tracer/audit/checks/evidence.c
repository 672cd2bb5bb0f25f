/* Evidence for a finding of P3: what speaks for it and what against, in points. */
#include "tracer/audit/checks/checks.h"

/* ---- what is known of the conflict ---------------------------------------------------------- */

static bool holds_most(const struct majority *m, unsigned held, unsigned places, bool of_others)
{
	enum { MOST = 3, MOST_OTHERS = 4, OF = 5 };

	return m->held && OF * held >= (of_others ? MOST_OTHERS : MOST) * places;
}

static bool is_told(const struct conflict *c)
{
	return c->m->is_told || (c->m->held && audit_record_of(c->a, c->field)->thread_safe);
}

static bool is_far(const struct conflict *c)
{
	return c->m->held && 2 * c->m->near < c->m->held;
}

static bool is_of_variable(const struct conflict *c)
{
	return audit_record_of(c->a, c->field)->kind == RECORD_VARIABLES;
}

/* True for a field of a struct without a lock. */
static bool is_of_plain(const struct conflict *c)
{
	return program_is_plain(audit_record_of(c->a, c->field));
}

/* True for a write before the function takes the lock: the critical section may publish what was
   written, unless others see it without, as a variable, or its object is shared already, as where
   other writes hold the object's own lock. */
static bool is_handed_over(const struct conflict *c)
{
	if (!c->m->held || !entry_is(c->e, ACCESS_WRITES) || entry_is(c->e, ACCESS_READS) ||
	    (c->m->writes_held && guards_is_own(c->a, c->m->key, c->field)) || is_of_variable(c) ||
	    parallel_is_of_creator(c->a, c->e))
		return false;
	array_each(const struct audit_acquisition *const, at,
		   &c->a->facts[c->e->function].acquisitions)
		if ((*at)->at.file == c->e->at.file && (*at)->at.line > c->e->at.line &&
		    audit_lock_key(c->a, (*at)->lock) == c->m->key)
			return true;
	return false;
}

/* True for a write under a lock of its object that the other access took before: what it read under
   the lock may tell that the field was written. */
static bool is_seen_written(const struct conflict *c)
{
	if (!c->m->held || !entry_is(c->e, ACCESS_WRITES) || !entry_is(c->e, ACCESS_SETTLED))
		return false;
	array_each(const struct audit_acquisition *const, at,
		   &c->a->facts[c->other->function].acquisitions) {
		const unsigned key = audit_lock_key(c->a, (*at)->lock);

		if ((*at)->at.line < c->other->at.line && guards_hold(c->e, key) &&
		    guards_is_own(c->a, key, c->field))
			return true;
	}
	return false;
}

/* True if all writes are of the reading function or of its only entry, under the lock: a thread may
   read what it wrote itself without the lock. */
static bool is_its_writers(const struct conflict *c)
{
	if (!c->m->held || entry_is(c->e, ACCESS_WRITES))
		return false;
	array_each(const struct entry_access, other, &c->all->items)
		if (entry_is(other, ACCESS_WRITES) && ((other->function != c->e->function &&
							!parallel_one_entry(c->a, other, c->e)) ||
						       !guards_hold(other, c->m->key)))
			return false;
	return true;
}

/* True if all writes set a field that was NULL, under the lock, and this function accessed it under
   the lock before. */
static bool is_seen_and_stays(const struct conflict *c)
{
	bool is_seen = false;

	if (!c->m->held || entry_is(c->e, ACCESS_WRITES))
		return false;
	array_each(const struct entry_access, other, &c->all->items) {
		const bool held = guards_hold(other, c->m->key);

		if (entry_is(other, ACCESS_WRITES) &&
		    !(held && audit_innermost(other->access)->flags & ACCESS_FIRST))
			return false;
		is_seen |=
			held && other->function == c->e->function && other->at.line < c->e->at.line;
	}
	return is_seen;
}

static bool is_after_join(const struct conflict *c)
{
	return parallel_after_join(c->a, c->e) || parallel_after_join(c->a, c->other);
}

/* True for two threads, of which the other one holds the lock, of whichever struct. */
static bool is_of_two_threads(const struct conflict *c)
{
	return c->m->held && guards_hold(c->other, c->m->key) &&
	       (entries_is_thread(c->a, c->e->entry) || entries_is_thread(c->a, c->other->entry)) &&
	       parallel_is_certain(c->a, c->e, c->other);
}

/* True if who calls one of the two functions is not known. A callback that takes the lock is called
   beside a thread without it, or it would not. */
static bool is_of_callback(const struct conflict *c)
{
	const bool is_beside = c->m->held && guards_hold(c->other, c->m->key) &&
			       entries_is_thread(c->a, c->e->entry);

	return entries_is_callback(c->a, c->e->entry) ||
	       (entries_is_callback(c->a, c->other->entry) && !is_beside);
}

/* True if all callers in these files hold the lock: the entry may be no interface. */
static bool callers_hold(const struct conflict *c)
{
	bool any = false;

	if (!c->m->held ||
	    !number_map_get(&c->a->called, c->a->program->functions.items[c->e->entry].usr))
		return false;
	array_each(const struct entry_access, other, &c->all->items) {
		if (!place_same(other->at, c->e->at) || other->entry == c->e->entry)
			continue;
		if (!guards_hold(other, c->m->key))
			return false;
		any = true;
	}
	return any;
}

static bool is_beside_atomic(const struct conflict *c)
{
	return !c->m->held && entry_is(c->other, ACCESS_ATOMIC);
}

static bool is_by_unused(const struct conflict *c)
{
	return entries_is_unused(c->a, c->e->entry) || entries_is_unused(c->a, c->other->entry);
}

static bool wants_lock(const struct conflict *c)
{
	return entries_wants_lock(c->a, c->e->function);
}

static bool is_others_lock(const struct conflict *c)
{
	return is_of_plain(c) || (c->m->key <= c->a->program->fields.count &&
				  !guards_is_own(c->a, c->m->key, c->field));
}

/* Counts functions, since several places of one function are one piece of evidence: where too few
   places hold the lock. */
static bool is_held_in_most(const struct conflict *c)
{
	return entry_is(c->e, ACCESS_WRITES) && !guards_any(c->e) &&
	       guards_is_own(c->a, c->m->key, c->field) && c->m->functions_held > 1 &&
	       !holds_most(c->m, c->m->held, c->m->places, false) &&
	       holds_most(c->m, c->m->functions_held, c->m->functions, false);
}

/* True for a place without any lock that holds it on paths which take it by a condition, as where
   threads share the object. */
static bool is_locked_if(const struct conflict *c)
{
	if (!entry_is(c->e, ACCESS_ASKED) || guards_any(c->e))
		return false;
	array_each(const struct entry_access, other, &c->all->items)
		if (place_same(other->at, c->e->at) && guards_hold(other, c->m->key))
			return true;
	return false;
}

/* True if the access, or each one that it conflicts with, is before threads are made. */
static bool is_before_its_threads(const struct conflict *c)
{
	if (parallel_before_threads(c->a, c->e))
		return true;
	if (!parallel_before_threads(c->a, c->other))
		return false;
	array_each(const struct entry_access, other, &c->all->items)
		if ((entry_is(other, ACCESS_WRITES) || entry_is(c->e, ACCESS_WRITES)) &&
		    !guards_exclude(other, c->e) && !parallel_before_threads(c->a, other) &&
		    parallel_may_be(c->a, other, c->e))
			return false;
	return true;
}

/* True for an object that is reached from one of another struct, while the lock is held of one that
   the function was given: both may be the same. */
static bool may_hold(const struct conflict *c, const struct audit_access *at)
{
	const struct terms *t = &c->a->terms;
	const struct term is = term_at(t, term_object(t, at->address)),
			  from = is.kind == TERM_LOAD ? term_at(t, is.a) : is;

	if (from.kind != TERM_FIELD ||
	    audit_record_of(c->a, from.b + 1) == audit_record_of(c->a, c->field))
		return false;
	for (unsigned i = 0; i < at->held.count; i++) {
		const struct audit_held *h = &at->held.items[i];

		if (h->mode != HELD_LEFT && audit_lock_key(c->a, h->lock) == c->m->key &&
		    term_kind(t, term_object(t, h->lock)) == TERM_PARAMETER)
			return true;
	}
	return false;
}

static bool is_maybe_same(const struct conflict *c)
{
	for (const struct audit_access *at = c->e->access; c->m->held && at; at = at->inner)
		if (may_hold(c, at))
			return true;
	return false;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Points of the share of places with the lock: from HIGH on where three of five have it, or four if
   it is the lock of another struct. Below, a share of a few places tells more than one of many,
   where the lock may be held for something else. */
static int points_of_share(const struct conflict *c)
{
	enum { HIGH = EVIDENCE_HIGH, MOST = 100, FEW = 4 };
	enum { SLOPE = 50, SLOPE_OTHERS = 60, SLOPE_OWN = 80 }; /* of a few places but SLOPE */
	const bool others = is_others_lock(c);
	const int held = (int)c->m->held, places = (int)c->m->places;

	if (!held)
		return 0;
	if (holds_most(c->m, c->m->held, c->m->places, others))
		return HIGH + (MOST - HIGH) * held / places;
	return (places > FEW ? SLOPE : others ? SLOPE_OTHERS : SLOPE_OWN) * held / places;
}

static bool is_certain(const struct conflict *c)
{
	return parallel_is_certain(c->a, c->e, c->other);
}

/* All threads of a whole program are known. */
static bool is_of_no_two_threads(const struct conflict *c)
{
	return c->a->roles[c->e->function].in_program && !is_certain(c);
}

/* True for two places without the lock that the callers of a library may reach in two threads. */
static bool is_of_unknown_threads(const struct conflict *c)
{
	return c->m->held && !is_certain(c) && !guards_hold(c->other, c->m->key);
}

/* True for a read in a library whose callers may be threads, where this is not the only function
   without the lock, and all writes have it. */
static bool is_hint(const struct conflict *c)
{
	return c->m->held && !is_certain(c) && c->m->writes == c->m->writes_held &&
	       c->m->functions - c->m->functions_held > 1;
}

/* True where a name tells of set-up or teardown, and no two threads are known to have the object:
   the caller may be the only one. */
static bool is_named_setup(const struct conflict *c)
{
	return (!is_of_two_threads(c) || is_of_plain(c)) &&
	       entries_makes_or_ends(c->a, c->e->function);
}

/* True for a struct without a lock, and a lock of another struct: no two threads are known to have
   one object. */
static bool is_plain_of_unknown(const struct conflict *c)
{
	return is_of_plain(c) && !is_certain(c) && c->m->key <= c->a->program->fields.count;
}

static bool takes_lock(const struct conflict *c)
{
	array_each(const struct audit_acquisition *const, at,
		   &c->a->facts[c->e->function].acquisitions)
		if (!(*at)->inner && audit_lock_key(c->a, (*at)->lock) == c->m->key)
			return true;
	return false;
}

static bool is_held_at_one_of_two(const struct conflict *c)
{
	enum { FEW = 2 };

	return guards_is_own(c->a, c->m->key, c->field) && c->m->places <= FEW &&
	       !is_of_variable(c) && 2 * c->m->held >= c->m->places;
}

/* True for a lock that no write holds, and the writing function takes for nothing else: where it is
   read, the lock may be held for other reasons. */
static bool is_written_without(const struct conflict *c)
{
	return c->m->held && !c->m->writes_held && !takes_lock(c) && !is_of_two_threads(c);
}

/* True for a function that these files also call before they make threads; for a write, that a
   program does. */
static bool is_of_setup(const struct conflict *c)
{
	const struct audit_role *r = &c->a->roles[c->e->function];
	const unsigned phases = entry_is(c->e, ACCESS_WRITES) ? r->phases : r->called;

	return !is_of_two_threads(c) && phases & PHASE_SETUP;
}

/* True for a read of a struct without a lock: the object may be one that nothing else has. */
static bool is_read_of_plain(const struct conflict *c)
{
	return is_of_plain(c) && !entry_is(c->e, ACCESS_WRITES);
}

static bool is_by_unknown(const struct conflict *c)
{
	return entry_is(c->e, ACCESS_UNKNOWN) || entry_is(c->other, ACCESS_UNKNOWN);
}

static bool is_without_threads(const struct conflict *c)
{
	return !graph_is_access_shared(c->a, c->e) || !graph_is_access_shared(c->a, c->other);
}

static bool is_written(const struct conflict *c)
{
	return entry_is(c->e, ACCESS_WRITES);
}

/* True for a write of what a loop waits for with the lock: a wake-up can be lost, too. */
static bool is_waited_for(const struct conflict *c)
{
	if (!entry_is(c->e, ACCESS_WRITES))
		return false;
	array_each(const struct audit_wait, wait, &c->a->waits)
		if (wait->field == c->field && wait->key == c->m->key)
			return true;
	return false;
}

bool evidence_is_firm(const struct conflict *c)
{
	return is_told(c) ||
	       (is_of_two_threads(c) &&
		(holds_most(c->m, c->m->held, c->m->places, true) || is_waited_for(c)));
}

/* In order: what speaks for it, what against, and what outweighs both. */
static const struct {
	bool (*holds)(const struct conflict *c);
	int points;
	const char *words;
} rows[] = {
	{is_beside_atomic, 55, "the other access is atomic"},
	{is_held_in_most, 20, "most functions hold the lock, this one none"},
	{is_of_two_threads, 15, "two threads are known to reach both places"},
	{is_held_at_one_of_two, 10, "there are two places"},
	{is_written, 5, "it is written here"},
	{is_waited_for, 20, "a loop waits for it with the lock: a wake-up can be lost"},
	{is_far, EVIDENCE_AGAINST, "the lock is mostly one of an unrelated object"},
	{is_handed_over, EVIDENCE_AGAINST,
	 "the lock is taken after the write, which may publish it"},
	{is_seen_written, EVIDENCE_AGAINST, "the other place took the writer's lock before"},
	{is_its_writers, EVIDENCE_AGAINST, "nothing else writes it"},
	{is_seen_and_stays, EVIDENCE_AGAINST, "it is set once, and was seen set under the lock"},
	{is_written_without, -45, "no write holds the lock"},
	{is_of_no_two_threads, EVIDENCE_AGAINST, "no two threads are known to reach both places"},
	{is_of_unknown_threads, EVIDENCE_AGAINST,
	 "neither place holds the lock, and no two threads are known"},
	{is_hint, EVIDENCE_AGAINST, "all writes hold the lock, and several functions read without"},
	{is_of_setup, EVIDENCE_AGAINST, "it is also called before threads are made"},
	{is_of_plain, -10, "its struct has no lock"},
	{is_plain_of_unknown, EVIDENCE_AGAINST, "no two threads are known to have the same object"},
	{is_named_setup, EVIDENCE_AGAINST, "the function's name tells of set-up or teardown"},
	{is_read_of_plain, EVIDENCE_AGAINST,
	 "it is only read here, of an object that may have no other user"},
	{is_by_unknown, EVIDENCE_AGAINST, "what the function does with the address is not known"},
	{is_without_threads, EVIDENCE_AGAINST, "one access is before all threads or after them"},
	{is_locked_if, EVIDENCE_AGAINST, "the lock is taken there under a condition"},
	{is_before_its_threads, EVIDENCE_AGAINST, "one function makes its threads after it"},
	{is_maybe_same, EVIDENCE_AGAINST, "the lock is held of an object that may be the same"},
	{is_after_join, EVIDENCE_AGAINST, "threads were joined before"},
	{is_of_callback, EVIDENCE_AGAINST, "who calls the function is not known"},
	{is_by_unused, EVIDENCE_AGAINST, "nothing in these files calls the function"},
	{callers_hold, EVIDENCE_AGAINST, "the callers in these files hold the lock"},
	{wants_lock, EVIDENCE_AGAINST, "the name of the function asks callers for the lock"},
	{is_told, 100, "a comment or --type asks for the lock"},
};

int evidence_add(const struct conflict *c, struct finding *f)
{
	int points = points_of_share(c);

	if (f && points)
		finding_evidence(f, points, "'%s' is held at %u of %u places",
				 guards_name(c->a, c->m->key), c->m->held, c->m->places);
	else if (f)
		finding_evidence(f, 0, "no lock is held at any of %u places", c->m->places);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].holds(c))
			continue;
		points = finding_sum(points, rows[i].points);
		if (f)
			finding_evidence(f, rows[i].points, "%s", rows[i].words);
	}
	return points;
}
