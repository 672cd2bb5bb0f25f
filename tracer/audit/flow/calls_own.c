/* Applies the summary of a function of the program where it is called: its accesses, acquisitions,
   deeds and effects, with the caller's terms. */
#include "tracer/audit/flow/calls_internal.h"
#include "tracer/audit/frontend/program.h"

static unsigned load_local(void *ctx, unsigned address)
{
	const struct audit_call *c = ctx;
	const struct term is = term_at(c->w->t, address);

	if (is.kind != TERM_LOCAL)
		return is.kind == TERM_FIELD ? state_out(c->s, address) : 0;
	return is.a == c->w->function->usr ? c->s->values[is.b] : 0;
}

static unsigned bind(const struct audit_call *c, unsigned term)
{
	return term_bind(c->w->t, term, &c->binding);
}

static void apply_accesses(const struct audit_call *c, const struct audit_facts *f)
{
	struct audit_helds inside = {NULL, 0}, here = {NULL, 0};

	array_each(struct audit_access *const, access, &f->accesses) {
		if ((*access)->flags & ACCESS_SETTLED ||
		    !conditions_hold(c->w, c->s, &(*access)->when, &c->binding))
			continue;
		/* Many successive accesses have one lockset. */
		if (!inside.count || inside.items != (*access)->held.items)
			here = lock_helds_inside(c->w, c->s, &(*access)->held, &c->binding);
		inside = (*access)->held;
		object_access_inside(c->w, c->s, *access, here, &c->binding, c->e->at);
	}
}

static struct audit_place taken_at(const struct audit_acquisition *a)
{
	while (a->inner)
		a = a->inner;
	return a->at;
}

/* Returns the caller's lockset, without locks that the callee has released by then; `to` keeps
   it. */
static struct audit_helds held_at(const struct audit_call *c, const struct audit_acquisition *inner,
				  struct state *to)
{
	for (unsigned i = 0; i < inner->held.count; i++) {
		const struct audit_held *h = &inner->held.items[i];
		struct audit_held *known;

		if (h->mode != HELD_LEFT || !state_held(c->s, bind(c, h->lock)))
			continue;
		if (!to->held.count)
			array_each(const struct audit_held, has, &c->s->held)
				state_take(to, has);
		known = state_held(to, bind(c, h->lock));
		known->mode = HELD_LEFT;
	}
	return lock_helds_now(to->held.count ? to : c->s);
}

/* Adds the callee's acquisition with the caller's lockset; the callee reports its own. */
static void apply_acquisition(const struct audit_call *c, const struct audit_acquisition *inner)
{
	const unsigned lock = bind(c, inner->lock);
	const struct audit_held *has = lock ? state_held(c->s, lock) : NULL;
	struct audit_acquisition all = *inner;
	STATE(held);

	if (!lock || !conditions_hold(c->w, c->s, &inner->when, &c->binding))
		return;
	if (has && !c->guesses && has->mode == HELD_ALONE && !has->is_unsure && !inner->is_again &&
	    !audit_may_be_taken_twice(c->w->audit, lock))
		suspect(c->w, &(struct suspicion){.kind = SUSPECT_DOUBLE_LOCK,
						  .term = lock,
						  .at = c->e->at,
						  .other = has->at,
						  .again = taken_at(inner)});
	all.lock = lock;
	all.is_guess |= c->guesses > 1;
	all.is_again |= has && has->mode == HELD_LEFT;
	all.function = c->w->index;
	all.moment = state_moment(c->s) == MOMENT_BEFORE ? inner->moment : state_moment(c->s);
	all.at = c->e->at;
	all.held = held_at(c, inner, &held);
	all.when = conditions_inside(c->w, c->s, &inner->when, &c->binding);
	all.inner = inner;
	lock_acquired(c->w, &all);
}

/* Records whether the caller holds the lock that the function releases. */
static void note_giver(const struct audit_call *c, unsigned index, unsigned lock)
{
	const struct audit_held *held = state_held(c->s, lock);
	struct number_map *givers = &c->w->audit->givers;

	if (c->w->records)
		number_map_set(
			givers, index + 1,
			number_map_get(givers, index + 1) |
				(held && held->mode != HELD_LEFT ? GIVER_HAS : GIVER_HAS_NOT));
}

/* Applies the callee's effects on locks. Returns the result of a try, or 0. */
static unsigned apply_effects(const struct audit_call *c, unsigned index,
			      const struct audit_facts *f)
{
	unsigned result = 0;

	array_each(const struct audit_effect, effect, &f->effects) {
		unsigned lock =
			term_is_known_outside(c->w->t, effect->lock) ? bind(c, effect->lock) : 0;

		if (!lock || !conditions_hold(c->w, c->s, &effect->when, &c->binding))
			continue;
		if (effect->change == CHANGE_LEAVES)
			note_giver(c, index, lock);
		else
			number_map_set(&c->w->takers, lock, index + 1);
		if (effect->tried) {
			result = state_tried(c->s, c->w->t, lock, effect->tried);
			if (effect->change == CHANGE_LEAVES && state_held(c->s, lock))
				state_held(c->s, lock)->is_unsure = true;
		} else if (effect->change == CHANGE_LEAVES) {
			lock_release(c->w, c->s, lock, c->e->at);
		} else {
			lock_tried(c->w, c->s, lock, effect->is_shared, c->e->at);
		}
	}
	return result;
}

static void apply_deed(const struct audit_call *c, const struct audit_deed *d)
{
	struct audit_flow *w = c->w;
	const unsigned object = d->kind == DEED_OUT ? 0 : bind(c, d->object);

	switch (d->kind) {
	case DEED_STORED:
		object_store(w, c->s, bind(c, d->address), object, d->flag, c->e->at);
		break;
	case DEED_GIVEN:
		object_show(w, c->s, term_object(w->t, object),
			    d->address ? term_at(w->t, d->address).a : 0, c->e->at);
		break;
	case DEED_INIT:
		if (term_is_known_outside(c->w->t, d->object))
			lock_initialise(w, object, d->flag);
		break;
	case DEED_RECURSIVE:
		lock_recurses(w, object);
		break;
	case DEED_BEGUN:
		if (w->records && object)
			summary_deed(w, (struct audit_deed){.kind = d->kind, .object = object});
		break;
	case DEED_START:
		thread_start(
			w, c->s,
			&(struct thread_started){bind(c, d->address), object, bind(c, d->handle)},
			c->e->at);
		break;
	case DEED_COUNTED:
		if (term_is_known_outside(c->w->t, d->object))
			object_count(w, object, c->e->at);
		break;
	case DEED_MADE:
		if (term_is_known_outside(c->w->t, d->object))
			object_make(w, object);
		break;
	case DEED_KEPT:
		object_keep(w, c->s, bind(c, d->address), object);
		break;
	case DEED_FREED:
		/* An object that the callee loaded itself was judged there. */
		if (term_kind(w->t, d->object) == TERM_PARAMETER)
			object_free(w, c->s, object, !d->flag, c->e->at);
		break;
	case DEED_OUT:
		break;
	}
}

/* Notes which parts of an unpublished object the callee writes. */
static void apply_writes(const struct audit_call *c, const struct audit_facts *f)
{
	array_each(const unsigned, written, &f->written) {
		const unsigned address = bind(c, *written);

		if (!address || !object_is_own(c->w, c->s, address))
			continue;
		state_write(c->s, address);
		if (state_out(c->s, address))
			state_put_out(c->s, address, 0);
	}
	array_each(const struct audit_deed, d, &f->deeds)
		if (d->kind == DEED_MADE && object_is_own(c->w, c->s, bind(c, d->object)))
			state_write(c->s, bind(c, d->object));
}

static unsigned *local_at(const struct audit_call *c, unsigned address)
{
	const struct term is = term_at(c->w->t, address);

	return is.kind == TERM_LOCAL && is.a == c->w->function->usr && is.b < c->s->locals
		       ? &c->s->values[is.b]
		       : NULL;
}

void call_forget_locals(const struct audit_call *c)
{
	for (unsigned i = 0; i < c->s->locals; i++)
		if (number_map_get(&c->w->kept, i + 1))
			c->s->values[i] = term_of(c->w->t, TERM_SITE, c->e->site, i + 1);
	for (unsigned i = 0; i < c->count; i++) {
		unsigned *local = local_at(c, c->arguments[i]);

		if (local && c->e->operands[i + 1]->is_pointer)
			*local = term_of(c->w->t, TERM_SITE, c->e->operands[i + 1]->site, 0);
	}
}

/* Stores the callee's new object at the address that it was passed. */
static void take_out(const struct audit_call *c, unsigned parameter)
{
	const unsigned address = call_argument(c, parameter);
	unsigned *local = local_at(c, address), object;

	if (!address)
		return;
	object = state_renew(c->s, c->w->t, c->e->operands[parameter + 1]->site, true);
	if (local)
		*local = object;
	else
		object_store(c->w, c->s, address, object, false, c->e->at);
}

/* Marks fields that the callee writes as stale; all if it takes locks: others may write then. */
static void forget_written(const struct audit_call *c, const struct audit_facts *f)
{
	if (f->acquisitions.count)
		state_change_all(c->w->audit, c->s);
	array_each(const unsigned, written, &f->written)
		state_change(c->w->audit, c->s, *written);
}

static bool is_given_new(const struct audit_call *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		const unsigned object = term_object(c->w->t, c->arguments[i]);

		if (object && (object_is_own(c->w, c->s, object) || object_is_made(c->w, object)) &&
		    term_kind(c->w->t, object) != TERM_LOCAL)
			return true;
	}
	return false;
}

/* Marks embedded structs whose address is passed: the callee may use all of them. */
static void note_given_whole(const struct audit_call *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		const struct term is = term_whole(c->w->t, c->arguments[i]);

		if (is.kind == TERM_FIELD)
			number_map_set(&c->w->audit->given_whole, is.b + 1, 1);
	}
}

static void apply_facts(struct audit_call *c, const struct audit_facts *f)
{
	const struct call_state is = {c->w, c->s, c->e, c->arguments, c->count};

	parts_use(&is, f->reads, f->writes);
	forget_written(c, f);
	if (c->w->records)
		apply_accesses(c, f);
	/* A program that ends takes no lock that matters to others. */
	for (size_t i = 0; c->w->records && !f->never_returns && i < f->acquisitions.count; i++)
		apply_acquisition(c, f->acquisitions.items[i]);
	apply_writes(c, f);
	array_each(const struct audit_deed, d, &f->deeds)
		apply_deed(c, d);
}

/* A callee that writes the place where it has loaded its result from takes the object out there. */
static void apply_taken_out(const struct audit_call *c, const struct audit_facts *f)
{
	const struct term is = term_at(c->w->t, f->result);

	if (is.kind == TERM_LOAD)
		array_each(const unsigned, written, &f->written)
			if (*written == is.a)
				state_write(c->s, bind(c, is.a));
}

/* A join counts as a join of all threads. */
static void apply_threads(const struct audit_call *c, const struct audit_facts *f)
{
	struct state *s = c->s;

	s->makes_threads = !f->joins_threads && (s->makes_threads || f->makes_threads);
	s->joins_threads |= f->joins_threads;
	c->w->facts->joins_threads |= f->joins_threads;
	c->w->facts->makes_threads |= f->makes_threads;
	s->never |= f->never_returns || !returns_hold(c->w, s, f, &c->binding);
}

unsigned call_own(struct audit_call *c, unsigned index, const struct audit_facts *f)
{
	struct audit_flow *w = c->w;
	unsigned tried, result;

	c->binding = (struct term_binding){c->arguments, c->count, 0, load_local, c};
	number_map_set(&w->audit->called, c->usr, 1);
	note_given_whole(c);
	if (w->records)
		*array_add(&w->audit->calls) = (struct audit_edge){
			w->index,	    index,   lock_helds(w, c->s), is_given_new(c),
			state_moment(c->s), c->e->at};
	if (f->progress != FACTS_DONE) {
		call_forget_locals(c);
		return state_anything(c->s, w->t, c->e->site);
	}
	apply_facts(c, f);
	apply_taken_out(c, f);
	result = bind(c, f->result);
	if (term_kind(w->t, f->result) == TERM_FRESH)
		result = state_renew(c->s, w->t, c->e->site, true);
	c->binding.result = result ? result : state_anything(c->s, w->t, c->e->site);
	call_forget_locals(c);
	array_each(const struct audit_deed, d, &f->deeds)
		if (d->kind == DEED_OUT)
			take_out(c, d->object);
	tried = apply_effects(c, index, f);
	apply_threads(c, f);
	return tried ? tried : c->binding.result;
}

void call_acquire(struct audit_call *c, const struct audit_facts *f)
{
	c->binding = (struct term_binding){c->arguments, c->count, 0, load_local, c};
	for (size_t i = 0; i < f->acquisitions.count; i++)
		apply_acquisition(c, f->acquisitions.items[i]);
}
