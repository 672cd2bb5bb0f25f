#include "tracer/sched/strategy/guide.h"
#include "tracer/sched/strategy/spin.h"
#include "tracer/sched/strategy/strategy_internal.h"

#include "tracer/base/array.h"

struct guide_loose {
	struct strategy base;
	ARRAY(struct strategy_segment) segments;
	ARRAY(unsigned long) behind; /* by thread; 0: it is not. The lowest came there first */
	unsigned long went_behind;
	size_t at;	    /* segment */
	unsigned long done; /* steps of it */
	unsigned running;
	struct spin_watch spin;
};

static void guide_loose_begin(struct strategy *s)
{
	struct guide_loose *g = (struct guide_loose *)s;

	g->behind.count = 0;
	g->went_behind = 0;
	g->at = 0;
	g->done = 0;
	g->running = NOBODY;
	g->spin = (struct spin_watch){0};
}

static size_t index_of(const struct strategy_point *points, size_t count, unsigned thread)
{
	size_t i = 0;

	while (i < count && points[i].thread != thread)
		i++;
	return i;
}

static size_t wake(const struct guide_loose *g, const struct strategy_point *points, size_t count)
{
	for (size_t at = g->at; at < g->segments.count; at++) {
		size_t i = index_of(points, count, g->segments.items[at].thread);

		if (i < count)
			return i;
	}
	return 0;
}

/* `count`: no segment is left. */
static size_t guide_loose_follow(struct guide_loose *g, const struct strategy_point *points,
				 size_t count)
{
	for (; g->at < g->segments.count; g->at++, g->done = 0) {
		const struct strategy_segment *segment = &g->segments.items[g->at];
		size_t i = index_of(points, count, segment->thread);

		if (g->done < segment->steps && i < count) {
			g->done++;
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

	for (size_t i = 1; i < count; i++) {
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
		while (g->behind.count <= points[i].thread)
			*array_add(&g->behind) = 0;
	i = guide_loose_follow(g, points, count);
	if (i == count)
		i = guide_loose_go_on(g, points, count);
	g->running = points[i].thread;
	g->behind.items[g->running] = 0;
	if (spin_step(&g->spin, &points[i]) || points[i].op == STRATEGY_YIELD)
		g->behind.items[g->running] = ++g->went_behind;
	return i;
}

static void guide_loose_fini(struct strategy *s)
{
	struct guide_loose *g = (struct guide_loose *)s;

	array_fini(&g->segments);
	array_fini(&g->behind);
}

static const struct strategy_type type = {
	.name = "loose",
	.size = sizeof(struct guide_loose),
	.begin = guide_loose_begin,
	.choose = guide_loose_choose,
	.fini = guide_loose_fini,
};

struct strategy *strategy_guide_loose(const struct strategy_segment *segments, size_t count)
{
	struct strategy *s = strategy_alloc(&type, &(struct strategy_options){0});
	struct guide_loose *g = (struct guide_loose *)s;

	for (size_t i = 0; i < count; i++)
		*array_add(&g->segments) = segments[i];
	return s;
}
