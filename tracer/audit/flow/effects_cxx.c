/* Effects of functions that only C++ has: lock holders, several locks at once, constructors. */
#include "tracer/audit/flow/flow.h"

static unsigned argument_at(const struct call_state *c, unsigned i)
{
	return i < c->count ? c->arguments[i] : 0;
}

/* std::lock() takes several locks in no order: each as if it came first. */
static void lock_all(const struct call_state *c)
{
	STATE(before);

	state_copy(&before, c->s);
	for (unsigned i = 0; i < c->count; i++) {
		STATE(alone);

		state_copy(&alone, &before);
		lock_take(c->w, &alone, argument_at(c, i), false, c->e->at);
		if (argument_at(c, i))
			lock_tried(c->w, c->s, argument_at(c, i), false, c->e->at);
	}
}

/* Lock in the object, or the object itself, that is in the lockset; NULL if there is none. */
static struct audit_held *held_in(const struct call_state *c, unsigned object)
{
	array_each(struct audit_held, h, &c->s->held)
		if (object && term_contains(c->w->t, h->lock, object))
			return h;
	return NULL;
}

/* Lock that the holder at the address points to, or 0. */
static unsigned held_by(const struct call_state *c, unsigned address)
{
	const struct term is = term_at(c->w->t, address);
	unsigned value;

	if (is.kind == TERM_LOCAL)
		value = is.a == c->w->function->usr ? c->s->values[is.b] : 0;
	else
		value = state_out(c->s, address);
	if (!value)
		value = term_of(c->w->t, TERM_LOAD, address, 0);
	return term_kind(c->w->t, value) == TERM_CONSTANT ? 0 : value;
}

static void release_held(const struct call_state *c, bool is_given)
{
	const unsigned lock = held_by(c, argument_at(c, 0));
	const struct audit_held *h = held_in(c, lock);

	if (h && h->mode != HELD_LEFT)
		lock_release(c->w, c->s, h->lock, c->e->at);
	else if (!h && is_given)
		lock_release(c->w, c->s, lock, c->e->at);
}

/* A value that only this evaluation has. */
static unsigned anything(const struct call_state *c)
{
	const unsigned value = term_of(c->w->t, TERM_SITE, c->e->site, 0);

	state_forget(c->s, c->w->t, value);
	return value;
}

/* Whether the holder's lock is held; one of another function may be held by a caller. */
static unsigned owns(const struct call_state *c)
{
	const unsigned lock = argument_at(c, 0);
	const struct audit_held *h = held_in(c, lock);
	const enum term_kind kind = term_kind(c->w->t, lock);

	if (!h && (kind == TERM_LOAD || kind == TERM_PARAMETER || kind == TERM_UNKNOWN))
		return anything(c);
	return term_of(c->w->t, TERM_CONSTANT, h && h->mode != HELD_LEFT, 0);
}

unsigned effect_cxx(const struct call_state *c, enum call_effect effect)
{
	switch (effect) {
	case DOES_LOCK_ALL:
		lock_all(c);
		break;
	case DOES_MAKE:
		object_make(c->w, argument_at(c, 0));
		c->w->constructs = argument_at(c, 0);
		break;
	case DOES_RELEASE:
	case DOES_RELEASE_GIVEN:
		release_held(c, effect == DOES_RELEASE_GIVEN);
		break;
	case DOES_OWNS:
		return owns(c);
	default:
		break;
	}
	return anything(c);
}
