#include "tracer/explore/strategy/strategy_internal.h"

#include "tracer/base/array.h"

#include <string.h>

static const struct strategy_type *const types[] = {
	&strategy_auto, &strategy_random, &strategy_pct, &strategy_pos,
	&strategy_surw, &strategy_rff,	  &strategy_dfs,
};

const char *strategy_name(size_t i)
{
	return i < sizeof(types) / sizeof(*types) ? types[i]->name : NULL;
}

struct strategy *strategy_alloc(const struct strategy_type *type,
				const struct strategy_options *options)
{
	struct strategy *s = base_alloc(1, type->size);

	s->type = type;
	s->options = *options;
	return s;
}

struct strategy *strategy_new(const char *name, const struct strategy_options *options)
{
	for (size_t i = 0; strategy_name(i); i++)
		if (strcmp(types[i]->name, name) == 0)
			return strategy_alloc(types[i], options);
	return NULL;
}

void strategy_free(struct strategy *s)
{
	if (!s)
		return;
	if (s->type->fini)
		s->type->fini(s);
	strategy_free_lessons(s);
	base_free(s);
}

enum strategy_memory strategy_memory(const struct strategy *s)
{
	/* Who has been told the steps need not count them. */
	if (s->type == &strategy_pct && s->options.steps)
		return STRATEGY_MEMORY_NONE;
	return s->type->memory;
}

void strategy_begin(struct strategy *s, uint64_t run)
{
	strategy_apply_lessons(s, run);
	s->run = run;
	prng_seed(&s->prng, s->options.seed, run);
	if (s->type->begin)
		s->type->begin(s);
}

size_t strategy_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	return s->type->choose(s, points, count);
}

size_t strategy_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	avoid->count = 0;
	return s->type->foresee ? s->type->foresee(s, points, count, chosen, most, avoid) : 0;
}

bool strategy_avoid_object(struct strategy_avoid *avoid, uint64_t object)
{
	if (object == STRATEGY_NO_OBJECT)
		return true;
	for (size_t i = 0; i < avoid->count; i++)
		if (avoid->objects[i] == object)
			return true;
	if (avoid->count == STRATEGY_AVOID || object == STRATEGY_ANY_OBJECT)
		return false;
	avoid->objects[avoid->count++] = object;
	return true;
}

bool strategy_avoid_others(struct strategy_avoid *avoid, const struct strategy_point *points,
			   size_t count, size_t chosen)
{
	for (size_t i = 0; i < count; i++)
		if (i != chosen && !strategy_avoid_object(avoid, points[i].object))
			return false;
	return true;
}

void strategy_end(struct strategy *s, enum strategy_result result)
{
	if (s->type->end)
		s->type->end(s, result);
	strategy_keep_lesson(s);
}

bool strategy_is_done(const struct strategy *s)
{
	return s->is_done;
}

unsigned long strategy_strayed(const struct strategy *s)
{
	return s->strayed;
}
