/* Table of all strategies, and the strategies `random` and `auto` (a portfolio of others). */
#include "tracer/sched/strategy/rff_corpus.h"

#include <string.h>

/* ---- random ------------------------------------------------------------------------------ */

static size_t random_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	(void)points;
	return (size_t)prng_below(&s->prng, count);
}

static size_t random_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			     size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	struct prng prng = s->prng;
	size_t n = 0;

	(void)points;
	(void)avoid;
	while (n < most && prng_below(&prng, count) == chosen)
		n++;
	return n;
}

const struct strategy_type strategy_random = {
	.name = "random",
	.size = sizeof(struct strategy),
	.memory = STRATEGY_MEMORY_FIRST,
	.flags = STRATEGY_LOOKS | STRATEGY_WALKS | STRATEGY_BIASED,
	.choose = random_choose,
	.foresee = random_foresee,
};

/* ---- auto -------------------------------------------------------------------------------- */

/* A portfolio: each run is made by one member. Half of the runs are divided by the roster, which
   bounds the cost compared with the best member. The other half is divided by new pairs and sets
   of pairs (rff_corpus.h) in each member's runs, with decay per batch. RFF observes all runs. */
enum { POS, PCT_LESS, PCT, PCT_MORE, SURW, RFF, RANDOM, MEMBERS };

static const struct {
	const struct strategy_type *type;
	unsigned more; /* added to the depth asked for minus one */
	unsigned share;
} roster[MEMBERS] = {
	{&strategy_pos, 0, 3},	  {&strategy_pct, 0, 1},  {&strategy_pct, 1, 2},
	{&strategy_pct, 2, 2},	  {&strategy_surw, 0, 3}, {&strategy_rff, 0, 4},
	{&strategy_random, 0, 1},
};

enum {
	SHARES = 16,	   /* sum of the roster's shares */
	PART = 1024,	   /* one half; integer weights are equal on every machine */
	PAIR_IS_WORTH = 4, /* in sets of pairs, which are much more frequent */
	USUAL_DEPTH = 3,
};

struct auto_member {
	struct strategy *strategy; /* owned */
	uint64_t found, runs;	   /* in 1/PART, decayed per batch */
};

struct auto_search {
	struct strategy base;
	struct auto_member members[MEMBERS];
	size_t turn;	     /* the member that makes this run */
	unsigned long steps; /* of run 0: the range of PCT's priority changes */
	uint64_t batch;	     /* lessons up to this batch are decayed */
};

/* ---- choice of the member ---------------------------------------------------------------- */

/* Creates the member with a seed of its own: its random numbers must not depend on the draw of
   members. */
static struct strategy *strategy_auto_member(struct auto_search *a, size_t i)
{
	struct strategy_options options = a->base.options;
	unsigned depth = options.depth ? options.depth : USUAL_DEPTH;

	if (a->members[i].strategy)
		return a->members[i].strategy;
	options.seed = table_mix(options.seed, i + 1);
	options.depth = depth - 1 + roster[i].more;
	if (!options.steps)
		options.steps = a->steps ? a->steps : 1;
	a->members[i].strategy = strategy_alloc(roster[i].type, &options);
	if (i != SURW)
		a->members[i].strategy->shown = strategy_auto_member(a, SURW)->shown;
	return a->members[i].strategy;
}

static uint64_t rate(const struct auto_member *m)
{
	return PART * (m->found + PART) / (m->runs + PART);
}

static size_t auto_draw(struct auto_search *a)
{
	uint64_t weights[MEMBERS], rates = 0, sum = 0, drawn;
	size_t i;

	for (i = 0; i < MEMBERS; i++)
		rates += rate(&a->members[i]);
	for (i = 0; i < MEMBERS; i++) {
		weights[i] = roster[i].share * PART / SHARES + PART * rate(&a->members[i]) / rates;
		sum += weights[i];
	}
	drawn = prng_below(&a->base.prng, sum);
	for (i = 0; drawn >= weights[i]; i++)
		drawn -= weights[i];
	return i;
}

/* ---- a run ------------------------------------------------------------------------------- */

/* SURW makes run 0, which counts; PCT uses the number of steps. */
static void auto_begin(struct strategy *s)
{
	struct auto_search *a = (struct auto_search *)s;

	if (s->run == 0)
		a->steps = 0;
	a->turn = s->run == 0 ? SURW : auto_draw(a);
	s->shown = strategy_auto_member(a, SURW)->shown;
	strategy_begin(strategy_auto_member(a, a->turn), s->run);
	if (a->turn != RFF)
		rff_begin_watching(strategy_auto_member(a, RFF), s->run);
}

static size_t auto_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	struct auto_search *a = (struct auto_search *)s;
	size_t i = strategy_choose(strategy_auto_member(a, a->turn), points, count);

	if (a->turn != RFF)
		rff_watch(strategy_auto_member(a, RFF), &points[i]);
	a->steps += s->run == 0 && pct_counts(&points[i]);
	return i;
}

static size_t auto_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			   size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	struct auto_search *a = (struct auto_search *)s;

	return strategy_foresee(strategy_auto_member(a, a->turn), points, count, chosen, most,
				avoid);
}

/* Writes the lesson: the member of the run, then RFF's lesson. */
static void auto_end(struct strategy *s, enum strategy_result result)
{
	struct auto_search *a = (struct auto_search *)s;
	struct strategy *rff = strategy_auto_member(a, RFF);

	if (a->turn != RFF)
		strategy_end(strategy_auto_member(a, a->turn), result);
	if (s->run == 0)
		a->steps -= s->shown->own_steps;
	rff->type->end(rff, result);
	s->lesson.count = 0;
	*array_add(&s->lesson) = a->turn;
	array_each(uint64_t, word, &rff->lesson)
		*array_add(&s->lesson) = *word;
}

/* ---- lessons ----------------------------------------------------------------------------- */

static void auto_forget(struct auto_search *a, uint64_t batch)
{
	for (; a->batch < batch; a->batch++)
		for (size_t i = 0; i < MEMBERS; i++) {
			a->members[i].found -= a->members[i].found / 8;
			a->members[i].runs -= a->members[i].runs / 8;
		}
}

static void auto_learn(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count)
{
	struct auto_search *a = (struct auto_search *)s;
	struct auto_member *m = &a->members[lesson[0]];
	struct strategy *rff = strategy_auto_member(a, RFF);
	struct rff_news news;

	auto_forget(a, run / STRATEGY_BATCH);
	rff->type->learn(rff, run, lesson + 1, count - 1);
	news = rff_news(rff);
	if (run == 0)
		return; /* run 0: every pair is new for any member */
	m->found += PART * (PAIR_IS_WORTH * news.pairs + news.is_set_new);
	m->runs += PART;
}

static void auto_fini(struct strategy *s)
{
	struct auto_search *a = (struct auto_search *)s;

	for (size_t i = 0; i < MEMBERS; i++)
		strategy_free(a->members[i].strategy);
}

const struct strategy_type strategy_auto = {
	.name = "auto",
	.size = sizeof(struct auto_search),
	.memory = STRATEGY_MEMORY_BATCH,
	.begin = auto_begin,
	.choose = auto_choose,
	.foresee = auto_foresee,
	.end = auto_end,
	.learn = auto_learn,
	.fini = auto_fini,
};

/* ---- the table --------------------------------------------------------------------------- */

#define STRATEGY_LISTED(name) &strategy_##name,
static const struct strategy_type *const types[] = {STRATEGIES(STRATEGY_LISTED)};

const char *strategy_name(size_t i)
{
	return i < sizeof(types) / sizeof(*types) ? types[i]->name : NULL;
}

struct strategy *strategy_extremes_new(const struct strategy_options *options)
{
	return strategy_alloc(&strategy_extremes, options);
}

struct strategy *strategy_new(const char *name, const struct strategy_options *options)
{
	for (size_t i = 0; strategy_name(i); i++)
		if (strcmp(types[i]->name, name) == 0)
			return strategy_alloc(types[i], options);
	return NULL;
}
