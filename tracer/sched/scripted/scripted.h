/* A strategy written in Lua (lua/strategy.h), as a struct strategy. */
#ifndef GATECTL_SCHED_SCRIPTED_SCRIPTED_H
#define GATECTL_SCHED_SCRIPTED_SCRIPTED_H

#include "tracer/base/error.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/strategy/strategy.h"

struct scripted_host {
	void *ctx;
	void (*print)(void *ctx, const char *line); /* NULL: output is discarded */
	/* Sets the point's place in the source; called only if the file asks. NULL: unknown. The
	   texts are valid until the next call. */
	void (*describe)(void *ctx, const struct strategy_point *point,
			 struct schedule_where *where);
	/* Return the id of the point's thread, and the source's name of its object. NULL:
	   unknown. */
	const char *(*thread)(void *ctx, const struct strategy_point *point);
	const char *(*name)(void *ctx, const struct strategy_point *point);
	/* Receives a fault of the file ("FILE:LINE: what"), which ends the search and the
	   current run. The caller owns the error, which outlives the strategy. */
	struct error *err;
};

/* Returns true if the strategy's name is the name of a Lua file. */
bool scripted_is_file(const char *name);

/* Returns a strategy whose strategy_memory() is ALL, because the file may keep what it saw.
   Returns NULL with host->err set. */
struct strategy *scripted_new(const char *path, uint64_t seed, const struct scripted_host *host);

#endif
