/* What parameters have to be, for a function to come to a place: whether it locks may be up to who calls it. */
#include "tracer/audit/flow/flow.h"

#include <string.h>

static void conditions_add(struct audit_conditions *c, unsigned parameter, bool is_zero)
{
	const unsigned item = 2 * (parameter + 1) + is_zero;

	for (unsigned i = 0; i < CONDITIONS_MOST; i++) {
		if (c->items[i] / 2 == item / 2)
			return;
		if (!c->items[i]) {
			c->items[i] = item;
			return;
		}
	}
}

struct audit_conditions conditions_of(const struct audit_flow *w, const struct state *s)
{
	struct audit_conditions c = {{0}};

	array_each(const struct state_truth, truth, &s->truths) {
		const struct term is = term_at(&w->audit->terms, truth->term);

		if (is.kind == TERM_PARAMETER)
			conditions_add(&c, is.a, truth->is_zero);
	}
	return c;
}

bool conditions_hold(const struct audit_flow *w, const struct state *s,
		     const struct audit_conditions *inner, const struct term_binding *b)
{
	for (unsigned i = 0; i < CONDITIONS_MOST && inner->items[i]; i++) {
		const unsigned parameter = inner->items[i] / 2 - 1;
		const int zero =
			parameter < b->count && b->arguments[parameter]
				? state_is_zero(s, &w->audit->terms, b->arguments[parameter])
				: -1;

		if (zero >= 0 && zero != (int)(inner->items[i] & 1))
			return false;
	}
	return true;
}

struct audit_conditions conditions_inside(const struct audit_flow *w, const struct state *s,
					  const struct audit_conditions *inner,
					  const struct term_binding *b)
{
	struct audit_conditions c = conditions_of(w, s);

	for (unsigned i = 0; i < CONDITIONS_MOST && inner->items[i]; i++) {
		const unsigned parameter = inner->items[i] / 2 - 1;
		const struct term is = term_at(&w->audit->terms,
					       parameter < b->count ? b->arguments[parameter] : 0);

		if (is.kind == TERM_PARAMETER)
			conditions_add(&c, is.a, inner->items[i] & 1);
	}
	return c;
}

bool conditions_same(const struct audit_conditions *a, const struct audit_conditions *b)
{
	return memcmp(a->items, b->items, sizeof(a->items)) == 0;
}

bool conditions_differ(const struct audit_conditions *a, const struct audit_conditions *b)
{
	for (unsigned i = 0; i < CONDITIONS_MOST && a->items[i]; i++)
		for (unsigned k = 0; k < CONDITIONS_MOST && b->items[k]; k++)
			if ((a->items[i] ^ b->items[k]) == 1)
				return true;
	return false;
}
