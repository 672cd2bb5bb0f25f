#include "tracer/sched/strategy/strategy_internal.h"

#include "tracer/base/array.h"

#include <string.h>

/* Every other run looks everywhere; where that takes time, because of many accesses at own places, one of 16 at least. */
enum { OFTEN = 2, SELDOM = 16, STEPS_FOR_ONE = 64 };

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
	s->shown = &s->sharing;
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
	sharing_fini(&s->sharing);
	base_free(s);
}

enum strategy_memory strategy_memory(const struct strategy *s)
{
	/* Who has been told the steps need not count them. */
	if (s->type == &strategy_pct && s->options.steps)
		return STRATEGY_MEMORY_NONE;
	return s->type->memory;
}

/* Who need not have seen run 0 must not know what it has shown. */
static bool looks(const struct strategy *s)
{
	return s->run == 0 && s->type->looks && strategy_memory(s) != STRATEGY_MEMORY_NONE;
}

void strategy_begin(struct strategy *s, uint64_t run)
{
	strategy_apply_lessons(s, run);
	s->run = run;
	prng_seed(&s->prng, s->options.seed, run);
	s->walk = (struct spin_watch){0};
	s->last = NOBODY;
	if (looks(s))
		sharing_begin(&s->sharing);
	if (s->type->begin)
		s->type->begin(s);
}

bool strategy_is_own_place(const struct strategy *s, uint64_t place)
{
	return sharing_is_own_place(s->shown, place);
}

bool strategy_looks_everywhere(const struct strategy *s)
{
	unsigned long one_of = s->shown->own_steps / STEPS_FOR_ONE;

	one_of = one_of < OFTEN ? OFTEN : one_of > SELDOM ? SELDOM : one_of;
	return s->run == 0 || table_mix(s->options.seed, s->run) % one_of == 0;
}

bool strategy_is_own(const struct strategy *s, const struct strategy_point *p)
{
	return !strategy_looks_everywhere(s) && sharing_is_access(p) &&
	       sharing_is_own_place(s->shown, p->place);
}

static bool walks_on(const struct strategy *s)
{
	return s->type->walks && !strategy_looks_everywhere(s);
}

/* Whoever moved last, if it is at an own place, and is not seen to spin there. */
static size_t walker(struct strategy *s, const struct strategy_point *points, size_t count)
{
	if (!walks_on(s) || s->last == NOBODY)
		return STRATEGY_STOP;
	for (size_t i = 0; i < count; i++)
		if (points[i].thread == s->last)
			return strategy_is_own(s, &points[i]) && !spin_step(&s->walk, &points[i])
				       ? i
				       : STRATEGY_STOP;
	return STRATEGY_STOP;
}

size_t strategy_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	size_t i = walker(s, points, count);

	if (i == STRATEGY_STOP)
		i = s->type->choose(s, points, count);
	if (i == STRATEGY_STOP || points[i].op == STRATEGY_WAKE)
		return i;
	if (looks(s))
		sharing_saw(&s->sharing, points, count, i);
	s->last = points[i].thread;
	return i;
}

size_t strategy_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	size_t n;

	*avoid = (struct strategy_avoid){.elsewhere = most};
	n = s->type->foresee ? s->type->foresee(s, points, count, chosen, most, avoid) : 0;
	if (n < avoid->elsewhere)
		avoid->elsewhere = n;
	if (!walks_on(s))
		return n;
	return spin_left(&s->walk) < most ? spin_left(&s->walk) : most;
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
	if (looks(s))
		sharing_settle(&s->sharing);
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

bool strategy_was_fair(const struct strategy *s)
{
	return s->fair;
}
