/* RFF: a run obeys an abstract schedule (rff_corpus.h) as far as possible; POS chooses among
   equal points. README.md describes how constraints order points. */
#include "tracer/sched/strategy/rff_corpus.h"

enum { PATIENCE = 1000 };

struct rff {
	struct strategy base;
	struct strategy *pos; /* owned */
	struct rff_corpus corpus;
	struct rff_news news;
	/* State of this run: */
	struct rff_abstract schedule;
	size_t parent;
	bool satisfied[RFF_CONSTRAINTS];
	struct reads_from reads;
	ARRAY(bool) spins;	     /* by thread */
	ARRAY(unsigned) passed_over; /* by thread: choices in a row without it */
	bool gave_up;
	ARRAY(uint64_t) events;		   /* of the points */
	ARRAY(struct strategy_point) best; /* points that POS chooses from */
	ARRAY(size_t) indexes;		   /* their indexes among all points */
};

static void rff_begin(struct strategy *s)
{
	struct rff *f = (struct rff *)s;

	if (!f->pos)
		f->pos = strategy_alloc(&strategy_pos, &s->options);
	strategy_begin(f->pos, s->run);
	f->parent = rff_corpus_draw(&f->corpus, &s->prng, &f->schedule);
	reads_from_clear(&f->reads);
	f->spins.count = f->passed_over.count = 0;
	f->gave_up = false;
	for (size_t i = 0; i < RFF_CONSTRAINTS; i++)
		f->satisfied[i] = false;
}

/* ---- constraints ------------------------------------------------------------------------- */

static bool is_at_hand(const struct rff *f, uint64_t event)
{
	array_each(uint64_t, e, &f->events)
		if (*e == event)
			return true;
	return false;
}

/* Returns 1 if the constraint wants the step now, -1 if it must wait, 0 if neither. */
static int wanted_by(const struct rff *f, const struct rff_constraint *c,
		     const struct strategy_point *p, uint64_t event)
{
	const struct reads_from_pair *pair = &c->pair;
	bool would_see = reads_from_last(&f->reads, pair->object) == pair->writer;

	if (c->positive && !would_see && pair->writer == READS_FROM_NOBODY)
		return 0; /* impossible: the object was written */
	if (event == pair->reader)
		return would_see == c->positive ? c->positive : -1;
	if (would_see && c->positive)
		return p->op != STRATEGY_READ && event != pair->writer ? -1 : 0;
	if (!is_at_hand(f, pair->reader))
		return 0;
	if (would_see)
		return p->op != STRATEGY_READ && event != pair->writer;
	return event == pair->writer ? (c->positive ? 1 : -1) : 0;
}

enum { WAITS = -2 };

static int wanted(const struct rff *f, const struct strategy_point *p, uint64_t event)
{
	int sum = 0;

	if (f->gave_up)
		return 0;
	if (p->op == STRATEGY_YIELD || (p->thread < f->spins.count && f->spins.items[p->thread]))
		return WAITS;
	for (size_t i = 0; i < f->schedule.count; i++)
		if (!f->satisfied[i] && f->schedule.constraints[i].pair.object == p->object)
			sum += wanted_by(f, &f->schedule.constraints[i], p, event);
	return (sum > 0) - (sum < 0);
}

static void select_best(struct rff *f, const struct strategy_point *points, size_t count)
{
	int best = WAITS;

	f->events.count = f->best.count = f->indexes.count = 0;
	for (size_t i = 0; i < count; i++)
		*array_add(&f->events) = reads_from_event(&points[i]);
	for (size_t i = 0; i < count; i++) {
		int w = wanted(f, &points[i], f->events.items[i]);

		if (w < best)
			continue;
		if (w > best)
			f->best.count = f->indexes.count = 0;
		best = w;
		*array_add(&f->best) = points[i];
		*array_add(&f->indexes) = i;
	}
}

static void count_passed_over(struct rff *f, const struct strategy_point *points, size_t count)
{
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_best = best < f->indexes.count && f->indexes.items[best] == i;
		unsigned *passed = array_at(&f->passed_over, points[i].thread);

		best += is_best;
		*passed = is_best ? 0 : *passed + 1;
		f->gave_up |= *passed > PATIENCE;
	}
}

/* ---- a run ------------------------------------------------------------------------------- */

static void satisfy(struct rff *f, const struct strategy_point *p)
{
	uint64_t event = reads_from_event(p);

	for (size_t i = 0; i < f->schedule.count; i++) {
		const struct rff_constraint *c = &f->schedule.constraints[i];

		if (c->positive && event == c->pair.reader &&
		    reads_from_last(&f->reads, p->object) == c->pair.writer)
			f->satisfied[i] = true;
	}
}

static size_t rff_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	struct rff *f = (struct rff *)s;
	const struct strategy_point *p;
	size_t i;

	if (points[0].op == STRATEGY_WAKE)
		return strategy_choose(f->pos, points, count);
	select_best(f, points, count);
	i = f->indexes.items[strategy_choose(f->pos, f->best.items, f->best.count)];
	p = &points[i];
	count_passed_over(f, points, count);
	*array_at(&f->spins, p->thread) = spin_step(&f->base.spin, p);
	satisfy(f, p);
	reads_from_step(&f->reads, p);
	return i;
}

static bool avoid_constraints(const struct rff *f, struct strategy_avoid *avoid)
{
	for (size_t i = 0; i < f->schedule.count && !f->gave_up; i++)
		if (!f->satisfied[i] &&
		    !strategy_avoid_object(avoid, f->schedule.constraints[i].pair.object))
			return false;
	return true;
}

static size_t patience(const struct rff *f, const struct strategy_point *p)
{
	unsigned passed = p->thread < f->passed_over.count ? f->passed_over.items[p->thread] : 0;

	return passed < PATIENCE ? PATIENCE - passed : 0;
}

/* Assumes steps on objects without a constraint: POS chooses between the thread and those that
   are not held back. */
static size_t rff_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			  size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	struct rff *f = (struct rff *)s;
	size_t at = 0;

	if (f->spins.items[points[chosen].thread] || points[chosen].op == STRATEGY_WAKE)
		return 0;
	f->events.count = f->best.count = 0;
	for (size_t i = 0; i < count; i++)
		*array_add(&f->events) = i == chosen ? UINT64_MAX : reads_from_event(&points[i]);
	for (size_t i = 0; i < count; i++) {
		int w = i == chosen ? 0 : wanted(f, &points[i], f->events.items[i]);

		if (w > 0)
			return 0;
		if (w < 0 && patience(f, &points[i]) < most)
			most = patience(f, &points[i]);
		if (i == chosen)
			at = f->best.count;
		if (w == 0)
			*array_add(&f->best) = points[i];
	}
	most = spin_left(&f->base.spin) < most ? spin_left(&f->base.spin) : most;
	most = strategy_foresee(f->pos, f->best.items, f->best.count, at, most, avoid);
	return avoid_constraints(f, avoid) ? most : 0;
}

/* ---- runs of other members of `auto` ----------------------------------------------------- */

void rff_begin_watching(struct strategy *s, uint64_t run)
{
	struct rff *f = (struct rff *)s;

	strategy_begin(s, run);
	f->schedule.count = 0;
	f->parent = 0;
}

void rff_watch(struct strategy *s, const struct strategy_point *moved)
{
	struct rff *f = (struct rff *)s;

	if (moved->op != STRATEGY_WAKE)
		reads_from_step(&f->reads, moved);
}

struct rff_news rff_news(const struct strategy *s)
{
	return ((const struct rff *)s)->news;
}

/* ---- lessons: parent, failed, number of constraints, these (4 words each), pairs (3 each) ---- */

static void write_pair(struct rff *f, const struct reads_from_pair *pair)
{
	*array_add(&f->base.lesson) = pair->object;
	*array_add(&f->base.lesson) = pair->writer;
	*array_add(&f->base.lesson) = pair->reader;
}

static void rff_end(struct strategy *s, enum strategy_result result)
{
	struct rff *f = (struct rff *)s;

	reads_from_keep_shared(&f->reads);
	s->lesson.count = 0;
	*array_add(&s->lesson) = f->parent;
	*array_add(&s->lesson) = result == STRATEGY_FAILED;
	*array_add(&s->lesson) = f->schedule.count;
	for (size_t i = 0; i < f->schedule.count; i++) {
		write_pair(f, &f->schedule.constraints[i].pair);
		*array_add(&s->lesson) = f->schedule.constraints[i].positive;
	}
	array_each(struct reads_from_pair, pair, &f->reads.pairs)
		write_pair(f, pair);
}

static struct reads_from_pair read_pair(const uint64_t *words)
{
	return (struct reads_from_pair){words[0], words[1], words[2]};
}

static void rff_learn(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count)
{
	struct rff *f = (struct rff *)s;
	struct rff_abstract a = {.count = (size_t)lesson[2]};
	ARRAY(struct reads_from_pair) pairs = {0};
	size_t at = 3;

	(void)run;
	for (size_t i = 0; i < a.count; i++, at += 4)
		a.constraints[i] = (struct rff_constraint){read_pair(lesson + at), lesson[at + 3]};
	for (; at < count; at += 3)
		*array_add(&pairs) = read_pair(lesson + at);
	f->news = rff_corpus_learn(&f->corpus, (size_t)lesson[0], &a, lesson[1], pairs.items,
				   pairs.count);
	array_fini(&pairs);
}

static void rff_fini(struct strategy *s)
{
	struct rff *f = (struct rff *)s;

	strategy_free(f->pos);
	rff_corpus_fini(&f->corpus);
	reads_from_fini(&f->reads);
	array_fini(&f->spins);
	array_fini(&f->passed_over);
	array_fini(&f->events);
	array_fini(&f->best);
	array_fini(&f->indexes);
}

const struct strategy_type strategy_rff = {
	.name = "rff",
	.size = sizeof(struct rff),
	.memory = STRATEGY_MEMORY_BATCH,
	.flags = STRATEGY_BIASED,
	.begin = rff_begin,
	.choose = rff_choose,
	.foresee = rff_foresee,
	.end = rff_end,
	.learn = rff_learn,
	.fini = rff_fini,
};
