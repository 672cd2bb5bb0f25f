/* PCT: the thread with the highest random priority goes on; priorities change at d - 1 random
   steps. README.md describes spinning threads and the steps that count. */
#include "tracer/sched/strategy/strategy_internal.h"

/* From high to low: initial priorities, priorities after a change, and below them yielding
   threads. */
#define HIGH   (UINT64_C(1) << 63)
#define FALLEN (UINT64_C(1) << 62)

struct pct {
	struct strategy base;
	ARRAY(uint64_t) priorities; /* by thread; 0: not seen yet */
	ARRAY(unsigned long) falls; /* steps at which a priority changes, unordered */
	unsigned long step,
		run_steps; /* run_steps: steps of a run outside own places; 0: unknown */
	uint64_t back;	   /* the lowest priority given */
};

static void pct_begin(struct strategy *s)
{
	struct pct *p = (struct pct *)s;
	unsigned long k;

	if (s->options.steps)
		p->run_steps = s->options.steps;
	k = p->run_steps + (strategy_looks_everywhere(s) ? s->shown->own_steps : 0);
	p->priorities.count = p->falls.count = 0;
	p->step = 0;
	p->back = FALLEN;
	for (unsigned i = 1; k && i < s->options.depth; i++)
		*array_add(&p->falls) = 1 + prng_below(&s->prng, k);
}

static void pct_meet(struct pct *p, unsigned thread)
{
	uint64_t *priority = array_at(&p->priorities, thread);

	if (!*priority)
		*priority = HIGH | prng_next(&p->base.prng);
}

static size_t highest(const struct pct *p, const struct strategy_point *points, size_t count)
{
	const uint64_t *priorities = p->priorities.items;
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (priorities[points[i].thread] > priorities[points[best].thread])
			best = i;
	return best;
}

bool pct_counts(const struct strategy_point *p)
{
	return p->object != STRATEGY_NO_OBJECT && p->op != STRATEGY_CREATE &&
	       p->op != STRATEGY_START && p->op != STRATEGY_END && p->op != STRATEGY_WAKE;
}

/* Returns true if the priority of the thread that would go on changes before this step. */
static bool falls(struct pct *p, const struct strategy_point *point)
{
	bool fallen = false;

	if (!pct_counts(point) || strategy_is_own(&p->base, point))
		return false;
	p->step++;
	for (size_t i = 0; i < p->falls.count; i++) {
		if (p->falls.items[i] != p->step)
			continue;
		p->priorities.items[point->thread] = FALLEN + 1 + i;
		fallen = true;
	}
	return fallen;
}

static size_t pct_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	struct pct *p = (struct pct *)s;
	size_t best;

	for (size_t i = 0; i < count; i++)
		pct_meet(p, points[i].thread);
	best = highest(p, points, count);
	if (points[best].op == STRATEGY_WAKE)
		return best;
	if (falls(p, &points[best]))
		best = highest(p, points, count);
	if (spin_step(&p->base.spin, &points[best]) || points[best].op == STRATEGY_YIELD)
		p->priorities.items[points[best].thread] = --p->back;
	return best;
}

/* Counts each step up to the next change; steps at own places do not count. */
static size_t pct_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			  size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	const struct pct *p = (const struct pct *)s;
	size_t n = spin_left(&p->base.spin);

	if (highest(p, points, count) != chosen)
		return 0;
	n = n < most ? n : most;
	array_each(const unsigned long, fall, &p->falls)
		if (*fall > p->step && *fall - p->step - 1 < avoid->elsewhere)
			avoid->elsewhere = *fall - p->step - 1;
	return strategy_looks_everywhere(s) && avoid->elsewhere < n ? avoid->elsewhere : n;
}

/* Run 0 counts steps, without an estimate and without changes of priority. */
static void pct_end(struct strategy *s, enum strategy_result result)
{
	struct pct *p = (struct pct *)s;

	(void)result;
	if (s->run == 0 && !s->options.steps)
		p->run_steps = p->step - s->shown->own_steps;
}

static void pct_fini(struct strategy *s)
{
	struct pct *p = (struct pct *)s;

	array_fini(&p->priorities);
	array_fini(&p->falls);
}

const struct strategy_type strategy_pct = {
	.name = "pct",
	.size = sizeof(struct pct),
	.memory = STRATEGY_MEMORY_FIRST,
	.flags = STRATEGY_LOOKS | STRATEGY_COUNTS | STRATEGY_BIASED,
	.begin = pct_begin,
	.choose = pct_choose,
	.foresee = pct_foresee,
	.end = pct_end,
	.fini = pct_fini,
};
