#include "tracer/audit/flow/state.h"

#include <string.h>

enum { WRITES_MOST = 300 };

static bool has_number(const unsigned *items, size_t count, unsigned wanted)
{
	for (size_t i = 0; i < count; i++)
		if (items[i] == wanted)
			return true;
	return false;
}

void state_init(struct state *s, unsigned locals)
{
	*s = (struct state){0};
	s->locals = locals;
	s->values = base_alloc(locals + 1, sizeof(*s->values));
}

#define COPY(to, from)                                                                             \
	do {                                                                                       \
		(to)->items =                                                                      \
			(from)->count ? base_alloc((from)->count, sizeof(*(to)->items)) : NULL;    \
		if ((from)->count)                                                                 \
			memcpy((to)->items, (from)->items, (from)->count * sizeof(*(to)->items));  \
		(to)->count = (to)->capacity = (from)->count;                                      \
	} while (0)

void state_copy(struct state *to, const struct state *from)
{
	state_init(to, from->locals);
	memcpy(to->values, from->values, from->locals * sizeof(*to->values));
	COPY(&to->held, &from->held);
	COPY(&to->truths, &from->truths);
	COPY(&to->visible, &from->visible);
	COPY(&to->freed, &from->freed);
	COPY(&to->stored, &from->stored);
	COPY(&to->out, &from->out);
	COPY(&to->written, &from->written);
	COPY(&to->loaded, &from->loaded);
	to->makes_threads = from->makes_threads;
	to->joins_threads = from->joins_threads;
	to->never = from->never;
}

void state_fini(struct state *s)
{
	base_free(s->values);
	array_fini(&s->held);
	array_fini(&s->truths);
	array_fini(&s->visible);
	array_fini(&s->freed);
	array_fini(&s->stored);
	array_fini(&s->out);
	array_fini(&s->written);
	array_fini(&s->loaded);
}

/* ---- locks ------------------------------------------------------------------------------------------------- */

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
	if (a->held.count != b->held.count)
		return false;
	for (size_t i = 0; i < a->held.count; i++)
		if (a->held.items[i].lock != b->held.items[i].lock ||
		    a->held.items[i].mode != b->held.items[i].mode)
			return false;
	return true;
}

int state_is_zero(const struct state *s, const struct terms *t, unsigned term)
{
	switch (term_at(t, term).kind) {
	case TERM_CONSTANT:
		return !term_at(t, term).a;
	case TERM_GLOBAL:
	case TERM_LOCAL:
	case TERM_FIELD:
	case TERM_FUNCTION:
		return 0;
	default:
		break;
	}
	array_each(const struct state_truth, truth, &s->truths)
		if (truth->term == term)
			return truth->is_zero;
	return -1;
}

static bool hold_same(const struct state *a, const struct state *b, struct terms *t, unsigned local,
		      unsigned joined)
{
	for (size_t i = 0; i < a->held.count; i++) {
		unsigned lock = term_replace(t, a->held.items[i].lock, a->values[local], joined);
		bool both = false;

		array_each(const struct audit_held, h, &b->held)
			both |= h->mode == a->held.items[i].mode &&
				term_replace(t, h->lock, b->values[local], joined) == lock;
		if (!both)
			return false;
	}
	return true;
}

static void rename_locks(struct state *s, struct terms *t, unsigned local, unsigned joined)
{
	struct state renamed = {0};
	int zero = state_is_zero(s, t, s->values[local]);

	if (zero >= 0)
		*array_add(&s->truths) = (struct state_truth){joined, zero, false};
	array_each(struct audit_held, h, &s->held) {
		h->lock = term_replace(t, h->lock, s->values[local], joined);
		state_take(&renamed, h);
	}
	array_fini(&s->held);
	s->held.items = renamed.held.items;
	s->held.count = renamed.held.count;
	s->held.capacity = renamed.held.capacity;
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
	bool changed = false;

	for (size_t i = s->held.count; i > 0; i--) {
		bool both = false;

		array_each(const struct audit_held, h, &from->held)
			both |= h->lock == s->held.items[i - 1].lock &&
				h->mode == s->held.items[i - 1].mode;
		if (!both)
			array_remove(&s->held, i - 1);
		changed |= !both;
	}
	return changed;
}

/* ---- what is known -------------------------------------------------------------------------------------------- */

/* Is that what is known: whether the term is 0, or another number? */
static bool is_of(const struct terms *t, const struct state_truth *truth, unsigned term)
{
	const struct term is = term_at(t, truth->term);

	return truth->term == term || (is.kind == TERM_EQUAL && is.a == term);
}

void state_forget(struct state *s, const struct terms *t, unsigned term)
{
	for (size_t i = s->truths.count; i > 0; i--)
		if (is_of(t, &s->truths.items[i - 1], term))
			array_remove(&s->truths, i - 1);
}

static bool is_load_of(const struct terms *t, unsigned term, unsigned field)
{
	struct term is = term_at(t, term);

	if (is.kind == TERM_DERIVED || is.kind == TERM_EQUAL)
		is = term_at(t, is.a);
	if (is.kind != TERM_LOAD)
		return false;
	is = term_at(t, is.a);
	return !field || is.kind != TERM_FIELD || is.b + 1 == field;
}

void state_change(struct state *s, const struct terms *t, unsigned field)
{
	array_each(struct state_truth, truth, &s->truths)
		truth->is_stale |= is_load_of(t, truth->term, field);
}

void state_load(struct state *s, const struct terms *t, unsigned term)
{
	for (size_t i = s->truths.count; i > 0; i--)
		if (s->truths.items[i - 1].is_stale && is_of(t, &s->truths.items[i - 1], term))
			array_remove(&s->truths, i - 1);
}

void state_write(struct state *s, unsigned address)
{
	if (address && !state_writes_all(s) &&
	    !has_number(s->written.items, s->written.count, address))
		*array_add(&s->written) = address;
}

bool state_writes_all(const struct state *s)
{
	return s->written.count >= WRITES_MOST;
}

unsigned state_out(const struct state *s, unsigned address)
{
	array_each(const struct audit_stored, out, &s->out)
		if (out->address == address)
			return out->object;
	return 0;
}

void state_put_out(struct state *s, unsigned address, unsigned object)
{
	array_each(struct audit_stored, out, &s->out)
		if (out->address == address) {
			out->object = object;
			return;
		}
	*array_add(&s->out) = (struct audit_stored){object, address, false};
}

const struct state_visible *state_visible(const struct state *s, unsigned object)
{
	array_each(const struct state_visible, v, &s->visible)
		if (v->object == object)
			return v;
	return NULL;
}

/* ---- two ways meet --------------------------------------------------------------------------------------------- */

/* What is known of both values is known of either. */
static bool join_values(struct state *s, const struct state *from, struct terms *t, unsigned block,
			struct state *kept)
{
	bool changed = false;

	for (unsigned i = 0; i < s->locals; i++) {
		unsigned joined;
		int zero;

		if (s->values[i] == from->values[i])
			continue;
		joined = term_of(t, TERM_JOIN, block, i);
		zero = state_is_zero(s, t, s->values[i]);
		if (zero >= 0 && zero == state_is_zero(from, t, from->values[i]))
			*array_add(&kept->truths) = (struct state_truth){joined, zero, false};
		changed |= s->values[i] != joined;
		s->values[i] = joined;
	}
	return changed;
}

static bool knows(const struct state *s, const struct state_truth *what)
{
	array_each(const struct state_truth, truth, &s->truths)
		if (truth->term == what->term && truth->is_zero == what->is_zero)
			return true;
	return false;
}

static bool is_stale(const struct state *s, const struct state_truth *what)
{
	array_each(const struct state_truth, truth, &s->truths)
		if (truth->term == what->term && truth->is_zero == what->is_zero)
			return truth->is_stale;
	return false;
}

static bool join_truths(struct state *s, const struct state *from, const struct state *kept)
{
	bool changed = false;

	for (size_t i = s->truths.count; i > 0; i--) {
		struct state_truth *is = &s->truths.items[i - 1];
		const bool stale = is_stale(from, is) && !is->is_stale;

		if (!knows(from, is) && !knows(kept, is))
			array_remove(&s->truths, i - 1);
		else if (stale)
			is->is_stale = true;
		else
			continue;
		changed = true;
	}
	array_each(const struct state_truth, other, &kept->truths)
		if (!knows(s, other)) {
			*array_add(&s->truths) = *other;
			changed = true;
		}
	return changed;
}

static bool has_stored(const struct state *s, const struct audit_stored *what)
{
	array_each(const struct audit_stored, is, &s->stored)
		if (is->object == what->object && is->address == what->address)
			return true;
	return false;
}

static bool has_freed(const struct state *s, const struct state_freed *what)
{
	array_each(const struct state_freed, is, &s->freed)
		if (is->object == what->object && is->from == what->from)
			return true;
	return false;
}

/* What may have happened. */
static bool join_events(struct state *s, const struct state *from)
{
	bool changed = false;

	array_each(const struct state_visible, v, &from->visible)
		if (!state_visible(s, v->object)) {
			*array_add(&s->visible) = *v;
			changed = true;
		}
	array_each(const struct audit_stored, is, &from->stored)
		if (!has_stored(s, is)) {
			*array_add(&s->stored) = *is;
			changed = true;
		}
	array_each(const struct state_freed, f, &from->freed)
		if (!has_freed(s, f)) {
			*array_add(&s->freed) = *f;
			changed = true;
		}
	return changed;
}

/* What has happened for certain, and what may have. */
static bool join_addresses(struct state *s, const struct state *from)
{
	bool changed = false;

	for (size_t i = s->written.count; i > 0; i--)
		if (!has_number(from->written.items, from->written.count,
				s->written.items[i - 1])) {
			array_remove(&s->written, i - 1);
			changed = true;
		}
	array_each(const unsigned, address, &from->loaded)
		if (!has_number(s->loaded.items, s->loaded.count, *address)) {
			*array_add(&s->loaded) = *address;
			changed = true;
		}
	return changed;
}

/* What is there for certain. */
static bool join_out(struct state *s, const struct state *from)
{
	bool changed = false;

	for (size_t i = s->out.count; i > 0; i--)
		if (state_out(from, s->out.items[i - 1].address) != s->out.items[i - 1].object) {
			array_remove(&s->out, i - 1);
			changed = true;
		}
	return changed;
}

bool state_join(struct state *s, const struct state *from, struct terms *t, unsigned block)
{
	struct state kept = {0};
	bool changed = join_values(s, from, t, block, &kept);

	changed |= join_truths(s, from, &kept);
	array_fini(&kept.truths);
	changed |= join_events(s, from);
	changed |= join_addresses(s, from);
	changed |= join_out(s, from);
	changed |= from->makes_threads && !s->makes_threads;
	s->makes_threads |= from->makes_threads;
	changed |= from->joins_threads && !s->joins_threads;
	s->joins_threads |= from->joins_threads;
	return changed;
}
