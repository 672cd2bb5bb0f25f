#include "tracer/sched/strategy/strategy_internal.h"

static size_t random_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	(void)points;
	return (size_t)prng_below(&s->prng, count);
}

static size_t random_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			     size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	struct prng prng = s->prng;
	size_t n = 0;

	(void)points;
	(void)avoid;
	while (n < most && prng_below(&prng, count) == chosen)
		n++;
	return n;
}

const struct strategy_type strategy_random = {
	.name = "random",
	.size = sizeof(struct strategy),
	.memory = STRATEGY_MEMORY_FIRST,
	.looks = true,
	.walks = true,
	.choose = random_choose,
	.foresee = random_foresee,
};
