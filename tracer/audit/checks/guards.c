/* Locksets of the accesses to a field, and the lock that guards the field. */
#include "tracer/audit/checks/checks.h"

/* A lock that an access holds. */
struct guard {
	unsigned key;
	enum audit_mode mode;
	/* The access's object and the lock's are reached from each other. */
	bool is_near;
};

enum { GUARDS_MOST = 16 };

struct guarded {
	struct guard guards[GUARDS_MOST];
	unsigned count;
};

/* ---- locksets of accesses -------------------------------------------------------------------- */

static const struct audit_record *lock_record(const struct audit *a, unsigned lock)
{
	unsigned key = audit_lock_key(a, lock);

	return key <= a->program->fields.count ? audit_record_of(a, key) : NULL;
}

/* True for an object that may be any of several. */
static bool is_uncertain(const struct audit *a, unsigned object)
{
	const enum term_kind kind = term_kind(&a->terms, term_root(&a->terms, object));

	return kind == TERM_SITE || kind == TERM_JOIN;
}

/* True if x->owner and x->part->owner are the same object: the field is not an owner made for
   each. */
static bool have_one_owner(const struct audit *a, unsigned object, unsigned other)
{
	const struct term x = term_at(&a->terms, object), y = term_at(&a->terms, other);
	struct term field, same;

	if (x.kind != TERM_LOAD || y.kind != TERM_LOAD)
		return false;
	field = term_at(&a->terms, x.a);
	same = term_at(&a->terms, y.a);
	return field.kind == TERM_FIELD && same.kind == TERM_FIELD && field.b == same.b &&
	       !number_map_get(&a->parts, field.b + 1) &&
	       (term_contains(&a->terms, field.a, same.a) ||
		term_contains(&a->terms, same.a, field.a));
}

/* True for a lock of another object of the same struct, which guards only its own object. */
static bool is_others(const struct audit *a, const struct audit_access *access, unsigned lock)
{
	unsigned object = term_object(&a->terms, access->address),
		 of = term_object(&a->terms, lock);

	if (object == of || lock_record(a, lock) != audit_record_of(a, access->field) ||
	    is_uncertain(a, of) || is_uncertain(a, object) || have_one_owner(a, object, of))
		return false;
	return !term_contains(&a->terms, object, of) && !term_contains(&a->terms, of, object);
}

/* True if lock and object are related; a caller's unrelated lock may be held for other reasons. */
static bool is_near(const struct audit *a, const struct audit_access *access, unsigned lock)
{
	const struct terms *t = &a->terms;
	const unsigned object = term_object(t, access->address), of = term_object(t, lock);

	return term_kind(t, term_root(t, lock)) == TERM_GLOBAL || term_contains(t, object, of) ||
	       term_contains(t, of, object) || term_root(t, object) == term_root(t, of);
}

static const struct guard *guard_in(const struct guarded *g, unsigned key)
{
	for (unsigned i = 0; i < g->count; i++)
		if (g->guards[i].key == key)
			return &g->guards[i];
	return NULL;
}

/* Adds the callers' lockset, without locks of the field's own struct: they may belong to other
   objects. */
static void add_callers(const struct audit *a, const struct entry_access *e, struct guarded *g)
{
	array_each(const unsigned, item, &a->roles[e->entry].locks.items) {
		const unsigned key = *item / 2;

		if (g->count < GUARDS_MOST && !guard_in(g, key) &&
		    (!guards_is_own(a, key, e->access->field) ||
		     audit_record_of(a, e->access->field)->kind == RECORD_VARIABLES))
			g->guards[g->count++] =
				(struct guard){key, *item & 1 ? HELD_ALONE : HELD_SHARED,
					       key > a->program->fields.count};
	}
}

/* True for a lock that is released here but was not taken, unless it is of the field's own
   struct. */
static bool is_guess(const struct audit *a, const struct audit_access *access,
		     const struct audit_held *h)
{
	return (h->mode == HELD_GIVEN || h->mode == HELD_WANTED) &&
	       !guards_is_own(a, audit_lock_key(a, h->lock), access->field);
}

/* True for a lock that is reached by the accessed pointer itself: it cannot guard the pointer,
   which has to be read first. */
static bool is_behind(const struct audit *a, const struct audit_access *access, unsigned lock)
{
	for (; term_kind(&a->terms, lock) >= TERM_LOAD; lock = term_at(&a->terms, lock).a)
		if (term_kind(&a->terms, lock) == TERM_LOAD &&
		    term_at(&a->terms, lock).a == access->address)
			return true;
	return false;
}

static struct guarded *guards_of(const struct audit *a, const struct entry_access *e)
{
	const struct audit_access *access = e->access;
	struct guarded *g = program_alloc(a->program, sizeof(*g));

	for (unsigned i = 0; i < access->held.count && g->count < GUARDS_MOST; i++) {
		const struct audit_held *h = &access->held.items[i];
		unsigned key = audit_lock_key(a, h->lock);

		if (key && h->mode != HELD_LEFT && !is_others(a, access, h->lock) &&
		    !is_behind(a, access, h->lock) && !is_guess(a, access, h))
			g->guards[g->count++] =
				(struct guard){key, h->mode, is_near(a, access, h->lock)};
	}
	add_callers(a, e, g);
	return g;
}

bool guards_hold(const struct entry_access *e, unsigned key)
{
	const struct guard *is = guard_in(e->guards, key);

	return is && (is->mode != HELD_SHARED || !entry_is(e, ACCESS_WRITES));
}

bool guards_any(const struct entry_access *e)
{
	return e->guards->count > 0;
}

bool guards_same(const struct entry_access *x, const struct entry_access *y)
{
	if (x->guards->count != y->guards->count)
		return false;
	for (unsigned i = 0; i < x->guards->count; i++)
		if (x->guards->guards[i].key != y->guards->guards[i].key ||
		    x->guards->guards[i].mode != y->guards->guards[i].mode)
			return false;
	return true;
}

bool guards_exclude(const struct entry_access *x, const struct entry_access *y)
{
	for (unsigned i = 0; i < x->guards->count; i++) {
		const struct guard *g = &x->guards->guards[i], *other = guard_in(y->guards, g->key);

		if (other && (other->mode != HELD_SHARED || g->mode != HELD_SHARED))
			return true;
	}
	return false;
}

/* ---- lock that guards a field ---------------------------------------------------------------- */

/* Index of the first access of the next place. */
static size_t place_end(const struct entry_accesses *all, size_t i)
{
	size_t next = i;

	while (next < all->items.count &&
	       place_same(all->items.items[next].at, all->items.items[i].at))
		next++;
	return next;
}

/* Counts of a lock: over all places, and at the current one. */
struct tally {
	struct majority counted;
	size_t here;
	bool near_here;
};

struct tallies {
	ARRAY(struct tally) items; /* in order of first occurrence */
};

static struct tally *tally_of(struct tallies *t, unsigned key)
{
	struct tally *new;

	array_each(struct tally, known, &t->items)
		if (known->counted.key == key)
			return known;
	new = array_add(&t->items);
	new->counted.key = key;
	return new;
}

static void tally_access(struct tallies *t, const struct entry_access *e)
{
	for (unsigned k = 0; k < e->guards->count; k++) {
		const struct guard *g = &e->guards->guards[k];
		struct tally *tally;

		if (guard_in(e->guards, g->key) != g)
			continue;
		tally = tally_of(t, g->key);
		tally->near_here |= g->is_near;
		tally->here += guards_hold(e, g->key);
	}
}

/* Counts all places, and for each lock the places where every access holds it. */
static void tally_all(struct tallies *t, const struct entry_accesses *all)
{
	unsigned places = 0;

	for (size_t i = 0, next; i < all->items.count; i = next, places++) {
		next = place_end(all, i);
		for (size_t k = i; k < next; k++)
			tally_access(t, &all->items.items[k]);
		array_each(struct tally, tally, &t->items) {
			const bool always = tally->here == next - i;

			tally->counted.held += always;
			tally->counted.near += always && tally->near_here;
			tally->here = 0;
			tally->near_here = false;
		}
	}
	array_each(struct tally, tally, &t->items)
		tally->counted.places = places;
}

/* A lock of static storage is one of the variables' own. */
bool guards_is_own(const struct audit *a, unsigned key, unsigned field)
{
	if (audit_record_of(a, field)->kind == RECORD_VARIABLES)
		return key > a->program->fields.count;
	return key <= a->program->fields.count &&
	       audit_record_of(a, key) == audit_record_of(a, field);
}

const char *guards_name(const struct audit *a, unsigned key)
{
	const struct audit_program *p = a->program;
	const struct audit_global *g = NULL;

	if (key > p->fields.count)
		g = program_global(p, key - (unsigned)p->fields.count - 1);
	else
		return program_text(p, p->fields.items[key - 1].name);
	return program_text(p, g ? g->name : 0);
}

/* Lock that @guarded_by names, as key, or 0. */
static unsigned told_guard(const struct audit *a, unsigned field)
{
	const struct audit_field *f = &a->program->fields.items[field - 1];

	if (f->guarded_by)
		array_each(const unsigned, other, &a->program->records.items[f->record].fields)
			if (a->program->fields.items[*other].name == f->guarded_by)
				return *other + 1;
	return 0;
}

/* True if a lock is held at more places; among equals the field's own struct wins. */
static bool guards_is_better(const struct audit *a, const struct majority *m,
			     const struct majority *than, unsigned field)
{
	return !than->key || m->held > than->held ||
	       (m->held == than->held && guards_is_own(a, m->key, field) &&
		!guards_is_own(a, than->key, field));
}

enum { HOLDS = 1, HOLDS_NOT };
static void count_functions(const struct entry_accesses *all, struct majority *m)
{
	struct number_map known = {0};

	array_each(const struct entry_access, e, &all->items) {
		const unsigned was = number_map_get(&known, e->function + 1);
		const bool holds = guards_hold(e, m->key);

		m->writes += entry_is(e, ACCESS_WRITES);
		m->writes_held += entry_is(e, ACCESS_WRITES) && holds;
		m->functions += !was;
		m->functions_held += !was && holds;
		m->functions_held -= was == HOLDS && !holds;
		if (!was || !holds)
			number_map_set(&known, e->function + 1, holds ? HOLDS : HOLDS_NOT);
	}
	number_map_fini(&known);
}

struct majority guards_majority(const struct audit *a, const struct entry_accesses *all,
				unsigned field)
{
	const unsigned told = told_guard(a, field);
	struct tallies t = {{0}};
	struct majority best;

	tally_of(&t, told); /* key 0 is never held */
	tally_all(&t, all);
	best = t.items.items[0].counted;
	best.is_told = told;
	for (size_t i = 1; !told && i < t.items.count; i++)
		if (guards_is_better(a, &t.items.items[i].counted, &best, field))
			best = t.items.items[i].counted;
	count_functions(all, &best);
	array_fini(&t.items);
	return best;
}

/* ---- guards of all accesses ------------------------------------------------------------------ */

/* True if a caller that took the lock reaches the place. */
static bool guards_is_given(const struct entry_accesses *all, size_t from, size_t to, unsigned key)
{
	for (size_t i = from; i < to; i++) {
		const struct guard *g = guard_in(all->items.items[i].guards, key);

		if (g && g->mode != HELD_WANTED && all->items.items[i].access->inner)
			return true;
	}
	return false;
}

/* True if the lock, released there but not taken, is held by some callers only. */
static bool is_doubtful(const struct audit *a, const struct entry_accesses *all, size_t from,
			size_t to, size_t i, const struct guard *g)
{
	if (g->mode == HELD_WANTED)
		return guards_is_given(all, from, to, g->key);
	return g->mode == HELD_GIVEN &&
	       number_map_get(&a->givers, all->items.items[i].function + 1) ==
		       (GIVER_HAS | GIVER_HAS_NOT);
}

static void doubt_wanted(const struct audit *a, struct entry_accesses *all, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct guarded *g = all->items.items[i].guards;
		unsigned kept = 0;

		for (unsigned k = 0; k < g->count; k++)
			if (!is_doubtful(a, all, from, to, i, &g->guards[k]))
				g->guards[kept++] = g->guards[k];
		g->count = kept;
	}
}

void guards_find(const struct audit *a, struct entry_accesses *all)
{
	array_each(struct entry_access, e, &all->items)
		e->guards = guards_of(a, e);
	for (size_t i = 0, next; i < all->items.count; i = next) {
		next = place_end(all, i);
		doubt_wanted(a, all, i, next);
	}
}
