/* A strategy in Lua, wrapped as a struct strategy. Faults of the file end the search. */
#include "tracer/sched/scripted/scripted.h"

#include "lua/script.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/strategy/strategy.h"

#include <string.h>

struct scripted {
	struct scripted_host host;
	struct script_strategy *script; /* owned */
	const struct strategy_point *points;
	ARRAY(struct script_point) shown;
};

bool scripted_is_file(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, ".lua") == 0;
}

static void scripted_print(void *ctx, const char *line)
{
	const struct scripted *s = ctx;

	if (s->host.print)
		s->host.print(s->host.ctx, line);
}

static void scripted_describe(void *ctx, size_t index, struct script_where *where)
{
	const struct scripted *s = ctx;
	struct schedule_where is = {0};

	if (s->host.describe)
		s->host.describe(s->host.ctx, &s->points[index], &is);
	*where = (struct script_where){is.file, is.func, is.line};
}

static const char *thread(void *ctx, size_t index)
{
	const struct scripted *s = ctx;

	return s->host.thread ? s->host.thread(s->host.ctx, &s->points[index]) : NULL;
}

static const char *name(void *ctx, size_t index)
{
	const struct scripted *s = ctx;

	return s->host.name ? s->host.name(s->host.ctx, &s->points[index]) : NULL;
}

static void scripted_begin(void *ctx, uint64_t run)
{
	struct scripted *s = ctx;

	if (!s->host.err->code)
		script_strategy_start(s->script, run, s->host.err);
}

static size_t scripted_choose(void *ctx, const struct strategy_point *points, size_t count)
{
	struct scripted *s = ctx;
	long chosen;

	if (s->host.err->code)
		return STRATEGY_GIVE_UP;
	s->points = points;
	s->shown.count = 0;
	for (size_t i = 0; i < count; i++)
		*array_add(&s->shown) = (struct script_point){
			points[i].thread, schedule_op(points[i].op), points[i].object};
	chosen = script_strategy_choose(s->script, s->shown.items, count, s->host.err);
	return chosen < 0 ? STRATEGY_GIVE_UP : (size_t)chosen;
}

static void scripted_fini(void *ctx)
{
	struct scripted *s = ctx;

	script_strategy_free(s->script);
	array_fini(&s->shown);
	base_free(s);
}

struct strategy *scripted_new(const char *path, uint64_t seed, const struct scripted_host *host)
{
	struct scripted *s = base_alloc(1, sizeof(*s));
	const struct script_strategy_host script_host = {s, scripted_print, scripted_describe,
							 thread, name};

	s->host = *host;
	s->script = script_strategy_new(path, seed, &script_host, host->err);
	if (!s->script) {
		scripted_fini(s);
		return NULL;
	}
	return strategy_custom_new(&(struct strategy_callbacks){
		.ctx = s,
		.memory = STRATEGY_MEMORY_ALL,
		.begin = scripted_begin,
		.choose = scripted_choose,
		.fini = scripted_fini,
	});
}
