#include "tracer/experiments/explore_races.h"

#include <string.h>

enum { QUIET_RUNS = 10, MOST_RUNS = 50 };

int explore_races_begin(struct explore_race_runs *x, struct explore *e)
{
	const struct strategy_options options = {.seed = e->options.seed};
	struct controlled *c = &x->runs.controlled;

	x->races = c->races = races_new();
	c->strategy = strategy_new("pos", &options);
	c->steps = e->options.steps;
	c->points = CONTROLLED_SYNC;
	return explore_runs_begin(&x->runs, e->x.options, e->x.symbols, e->quick, true, e->x.err);
}

bool explore_races_more(struct explore_race_runs *x)
{
	size_t pairs;

	explore_runs_let_hot_go(&x->runs);
	races_pairs(x->races, &pairs);
	x->quiet = pairs == x->pairs ? x->quiet + 1 : 0;
	x->pairs = pairs;
	return ++x->made < MOST_RUNS && x->quiet < QUIET_RUNS;
}

static void choose(const struct controlled *c, uint64_t index, struct explore_points_at *points)
{
	const struct controlled_access *a = &c->accesses.items[index];

	array_each(const struct controlled_chosen, known, points)
		if (known->offset == a->offset &&
		    strcmp(known->module, module_name(a->module)) == 0)
			return;
	*array_add(points) =
		(struct controlled_chosen){base_strdup(module_name(a->module)), a->offset};
}

void explore_races_choose(const struct explore_race_runs *x, struct explore_points_at *points)
{
	const struct controlled *c = &x->runs.controlled;
	size_t count;
	const struct races_pair *pairs = races_pairs(x->races, &count);

	points->kind = CONTROLLED_CHOSEN;
	for (size_t i = 0; i < count; i++) {
		choose(c, pairs[i].first.place, points);
		choose(c, pairs[i].second.place, points);
	}
}

void explore_races_end(struct explore_race_runs *x)
{
	strategy_free(x->runs.controlled.strategy);
	explore_runs_end(&x->runs);
	races_free(x->races);
}
