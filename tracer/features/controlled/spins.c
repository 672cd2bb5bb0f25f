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

/* The different steps of the last LOOKED_AT ones; more than FEW: FEW + 1. */
static size_t kinds_of(const struct schedule *s, const struct strategy_point **known)
{
	size_t looked = s->steps.count < LOOKED_AT ? s->steps.count : LOOKED_AT, kinds = 0;

	for (size_t i = s->steps.count - looked; i < s->steps.count; i++) {
		const struct strategy_point *p = &s->steps.items[i].point;
		size_t k = 0;

		while (k < kinds && !same(known[k], p))
			k++;
		if (k == FEW)
			return FEW + 1;
		if (k == kinds)
			known[kinds++] = p;
	}
	return kinds;
}

bool controlled_spins(const struct controlled *c)
{
	const struct strategy_point *known[FEW];

	return kinds_of(&c->schedule, known) <= FEW;
}

size_t controlled_spins_enough(const struct schedule *s)
{
	const struct strategy_point *known[FEW];
	size_t kinds = kinds_of(s, known), i = s->steps.count;

	while (kinds <= FEW && i > 0) {
		size_t k = 0;

		while (k < kinds && !same(known[k], &s->steps.items[i - 1].point))
			k++;
		if (k == kinds)
			break;
		i--;
	}
	return i + 2 * LOOKED_AT < s->steps.count ? i + 2 * LOOKED_AT : s->steps.count;
}
