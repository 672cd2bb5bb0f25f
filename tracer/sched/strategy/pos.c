/* POS: the point with the highest random priority goes on; points that depend on it draw again.
   README.md describes yields. */
#include "tracer/sched/strategy/strategy_internal.h"

#define DRAWN (UINT64_C(1) << 63)

struct pos_thread {
	bool has_drawn; /* for the thread's current point */
	bool spins;
	uint64_t priority;
};

struct pos {
	struct strategy base;
	ARRAY(struct pos_thread) threads;
	uint64_t back; /* the lowest priority given */
};

static void pos_begin(struct strategy *s)
{
	struct pos *p = (struct pos *)s;

	p->threads.count = 0;
	p->back = DRAWN;
}

static void pos_draw(struct pos *p, const struct strategy_point *point)
{
	struct pos_thread *t = array_at(&p->threads, point->thread);

	if (t->has_drawn)
		return;
	if (t->spins || point->op == STRATEGY_YIELD)
		t->priority = --p->back;
	else
		t->priority = DRAWN | prng_next(&p->base.prng);
	t->has_drawn = true;
	t->spins = false;
}

static size_t pos_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	struct pos *p = (struct pos *)s;
	struct pos_thread *threads;
	size_t best = 0;

	for (size_t i = 0; i < count; i++)
		pos_draw(p, &points[i]);
	threads = p->threads.items;
	for (size_t i = 1; i < count; i++)
		if (threads[points[i].thread].priority > threads[points[best].thread].priority)
			best = i;
	for (size_t i = 0; i < count; i++)
		if (i == best || (strategy_meets(&points[i], &points[best]) &&
				  threads[points[i].thread].priority >= DRAWN))
			threads[points[i].thread].has_drawn = false;
	if (points[best].op != STRATEGY_WAKE)
		threads[points[best].thread].spins = spin_step(&p->base.spin, &points[best]);
	return best;
}

/* Returns the highest priority, drawn or to be drawn at the next choice, of points[from] to
   points[to - 1]. */
static uint64_t highest_of(const struct pos *p, struct prng *prng,
			   const struct strategy_point *points, size_t from, size_t to)
{
	uint64_t highest = 0;

	for (size_t i = from; i < to; i++) {
		const struct pos_thread none = {0}, *t = &none;
		uint64_t priority;

		if (points[i].thread < p->threads.count)
			t = &p->threads.items[points[i].thread];
		priority = t->priority;
		if (!t->has_drawn)
			priority = t->spins || points[i].op == STRATEGY_YIELD
					   ? 0
					   : DRAWN | prng_next(prng);
		highest = priority > highest ? priority : highest;
	}
	return highest;
}

static size_t pos_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			  size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	const struct pos *p = (const struct pos *)s;
	size_t left = spin_left(&p->base.spin), n = 0;
	struct prng prng = s->prng;
	uint64_t before, own, after;

	if (p->threads.items[points[chosen].thread].spins ||
	    !strategy_avoid_others(avoid, points, count, chosen))
		return 0;
	before = highest_of(p, &prng, points, 0, chosen);
	own = DRAWN | prng_next(&prng);
	after = highest_of(p, &prng, points, chosen + 1, count);
	most = left < most ? left : most;
	for (; n < most && own > before && own > after; n++)
		own = DRAWN | prng_next(&prng);
	return n;
}

static void pos_fini(struct strategy *s)
{
	struct pos *p = (struct pos *)s;

	array_fini(&p->threads);
}

const struct strategy_type strategy_pos = {
	.name = "pos",
	.size = sizeof(struct pos),
	.flags = STRATEGY_BIASED,
	.begin = pos_begin,
	.choose = pos_choose,
	.foresee = pos_foresee,
	.fini = pos_fini,
};
