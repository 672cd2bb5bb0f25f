/* What the strategies have in common: one table of functions each. */
#ifndef GATECTL_EXPLORE_STRATEGY_INTERNAL_H
#define GATECTL_EXPLORE_STRATEGY_INTERNAL_H

#include "tracer/explore/strategy/prng.h"
#include "tracer/explore/strategy/strategy.h"

/* The first member of each strategy's own struct. */
struct strategy {
	const struct strategy_type *type;
	struct strategy_options options;
	uint64_t run;
	struct prng prng; /* of this run */
	bool is_done;
	unsigned long strayed;
};

struct strategy_type {
	const char *name;
	size_t size; /* of its own struct */
	enum strategy_memory memory;
	/* All but choose() may be NULL. */
	void (*begin)(struct strategy *s);
	size_t (*choose)(struct strategy *s, const struct strategy_point *points, size_t count);
	void (*end)(struct strategy *s, enum strategy_result result);
	void (*fini)(struct strategy *s);
};

struct strategy *strategy_alloc(const struct strategy_type *type,
				const struct strategy_options *options);

extern const struct strategy_type strategy_random, strategy_pct, strategy_pos, strategy_surw,
	strategy_dfs;

#endif
