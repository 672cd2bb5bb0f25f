/* Abstract state at one point of a function: values, lockset, truths, events. */
#include "tracer/audit/flow/flow.h"

#include "tracer/base/hash.h"

#include <string.h>

enum { WRITES_MOST = 300 };

void state_init(struct state *s, unsigned locals)
{
	*s = (struct state){.locals = locals};
	s->values = base_alloc(locals + 1, sizeof(*s->values));
}

#define COPY(to, from)                                                                             \
	do {                                                                                       \
		(to)->items = base_alloc((from)->count + 1, sizeof(*(to)->items));                 \
		if ((from)->count)                                                                 \
			memcpy((to)->items, (from)->items, (from)->count * sizeof(*(to)->items));  \
		(to)->count = (from)->count;                                                       \
		(to)->capacity = (from)->count + 1;                                                \
	} while (0)

void state_copy(struct state *to, const struct state *from)
{
	*to = *from;
	to->values = base_alloc(from->locals + 1, sizeof(*to->values));
	memcpy(to->values, from->values, from->locals * sizeof(*to->values));
	COPY(&to->held, &from->held);
	COPY(&to->truths, &from->truths);
	COPY(&to->events, &from->events);
}

void state_fini(struct state *s)
{
	base_free(s->values);
	array_fini(&s->held);
	array_fini(&s->truths);
	array_fini(&s->events);
}

/* ---- locks ----------------------------------------------------------------------------------- */

struct audit_held *state_held(struct state *s, unsigned lock)
{
	array_each(struct audit_held, h, &s->held)
		if (h->lock == lock)
			return h;
	return NULL;
}

unsigned state_any_lock(const struct state *s)
{
	array_each(const struct audit_held, h, &s->held)
		if (h->mode != HELD_LEFT)
			return h->lock;
	return 0;
}

void state_take(struct state *s, const struct audit_held *h)
{
	size_t at = s->held.count;

	(void)array_add(&s->held);
	for (; at > 0 && s->held.items[at - 1].lock > h->lock; at--)
		s->held.items[at] = s->held.items[at - 1];
	s->held.items[at] = *h;
}

bool state_holds_same(const struct state *a, const struct state *b)
{
	const struct audit_helds x = lock_helds_now(a), y = lock_helds_now(b);

	return audit_helds_same(&x, &y);
}

/* True if b holds all locks of a, with `joined` for the local's value in both. */
static bool hold_same(const struct state *a, const struct state *b, struct terms *t, unsigned local,
		      unsigned joined)
{
	array_each(const struct audit_held, mine, &a->held) {
		unsigned lock = term_replace(t, mine->lock, a->values[local], joined);
		bool both = false;

		array_each(const struct audit_held, h, &b->held)
			both |= h->mode == mine->mode &&
				term_replace(t, h->lock, b->values[local], joined) == lock;
		if (!both)
			return false;
	}
	return true;
}

static void rename_locks(struct state *s, struct terms *t, unsigned local, unsigned joined)
{
	struct state old = *s;
	const unsigned signs = state_signs(s, t, s->values[local]);

	if (signs != SIGN_ANY)
		*array_add(&s->truths) = (struct state_truth){joined, signs, false, false, false};
	s->held.items = NULL;
	s->held.count = s->held.capacity = 0;
	array_each(struct audit_held, h, &old.held) {
		h->lock = term_replace(t, h->lock, s->values[local], joined);
		state_take(s, h);
	}
	array_fini(&old.held);
	s->values[local] = joined;
}

bool state_rename_locks(struct state *a, struct state *b, struct terms *t, unsigned block)
{
	if (a->held.count != b->held.count || !a->held.count)
		return false;
	for (unsigned i = 0; i < a->locals; i++) {
		unsigned joined = term_of(t, TERM_JOIN, block, i);

		if (!a->values[i] || !b->values[i] || a->values[i] == b->values[i] ||
		    !hold_same(a, b, t, i, joined))
			continue;
		rename_locks(a, t, i, joined);
		rename_locks(b, t, i, joined);
		return true;
	}
	return false;
}

bool state_meet_locks(struct state *s, const struct state *from)
{
	const size_t before = s->held.count;

	for (size_t i = s->held.count; i > 0; i--) {
		const struct audit_held *h =
			state_held((struct state *)from, s->held.items[i - 1].lock);

		if (!h || h->mode != s->held.items[i - 1].mode)
			array_remove(&s->held, i - 1);
	}
	return s->held.count != before;
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct state_truth *find_truth(const struct state *s, unsigned term)
{
	array_each(struct state_truth, truth, &s->truths)
		if (truth->term == term)
			return truth;
	return NULL;
}

/* True for a pointer to an object whose lock is held. */
static bool has_lock_held(const struct state *s, const struct terms *t, unsigned pointer)
{
	array_each(const struct audit_held, h, &s->held) {
		unsigned at = h->mode != HELD_LEFT ? h->lock : 0;

		while (term_kind(t, at) == TERM_FIELD && term_at(t, at).a != pointer)
			at = term_at(t, at).a;
		if (term_kind(t, at) == TERM_FIELD)
			return true;
	}
	return false;
}

unsigned state_signs(const struct state *s, const struct terms *t, unsigned term)
{
	const struct state_truth *truth = find_truth(s, term);
	const struct term is = term_at(t, term);

	if (truth)
		return truth->signs;
	if (has_lock_held(s, t, term))
		return SIGN_NOT_ZERO;
	switch (is.kind) {
	case TERM_CONSTANT:
		return signs_of_number((int)is.a);
	case TERM_GLOBAL:
	case TERM_LOCAL:
	case TERM_FIELD:
	case TERM_FUNCTION:
		return SIGN_NOT_ZERO;
	case TERM_TRIED:
		return tried_done(is.b) | tried_failed(is.b);
	case TERM_EQUAL:
		return term_kind(t, is.a) != TERM_CONSTANT ? SIGN_ANY
		       : term_at(t, is.a).a == is.b	   ? SIGN_POSITIVE
							   : SIGN_ZERO;
	default:
		return SIGN_ANY;
	}
}

int state_is_zero(const struct state *s, const struct terms *t, unsigned term)
{
	const unsigned signs = state_signs(s, t, term);

	return signs == SIGN_ZERO ? 1 : signs & SIGN_ZERO ? -1 : 0;
}

static bool is_test(enum term_kind kind)
{
	return kind == TERM_EQUAL || kind == TERM_ABOVE || kind == TERM_BITS;
}

/* True if `test` is the term, or a test of its value. */
static bool is_test_of(const struct terms *t, unsigned test, unsigned term)
{
	while (test != term && is_test(term_kind(t, test)))
		test = term_at(t, test).a;
	return test == term;
}

/* Removes truths of the term: that it is 0, equal to another number and so on. */
static void forget_truths(struct state *s, const struct terms *t, unsigned term, bool stale_alone)
{
	for (size_t i = s->truths.count; i > 0; i--) {
		const struct state_truth *truth = &s->truths.items[i - 1];

		if (is_test_of(t, truth->term, term) && (truth->is_stale || !stale_alone))
			array_remove(&s->truths, i - 1);
	}
}

void state_forget(struct state *s, const struct terms *t, unsigned term)
{
	forget_truths(s, t, term, false);
}

unsigned state_anything(struct state *s, struct terms *t, unsigned site)
{
	const unsigned term = term_of(t, TERM_SITE, site, 0);

	state_forget(s, t, term);
	return term;
}

unsigned state_tried(struct state *s, struct terms *t, unsigned lock, unsigned how)
{
	const unsigned term = lock ? term_of(t, TERM_TRIED, lock, how) : 0;

	state_forget(s, t, term);
	return term;
}

/* Forgets that objects were given to a thread which could not be made. */
static void forget_given(struct state *s, unsigned result)
{
	for (size_t i = s->events.count; i > 0; i--)
		if (s->events.items[i - 1].kind == STATE_VISIBLE &&
		    s->events.items[i - 1].result == result)
			array_remove(&s->events, i - 1);
}

void state_know(struct state *s, unsigned term, unsigned signs)
{
	struct state_truth truth = {term, signs, false, state_any_lock(s) != 0, false};

	for (size_t i = s->truths.count; i > 0; i--)
		if (s->truths.items[i - 1].term == term) {
			truth.is_stale = s->truths.items[i - 1].is_stale;
			array_remove(&s->truths, i - 1);
		}
	*array_add(&s->truths) = truth;
	if (term && !(signs & SIGN_ZERO))
		forget_given(s, term);
}

void state_see(struct state *s, unsigned value)
{
	s->seen[s->seen_count++ % SECTION_LOADS] = value;
}

void state_begin_section(struct state *s, const struct terms *t)
{
	array_each(struct state_truth, truth, &s->truths)
		for (unsigned i = 0; i < SECTION_LOADS && i < s->seen_count; i++)
			truth->is_of_section |= !truth->is_locked && s->seen[i] &&
						term_contains(t, truth->term, s->seen[i]);
}

void state_load(struct state *s, const struct terms *t, unsigned term)
{
	forget_truths(s, t, term, true);
	array_each(struct state_truth, truth, &s->truths)
		if (term_contains(t, truth->term, term))
			truth->is_of_section = false;
}

/* Address that the value was loaded from, or 0; of its bits, *bits is the mask, else 0. */
static unsigned loaded_from(const struct terms *t, unsigned term, unsigned *bits)
{
	struct term is = term_at(t, term);

	for (*bits = 0; is.kind == TERM_DERIVED || is_test(is.kind); is = term_at(t, is.a))
		*bits = is.kind == TERM_BITS ? is.b : *bits;
	return is.kind == TERM_LOAD ? is.a : 0;
}

unsigned state_flag(unsigned place, unsigned bits)
{
	return place ? number_map_key(hash_word(hash_word(HASH_START, place), bits)) : 0;
}

void state_change(const struct audit *a, struct state *s, unsigned address)
{
	const unsigned written = audit_lock_key(a, address);

	array_each(struct state_truth, truth, &s->truths) {
		unsigned bits;
		const unsigned from = loaded_from(&a->terms, truth->term, &bits),
			       key = from ? audit_lock_key(a, from) : 0;

		truth->is_stale |= from && written && (!key || key == written);
	}
}

void state_change_all(const struct audit *a, struct state *s)
{
	array_each(struct state_truth, truth, &s->truths) {
		unsigned bits;
		const unsigned from = loaded_from(&a->terms, truth->term, &bits);

		truth->is_stale |=
			from &&
			!number_map_get(&a->flags, state_flag(audit_lock_key(a, from), bits));
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

const struct state_event *state_find(const struct state *s, enum state_kind kind, unsigned object,
				     unsigned address)
{
	array_each(const struct state_event, e, &s->events)
		if (e->kind == kind && (!object || e->object == object) &&
		    (!address || e->address == address))
			return e;
	return NULL;
}

void state_note(struct state *s, const struct state_event *e)
{
	if (!state_find(s, e->kind, e->object, e->address))
		*array_add(&s->events) = *e;
}

void state_drop(struct state *s, enum state_kind kind, unsigned address, bool held)
{
	for (size_t i = s->events.count; i > 0; i--) {
		const struct state_event *e = &s->events.items[i - 1];

		if (e->kind == kind && e->address == address &&
		    (!held || (e->lock && state_held(s, e->lock))))
			array_remove(&s->events, i - 1);
	}
}

void state_forget_shared(struct state *s, unsigned object)
{
	for (size_t i = s->events.count; i > 0; i--)
		if (s->events.items[i - 1].kind == STATE_VISIBLE && object &&
		    s->events.items[i - 1].object == object)
			array_remove(&s->events, i - 1);
}

void state_write(struct state *s, unsigned address)
{
	if (address && !state_writes_all(s))
		state_note(s, &(struct state_event){
				      STATE_WRITTEN, address, address, 0, {0}, 0, false, 0});
}

bool state_writes_all(const struct state *s)
{
	size_t count = 0;

	if (s->events.count < WRITES_MOST)
		return false;
	array_each(const struct state_event, e, &s->events)
		count += e->kind == STATE_WRITTEN;
	return count >= WRITES_MOST;
}

unsigned state_out(const struct state *s, unsigned address)
{
	const struct state_event *e = address ? state_find(s, STATE_OUT, 0, address) : NULL;

	return e ? e->object : 0;
}

void state_put_out(struct state *s, unsigned address, unsigned object)
{
	const struct state_event *e = state_find(s, STATE_OUT, 0, address);

	if (e)
		s->events.items[e - s->events.items].object = object;
	else
		*array_add(&s->events) =
			(struct state_event){STATE_OUT, object, address, 0, {0}, 0, false, 0};
}

enum audit_moment state_moment(const struct state *s)
{
	return s->makes_threads ? MOMENT_SHARED : s->joins_threads ? MOMENT_JOINED : MOMENT_BEFORE;
}

/* ---- new objects ----------------------------------------------------------------------------- */

unsigned state_renew(struct state *s, struct terms *t, unsigned site, bool is_zeroed)
{
	const unsigned fresh = term_of(t, TERM_FRESH, site, is_zeroed ? FRESH_ZEROED : 0),
		       older = term_of(t, TERM_FRESH, site,
				       FRESH_OLDER | (is_zeroed ? FRESH_ZEROED : 0));
	struct state was = *s;

	for (unsigned i = 0; i < s->locals; i++)
		s->values[i] = term_replace(t, s->values[i], fresh, older);
	for (size_t i = s->truths.count; i > 0; i--)
		if (term_contains(t, s->truths.items[i - 1].term, fresh))
			array_remove(&s->truths, i - 1);
	s->events.items = NULL;
	s->events.count = s->events.capacity = 0;
	array_each(struct state_event, e, &was.events) {
		e->object = term_replace(t, e->object, fresh, older);
		e->address = term_replace(t, e->address, fresh, older);
		e->lock = term_replace(t, e->lock, fresh, older);
		state_note(s, e);
	}
	array_fini(&was.events);
	array_each(struct audit_held, h, &s->held)
		h->lock = term_replace(t, h->lock, fresh, older);
	return fresh;
}

/* ---- joins ----------------------------------------------------------------------------------- */

/* Keeps whether both values equal a number that the value of s was compared with. */
static void join_equal(const struct state *s, unsigned of, const struct state *from, unsigned with,
		       struct terms *t, unsigned joined, struct state *kept)
{
	for (size_t i = 0; i < s->truths.count; i++) {
		const struct state_truth *is = &s->truths.items[i];
		const struct term equal = term_at(t, is->term);
		unsigned term, signs;

		if (equal.kind != TERM_EQUAL || equal.a != of)
			continue;
		signs = is->signs | state_signs(from, t, term_of(t, TERM_EQUAL, with, equal.b));
		term = term_of(t, TERM_EQUAL, joined, equal.b);
		if (signs != SIGN_ANY && !find_truth(kept, term))
			*array_add(&kept->truths) =
				(struct state_truth){term, signs, false, false, false};
	}
}

/* Joins the values of locals, which `kept` gets; what is known of both values is known of the
   join. */
static bool join_values(struct state *s, const struct state *from, struct terms *t, unsigned block,
			struct state *kept)
{
	bool changed = false;

	for (unsigned i = 0; i < s->locals; i++) {
		unsigned joined, signs;

		if (s->values[i] == from->values[i])
			continue;
		joined = term_of(t, TERM_JOIN, block, i);
		signs = state_signs(s, t, s->values[i]) | state_signs(from, t, from->values[i]);
		if (signs != SIGN_ANY)
			*array_add(&kept->truths) =
				(struct state_truth){joined, signs, false, false, false};
		join_equal(s, s->values[i], from, from->values[i], t, joined, kept);
		join_equal(from, from->values[i], s, s->values[i], t, joined, kept);
		changed |= s->values[i] != joined;
		s->values[i] = kept->values[i] = joined;
	}
	return changed;
}

/* True if what is known of the term may be of an earlier value of a joined local. */
static bool is_of_joined(const struct state *kept, const struct terms *t, unsigned term)
{
	for (unsigned i = 0; i < kept->locals; i++)
		if (kept->values[i] && term_contains(t, term, kept->values[i]))
			return true;
	return false;
}

static bool join_truths(struct state *s, const struct state *from, const struct terms *t,
			const struct state *kept)
{
	bool changed = false;

	for (size_t i = s->truths.count; i > 0; i--) {
		struct state_truth *is = &s->truths.items[i - 1];
		const struct state_truth was = *is, *joined = find_truth(kept, is->term),
					 *other = is_of_joined(kept, t, is->term)
							  ? NULL
							  : find_truth(from, is->term);

		is->signs |= joined ? joined->signs : other ? other->signs : SIGN_ANY;
		is->is_stale |= other && other->is_stale;
		changed |= is->signs != was.signs || is->is_stale != was.is_stale;
		if (is->signs == SIGN_ANY)
			array_remove(&s->truths, i - 1);
	}
	array_each(const struct state_truth, other, &kept->truths)
		if (!find_truth(s, other->term)) {
			*array_add(&s->truths) = *other;
			changed = true;
		}
	return changed;
}

static bool join_events(struct state *s, const struct state *from)
{
	const size_t before = s->events.count;
	size_t kept;

	for (size_t i = s->events.count; i > 0; i--) {
		const struct state_event *e = &s->events.items[i - 1], *other;

		if (e->kind != STATE_WRITTEN && e->kind != STATE_OUT)
			continue;
		other = state_find(from, e->kind, 0, e->address);
		if ((other ? other->object : 0) != e->object)
			array_remove(&s->events, i - 1);
	}
	kept = s->events.count;
	array_each(const struct state_event, e, &from->events)
		if (e->kind != STATE_WRITTEN && e->kind != STATE_OUT)
			state_note(s, e);
	return kept != before || s->events.count != kept;
}

bool state_join(struct state *s, const struct state *from, struct terms *t, unsigned block)
{
	STATE(kept);
	bool changed;

	state_init(&kept, s->locals);
	changed = join_values(s, from, t, block, &kept);
	changed |= join_truths(s, from, t, &kept);
	changed |= join_events(s, from);
	changed |= (from->makes_threads && !s->makes_threads) ||
		   (from->joins_threads && !s->joins_threads);
	s->makes_threads |= from->makes_threads;
	s->joins_threads |= from->joins_threads;
	return changed;
}

void suspect(struct audit_flow *w, const struct suspicion *s)
{
	struct suspicion *added;

	if (!w->records)
		return;
	array_each(const struct suspicion, known, &w->audit->suspicions)
		if (known->kind == s->kind && known->function == w->index &&
		    known->term == s->term && known->field == s->field &&
		    known->at.line == s->at.line && known->at.column == s->at.column)
			return;
	added = array_add(&w->audit->suspicions);
	*added = *s;
	added->function = w->index;
	added->moment = w->now ? state_moment(w->now) : MOMENT_SHARED;
}
