/* Strategies from outside: an exact list of choices, a loose list of segments, or callbacks. */
#include "tracer/sched/strategy/strategy_internal.h"

/* ---- exact list -------------------------------------------------------------------------- */

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

/* Compares objects only if a module contains both, since addresses of heaps and stacks may
   differ. */
static bool guide_exact_is_same(const struct strategy_point *a, const struct strategy_point *b)
{
	return a->op == b->op && a->place == b->place &&
	       (!a->fixed || !b->fixed || a->fixed == b->fixed);
}

static bool is_spurious(const struct strategy_point *p)
{
	return p->op == STRATEGY_SPURIOUS;
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
		if (points[i].thread == recorded->thread &&
		    is_spurious(&points[i]) == is_spurious(recorded))
			came = &points[i];
	if (!came || !guide_exact_is_same(came, recorded))
		return differ(g, came);
	g->step++;
	return (size_t)(came - points);
}

/* A truncated run was ended from outside, which is no difference. */
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

static const struct strategy_type strategy_exact = {
	.name = "exact",
	.size = sizeof(struct guide_exact),
	.flags = STRATEGY_SPURIOUSLY,
	.begin = guide_exact_begin,
	.choose = guide_exact_choose,
	.end = guide_exact_end,
	.fini = guide_exact_fini,
};

struct strategy *strategy_guide_exact(const struct strategy_point *choices, size_t count)
{
	struct strategy *s = strategy_alloc(&strategy_exact, &(struct strategy_options){0});
	struct guide_exact *g = (struct guide_exact *)s;

	for (size_t i = 0; i < count; i++)
		*array_add(&g->choices) = choices[i];
	return s;
}

const struct strategy_difference *strategy_guide_differs(const struct strategy *s)
{
	const struct guide_exact *g = (const struct guide_exact *)s;

	return s->type == &strategy_exact && g->differs ? &g->difference : NULL;
}

size_t strategy_guide_followed(const struct strategy *s)
{
	const struct guide_exact *g = (const struct guide_exact *)s;

	return s->type == &strategy_exact ? g->step : 0;
}

/* ---- loose list -------------------------------------------------------------------------- */

struct guide_loose {
	struct strategy base;
	ARRAY(struct strategy_segment) segments;
	ARRAY(unsigned long) behind; /* by thread: the order in which threads yielded; 0: has not */
	unsigned long went_behind;
	size_t at;	    /* index of the current segment */
	unsigned long done; /* steps of the current segment */
	bool woken;	    /* the current segment has had its SPURIOUS step */
	unsigned running;
};

static void guide_loose_begin(struct strategy *s)
{
	struct guide_loose *g = (struct guide_loose *)s;

	g->behind.count = 0;
	g->went_behind = 0;
	g->at = 0;
	g->done = 0;
	g->woken = false;
	g->running = NOBODY;
}

static size_t index_of(const struct strategy_point *points, size_t count, unsigned thread,
		       bool spurious)
{
	size_t i = 0;

	while (i < count && (points[i].thread != thread || is_spurious(&points[i]) != spurious))
		i++;
	return i;
}

static size_t wake(const struct guide_loose *g, const struct strategy_point *points, size_t count)
{
	for (size_t at = g->at; at < g->segments.count; at++) {
		size_t i = index_of(points, count, g->segments.items[at].thread, false);

		if (i < count)
			return i;
	}
	return 0;
}

/* Returns `count` if no segment is left. */
static size_t guide_loose_follow(struct guide_loose *g, const struct strategy_point *points,
				 size_t count)
{
	for (; g->at < g->segments.count; g->at++, g->done = 0, g->woken = false) {
		const struct strategy_segment *segment = &g->segments.items[g->at];
		size_t i = count;

		if (segment->spurious && !g->woken)
			i = index_of(points, count, segment->thread, true);
		if (i == count)
			i = index_of(points, count, segment->thread, false);
		if (g->done < segment->steps && i < count) {
			g->done++;
			g->woken |= is_spurious(&points[i]);
			return i;
		}
	}
	return count;
}

static size_t guide_loose_go_on(const struct guide_loose *g, const struct strategy_point *points,
				size_t count)
{
	const unsigned long *behind = g->behind.items;
	size_t best = 0;

	for (size_t i = 1; i < count && !is_spurious(&points[i]); i++) {
		unsigned thread = points[i].thread, other = points[best].thread;

		if (behind[thread] < behind[other] ||
		    (behind[thread] == behind[other] &&
		     (thread == g->running || (thread < other && other != g->running))))
			best = i;
	}
	return best;
}

static size_t guide_loose_choose(struct strategy *s, const struct strategy_point *points,
				 size_t count)
{
	struct guide_loose *g = (struct guide_loose *)s;
	size_t i;

	if (points[0].op == STRATEGY_WAKE)
		return wake(g, points, count);
	for (i = 0; i < count; i++)
		(void)array_at(&g->behind, points[i].thread);
	i = guide_loose_follow(g, points, count);
	if (i == count)
		i = guide_loose_go_on(g, points, count);
	g->running = points[i].thread;
	g->behind.items[g->running] = 0;
	if (spin_step(&g->base.spin, &points[i]) || points[i].op == STRATEGY_YIELD)
		g->behind.items[g->running] = ++g->went_behind;
	return i;
}

static void guide_loose_fini(struct strategy *s)
{
	struct guide_loose *g = (struct guide_loose *)s;

	array_fini(&g->segments);
	array_fini(&g->behind);
}

static const struct strategy_type strategy_loose = {
	.name = "loose",
	.size = sizeof(struct guide_loose),
	.flags = STRATEGY_SPURIOUSLY,
	.begin = guide_loose_begin,
	.choose = guide_loose_choose,
	.fini = guide_loose_fini,
};

struct strategy *strategy_guide_loose(const struct strategy_segment *segments, size_t count)
{
	struct strategy *s = strategy_alloc(&strategy_loose, &(struct strategy_options){0});
	struct guide_loose *g = (struct guide_loose *)s;

	for (size_t i = 0; i < count; i++)
		*array_add(&g->segments) = segments[i];
	return s;
}

/* ---- callbacks --------------------------------------------------------------------------- */

struct custom {
	struct strategy base;
	struct strategy_callbacks callbacks;
};

static void custom_begin(struct strategy *s)
{
	const struct custom *c = (const struct custom *)s;

	if (c->callbacks.begin)
		c->callbacks.begin(c->callbacks.ctx, s->run);
}

static size_t custom_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	const struct custom *c = (const struct custom *)s;
	size_t i = STRATEGY_GIVE_UP;

	if (!s->is_done)
		i = c->callbacks.choose(c->callbacks.ctx, points, count);
	s->is_done = i == STRATEGY_GIVE_UP;
	return s->is_done ? STRATEGY_STOP : i;
}

static void custom_fini(struct strategy *s)
{
	const struct custom *c = (const struct custom *)s;

	if (c->callbacks.fini)
		c->callbacks.fini(c->callbacks.ctx);
}

static const struct strategy_type strategy_custom = {
	.name = "custom",
	.size = sizeof(struct custom),
	.begin = custom_begin,
	.choose = custom_choose,
	.fini = custom_fini,
};

struct strategy *strategy_custom_new(const struct strategy_callbacks *callbacks)
{
	struct strategy *s = strategy_alloc(&strategy_custom, &(struct strategy_options){0});

	((struct custom *)s)->callbacks = *callbacks;
	s->memory = callbacks->memory;
	return s;
}
