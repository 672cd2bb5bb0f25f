/*
 * A strategy of the tester's own: `strategy { start = function(run) end, choose = function(points)
 * return i end }` in a Lua file, which has a state of its own, in the same box as gate scripts have.
 *
 * What `math.random` gives depends on the seed and the run. Faults come out as ERROR_SCRIPT with
 * "FILE:LINE: what"; none of these functions may be called after one.
 */
#ifndef GATECTL_LUA_STRATEGY_H
#define GATECTL_LUA_STRATEGY_H

#include "tracer/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct script_strategy;

/* What the thread would do next. */
struct script_point {
	unsigned thread; /* its number */
	const char *op;	 /* "lock" */
	uint64_t object;
};

/* Where it is; NULL and 0: not known. */
struct script_where {
	const char *file, *func;
	unsigned line;
};

struct script_strategy_host {
	void *ctx;
	void (*print)(void *ctx, const char *line); /* NULL: what it prints is lost */
	/* Of points[index] of the call of choose() that runs; asked when the file looks at it, and at each
	   look. NULL: nothing is known. Where it is; its thread's id, "main"; what the source calls the
	   memory or the object, "account.balance". Texts are good until the next call. */
	void (*describe)(void *ctx, size_t index, struct script_where *where);
	const char *(*thread)(void *ctx, size_t index);
	const char *(*name)(void *ctx, size_t index);
};

/* The host is copied. NULL: it cannot be read, is faulty, or has no strategy in it. */
struct script_strategy *script_strategy_new(const char *path, uint64_t seed,
					    const struct script_strategy_host *host,
					    struct error *err);
void script_strategy_free(struct script_strategy *s); /* NULL is fine */

int script_strategy_start(struct script_strategy *s, uint64_t run, struct error *err);
/* The index that it chose, from 0; -1 with an error. */
long script_strategy_choose(struct script_strategy *s, const struct script_point *points,
			    size_t count, struct error *err);

#endif
