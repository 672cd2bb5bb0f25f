#include "tracer/sched/strategy/custom.h"
#include "tracer/sched/strategy/strategy_internal.h"

struct custom {
	struct strategy base;
	struct strategy_type type; /* the memory is each one's own */
	struct strategy_callbacks callbacks;
};

static const struct strategy_callbacks *callbacks_of(const struct strategy *s)
{
	return &((const struct custom *)s)->callbacks;
}

static void custom_begin(struct strategy *s)
{
	if (callbacks_of(s)->begin)
		callbacks_of(s)->begin(callbacks_of(s)->ctx, s->run);
}

static size_t custom_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	size_t i = STRATEGY_GIVE_UP;

	if (!s->is_done)
		i = callbacks_of(s)->choose(callbacks_of(s)->ctx, points, count);
	s->is_done = i == STRATEGY_GIVE_UP;
	return s->is_done ? STRATEGY_STOP : i;
}

static void custom_end(struct strategy *s, enum strategy_result result)
{
	if (callbacks_of(s)->end)
		callbacks_of(s)->end(callbacks_of(s)->ctx, result);
}

static void custom_fini(struct strategy *s)
{
	if (callbacks_of(s)->fini)
		callbacks_of(s)->fini(callbacks_of(s)->ctx);
}

static const struct strategy_type any = {
	.name = "custom",
	.size = sizeof(struct custom),
	.begin = custom_begin,
	.choose = custom_choose,
	.end = custom_end,
	.fini = custom_fini,
};

struct strategy *strategy_custom_new(const struct strategy_callbacks *callbacks)
{
	struct strategy *s = strategy_alloc(&any, &(struct strategy_options){0});
	struct custom *c = (struct custom *)s;

	c->callbacks = *callbacks;
	c->type = any;
	c->type.memory = callbacks->memory;
	s->type = &c->type;
	return s;
}
