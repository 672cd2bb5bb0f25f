/* P3: every pair of conflicting accesses holds a common lock. */
#include "tracer/audit/checks/checks.h"

/* ---- conflicting accesses -------------------------------------------------------------------- */

/* One side of a conflict, as far as it does not depend on the other. */
struct side {
	bool sets_up, is_certain; /* is_certain: its entry is surely called */
	unsigned part;
};

/* Strength of evidence: an access that is known, an entry that is surely called, then two threads
   that are known, then the lock, then another place, then a write. PAIR is what depends on both
   accesses. */
enum { PAIR = 8 + 4 + 2 };
static unsigned weight(const struct entry_access *other, const struct side *of)
{
	return 32 * !entry_is(other, ACCESS_UNKNOWN) + 16 * of->is_certain +
	       entry_is(other, ACCESS_WRITES);
}

static unsigned weight_of_pair(const struct audit *a, const struct entry_access *other,
			       const struct entry_access *with, unsigned key)
{
	return 8 * parallel_is_certain(a, other, with) + 4 * guards_hold(other, key) +
	       2 * !place_same(other->at, with->at);
}

/* True if the function initializes or destroys another struct's lock before it makes a thread:
   nothing else uses the guarded data then, unless only the data comes from an argument. */
static bool is_setting_up(const struct audit *a, const struct entry_access *e, unsigned key)
{
	if (!key || guards_is_own(a, key, e->access->field))
		return false;
	for (const struct audit_access *at = e->access; at; at = at->inner) {
		const unsigned root = term_root(&a->terms, at->address);

		array_each(const struct audit_deed, d, &a->facts[at->function].deeds)
			if (d->kind == DEED_INIT && at->flags & ACCESS_ALONE &&
			    audit_lock_key(a, d->object) == key &&
			    (term_kind(&a->terms, root) != TERM_PARAMETER ||
			     term_root(&a->terms, d->object) == root))
				return true;
	}
	return false;
}

/* Subfield (+ 1) of the accessed field; 0 for the whole struct or several subfields. */
static unsigned part_used(const struct audit *a, const struct audit_access *access)
{
	const struct audit_program *p = a->program;
	unsigned part = 0;

	struct term is = term_at(&a->terms, access->address);

	for (; is.kind == TERM_FIELD || is.kind == TERM_ELEMENT; is = term_at(&a->terms, is.a)) {
		if (is.kind != TERM_FIELD)
			continue;
		if (is.b + 1 == access->field)
			return part;
		part = p->records.items[p->fields.items[is.b].record].kind == RECORD_UNION
			       ? 0
			       : is.b + 1;
	}
	/* Parts of a variable. */
	return is.kind == TERM_GLOBAL ? part : 0;
}

static struct side side_of(const struct audit *a, const struct entry_access *e, unsigned key)
{
	return (struct side){is_setting_up(a, e, key),
			     !entries_is_unused(a, e->entry) && !entries_is_callback(a, e->entry),
			     part_used(a, e->access)};
}

/* ---- findings -------------------------------------------------------------------------------- */

/* True if this function and field have a finding: further ones have the same cause. */
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

static void say_what(const struct conflict *c, struct finding *f)
{
	const char *how = entry_is(c->e, ACCESS_WRITES) ? "written" : "read";

	if (c->m->is_told)
		check_say(c->a, f, "is %s without '%s', which its @guarded_by names", how,
			  guards_name(c->a, c->m->key));
	else if (c->m->held)
		check_say(c->a, f, "is %s without '%s', which is held at %u of %u places", how,
			  guards_name(c->a, c->m->key), c->m->held, c->m->places);
	else
		check_say(c->a, f, "is %s without a lock that other accesses also hold", how);
}

static unsigned access_of(const struct audit *a, const struct conflict *c)
{
	unsigned access = 0;

	if (entry_is(c->e, ACCESS_WRITES) && !entry_is(c->e, ACCESS_READS))
		access |= FINDING_SETS;
	if (a->facts[c->e->function].acquisitions.count)
		access |= FINDING_LOCKS;
	if (program_is_plain(audit_record_of(a, c->field)))
		access |= FINDING_PLAIN;
	if (audit_record_of(a, c->field)->kind == RECORD_VARIABLES)
		access |= FINDING_VARIABLE;
	if (evidence_is_firm(c))
		access |= FINDING_FIRM;
	return access;
}

static void report(struct audit *a, const struct conflict *c)
{
	struct finding *f = check_add(a, FINDING_P3, c->e->at, c->field, c->e->function);

	if (!f)
		return;
	f->other = c->other->at;
	f->lock = c->m->key;
	f->access = access_of(a, c);
	f->other_function = a->program->functions.items[c->other->function].name;
	say_what(c, f);
	entries_notes(a, c->e, WAY_HERE, f);
	finding_step(f, WAY_OTHER_END, c->other->at, "%s here%s, in %s",
		     entry_is(c->other, ACCESS_WRITES) ? "written" : "read",
		     entry_is(c->other, ACCESS_ATOMIC) ? " as an atomic" : "",
		     entries_name(a, c->other->function));
	entries_notes(a, c->other, WAY_OTHER, f);
	evidence_add(c, f);
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
	if (!written)
		str_add(&why, "never written after it is shared");
	else if (!plain)
		str_add(&why, "atomic");
	else
		str_addf(&why, "guarded by %s", guards_name(a, m->key));
	s->why = str_take(&why);
}

/* ---- all accesses of a field ----------------------------------------------------------------- */

/* Accesses of a field that are in one program with accesses of one kind, and their lock. */
struct field_view {
	size_t kind;
	struct entry_accesses some;
	struct side *sides; /* of `some` */
	struct majority m;
};

struct field_views {
	ARRAY(struct field_view *) items;
};

/* True if the threads that are known to run the two entries are the same, and neither makes
   others. */
static bool have_same_threads(const struct audit *a, unsigned entry, unsigned other)
{
	const struct audit_role *x = &a->roles[entry], *y = &a->roles[other];

	return entry == other ||
	       (x->starter == y->starter && x->from_main == y->from_main &&
		x->thread == y->thread && x->entry == y->entry && x->in_program == y->in_program &&
		x->is_unused == y->is_unused && !a->facts[entry].makes_threads &&
		!a->facts[other].makes_threads && !entries_is_thread(a, entry) &&
		!entries_is_thread(a, other) && !entries_is_callback(a, entry) &&
		!entries_is_callback(a, other) && !entries_is_main(a, entry) &&
		!entries_is_main(a, other));
}

/* True if both have the same conflicts: hundreds of entries may lead to one place alike. */
static bool are_alike(const struct audit *a, const struct entry_access *x,
		      const struct entry_access *y)
{
	return place_same(x->at, y->at) && x->function == y->function &&
	       x->access->flags == y->access->flags && guards_same(x, y) &&
	       have_same_threads(a, x->entry, y->entry) &&
	       term_kind(&a->terms, term_root(&a->terms, x->access->address)) ==
		       term_kind(&a->terms, term_root(&a->terms, y->access->address)) &&
	       part_used(a, x->access) == part_used(a, y->access);
}

/* Keeps one of those that are alike; all are sorted by place. */
static void keep_different(const struct audit *a, struct entry_accesses *all)
{
	size_t kept = 0, first = 0;

	for (size_t i = 0; i < all->items.count; i++) {
		const struct entry_access *e = &all->items.items[i];
		bool known = false;

		if (kept && !place_same(e->at, all->items.items[kept - 1].at))
			first = kept;
		for (size_t k = first; k < kept && !known; k++)
			known = are_alike(a, e, &all->items.items[k]);
		if (!known)
			all->items.items[kept++] = *e;
	}
	all->items.count = kept;
}

static struct field_view *view_of(const struct audit *a, const struct entry_accesses *all,
				  const struct entry_access *e, unsigned field,
				  struct field_views *views)
{
	const size_t kind = parallel_kind(a, e);
	struct field_view *s;

	array_each(struct field_view *const, known, &views->items)
		if ((*known)->kind == kind)
			return *known;
	s = *array_add(&views->items) = base_alloc(1, sizeof(*s));
	s->kind = kind;
	array_each(const struct entry_access, other, &all->items)
		if (parallel_together(a, other, e))
			*array_add(&s->some.items) = *other;
	s->m = guards_majority(a, &s->some, field);
	keep_different(a, &s->some);
	s->sides = base_alloc(s->some.items.count, sizeof(*s->sides));
	for (size_t i = 0; i < s->some.items.count; i++)
		s->sides[i] = side_of(a, &s->some.items.items[i], s->m.key);
	return s;
}

static void views_fini(struct field_views *views)
{
	array_each(struct field_view *const, s, &views->items) {
		array_fini(&(*s)->some.items);
		base_free((*s)->sides);
		base_free(*s);
	}
	array_fini(&views->items);
}

/* True if P1 reported the access, whose code cannot know the lock. A list head is meant to be
   pointed to. */
static bool is_escape(const struct audit *a, struct audit_place at, unsigned field)
{
	const bool is_head = a->program->fields.items[field - 1].type;

	array_each(const struct finding, f, &a->findings.items)
		if (f->tag == FINDING_P1 && f->at.file == at.file && f->at.line == at.line &&
		    !(is_head && f->confidence == CONFIDENCE_LOW) &&
		    f->field == a->program->fields.items[field - 1].name)
			return true;
	return false;
}

static bool is_passed_over(const struct audit *a, const struct entry_access *e, unsigned field)
{
	return entry_is(e, ACCESS_ATOMIC | ACCESS_VOLATILE) || is_escape(a, e->at, field) ||
	       is_reported(a, e, field);
}

/* Returns the strongest access that may happen in parallel without a common lock, or NULL. */
static const struct entry_access *conflict(const struct audit *a, const struct field_view *s,
					   const struct entry_access *with)
{
	const struct entry_access *found = NULL;
	const unsigned part = part_used(a, with->access);
	unsigned heaviest = 0;

	for (size_t i = 0; i < s->some.items.count; i++) {
		const struct entry_access *other = &s->some.items.items[i];
		const struct side *of = &s->sides[i];
		const unsigned either = other->access->flags | with->access->flags,
			       both = other->access->flags & with->access->flags;
		unsigned is = weight(other, of);

		if (!(either & ACCESS_WRITES) || both & ACCESS_ATOMIC || of->sets_up ||
		    (part && of->part && part != of->part) || (found && is + PAIR <= heaviest) ||
		    (!s->m.is_told && guards_exclude(other, with)) ||
		    !parallel_may_be(a, other, with))
			continue;
		is += weight_of_pair(a, other, with, s->m.key);
		if (found && is <= heaviest)
			continue;
		found = other;
		heaviest = is;
	}
	return found;
}

static struct conflict conflict_of(const struct audit *a, const struct field_view *s,
				   const struct entry_access *e, unsigned field)
{
	struct conflict c = {a, &s->some, e, NULL, &s->m, field, 0};

	if (entry_is(e, ACCESS_UNKNOWN) && !s->m.held)
		return c;
	if (!s->m.key || (!guards_hold(e, s->m.key) && !is_setting_up(a, e, s->m.key)))
		c.other = conflict(a, s, e);
	if (c.other)
		c.points = evidence_add(&c, NULL);
	return c;
}

/* Reports certain findings first, since a function gets only one. Returns true if there are any. */
static bool check_accesses(struct audit *a, const struct entry_accesses *all, unsigned field)
{
	struct conflict *found = base_alloc(all->items.count, sizeof(*found));
	struct field_views views = {0};
	bool wrong = false;

	for (int doubtful = 0; doubtful < 2; doubtful++)
		for (size_t i = 0; i < all->items.count; i++) {
			const struct entry_access *e = &all->items.items[i];

			if (is_passed_over(a, e, field))
				continue;
			if (!doubtful)
				found[i] =
					conflict_of(a, view_of(a, all, e, field, &views), e, field);
			if (!found[i].other ||
			    (finding_confidence_of(found[i].points) == CONFIDENCE_LOW) != doubtful)
				continue;
			report(a, &found[i]);
			wrong = true;
		}
	views_fini(&views);
	base_free(found);
	return wrong;
}

/* True if nothing was found of the field, and no function got its address. */
static bool is_proved(const struct audit *a, unsigned field)
{
	const struct audit_field *of = &a->program->fields.items[field - 1];

	if (number_map_get(&a->given_whole, field))
		return false;
	array_each(const struct finding, f, &a->findings.items)
		if (f->field == of->name && f->record == a->program->records.items[of->record].name)
			return false;
	return true;
}

static void check_field(struct audit *a, unsigned field)
{
	struct entry_accesses *all = entries_of_field(a, field);
	struct majority m;
	bool written = false, plain = false;

	guards_find(a, all);
	array_each(const struct entry_access, e, &all->items) {
		written |= entry_is(e, ACCESS_WRITES);
		plain |= !entry_is(e, ACCESS_ATOMIC);
	}
	if (!all->items.count || (written && check_accesses(a, all, field)))
		return;
	m = guards_majority(a, all, field);
	if ((m.key || !written || !plain) && is_proved(a, field))
		add_safe(a, field, &m, written, plain);
}

/* True if the function writes fields of several locks without any of them: it sets up an object
   that is not published. */
static bool sets_up(const struct audit *a, unsigned record, unsigned function)
{
	const struct finding *first = NULL;

	array_each(const struct finding, f, &a->findings.items) {
		if (f->tag != FINDING_P3 || f->record != record || f->function != function ||
		    (f->access & (FINDING_SETS | FINDING_LOCKS)) != FINDING_SETS)
			continue;
		if (first && first->lock != f->lock)
			return true;
		first = f;
	}
	return false;
}

/* True if locks of others guard the field: most places hold one, in several functions, and a write
   does. */
static bool is_guarded_by_others(const struct audit *a, struct entry_accesses *all, unsigned field)
{
	struct majority m;

	if (!all->items.count)
		return false;
	guards_find(a, all);
	m = guards_majority(a, all, field);
	if (!m.key || 2 * m.held <= m.places || m.functions_held < 2)
		return false;
	array_each(const struct entry_access, e, &all->items)
		if (entry_is(e, ACCESS_WRITES) && guards_hold(e, m.key))
			return true;
	return false;
}

/* Number of P3 findings of the struct in the function, of this kind and lock (0 means any). */
static unsigned count_here(const struct audit *a, const struct finding *of, unsigned access,
			   unsigned lock)
{
	unsigned count = 0;

	array_each(const struct finding, f, &a->findings.items)
		count += f->tag == FINDING_P3 && f->record == of->record &&
			 f->function == of->function && (!lock || f->lock == lock) &&
			 (f->access & access) == access;
	return count;
}

/* A function that uses several fields of a struct without a lock of its own may make the object.
   One that sets several variables of a lock that it takes nowhere may be set-up or teardown. */
static void doubt_makers(struct audit *a)
{
	enum { SEVERAL = 3 };

	array_each(struct finding, f, &a->findings.items) {
		if (f->tag != FINDING_P3)
			continue;
		if (f->access & FINDING_PLAIN && count_here(a, f, 0, 0) >= SEVERAL)
			finding_evidence(f, EVIDENCE_AGAINST,
					 "several fields are used so: the object may be new");
		if (f->access & FINDING_VARIABLE && !(f->access & FINDING_LOCKS) &&
		    count_here(a, f, FINDING_SETS, f->lock) >= SEVERAL)
			finding_evidence(f, EVIDENCE_AGAINST,
					 "several variables of the lock are set so: it may be "
					 "set-up or teardown");
	}
}

void check_guards(struct audit *a)
{
	for (unsigned i = 0; i < a->program->fields.count; i++) {
		struct entry_accesses *all = entries_of_field(a, i + 1);
		const struct audit_record *r = audit_record_of(a, i + 1);

		if (a->program->fields.items[i].lock)
			continue;
		if (program_is_shared(r))
			check_field(a, i + 1);
		else if (program_is_plain(r) && is_guarded_by_others(a, all, i + 1))
			(void)check_accesses(a, all, i + 1);
	}
	doubt_makers(a);
	array_each(struct finding, f, &a->findings.items)
		if (f->tag == FINDING_P3 && (sets_up(a, f->record, f->function) ||
					     sets_up(a, f->record, f->other_function)))
			finding_evidence(f, EVIDENCE_AGAINST,
					 "a function sets fields of several locks without any");
}
