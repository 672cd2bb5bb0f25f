#include "tracer/explore/strategy/strategy_internal.h"

static size_t choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	(void)points;
	return (size_t)prng_below(&s->prng, count);
}

const struct strategy_type strategy_random = {
	.name = "random",
	.size = sizeof(struct strategy),
	.choose = choose,
};
