/* A strategy that a Lua file gives (lua/strategy.h), as a struct strategy like others. */
#ifndef GATECTL_SCHED_SCRIPTED_SCRIPTED_H
#define GATECTL_SCHED_SCRIPTED_SCRIPTED_H

#include "tracer/base/error.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/strategy/strategy.h"

struct scripted_host {
	void *ctx;
	void (*print)(void *ctx, const char *line); /* NULL: lost */
	/* Where the point is, whose thread is held at it now: asked only when the file looks. NULL: not known.
	   Texts are good until the next call. */
	void (*describe)(void *ctx, const struct strategy_point *point,
			 struct schedule_where *where);
	/* Its thread's id; what the source calls what it is about. NULL, also for an answer: not known. */
	const char *(*thread)(void *ctx, const struct strategy_point *point);
	const char *(*name)(void *ctx, const struct strategy_point *point);
	/* A fault of the file goes there ("FILE:LINE: what"): then the search is done, and no run that is
	   going on goes further. It outlives the strategy. */
	struct error *err;
};

/* Does the name mean a file? */
bool scripted_is_file(const char *name);

/* It may keep what it saw: strategy_memory() is ALL. NULL: a fault, in host->err. */
struct strategy *scripted_new(const char *path, uint64_t seed, const struct scripted_host *host);

#endif
