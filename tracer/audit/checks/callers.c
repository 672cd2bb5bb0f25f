/* Which locks do all who call a function hold? Accesses that are settled do not say it. */
#include "tracer/audit/flow/flow.h"
#include "tracer/audit/checks/guards.h"

/* Of a lock's key, and how it is held, a number. */
static unsigned item_of(unsigned key, bool alone)
{
	return 2 * key + alone;
}

static bool callers_has(const struct caller_locks *c, unsigned key, bool *alone)
{
	array_each(const unsigned, item, &c->items)
		if (*item / 2 == key) {
			*alone = *item & 1;
			return true;
		}
	return false;
}

/* At the call: what the caller took, and what its own callers did, but for what it has released. */
static void held_at_call(const struct audit *a, const struct audit_edge *e,
			 struct caller_locks *out)
{
	out->items.count = 0;
	for (unsigned i = 0; i < e->held.count; i++) {
		const unsigned key = audit_lock_key(a, e->held.items[i].lock);

		if (key && e->held.items[i].mode != HELD_LEFT)
			*array_add(&out->items) =
				item_of(key, e->held.items[i].mode != HELD_SHARED);
	}
	array_each(const unsigned, item, &a->callers[e->from].items) {
		bool is_left = false, alone;

		for (unsigned i = 0; i < e->held.count; i++)
			is_left |= e->held.items[i].mode == HELD_LEFT &&
				   audit_lock_key(a, e->held.items[i].lock) == *item / 2;
		if (!is_left && !callers_has(out, *item / 2, &alone))
			*array_add(&out->items) = *item;
	}
}

/* What both say; true: that is less than it was. */
static bool callers_meet(struct caller_locks *c, const struct caller_locks *with)
{
	bool changed = false;

	for (size_t i = c->items.count; i > 0; i--) {
		unsigned *item = &c->items.items[i - 1];
		bool alone = false;

		if (!callers_has(with, *item / 2, &alone)) {
			array_remove(&c->items, i - 1);
			changed = true;
		} else if (!alone && *item & 1) {
			*item = item_of(*item / 2, false);
			changed = true;
		}
	}
	return changed;
}

static bool take_in(struct caller_locks *c, const struct caller_locks *at_call)
{
	if (c->is_known)
		return callers_meet(c, at_call);
	array_each(const unsigned, item, &at_call->items)
		*array_add(&c->items) = *item;
	return c->is_known = true;
}

void callers_find(struct audit *a)
{
	struct caller_locks at_call = {0};
	bool changes = true;

	a->callers = base_alloc(a->program->functions.count + 1, sizeof(*a->callers));
	for (unsigned i = 0; i < a->program->functions.count; i++)
		a->callers[i].is_known = entries_is(a, i);
	while (changes) {
		changes = false;
		array_each(const struct audit_edge, e, &a->calls) {
			if (!a->callers[e->from].is_known || entries_is(a, e->to) || e->is_of_new)
				continue;
			held_at_call(a, e, &at_call);
			changes |= take_in(&a->callers[e->to], &at_call);
		}
	}
	array_fini(&at_call.items);
}

void callers_forget(struct audit *a)
{
	for (size_t i = 0; a->callers && i < a->program->functions.count; i++)
		array_fini(&a->callers[i].items);
	base_free(a->callers);
}
