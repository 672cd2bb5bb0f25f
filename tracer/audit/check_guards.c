/* P3: for every pair of conflicting accesses, one lock that is held at both. */
#include "tracer/audit/entries.h"

#include <string.h>

/* One lock that an access holds: its key, or 0 if it is another object's. */
struct guard {
	unsigned key;
	bool alone;
};

enum { GUARDS_MOST = 16 };

struct guarded {
	struct guard guards[GUARDS_MOST];
	unsigned count;
};

/* ---- which locks ---------------------------------------------------------------------------------------------- */

static const struct audit_record *lock_record(const struct audit *a, unsigned lock)
{
	unsigned key = audit_lock_key(a, lock);

	return key <= a->program->fields.count ? audit_record_of(a, key) : NULL;
}

/* One of several objects: it may be any. */
static bool is_uncertain(const struct audit *a, unsigned object)
{
	const enum term_kind kind = term_at(&a->terms, term_root(&a->terms, object)).kind;

	return kind == TERM_SITE || kind == TERM_JOIN;
}

/* A lock of the same kind of struct guards its own object alone. */
static bool is_others(const struct audit *a, const struct audit_access *access, unsigned lock)
{
	unsigned object = term_object(&a->terms, access->address),
		 of = term_object(&a->terms, lock);

	if (object == of || lock_record(a, lock) != audit_record_of(a, access->field) ||
	    is_uncertain(a, of) || is_uncertain(a, object))
		return false;
	return !term_contains(&a->terms, object, of) && !term_contains(&a->terms, of, object);
}

static struct guarded *guards_of(const struct audit *a, const struct audit_access *access)
{
	struct guarded *g = program_alloc(a->program, sizeof(*g));

	for (unsigned i = 0; i < access->held.count && g->count < GUARDS_MOST; i++) {
		const struct audit_held *h = &access->held.items[i];
		unsigned key = audit_lock_key(a, h->lock);

		if (key && h->mode != HELD_LEFT && !is_others(a, access, h->lock))
			g->guards[g->count++] = (struct guard){key, h->mode != HELD_SHARED};
	}
	return g;
}

static const struct guard *guard_in(const struct guarded *g, unsigned key)
{
	for (unsigned i = 0; i < g->count; i++)
		if (g->guards[i].key == key)
			return &g->guards[i];
	return NULL;
}

/* Does the access hold the lock as it has to? */
static bool is_guarded_by(const struct entry_access *e, unsigned key)
{
	const struct guard *is = guard_in(e->guards, key);

	return is && (is->alone || !e->access->writes);
}

static bool exclude(const struct entry_access *x, const struct entry_access *y)
{
	for (unsigned i = 0; i < x->guards->count; i++) {
		const struct guard *other = guard_in(y->guards, x->guards->guards[i].key);

		if (other && (other->alone || x->guards->guards[i].alone))
			return true;
	}
	return false;
}

/* ---- the one lock of a field -------------------------------------------------------------------------------------- */

static bool same_place(struct audit_place a, struct audit_place b)
{
	return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* How many places there are, and at how many of them the lock is held always. */
static unsigned places(const struct entry_accesses *all, unsigned key, unsigned *held)
{
	unsigned count = 0;

	*held = 0;
	for (size_t i = 0, next; i < all->items.count; i = next, count++) {
		bool always = true;

		for (next = i; next < all->items.count &&
			       same_place(all->items.items[next].at, all->items.items[i].at);
		     next++)
			always &= is_guarded_by(&all->items.items[next], key);
		*held += always;
	}
	return count;
}

/* What its comment names. */
static unsigned told_guard(const struct audit *a, unsigned field)
{
	const struct audit_field *f = &a->program->fields.items[field - 1];

	if (f->guarded_by)
		array_each(const unsigned, other, &a->program->records.items[f->record].fields)
			if (a->program->fields.items[*other].name == f->guarded_by)
				return *other + 1;
	return 0;
}

struct majority {
	unsigned key, held, places;
	bool is_told; /* by the field's comment: no other lock will do */
};

static struct majority majority_of(const struct audit *a, const struct entry_accesses *all,
				   unsigned field)
{
	struct majority best = {told_guard(a, field), 0, 0, false};
	struct number_map tried = {0};

	best.is_told = best.key;
	best.places = places(all, best.key, &best.held);
	array_each(const struct entry_access, e, &all->items)
		for (unsigned k = 0; !best.is_told && k < e->guards->count; k++) {
			unsigned key = e->guards->guards[k].key, held;

			if (number_map_get(&tried, key))
				continue;
			number_map_set(&tried, key, 1);
			places(all, key, &held);
			if (held > best.held || !best.key) {
				best.held = held;
				best.key = key;
			}
		}
	number_map_fini(&tried);
	return best;
}

/* ---- what is wrong --------------------------------------------------------------------------------------------------- */

/* Another place says more than the same one in another thread, and a write more than a read. */
static unsigned weight(const struct entry_access *other, const struct entry_access *with)
{
	return 2 * !same_place(other->at, with->at) + other->access->writes;
}

/* An access that may come at the same time. */
static const struct entry_access *conflict(const struct audit *a, const struct entry_accesses *all,
					   const struct entry_access *with,
					   const struct majority *m)
{
	const struct entry_access *found = NULL;

	array_each(const struct entry_access, other, &all->items) {
		bool writes = other->access->writes || with->access->writes;

		if (!writes || (other->access->is_atomic && with->access->is_atomic) ||
		    (!m->is_told && exclude(other, with)) || !entries_beside(a, other, with))
			continue;
		if (!found || weight(other, with) > weight(found, with))
			found = other;
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

/* Is the lock one of the struct's own? Then it is there for its fields. */
static bool is_own_lock(const struct audit *a, unsigned key, unsigned field)
{
	return key <= a->program->fields.count &&
	       audit_record_of(a, key) == audit_record_of(a, field);
}

static bool is_others_lock(const struct audit *a, unsigned key, unsigned field)
{
	return key <= a->program->fields.count && !is_own_lock(a, key, field);
}

/* It may be called from outside, but whoever calls it in these files has the lock: it may be no interface at all. */
static bool callers_hold(const struct audit *a, const struct entry_accesses *all,
			 const struct entry_access *e, unsigned key)
{
	bool any = false;

	if (!number_map_get(&a->called, a->program->functions.items[e->entry].usr))
		return false;
	array_each(const struct entry_access, other, &all->items) {
		if (!same_place(other->at, e->at) || other->entry == e->entry)
			continue;
		if (!is_guarded_by(other, key))
			return false;
		any = true;
	}
	return any;
}

/* A field that is the lock's has it at three of five places, of two at one; if the lock is another struct's, at four. */
enum { MOST = 3, MOST_OTHERS = 4, MOST_OF = 5, FEW = 2 };

static enum finding_confidence confidence(const struct audit *a, const struct entry_accesses *all,
					  const struct entry_access *e,
					  const struct entry_access *other,
					  const struct majority *m, unsigned field)
{
	if (m->is_told || (m->held && audit_record_of(a, field)->thread_safe))
		return CONFIDENCE_HIGH;
	if (entries_is_callback(a, e->entry) || entries_is_callback(a, other->entry))
		return CONFIDENCE_LOW;
	if (m->held && callers_hold(a, all, e, m->key))
		return CONFIDENCE_LOW;
	if (!m->held)
		return other->access->is_atomic ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	if (entries_wants_lock(a, e->function))
		return CONFIDENCE_LOW;
	if (MOST_OF * m->held >=
	    (is_others_lock(a, m->key, field) ? MOST_OTHERS : MOST) * m->places)
		return CONFIDENCE_HIGH;
	/* A lock that happens to be held now and then says nothing. */
	return is_own_lock(a, m->key, field) && m->places <= FEW && 2 * m->held >= m->places
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

static void report(struct audit *a, const struct entry_accesses *all, const struct entry_access *e,
		   const struct entry_access *other, const struct majority *m, unsigned field)
{
	const struct audit_program *p = a->program;
	const struct audit_field *of = &p->fields.items[field - 1];
	struct finding *f = findings_add(&a->findings, FINDING_P3, e->at, of->name);
	struct str lock = {0};

	if (!f)
		return;
	f->record = p->records.items[of->record].name;
	f->function = p->functions.items[e->function].name;
	f->other = other->at;
	f->confidence = confidence(a, all, e, other, m, field);
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
	entries_notes(a, e, f);
	finding_note(f, other->at, "%s here%s, in %s", other->access->writes ? "written" : "read",
		     other->access->is_atomic ? " as an atomic" : "",
		     entries_name(a, other->function));
	entries_notes(a, other, f);
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

/* Without any place that holds a lock, nothing says that there is one for this field, unless its struct is marked. */
static bool is_likely(const struct audit *a, const struct majority *m, unsigned field,
		      const struct entry_access *other)
{
	return m->held || m->is_told || a->options->all || audit_record_of(a, field)->thread_safe ||
	       other->access->is_atomic;
}

/* Who uses a field of another module's has no lock anyway. */
static bool is_told(const struct audit *a, struct audit_place at, unsigned field)
{
	array_each(const struct finding, f, &a->findings.items)
		if (f->tag == FINDING_P1 && f->at.file == at.file && f->at.line == at.line &&
		    f->field == a->program->fields.items[field - 1].name)
			return true;
	return false;
}

/* Of those that are in one program with it. */
static struct entry_accesses together_with(const struct audit *a, const struct entry_accesses *all,
					   const struct entry_access *e)
{
	struct entry_accesses some = {{0}};

	array_each(const struct entry_access, other, &all->items)
		if (entries_together(a, other, e))
			*array_add(&some.items) = *other;
	return some;
}

/* True: there is something wrong with it. */
static bool check_access(struct audit *a, const struct entry_accesses *all,
			 const struct entry_access *e, const struct majority *of_all,
			 unsigned field)
{
	struct entry_accesses some = together_with(a, all, e);
	const struct majority m =
		some.items.count == all->items.count ? *of_all : majority_of(a, &some, field);
	const struct entry_access *other = NULL;
	bool is;

	if (!m.key || !is_guarded_by(e, m.key))
		other = conflict(a, &some, e, &m);
	is = other && is_likely(a, &m, field, other);
	if (is)
		report(a, &some, e, other, &m, field);
	array_fini(&some.items);
	return is;
}

static void check_field(struct audit *a, unsigned field)
{
	struct entry_accesses *all = entries_of_field(a, field);
	struct majority m;
	bool written = false, plain = false, wrong = false;

	array_each(struct entry_access, e, &all->items) {
		e->guards = guards_of(a, e->access);
		written |= e->access->writes;
		plain |= !e->access->is_atomic;
	}
	m = majority_of(a, all, field);
	array_each(const struct entry_access, e, &all->items) {
		if (!written || e->access->is_atomic || is_told(a, e->at, field) ||
		    is_reported(a, e, field))
			continue;
		wrong |= check_access(a, all, e, &m, field);
	}
	if (!wrong && all->items.count && (m.key || !written || !plain))
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
