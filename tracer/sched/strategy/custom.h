/* A strategy made of functions of others: what this room may not know, as a Lua file. */
#ifndef GATECTL_SCHED_STRATEGY_CUSTOM_H
#define GATECTL_SCHED_STRATEGY_CUSTOM_H

#include "tracer/sched/strategy/strategy.h"

#define STRATEGY_GIVE_UP ((size_t)-2)

/* As those of strategy.h. All but choose() may be NULL. */
struct strategy_callbacks {
	void *ctx;
	enum strategy_memory memory;
	void (*begin)(void *ctx, uint64_t run);
	/* GIVE_UP: the run is stopped, and the search is done. */
	size_t (*choose)(void *ctx, const struct strategy_point *points, size_t count);
	void (*end)(void *ctx, enum strategy_result result);
	void (*fini)(void *ctx); /* by strategy_free() */
};

struct strategy *strategy_custom_new(const struct strategy_callbacks *callbacks); /* copied */

#endif
