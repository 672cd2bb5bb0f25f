/* Computes the effects of a function on locks from the locksets of its exits. */
#include "tracer/audit/flow/flow.h"

static const struct audit_held *held_at(const struct audit_helds *held, unsigned lock)
{
	for (unsigned i = 0; i < held->count; i++)
		if (held->items[i].lock == lock)
			return &held->items[i];
	return NULL;
}

static bool is_taken(const struct flow_exit *x, unsigned lock)
{
	const struct audit_held *h = held_at(&x->held, lock);

	return h && (h->mode == HELD_SHARED || h->mode == HELD_ALONE);
}

static bool is_left(const struct flow_exit *x, unsigned lock)
{
	const struct audit_held *h = held_at(&x->held, lock);

	return h && h->mode == HELD_LEFT;
}

typedef bool exit_test(const struct flow_exit *x, unsigned lock);

/* A fresh object and the address of a part are not NULL. */
static unsigned exit_signs(const struct audit_flow *w, const struct flow_exit *x)
{
	return term_kind(w->t, x->value) == TERM_FRESH ? SIGN_NOT_ZERO : x->signs;
}

/* Returns tried_of() if the sign of the result tells at which exits the change is done, or 0. */
static unsigned result_tells(const struct audit_flow *w, unsigned lock, exit_test *is_done)
{
	unsigned done = 0, failed = 0;

	array_each(const struct flow_exit, x, &w->exits)
		*(is_done(x, lock) ? &done : &failed) |= exit_signs(w, x);
	return done & failed ? 0 : tried_of(done, failed, 0);
}

static void add_effect(struct audit_flow *w, struct audit_effect effect)
{
	array_each(const struct audit_effect, known, &w->facts->effects)
		if (known->lock == effect.lock && conditions_same(&known->when, &effect.when))
			return;
	*array_add(&w->facts->effects) = effect;
}

static void add_taken(struct audit_flow *w, unsigned lock, const struct audit_held *h,
		      const struct audit_conditions *when)
{
	add_effect(w, (struct audit_effect){CHANGE_TAKES, lock, 0, h->mode == HELD_SHARED, *when});
}

static void add_left(struct audit_flow *w, unsigned lock, const struct audit_conditions *when)
{
	add_effect(w, (struct audit_effect){CHANGE_LEAVES, lock, 0, false, *when});
}

/* True if the result says where the lock is kept, and says success there: not 0 against 0, or 0
   against an error. */
static bool is_kept_on_purpose(const struct audit_flow *w, unsigned lock)
{
	const unsigned tried = result_tells(w, lock, is_taken), done = tried_done(tried),
		       failed = tried_failed(tried);

	return tried && ((failed == SIGN_ZERO && !(done & SIGN_NEGATIVE)) ||
			 (done == SIGN_ZERO && failed == SIGN_NEGATIVE));
}

static void suspect_exits(struct audit_flow *w, unsigned lock)
{
	bool releases = false;

	array_each(const struct flow_release, released, &w->released)
		releases |= released->lock == lock;
	array_each(const struct flow_exit, x, &w->exits)
		if (releases && is_taken(x, lock))
			suspect(w, &(struct suspicion){.kind = SUSPECT_KEPT_LOCK,
						       .term = lock,
						       .is_certain = !is_kept_on_purpose(w, lock),
						       .at = x->at,
						       .other = held_at(&x->held, lock)->at});
}

/* ---- returned objects that are locked -------------------------------------------------------- */

/* Object that the caller gets at the address (0 means the result), or 0. */
static unsigned got(const struct flow_exit *x, unsigned address)
{
	if (!address)
		return x->value;
	array_each(const struct state_event, e, &x->out)
		if (e->address == address)
			return e->object;
	return 0;
}

/* Renames a lock of the object that the caller gets to the caller's name `by`. Returns 0 if it is
   not in that object. */
static unsigned lock_of_given(struct audit_flow *w, unsigned lock, unsigned value, unsigned by)
{
	const enum term_kind kind = term_kind(w->t, value);

	if (!value || kind == TERM_CONSTANT || kind == TERM_PARAMETER ||
	    !term_contains(w->t, lock, value))
		return 0;
	return term_replace(w->t, lock, value, by);
}

static bool holds_of_given(struct audit_flow *w, const struct flow_exit *x, unsigned lock,
			   unsigned address, unsigned by)
{
	for (unsigned i = 0; i < x->held.count; i++)
		if (is_taken(x, x->held.items[i].lock) &&
		    lock_of_given(w, x->held.items[i].lock, got(x, address), by) == lock)
			return true;
	return false;
}

static bool is_null(const struct audit_flow *w, unsigned value)
{
	const struct term is = term_at(w->t, value);

	return is.kind == TERM_CONSTANT && !is.a;
}

/* True if the object at the address is locked on all paths where it is not NULL; adds the
   effect. */
static bool effect_on_given(struct audit_flow *w, const struct flow_exit *of,
			    const struct audit_held *h, unsigned address)
{
	const unsigned by = address ? term_of(w->t, TERM_LOAD, address, 0)
				    : term_of(w->t, TERM_RESULT, 0, 0),
		       lock = lock_of_given(w, h->lock, got(of, address), by);

	if (!lock)
		return false;
	array_each(const struct flow_exit, x, &w->exits)
		if ((!address || got(x, address)) && !is_null(w, got(x, address)) &&
		    !holds_of_given(w, x, lock, address, by))
			return false;
	number_map_set(&w->audit->handed, w->index + 1, 1);
	add_taken(w, lock, h, &of->when);
	return true;
}

static bool effect_on_any(struct audit_flow *w, const struct flow_exit *of,
			  const struct audit_held *h)
{
	if (effect_on_given(w, of, h, 0))
		return true;
	array_each(const struct state_event, e, &of->out)
		if (effect_on_given(w, of, h, e->address))
			return true;
	return false;
}

/* ---- other locks ----------------------------------------------------------------------------- */

/* True if parameters decide whether the change is done, as it is at this exit. */
static bool is_asked_for(const struct audit_flow *w, unsigned lock, const struct flow_exit *x,
			 exit_test *is_done)
{
	array_each(const struct flow_exit, other, &w->exits)
		if (!is_done(other, lock) && !conditions_differ(&x->when, &other->when))
			return false;
	return is_done(x, lock);
}

static void effect_of(struct audit_flow *w, const struct flow_exit *of, const struct audit_held *h)
{
	const unsigned lock = h->lock;
	const unsigned shared = h->mode == HELD_SHARED ? TRIED_SHARED : 0;
	size_t taken = 0, left = 0;
	unsigned tried;

	array_each(const struct flow_exit, x, &w->exits) {
		taken += is_taken(x, lock);
		left += is_left(x, lock);
	}
	/* A lock taken twice is released twice, both times as the function's own. */
	if (number_map_get(&w->twice, lock))
		left = 0;
	if (taken == w->exits.count || is_asked_for(w, lock, of, is_taken))
		add_taken(w, lock, h, &of->when);
	else if (taken && left && is_asked_for(w, lock, of, is_left))
		add_left(w, lock, &of->when);
	else if (taken && (tried = result_tells(w, lock, is_taken)))
		add_effect(w, (struct audit_effect){
				      CHANGE_TAKES, lock, tried | shared, shared, {{{0}}}});
	else if (left && !taken && left < w->exits.count &&
		 (tried = result_tells(w, lock, is_left)))
		add_effect(w, (struct audit_effect){
				      CHANGE_LEAVES, lock, tried | TRIED_LEAVES, false, {{{0}}}});
	else if (left && !taken)
		add_left(w, lock,
			 is_asked_for(w, lock, of, is_left) ? &of->when
							    : &(struct audit_conditions){{{0}}});
	/* If some paths only release it, the conditions of both are not understood. */
	if (taken && !left)
		suspect_exits(w, lock);
}

/* ---- callers' locks -------------------------------------------------------------------------- */

/* Adds the lock as HELD_GIVEN to all accesses, which precede its release. */
static void note_given(struct audit_flow *w, unsigned lock)
{
	array_each(struct audit_access *const, access, &w->facts->accesses) {
		struct audit_helds *held = &(*access)->held;
		STATE(s);

		if (held_at(held, lock))
			continue;
		for (unsigned i = 0; i < held->count; i++)
			state_take(&s, &held->items[i]);
		state_take(&s, &(struct audit_held){
				       .lock = lock, .mode = HELD_GIVEN, .at = w->function->at});
		*held = lock_helds(w, &s);
	}
}

/* True if the lock is the caller's: released, not taken, and not depending on parameters. */
static bool is_given(const struct audit_flow *w, unsigned lock, const struct flow_exit *left)
{
	array_each(const struct flow_exit, x, &w->exits) {
		const struct audit_held *h = held_at(&x->held, lock);

		if (h ? h->mode != HELD_LEFT && h->mode != HELD_BACK
		      : conditions_differ(&x->when, &left->when))
			return false;
	}
	return true;
}

void exits_effects(struct audit_flow *w)
{
	struct number_map seen = {0};

	array_each(const struct flow_exit, x, &w->exits)
		for (unsigned i = 0; i < x->held.count; i++) {
			const struct audit_held *h = &x->held.items[i];

			if (!is_taken(x, h->lock) || !effect_on_any(w, x, h))
				effect_of(w, x, h);
		}
	array_each(const struct flow_exit, x, &w->exits)
		for (unsigned i = 0; i < x->held.count; i++) {
			const unsigned lock = x->held.items[i].lock;

			if (!number_map_get(&seen, lock) && is_given(w, lock, x))
				note_given(w, lock);
			number_map_set(&seen, lock, 1);
		}
	number_map_fini(&seen);
}
