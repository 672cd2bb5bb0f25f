#include "tracer/sched/strategy/guide.h"
#include "tracer/sched/strategy/strategy_internal.h"

#include "tracer/base/array.h"

struct guide_exact {
	struct strategy base;
	ARRAY(struct strategy_point) choices;
	size_t step;
	bool differs;
	struct strategy_difference difference;
};

static void guide_exact_begin(struct strategy *s)
{
	struct guide_exact *g = (struct guide_exact *)s;

	g->step = 0;
	g->differs = false;
}

static size_t differ(struct guide_exact *g, const struct strategy_point *came)
{
	if (g->differs)
		return STRATEGY_STOP;
	g->differs = true;
	g->difference = (struct strategy_difference){
		.step = g->step,
		.is_longer = g->step == g->choices.count,
		.has_come = came != NULL,
	};
	if (!g->difference.is_longer)
		g->difference.recorded = g->choices.items[g->step];
	if (came)
		g->difference.came = *came;
	return STRATEGY_STOP;
}

/* Objects are compared where a module has both: heaps and stacks may be laid out in other ways. */
static bool guide_exact_is_same(const struct strategy_point *a, const struct strategy_point *b)
{
	return a->op == b->op && a->place == b->place &&
	       (!a->fixed || !b->fixed || a->fixed == b->fixed);
}

static size_t guide_exact_choose(struct strategy *s, const struct strategy_point *points,
				 size_t count)
{
	struct guide_exact *g = (struct guide_exact *)s;
	const struct strategy_point *recorded, *came = NULL;

	if (g->step == g->choices.count)
		return differ(g, &points[0]);
	recorded = &g->choices.items[g->step];
	for (size_t i = 0; i < count && !came; i++)
		if (points[i].thread == recorded->thread)
			came = &points[i];
	if (!came || !guide_exact_is_same(came, recorded))
		return differ(g, came);
	g->step++;
	return (size_t)(came - points);
}

/* A run that was cut ended where somebody else wanted it. */
static void guide_exact_end(struct strategy *s, enum strategy_result result)
{
	struct guide_exact *g = (struct guide_exact *)s;

	if (g->step < g->choices.count && result != STRATEGY_CUT)
		differ(g, NULL);
}

static void guide_exact_fini(struct strategy *s)
{
	struct guide_exact *g = (struct guide_exact *)s;

	array_fini(&g->choices);
}

static const struct strategy_type type = {
	.name = "exact",
	.size = sizeof(struct guide_exact),
	.begin = guide_exact_begin,
	.choose = guide_exact_choose,
	.end = guide_exact_end,
	.fini = guide_exact_fini,
};

struct strategy *strategy_guide_exact(const struct strategy_point *choices, size_t count)
{
	struct strategy *s = strategy_alloc(&type, &(struct strategy_options){0});
	struct guide_exact *g = (struct guide_exact *)s;

	for (size_t i = 0; i < count; i++)
		*array_add(&g->choices) = choices[i];
	return s;
}

const struct strategy_difference *strategy_guide_differs(const struct strategy *s)
{
	const struct guide_exact *g = (const struct guide_exact *)s;

	return s->type == &type && g->differs ? &g->difference : NULL;
}

size_t strategy_guide_followed(const struct strategy *s)
{
	const struct guide_exact *g = (const struct guide_exact *)s;

	return s->type == &type ? g->step : 0;
}
