/* Acquires and releases locks; keys and locksets. */
#include "tracer/audit/flow/flow.h"

#include <string.h>

static bool is_lock_field(const struct audit *a, struct term is)
{
	return is.kind == TERM_FIELD && a->program->fields.items[is.b].lock;
}

/* True for a struct that has nothing but a lock: a lock by another name. */
static bool is_in_wrapper(const struct audit *a, struct term field)
{
	const struct audit_program *p = a->program;

	if (field.kind != TERM_FIELD)
		return false;
	array_each(const unsigned, other, &p->records.items[p->fields.items[field.b].record].fields)
		if (!p->fields.items[*other].lock)
			return false;
	return true;
}

/* True for the only field of a variable of static storage. */
static bool is_alone_in_global(const struct audit *a, struct term field)
{
	const struct audit_program *p = a->program;

	return is_lock_field(a, field) && term_kind(&a->terms, field.a) == TERM_GLOBAL &&
	       p->records.items[p->fields.items[field.b].record].fields.count == 1;
}

static struct term without_loads(const struct audit *a, struct term is)
{
	while (is.kind == TERM_ELEMENT || is.kind == TERM_LOAD)
		is = term_at(&a->terms, is.a);
	return is;
}

unsigned audit_lock_key(const struct audit *a, unsigned lock)
{
	struct term is = without_loads(a, term_at(&a->terms, lock));

	/* The place that a pointer to a wrapped lock was loaded from says which lock it is. */
	while (is_in_wrapper(a, is) && term_kind(&a->terms, is.a) == TERM_LOAD)
		is = without_loads(a, term_at(&a->terms, is.a));
	if (is_alone_in_global(a, is))
		is = term_at(&a->terms, is.a);
	/* A lock inside a lock stands for the outer one. */
	while (is.kind == TERM_FIELD && is_lock_field(a, term_at(&a->terms, is.a)))
		is = term_at(&a->terms, is.a);
	if (is.kind == TERM_FIELD)
		return is.b + 1;
	return is.kind == TERM_GLOBAL ? is.a + (unsigned)a->program->fields.count + 1 : 0;
}

bool audit_may_be_taken_twice(const struct audit *a, unsigned lock)
{
	const unsigned object = term_object(&a->terms, lock);

	/* An array element may be another one each time. */
	for (unsigned at = lock; at != object; at = term_at(&a->terms, at).a)
		if (term_kind(&a->terms, at) == TERM_ELEMENT)
			return true;
	return number_map_get(&a->recursive, audit_lock_key(a, lock));
}

void lock_recurses(struct audit_flow *w, unsigned lock)
{
	const unsigned key = audit_lock_key(w->audit, lock);

	if (key)
		number_map_set(&w->audit->recursive, key, 1);
	else if (lock && w->records)
		summary_deed(w, (struct audit_deed){.kind = DEED_RECURSIVE, .object = lock});
}

void lock_initialise(struct audit_flow *w, unsigned lock, bool may_recurse)
{
	if (lock && w->records)
		summary_deed(w, (struct audit_deed){.kind = DEED_INIT, .object = lock})->flag |=
			may_recurse;
	if (may_recurse)
		lock_recurses(w, lock);
}

/* ---- locksets -------------------------------------------------------------------------------- */

struct audit_helds lock_helds_now(const struct state *s)
{
	return (struct audit_helds){s->held.items, (unsigned)s->held.count};
}

struct audit_helds lock_helds(struct audit_flow *w, const struct state *s)
{
	return audit_helds_of(w->audit, lock_helds_now(s));
}

struct audit_helds lock_helds_keep(struct audit_flow *w, struct audit_helds held)
{
	const size_t size = held.count * sizeof(*held.items);
	struct audit_held *kept = size ? program_alloc(w->p, size) : NULL;

	if (size)
		memcpy(kept, held.items, size);
	return (struct audit_helds){kept, held.count};
}

struct audit_helds lock_helds_inside(struct audit_flow *w, const struct state *s,
				     const struct audit_helds *inside, const struct term_binding *b)
{
	STATE(all);

	array_each(const struct audit_held, h, &s->held)
		state_take(&all, h);
	for (unsigned i = 0; i < inside->count; i++) {
		struct audit_held h = inside->items[i], *known;

		h.lock = term_bind_or_any(w->t, h.lock, b);
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
	return lock_helds(w, &all);
}

static bool acquisition_is_same(const struct audit_acquisition *a,
				const struct audit_acquisition *b)
{
	return audit_helds_same(&a->held, &b->held) && a->is_again == b->is_again &&
	       a->is_guess == b->is_guess && a->moment == b->moment &&
	       conditions_same(&a->when, &b->when);
}

void lock_acquired(struct audit_flow *w, const struct audit_acquisition *a)
{
	enum { MOST = 2000, VARIANTS_MOST = 64 }; /* of one lock */
	struct audit_facts *f = w->facts;
	struct audit_acquisition *kept;
	unsigned known, variants = 0;

	for (size_t at = 0; (known = number_map_next(&w->acquired, a->lock, &at));)
		if (acquisition_is_same(f->acquisitions.items[known - 1], a) ||
		    ++variants >= VARIANTS_MOST)
			return;
	if (f->acquisitions.count >= MOST)
		return;
	kept = program_alloc(w->p, sizeof(*kept));
	*kept = *a;
	kept->held = lock_helds_keep(w, a->held);
	*array_add(&f->acquisitions) = kept;
	number_map_add(&w->acquired, a->lock, (unsigned)f->acquisitions.count);
}

/* ---- acquire and release --------------------------------------------------------------------- */

/* Adds the lock. The latest tested value, if loaded, is taken as what decided it. */
static void take_lock(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
		      struct audit_place at)
{
	struct audit_held h = {
		.lock = lock, .mode = is_shared ? HELD_SHARED : HELD_ALONE, .at = at};

	if (s->truths.count) {
		const struct state_truth *last = &s->truths.items[s->truths.count - 1];
		const enum term_kind kind = term_kind(w->t, last->term);

		if (kind == TERM_LOAD || kind >= TERM_DERIVED) {
			h.under = last->term;
			h.under_signs = last->signs;
		}
	}
	state_begin_section(s, w->t);
	state_take(s, &h);
}

void lock_tried(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
		struct audit_place at)
{
	struct audit_held *known = state_held(s, lock);

	if (known && known->mode == HELD_LEFT)
		known->mode = HELD_BACK;
	else if (!known)
		take_lock(w, s, lock, is_shared, at);
}

static void note_acquisition(struct audit_flow *w, struct state *s, unsigned lock,
			     struct audit_place at)
{
	const struct audit_held *known = state_held(s, lock);

	if (w->records)
		lock_acquired(w, &(struct audit_acquisition){.lock = lock,
							     .is_ordered = w->compares,
							     .is_again = known &&
									 known->mode == HELD_LEFT,
							     .moment = state_moment(s),
							     .function = w->index,
							     .at = at,
							     .held = lock_helds_now(s),
							     .when = conditions_of(w, s)});
}

bool lock_is_own(const struct audit_flow *w, unsigned address)
{
	const struct term is = term_whole(w->t, address);
	const struct audit_global *g;

	if (is.kind == TERM_PARAMETER)
		return number_map_get(&w->p->lock_parameters,
				      program_parameter(w->function->usr, is.a));
	if (is.kind == TERM_GLOBAL) {
		g = program_global(w->p, is.a);
		return g && g->variable && w->p->fields.items[g->variable - 1].lock;
	}
	return is_lock_field(w->audit, is) ||
	       (is.kind == TERM_FIELD && is_lock_field(w->audit, term_at(w->t, is.a)));
}

unsigned lock_exchange(struct audit_flow *w, struct state *s, unsigned lock, bool is_done,
		       struct audit_place at)
{
	const unsigned how = is_done ? SIGN_NOT_ZERO | SIGN_ZERO << TRIED_FAILED
				     : SIGN_ZERO | SIGN_NOT_ZERO << TRIED_FAILED,
		       term = term_of(w->t, TERM_TRIED, lock, how);

	note_acquisition(w, s, lock, at);
	state_forget(s, w->t, term);
	return term;
}

void lock_take(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
	       struct audit_place at)
{
	const struct audit_held *known = lock ? state_held(s, lock) : NULL;
	const bool is_held = known && known->mode != HELD_LEFT;

	if (!lock)
		return;
	note_acquisition(w, s, lock, at);
	if (is_held)
		number_map_set(&w->twice, lock, 1);
	if (is_held && !known->is_unsure && !(is_shared && known->mode == HELD_SHARED) &&
	    !audit_may_be_taken_twice(w->audit, lock))
		suspect(w, &(struct suspicion){.kind = SUSPECT_DOUBLE_LOCK,
					       .term = lock,
					       .at = at,
					       .other = known->at});
	lock_tried(w, s, lock, is_shared, at);
}

void lock_never_was(struct state *s, const struct terms *t, unsigned object)
{
	for (size_t i = s->held.count; i > 0; i--)
		if (term_contains(t, s->held.items[i - 1].lock, object))
			array_remove(&s->held, i - 1);
}

void lock_destroyed(struct state *s, unsigned lock)
{
	const struct audit_held *known = state_held(s, lock);

	if (known)
		array_remove(&s->held, (size_t)(known - s->held.items));
}

void lock_drop_unsure(struct state *s)
{
	for (size_t i = s->held.count; i > 0; i--)
		if (s->held.items[i - 1].is_unsure)
			array_remove(&s->held, i - 1);
}

/* The only lock of this kind that is held here, if the one to release is of an object that is not
   known: it is the same, reached by another path. */
static struct audit_held *held_alike(const struct audit_flow *w, struct state *s, unsigned lock)
{
	const enum term_kind kind = term_kind(w->t, term_root(w->t, lock));
	const unsigned key = audit_lock_key(w->audit, lock);
	struct audit_held *found = NULL;

	if (kind != TERM_SITE && kind != TERM_JOIN && kind != TERM_FRESH)
		return NULL;
	array_each(struct audit_held, h, &s->held) {
		if (h->mode == HELD_LEFT || audit_lock_key(w->audit, h->lock) != key)
			continue;
		if (found)
			return NULL;
		found = h;
	}
	return found;
}

/* Notes that the function releases the lock without holding it. */
static void note_leaver(struct audit_flow *w, unsigned lock)
{
	const unsigned key = audit_lock_key(w->audit, lock);
	unsigned known;

	for (size_t at = 0; (known = number_map_next(&w->audit->leavers, key, &at));)
		if (known == w->index + 1)
			return;
	if (key)
		number_map_add(&w->audit->leavers, key, w->index + 1);
}

void lock_release(struct audit_flow *w, struct state *s, unsigned lock, struct audit_place at)
{
	struct audit_held *known;

	if (!lock)
		return;
	/* Other threads may write the guarded data from now on. */
	state_change_all(w->audit, s);
	array_each(struct state_truth, truth, &s->truths)
		truth->is_of_section |= truth->is_locked && truth->is_stale;
	known = state_held(s, lock);
	if (!known)
		known = held_alike(w, s, lock);
	if (known)
		lock = known->lock;
	if (w->records)
		*array_add(&w->released) = (struct flow_release){lock, w->block};
	if (!known && w->records && !number_map_get(&w->twice, lock))
		note_leaver(w, lock);
	if (!known) {
		state_take(s, &(struct audit_held){.lock = lock, .mode = HELD_LEFT, .at = at});
	} else if (known->mode == HELD_BACK) {
		known->mode = HELD_LEFT;
	} else if (known->mode != HELD_LEFT) {
		const unsigned taker = number_map_get(&w->takers, lock);

		if (taker)
			number_map_set(&w->audit->handed, taker, 1);
		array_remove(&s->held, (size_t)(known - s->held.items));
	}
}

static void mark_next(const struct audit_function *f, unsigned index, bool *is_reached)
{
	const struct audit_block *b = &f->blocks.items[index];
	const unsigned next[] = {b->to, b->otherwise};
	const unsigned count = b->end == END_JUMP ? 1 : b->end == END_BRANCH ? 2 : 0;

	for (unsigned i = 0; i < count; i++)
		if (!is_reached[next[i]]) {
			is_reached[next[i]] = true;
			mark_next(f, next[i], is_reached);
		}
}

bool flow_reaches(const struct audit_function *f, unsigned from, unsigned to)
{
	bool *is_reached = base_alloc(f->blocks.count + 1, sizeof(*is_reached)), is;

	mark_next(f, from, is_reached);
	is = is_reached[to];
	base_free(is_reached);
	return is;
}

/* True if the block that is evaluated is part of a loop. */
static bool is_in_loop(const struct audit_flow *w)
{
	return flow_reaches(w->function, w->block, w->block);
}

/* Notes the field that the tested value was loaded from. */
static void note_wait(struct audit_flow *w, unsigned term, unsigned lock, struct audit_place at)
{
	const unsigned key = lock ? audit_lock_key(w->audit, lock) : 0;
	unsigned field = 0;

	while (!field && term_kind(w->t, term) >= TERM_LOAD) {
		if (term_kind(w->t, term) == TERM_LOAD)
			field = field_of(w, term_at(w->t, term).a);
		term = term_at(w->t, term).a;
	}
	if (!field || !key)
		return;
	array_each(const struct audit_wait, known, &w->audit->waits)
		if (known->field == field && known->key == key)
			return;
	*array_add(&w->audit->waits) = (struct audit_wait){field, key, w->index, at};
}

/* A wait may end without a signal, and other threads come first: the test before it has to be made
   again. */
void lock_wait(struct audit_flow *w, struct state *s, unsigned condition, unsigned lock,
	       struct audit_place at)
{
	bool is_tested = false;

	array_each(const struct state_truth, truth, &s->truths)
		is_tested |= truth->is_locked &&
			     term_kind(w->t, term_root(w->t, truth->term)) != TERM_LOCAL;
	array_each(const struct state_truth, truth, &s->truths)
		if (w->records && truth->is_locked)
			note_wait(w, truth->term, lock, at);
	if (w->records && is_tested && !is_in_loop(w))
		suspect(w, &(struct suspicion){
				   .kind = SUSPECT_WAIT, .term = condition, .at = at, .other = at});
	state_change_all(w->audit, s);
}
