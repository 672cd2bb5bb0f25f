/* Locks that are taken and released, and how a function ends. */
#include "tracer/audit/flow/flow.h"

#include <string.h>

static bool locks_is_lock(const struct audit *a, struct term is)
{
	return is.kind == TERM_FIELD && a->program->fields.items[is.b].lock;
}

unsigned audit_lock_key(const struct audit *a, unsigned lock)
{
	struct term is = term_at(&a->terms, lock);

	while (is.kind == TERM_ELEMENT || is.kind == TERM_LOAD)
		is = term_at(&a->terms, is.a);
	/* Of a lock within a lock, the one that its user has. */
	while (is.kind == TERM_FIELD && locks_is_lock(a, term_at(&a->terms, is.a)))
		is = term_at(&a->terms, is.a);
	if (is.kind == TERM_FIELD)
		return is.b + 1;
	return is.kind == TERM_GLOBAL ? is.a + (unsigned)a->program->fields.count + 1 : 0;
}

bool audit_may_be_taken_twice(const struct audit *a, unsigned lock)
{
	/* Of an array, which one it is is not known. */
	for (unsigned at = lock; term_at(&a->terms, at).kind == TERM_FIELD ||
				 term_at(&a->terms, at).kind == TERM_ELEMENT;
	     at = term_at(&a->terms, at).a)
		if (term_at(&a->terms, at).kind == TERM_ELEMENT)
			return true;
	return number_map_get(&a->recursive, audit_lock_key(a, lock));
}

/* ---- what is held ------------------------------------------------------------------------------------------ */

static struct audit_helds keep_places(struct audit_flow *w, const struct audit_helds *held)
{
	const size_t size = held->count * sizeof(*held->items);
	struct audit_held *kept;

	if (!held->count)
		return *held;
	kept = program_alloc(w->audit->program, size);
	memcpy(kept, held->items, size);
	return (struct audit_helds){kept, held->count};
}

struct audit_helds lock_helds_now(const struct state *s)
{
	return (struct audit_helds){s->held.items, (unsigned)s->held.count};
}

struct audit_helds lock_helds(struct audit_flow *w, const struct state *s)
{
	return audit_helds_of(w->audit, s->held.items, (unsigned)s->held.count);
}

struct audit_helds lock_helds_here(struct audit_flow *w, const struct state *s)
{
	const struct audit_helds held = lock_helds_now(s);

	return keep_places(w, &held);
}

struct audit_helds lock_helds_inside(struct audit_flow *w, const struct state *s,
				     const struct audit_helds *inside, const struct term_binding *b)
{
	struct state all;
	struct audit_helds held;

	if (!inside->count)
		return lock_helds(w, s);
	state_init(&all, 0);
	array_each(const struct audit_held, h, &s->held)
		state_take(&all, h);
	for (unsigned i = 0; i < inside->count; i++) {
		struct audit_held h = inside->items[i], *known;

		h.lock = term_bind_or_any(&w->audit->terms, h.lock, b);
		known = state_held(&all, h.lock);
		if (h.mode == HELD_BACK)
			h.mode = HELD_ALONE;
		if (known && known->mode != HELD_LEFT &&
		    (h.mode == HELD_GIVEN || h.mode == HELD_WANTED))
			continue;
		if (h.mode == HELD_GIVEN)
			h.mode = HELD_WANTED;
		if (known)
			known->mode = h.mode;
		else
			state_take(&all, &h);
	}
	held = lock_helds(w, &all);
	state_fini(&all);
	return held;
}

void lock_acquired(struct audit_flow *w, const struct audit_acquisition *a)
{
	struct audit_acquisition *kept;

	array_each(const struct audit_acquisition *const, known, &w->facts->acquisitions)
		if ((*known)->lock == a->lock && audit_helds_same(&(*known)->held, &a->held) &&
		    (*known)->is_again == a->is_again && conditions_same(&(*known)->when, &a->when))
			return;
	kept = program_alloc(w->audit->program, sizeof(*kept));
	*kept = *a;
	kept->held = keep_places(w, &a->held);
	*array_add(&w->facts->acquisitions) = kept;
}

static void note_acquisition(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
			     struct audit_place at)
{
	struct audit_acquisition a = {.lock = lock,
				      .is_shared = is_shared,
				      .is_ordered = w->compares,
				      .function = w->index,
				      .at = at};

	if (!w->records)
		return;
	a.held = lock_helds_now(s);
	a.when = conditions_of(w, s);
	a.is_again = state_held(s, lock) && state_held(s, lock)->mode == HELD_LEFT;
	lock_acquired(w, &a);
}

/* If a test of what was loaded comes right before it, the lock goes with that. */
static void locks_take(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
		       struct audit_place at)
{
	struct audit_held h = {
		.lock = lock, .mode = is_shared ? HELD_SHARED : HELD_ALONE, .at = at};

	if (s->truths.count) {
		const struct state_truth *last = &s->truths.items[s->truths.count - 1];
		const enum term_kind kind = term_at(&w->audit->terms, last->term).kind;

		if (kind == TERM_LOAD || kind == TERM_DERIVED || kind == TERM_EQUAL) {
			h.under = last->term;
			h.under_zero = last->is_zero;
		}
	}
	state_take(s, &h);
}

void lock_tried(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
		struct audit_place at)
{
	struct audit_held *known = state_held(s, lock);

	if (known && known->mode == HELD_LEFT)
		known->mode = HELD_BACK;
	else if (!known)
		locks_take(w, s, lock, is_shared, at);
}

void lock_take(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
	       struct audit_place at)
{
	struct audit_held *known;

	if (!lock)
		return;
	known = state_held(s, lock);
	note_acquisition(w, s, lock, is_shared, at);
	if (known && known->mode != HELD_LEFT)
		number_map_set(&w->twice, lock, 1);
	if (known && known->mode != HELD_LEFT && !known->is_unsure &&
	    !(is_shared && known->mode == HELD_SHARED) && !audit_may_be_taken_twice(w->audit, lock))
		suspect(w, &(struct suspicion){SUSPECT_DOUBLE_LOCK, w->index, lock, 0, NULL, at,
					       known->at, false});
	lock_tried(w, s, lock, is_shared, at);
}

void lock_never_was(struct state *s, const struct terms *t, unsigned object)
{
	for (size_t i = s->held.count; i > 0; i--)
		if (term_contains(t, s->held.items[i - 1].lock, object))
			array_remove(&s->held, i - 1);
}

void lock_drop_unsure(struct state *s)
{
	for (size_t i = s->held.count; i > 0; i--)
		if (s->held.items[i - 1].is_unsure)
			array_remove(&s->held, i - 1);
}

void lock_release(struct audit_flow *w, struct state *s, unsigned lock, struct audit_place at)
{
	struct audit_held *known;

	if (!lock)
		return;
	/* Others may change what it guards from now on. */
	state_change(s, &w->audit->terms, 0);
	known = state_held(s, lock);
	if (w->records)
		*array_add(&w->released) = lock;
	if (!known) {
		state_take(s, &(struct audit_held){.lock = lock, .mode = HELD_LEFT, .at = at});
	} else if (known->mode == HELD_BACK) {
		known->mode = HELD_LEFT;
	} else if (known->mode != HELD_LEFT) {
		if (known->is_given)
			number_map_set(&w->audit->handed, audit_lock_key(w->audit, lock), 1);
		array_remove(&s->held, (size_t)(known - s->held.items));
	}
}

/* ---- how it ends ---------------------------------------------------------------------------------------------- */

static const struct audit_held *held_at(const struct flow_exit *x, unsigned lock)
{
	for (unsigned i = 0; i < x->held.count; i++)
		if (x->held.items[i].lock == lock)
			return &x->held.items[i];
	return NULL;
}

static bool locks_is_taken(const struct flow_exit *x, unsigned lock)
{
	const struct audit_held *h = held_at(x, lock);

	return h && (h->mode == HELD_SHARED || h->mode == HELD_ALONE);
}

enum sign { SIGN_ZERO = 1, SIGN_NOT_ZERO = 2, SIGN_ANY = 4 };

static enum sign sign_of(const struct terms *t, unsigned value)
{
	const struct term is = term_at(t, value);

	if (is.kind == TERM_CONSTANT)
		return is.a ? SIGN_NOT_ZERO : SIGN_ZERO;
	return is.kind == TERM_FRESH || is.kind == TERM_FIELD || is.kind == TERM_LOCAL
		       ? SIGN_NOT_ZERO
		       : SIGN_ANY;
}

/* Does the result say whether the lock is held? */
static bool locks_is_told(const struct audit_flow *w, unsigned lock, enum audit_tried *tried)
{
	unsigned with = 0, without = 0;

	array_each(const struct flow_exit, x, &w->exits)
		*(locks_is_taken(x, lock) ? &with : &without) |=
			sign_of(&w->audit->terms, x->value);
	*tried = with == SIGN_ZERO && !(without & SIGN_ZERO) ? TRIED_ZERO : TRIED_NOT_ZERO;
	return *tried == TRIED_ZERO || (without == SIGN_ZERO && !(with & SIGN_ZERO));
}

static void add_effect(struct audit_flow *w, const struct audit_effect *effect)
{
	array_each(const struct audit_effect, known, &w->facts->effects)
		if (known->lock == effect->lock && conditions_same(&known->when, &effect->when))
			return;
	*array_add(&w->facts->effects) = *effect;
}

static void add_taken(struct audit_flow *w, unsigned lock, const struct audit_held *h,
		      const struct audit_conditions *when)
{
	add_effect(w, &(struct audit_effect){CHANGE_TAKES, lock, 0, h->mode == HELD_SHARED, *when});
}

static void suspect_exits(struct audit_flow *w, unsigned lock)
{
	bool releases = false;

	array_each(const unsigned, released, &w->released)
		releases |= *released == lock;
	array_each(const struct flow_exit, x, &w->exits)
		if (releases && locks_is_taken(x, lock))
			suspect(w, &(struct suspicion){SUSPECT_KEPT_LOCK, w->index, lock, 0, NULL,
						       x->at, held_at(x, lock)->at, false});
}

/* The object comes locked from the function, wherever it has it from: to the caller it is the lock of what it gets, as
   `by` names it. 0: it is not. */
static unsigned lock_of_given(struct audit_flow *w, unsigned lock, unsigned value, unsigned by)
{
	struct terms *t = &w->audit->terms;
	const enum term_kind kind = term_at(t, value).kind;

	if (!value || kind == TERM_CONSTANT || kind == TERM_PARAMETER ||
	    !term_contains(t, lock, value))
		return 0;
	return term_replace(t, lock, value, by);
}

/* What the caller gets there: the result, or what was put at the address; 0: nothing, or who knows what. */
static unsigned got(const struct flow_exit *x, unsigned address)
{
	if (!address)
		return x->value;
	for (size_t i = 0; i < x->out.count; i++)
		if (x->out.items[i].address == address)
			return x->out.items[i].object;
	return 0;
}

static bool holds_of_given(struct audit_flow *w, const struct flow_exit *x, unsigned lock,
			   unsigned address, unsigned by)
{
	for (unsigned i = 0; i < x->held.count; i++)
		if (locks_is_taken(x, x->held.items[i].lock) &&
		    lock_of_given(w, x->held.items[i].lock, got(x, address), by) == lock)
			return true;
	return false;
}

/* Whatever comes back and is not NULL is locked. address: 0: the result. */
static bool effect_on_given(struct audit_flow *w, const struct flow_exit *of,
			    const struct audit_held *h, unsigned address)
{
	struct terms *t = &w->audit->terms;
	const unsigned by = address ? term_of(t, TERM_LOAD, address, 0)
				    : term_of(t, TERM_RESULT, 0, 0),
		       lock = lock_of_given(w, h->lock, got(of, address), by);

	if (!lock)
		return false;
	array_each(const struct flow_exit, x, &w->exits)
		if ((!address || got(x, address)) && sign_of(t, got(x, address)) != SIGN_ZERO &&
		    !holds_of_given(w, x, lock, address, by))
			return false;
	number_map_set(&w->audit->handed, audit_lock_key(w->audit, h->lock), 1);
	add_taken(w, lock, h, &of->when);
	return true;
}

static bool effect_on_any(struct audit_flow *w, const struct flow_exit *of,
			  const struct audit_held *h)
{
	if (effect_on_given(w, of, h, 0))
		return true;
	for (size_t i = 0; i < of->out.count; i++)
		if (effect_on_given(w, of, h, of->out.items[i].address))
			return true;
	return false;
}

/* Is it taken where parameters say so, and there alone? */
static bool is_asked_for(const struct audit_flow *w, unsigned lock, const struct flow_exit *x)
{
	array_each(const struct flow_exit, other, &w->exits)
		if (!locks_is_taken(other, lock) && !conditions_differ(&x->when, &other->when))
			return false;
	return true;
}

static void effect_of(struct audit_flow *w, const struct flow_exit *of, const struct audit_held *h)
{
	const unsigned lock = h->lock;
	enum audit_tried tried;
	size_t taken = 0, left = 0;

	array_each(const struct flow_exit, x, &w->exits) {
		const struct audit_held *is = held_at(x, lock);

		taken += locks_is_taken(x, lock);
		left += is && is->mode == HELD_LEFT;
	}
	/* What was taken twice is released twice: it is this function's own the second time, too. */
	if (number_map_get(&w->twice, lock))
		left = 0;
	if (taken == w->exits.count || (locks_is_taken(of, lock) && is_asked_for(w, lock, of)))
		add_taken(w, lock, h, &of->when);
	else if (taken && locks_is_told(w, lock, &tried))
		add_effect(w, &(struct audit_effect){
				      CHANGE_MAY_TAKE, lock, tried, h->mode == HELD_SHARED, {{0}}});
	else if (left && !taken)
		add_effect(w, &(struct audit_effect){CHANGE_LEAVES, lock, 0, false, {{0}}});
	if (left)
		number_map_set(&w->audit->handed, audit_lock_key(w->audit, lock), 1);
	if (taken)
		suspect_exits(w, lock);
}

static bool is_in(const struct audit_helds *held, unsigned lock)
{
	for (unsigned i = 0; i < held->count; i++)
		if (held->items[i].lock == lock)
			return true;
	return false;
}

/* What comes before the release of a lock that was taken elsewhere is done with it in hand. */
static struct audit_helds with_given(struct audit_flow *w, const struct audit_helds *held,
				     unsigned lock)
{
	struct audit_helds all;
	struct state s;

	state_init(&s, 0);
	for (unsigned i = 0; i < held->count; i++)
		state_take(&s, &held->items[i]);
	state_take(&s,
		   &(struct audit_held){.lock = lock, .mode = HELD_GIVEN, .at = w->function->at});
	all = lock_helds(w, &s);
	state_fini(&s);
	return all;
}

static void note_given(struct audit_flow *w, unsigned lock)
{
	array_each(const struct audit_access *, access, &w->facts->accesses) {
		struct audit_access *with;

		if (is_in(&(*access)->held, lock))
			continue;
		with = program_alloc(w->audit->program, sizeof(*with));
		*with = **access;
		with->held = with_given(w, &with->held, lock);
		*access = with;
	}
}

/* Whoever releases a lock and has not taken it was given it, unless parameters say whether he was. */
static bool locks_is_given(const struct audit_flow *w, unsigned lock, const struct flow_exit *left)
{
	array_each(const struct flow_exit, x, &w->exits) {
		const struct audit_held *h = held_at(x, lock);

		if (h ? h->mode != HELD_LEFT && h->mode != HELD_BACK
		      : conditions_differ(&x->when, &left->when))
			return false;
	}
	return true;
}

static void find_given(struct audit_flow *w)
{
	struct number_map seen = {0};

	array_each(const struct flow_exit, x, &w->exits)
		for (unsigned i = 0; i < x->held.count; i++) {
			const unsigned lock = x->held.items[i].lock;

			if (!number_map_get(&seen, lock) && locks_is_given(w, lock, x))
				note_given(w, lock);
			number_map_set(&seen, lock, 1);
		}
	number_map_fini(&seen);
}

void lock_effects(struct audit_flow *w)
{
	array_each(const struct flow_exit, x, &w->exits)
		for (unsigned i = 0; i < x->held.count; i++) {
			const struct audit_held *h = &x->held.items[i];

			if (!locks_is_taken(x, h->lock) || !effect_on_any(w, x, h))
				effect_of(w, x, h);
		}
	find_given(w);
}
