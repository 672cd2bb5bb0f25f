/* P3: for every pair of conflicting accesses, one lock that is held at both. */
#include "tracer/audit/flow/flow.h"
#include "tracer/audit/checks/guards.h"

#include <string.h>

/* ---- what is wrong --------------------------------------------------------------------------------------------------- */

/* Somebody who is there for certain says more than who may not be, a thread that has the lock more than others, another
   place more than the same one in another thread, and a write more than a read. */
enum { HEAVIEST = 15 };
static unsigned weight(const struct audit *a, const struct entry_access *other,
		       const struct entry_access *with, unsigned key)
{
	const bool certain =
		!entries_is_unused(a, other->entry) && !entries_is_callback(a, other->entry);

	return 8 * certain +
	       4 * (entries_in_two_threads(a, other, with) && guards_hold(other, key)) +
	       2 * !entries_same_place(other->at, with->at) + other->access->writes;
}

/* Who initialises the lock of others, or destroys it, and has made no thread before is alone with what it guards, unless that is
   reached from what it was given and the lock is not. */
static bool is_setting_up(const struct audit *a, const struct entry_access *e, unsigned key)
{
	if (!key || guards_is_own(a, key, e->access->field))
		return false;
	for (const struct audit_access *at = e->access; at; at = at->inner) {
		const unsigned root = term_root(&a->terms, at->address);

		array_each(const unsigned, lock, &a->facts[at->function].inits)
			if (at->alone && audit_lock_key(a, *lock) == key &&
			    (term_at(&a->terms, root).kind != TERM_PARAMETER ||
			     term_root(&a->terms, *lock) == root))
				return true;
	}
	return false;
}

/* Of a struct that is a field: which of its own fields is used, + 1; 0: all of it, or more than one. */
static unsigned check_guards_part_of(const struct audit *a, const struct audit_access *access)
{
	const struct audit_program *p = a->program;
	unsigned part = 0;

	for (struct term is = term_at(&a->terms, access->address);
	     is.kind == TERM_FIELD || is.kind == TERM_ELEMENT; is = term_at(&a->terms, is.a)) {
		if (is.kind != TERM_FIELD)
			continue;
		if (is.b + 1 == access->field)
			return part;
		part = p->records.items[p->fields.items[is.b].record].is_union ? 0 : is.b + 1;
	}
	return 0;
}

static bool are_apart(const struct audit *a, const struct audit_access *x,
		      const struct audit_access *y)
{
	const unsigned part = check_guards_part_of(a, x), other = check_guards_part_of(a, y);

	return part && other && part != other && !number_map_get(&a->given_whole, x->field);
}

/* An access that may come at the same time. */
static const struct entry_access *conflict(const struct audit *a, const struct entry_accesses *all,
					   const struct entry_access *with,
					   const struct majority *m)
{
	const struct entry_access *found = NULL;
	unsigned heaviest = 0;

	for (size_t i = 0; i < all->items.count && heaviest < HEAVIEST; i++) {
		const struct entry_access *other = &all->items.items[i];
		unsigned is;
		bool writes = other->access->writes || with->access->writes;

		if (!writes || (other->access->is_atomic && with->access->is_atomic) ||
		    are_apart(a, other->access, with->access) || is_setting_up(a, other, m->key) ||
		    (!m->is_told && guards_exclude(other, with)) || !entries_beside(a, other, with))
			continue;
		is = weight(a, other, with, m->key);
		if (found && is <= heaviest)
			continue;
		found = other;
		heaviest = is;
	}
	return found;
}

static void lock_name(const struct audit *a, unsigned key, struct str *out)
{
	const struct audit_program *p = a->program;

	if (key > p->fields.count)
		str_addf(out, "%s",
			 program_text(
				 p, program_global(p, key - (unsigned)p->fields.count - 1)
					    ? program_global(p, key - (unsigned)p->fields.count - 1)
						      ->name
					    : 0));
	else
		str_addf(out, "%s", program_text(p, p->fields.items[key - 1].name));
}

static bool is_others_lock(const struct audit *a, unsigned key, unsigned field)
{
	return key <= a->program->fields.count && !guards_is_own(a, key, field);
}

/* It may be called from outside, but whoever calls it in these files has the lock: it may be no interface at all. */
static bool callers_hold(const struct audit *a, const struct entry_accesses *all,
			 const struct entry_access *e, unsigned key)
{
	bool any = false;

	if (!number_map_get(&a->called, a->program->functions.items[e->entry].usr))
		return false;
	array_each(const struct entry_access, other, &all->items) {
		if (!entries_same_place(other->at, e->at) || other->entry == e->entry)
			continue;
		if (!guards_hold(other, key))
			return false;
		any = true;
	}
	return any;
}

/* It is written once, where it was NULL under the lock; here it was seen, or made, by then: under the lock, before. */
static bool is_seen_and_stays(const struct entry_accesses *all, const struct entry_access *e,
			      unsigned key)
{
	bool is_seen = false;

	if (e->access->writes)
		return false;
	array_each(const struct entry_access, other, &all->items) {
		const bool held = guards_hold(other, key);

		if (other->access->writes && !(held && access_innermost(other->access)->is_first))
			return false;
		is_seen |= held && other->function == e->function && other->at.line < e->at.line;
	}
	return is_seen;
}

/* All who write the field are the function that reads it here, or come from where that comes from: it may be one thread's,
   which reads what it wrote itself, and has the lock for the others that read. */
static bool is_its_writers(const struct audit *a, const struct entry_accesses *all,
			   const struct entry_access *e, unsigned key)
{
	if (e->access->writes)
		return false;
	array_each(const struct entry_access, other, &all->items)
		if (other->access->writes &&
		    ((other->function != e->function && !entries_of_one(a, other, e)) ||
		     !guards_hold(other, key)))
			return false;
	return true;
}

/* It is written under its object's own lock, which the other one took on the way to its place: that has seen it written, by what
   else it saw. */
static bool is_seen_written(const struct audit *a, const struct entry_access *e,
			    const struct entry_access *other)
{
	const struct audit_facts *f = &a->facts[other->function];

	if (!e->access->writes || !e->access->is_settled)
		return false;
	for (size_t i = 0; i < f->acquisitions.count; i++) {
		const struct audit_acquisition *at = f->acquisitions.items[i];
		const unsigned key = audit_lock_key(a, at->lock);

		if (at->at.line < other->at.line && guards_hold(e, key) &&
		    guards_is_own(a, key, e->access->field))
			return true;
	}
	return false;
}

/* It is written before the lock is taken, in one function: the section that follows may hand it over, by what it says. */
static bool is_handed_over(const struct audit *a, const struct entry_access *e, unsigned key)
{
	const struct audit_facts *f = &a->facts[e->function];

	if (!e->access->writes || e->access->reads)
		return false;
	for (size_t i = 0; i < f->acquisitions.count; i++) {
		const struct audit_acquisition *at = f->acquisitions.items[i];

		if (at->at.file == e->at.file && at->at.line > e->at.line &&
		    audit_lock_key(a, at->lock) == key)
			return true;
	}
	return false;
}

/* A field that is the lock's has it at three of five places, of two at one; if the lock is another struct's, at four. */
enum { MOST = 3, MOST_OTHERS = 4, MOST_OF = 5, FEW = 2 };

/* A field is written with no lock at all, whose own lock most functions hold wherever they use it: more places of one function
   say no more than one. */
static bool is_plain(const struct audit *a, const struct entry_access *e, const struct majority *m,
		     unsigned field)
{
	return e->access->writes && !guards_any(e) && guards_is_own(a, m->key, field) &&
	       m->functions_held > 1 && MOST_OF * m->functions_held >= MOST * m->functions;
}

/* A thread, and somebody else who has the lock in hand. Then three of five places are enough, whichever struct's
   the lock is; fewer would say that it is there for something else. */
static bool is_in_two_threads(const struct audit *a, const struct entry_access *e,
			      const struct entry_access *other, const struct majority *m)
{
	return guards_hold(other, m->key) && entries_in_two_threads(a, e, other) &&
	       MOST_OF * m->held >= MOST * m->places;
}

static enum finding_confidence confidence(const struct audit *a, const struct entry_accesses *all,
					  const struct entry_access *e,
					  const struct entry_access *other,
					  const struct majority *m, unsigned field)
{
	if (m->is_told || (m->held && audit_record_of(a, field)->thread_safe))
		return CONFIDENCE_HIGH;
	if (m->held && 2 * m->near < m->held)
		return CONFIDENCE_LOW;
	if (m->held && (is_handed_over(a, e, m->key) || is_seen_written(a, e, other)))
		return CONFIDENCE_LOW;
	if (m->held && (is_its_writers(a, all, e, m->key) || is_seen_and_stays(all, e, m->key)))
		return CONFIDENCE_LOW;
	/* Who has waited for threads ends what they shared, or sets it up anew. */
	if (entries_behind_threads(a, e) || entries_behind_threads(a, other))
		return CONFIDENCE_LOW;
	if (is_in_two_threads(a, e, other, m))
		return CONFIDENCE_MEDIUM;
	if (entries_is_callback(a, e->entry) || entries_is_callback(a, other->entry))
		return CONFIDENCE_LOW;
	if (m->held && callers_hold(a, all, e, m->key))
		return CONFIDENCE_LOW;
	if (entries_is_unused(a, e->entry) || entries_is_unused(a, other->entry))
		return CONFIDENCE_LOW;
	if (!m->held)
		return other->access->is_atomic ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	if (entries_wants_lock(a, e->function))
		return CONFIDENCE_LOW;
	if (MOST_OF * m->held >=
	    (is_others_lock(a, m->key, field) ? MOST_OTHERS : MOST) * m->places)
		return CONFIDENCE_HIGH;
	if (is_plain(a, e, m, field))
		return CONFIDENCE_MEDIUM;
	/* A lock that happens to be held now and then says nothing. */
	return guards_is_own(a, m->key, field) && m->places <= FEW && 2 * m->held >= m->places
		       ? CONFIDENCE_MEDIUM
		       : CONFIDENCE_LOW;
}

/* One cause, one finding: of a function, and of a field. */
static bool is_reported(const struct audit *a, const struct entry_access *e, unsigned field)
{
	const struct audit_field *of = &a->program->fields.items[field - 1];

	array_each(const struct finding, f, &a->findings.items)
		if (f->tag == FINDING_P3 && f->field == of->name &&
		    f->record == a->program->records.items[of->record].name &&
		    f->function == a->program->functions.items[e->function].name)
			return true;
	return false;
}

static void report(struct audit *a, const struct entry_access *e, const struct entry_access *other,
		   const struct majority *m, unsigned field, enum finding_confidence confidence)
{
	const struct audit_program *p = a->program;
	const struct audit_field *of = &p->fields.items[field - 1];
	struct finding *f = findings_add(&a->findings, FINDING_P3, e->at, of->name);
	struct str lock = {0};

	if (!f)
		return;
	finding_is_of(f, &p->records.items[of->record]);
	f->function = p->functions.items[e->function].name;
	f->other = other->at;
	f->confidence = confidence;
	f->lock = m->key;
	f->sets = e->access->writes && !e->access->reads;
	f->other_function = p->functions.items[other->function].name;
	if (m->is_told) {
		lock_name(a, m->key, &lock);
		finding_say(f,
			    "'%s' of struct %s is %s without '%s', which its comment names; in %s",
			    program_text(p, of->name), program_text(p, f->record),
			    e->access->writes ? "written" : "read", str_text(&lock),
			    program_text(p, f->function));
	} else if (m->held) {
		lock_name(a, m->key, &lock);
		finding_say(f,
			    "'%s' of struct %s is %s without '%s', which is held at %u of %u "
			    "places; in %s",
			    program_text(p, of->name), program_text(p, f->record),
			    e->access->writes ? "written" : "read", str_text(&lock), m->held,
			    m->places, program_text(p, f->function));
	} else {
		finding_say(f, "'%s' of struct %s is %s with no lock that others hold, too; in %s",
			    program_text(p, of->name), program_text(p, f->record),
			    e->access->writes ? "written" : "read", program_text(p, f->function));
	}
	str_fini(&lock);
	entries_notes(a, e, WAY_HERE, f);
	finding_step(f, WAY_OTHER_END, other->at, "%s here%s, in %s",
		     other->access->writes ? "written" : "read",
		     other->access->is_atomic ? " as an atomic" : "",
		     entries_name(a, other->function));
	entries_notes(a, other, WAY_OTHER, f);
}

static void add_safe(struct audit *a, unsigned field, const struct majority *m, bool written,
		     bool plain)
{
	const struct audit_field *of = &a->program->fields.items[field - 1];
	struct finding_safe *s = array_add(&a->findings.safe);
	struct str why = {0};

	s->at = of->at;
	s->record = a->program->records.items[of->record].name;
	s->field = of->name;
	if (!written) {
		str_add(&why, "never written once others can see it");
	} else if (!plain) {
		str_add(&why, "atomic");
	} else {
		str_add(&why, "guarded by ");
		lock_name(a, m->key, &why);
	}
	s->why = str_take(&why);
}

/* Who uses a field of another module's has no lock anyway. */
static bool check_guards_is_told(const struct audit *a, struct audit_place at, unsigned field)
{
	array_each(const struct finding, f, &a->findings.items)
		if (f->tag == FINDING_P1 && f->at.file == at.file && f->at.line == at.line &&
		    f->field == a->program->fields.items[field - 1].name)
			return true;
	return false;
}

/* A field as accesses of one kind see it: those that are in one program with them, and their lock. */
struct field_view {
	size_t kind;
	struct entry_accesses some;
	struct majority m;
};

struct field_views {
	ARRAY(struct field_view) items;
};

/* Its index. */
static size_t view_of(const struct audit *a, const struct entry_accesses *all,
		      const struct entry_access *e, unsigned field, struct field_views *views)
{
	const size_t kind = entries_kind(a, e);
	struct field_view *s;

	for (size_t i = 0; i < views->items.count; i++)
		if (views->items.items[i].kind == kind)
			return i;
	s = array_add(&views->items);
	s->kind = kind;
	array_each(const struct entry_access, other, &all->items)
		if (entries_together(a, other, e))
			*array_add(&s->some.items) = *other;
	s->m = guards_majority(a, &s->some, field);
	return views->items.count - 1;
}

static void views_fini(struct field_views *views)
{
	array_each(struct field_view, s, &views->items)
		array_fini(&s->some.items);
	array_fini(&views->items);
}

/* What is wrong with an access. */
struct unguarded {
	const struct entry_access *other; /* the view's; NULL: nothing is */
	size_t view;
	enum finding_confidence confidence;
};

static struct unguarded check_guards_look_at(const struct audit *a, const struct field_views *views,
					     size_t view, const struct entry_access *e,
					     unsigned field)
{
	const struct field_view *s = &views->items.items[view];
	struct unguarded found = {.view = view};

	if (!s->m.key || (!guards_hold(e, s->m.key) && !is_setting_up(a, e, s->m.key)))
		found.other = conflict(a, &s->some, e, &s->m);
	if (found.other)
		found.confidence = confidence(a, &s->some, e, found.other, &s->m, field);
	return found;
}

static bool is_passed_over(const struct audit *a, const struct entry_access *e, unsigned field)
{
	return e->access->is_atomic || e->access->is_volatile ||
	       check_guards_is_told(a, e->at, field) || is_reported(a, e, field);
}

/* Those that are sure come first: of a function one is told. */
static bool check_accesses(struct audit *a, const struct entry_accesses *all, unsigned field)
{
	struct unguarded *found = base_alloc(all->items.count, sizeof(*found));
	struct field_views views = {0};
	bool wrong = false;

	for (int doubtful = 0; doubtful < 2; doubtful++)
		for (size_t i = 0; i < all->items.count; i++) {
			const struct entry_access *e = &all->items.items[i];

			if (is_passed_over(a, e, field))
				continue;
			if (!doubtful)
				found[i] = check_guards_look_at(
					a, &views, view_of(a, all, e, field, &views), e, field);
			if (!found[i].other || (found[i].confidence == CONFIDENCE_LOW) != doubtful)
				continue;
			report(a, e, found[i].other, &views.items.items[found[i].view].m, field,
			       found[i].confidence);
			wrong = true;
		}
	views_fini(&views);
	base_free(found);
	return wrong;
}

static void check_field(struct audit *a, unsigned field)
{
	struct entry_accesses *all = entries_of_field(a, field);
	struct majority m;
	bool written = false, plain = false;

	guards_find(a, all);
	array_each(const struct entry_access, e, &all->items) {
		written |= e->access->writes;
		plain |= !e->access->is_atomic;
	}
	if (!all->items.count || (written && check_accesses(a, all, field)))
		return;
	m = guards_majority(a, all, field);
	if (m.key || !written || !plain)
		add_safe(a, field, &m, written, plain);
}

/* Who sets fields of several locks, and holds none of these, sets the object up: nobody has it yet. */
static bool sets_up(const struct audit *a, unsigned record, unsigned function)
{
	const struct finding *first = NULL;

	array_each(const struct finding, f, &a->findings.items) {
		if (f->tag != FINDING_P3 || f->record != record || f->function != function ||
		    !f->sets)
			continue;
		if (first && first->lock != f->lock)
			return true;
		first = f;
	}
	return false;
}

static void doubt_setting_up(struct audit *a)
{
	array_each(struct finding, f, &a->findings.items)
		if (f->tag == FINDING_P3 && (sets_up(a, f->record, f->function) ||
					     sets_up(a, f->record, f->other_function)))
			f->confidence = CONFIDENCE_LOW;
}

void check_guards(struct audit *a)
{
	for (unsigned i = 0; i < a->program->fields.count; i++)
		if (!a->program->fields.items[i].lock &&
		    program_is_shared(audit_record_of(a, i + 1)))
			check_field(a, i + 1);
	doubt_setting_up(a);
}
