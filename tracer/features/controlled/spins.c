/*
 * A run of very many steps: a livelock, or only a long one? In a livelock few different steps (thread,
 * place, object) are left, and they come again and again.
 */
#include "tracer/features/controlled/controlled.h"

enum { LOOKED_AT = 8192, FEW = 64 };

static bool same(const struct strategy_point *a, const struct strategy_point *b)
{
	return a->thread == b->thread && a->place == b->place && a->object == b->object;
}

bool controlled_spins(const struct controlled *c)
{
	const struct schedule *s = &c->schedule;
	size_t looked = s->steps.count < LOOKED_AT ? s->steps.count : LOOKED_AT, kinds = 0;
	const struct strategy_point *known[FEW];

	for (size_t i = s->steps.count - looked; i < s->steps.count; i++) {
		const struct strategy_point *p = &s->steps.items[i].point;
		size_t k = 0;

		while (k < kinds && !same(known[k], p))
			k++;
		if (k == FEW)
			return false;
		if (k == kinds)
			known[kinds++] = p;
	}
	return true;
}
