/* First runs of a search: find the accesses that race, which become points. */
#include "tracer/search/search_internal.h"

#include <string.h>

/* A race that one run in six shows is missed by 40 quiet runs in one search of a thousand. */
enum { QUIET_RUNS = 40, MOST_RUNS = 200 };

/* Most stops at accesses in a run. A stop takes 20 to 80 us, so they take about a quarter of the
   search's time. */
static unsigned long looks_most(double seconds)
{
	static const double least = 50000, without_limit = 500000, per_s = 5000;
	double most = seconds > 0 ? seconds * per_s : without_limit;

	return (unsigned long)(most > least ? most : least);
}

/* The time limit matters only in the first run: later runs observe few accesses. */
static void limit_looks(struct sched *c, double seconds)
{
	c->looks_most = looks_most(seconds);
	if (seconds > 0)
		c->looks_until = explore_now_s() + seconds / 4;
}

static struct strategy *strategy_of(const struct explore_race_runs *x,
				    const struct strategy_options *options)
{
	if (x->extremes)
		return strategy_extremes_new(options);
	return strategy_new(x->strategy ? x->strategy : RACES_STRATEGY, options);
}

int explore_races_begin(struct explore_race_runs *x, struct explore *e)
{
	const struct strategy_options options = {.seed = e->options.seed,
						 .depth = e->options.depth,
						 .bound = e->options.bound,
						 .fair_from = sched_fair_from(e->options.steps)};
	struct sched *c = &x->runs.sched;

	x->races = c->races = races_new();
	c->strategy = strategy_of(x, &options);
	c->steps = e->options.steps;
	c->hang_s = e->options.hang;
	c->spurious = e->options.spurious;
	c->flags = SCHED_KEEPS_LAST | SCHED_ENDS_SPINS | e->options.flags;
	explore_pauses_set(e, c);
	if (!e->options.points_asked)
		limit_looks(c, e->options.seconds);
	explore_points_set(&x->runs.sched, &e->points_at);
	x->atomic = c->chosen.count; /* known before the runs */
	if (explore_runs_begin(e, &x->runs, e->x.options, e->quick, true) < 0)
		return -1;
	e->forked = x->runs.kept != NULL;
	return 0;
}

/* Makes a racing access a point from the next run on. Returns true if it is new. A call that frees
   memory is reported but is a point only of the search: races with it are found through the other
   accesses. */
static bool is_new(struct sched *c, uint64_t place)
{
	struct sched_access *a = &c->accesses.items[c->callers.places.items[place].access];
	bool is_new = !a->is_point;

	a->is_point = true;
	return is_new && !a->frees;
}

static void make_atomic(struct sched *c, const struct sched_chosen *chosen)
{
	array_each(struct sched_access, a, &c->accesses)
		if (a->offset == chosen->offset &&
		    strcmp(module_name(a->module), chosen->module) == 0) {
			a->what.atomic = a->is_point = true;
			/* An atomic access orders others and is always observed. */
			a->is_hot = false;
		}
}

/* Races of this run are dropped if an access turned out to be atomic: the order that it makes was
   not recorded. */
static bool drop_if_atomic(struct explore_race_runs *x)
{
	struct sched *c = &x->runs.sched;
	bool found = c->chosen.count > x->atomic;

	for (; x->atomic < c->chosen.count; x->atomic++)
		make_atomic(c, &c->chosen.items[x->atomic]);
	if (found) {
		races_drop_pairs(x->races, x->pairs);
		sched_forget_reported(c, x->pairs);
	}
	return found;
}

bool explore_races_more(struct explore_race_runs *x)
{
	struct sched *c = &x->runs.sched;
	bool more = drop_if_atomic(x) || c->end == SCHED_STOPPED; /* pruned: a loop */
	const struct races_pair *pairs = races_pairs(x->races, &x->pairs);

	for (size_t i = 0; i < x->pairs; i++) {
		more |= is_new(c, pairs[i].first.place);
		more |= is_new(c, pairs[i].second.place);
	}
	explore_runs_let_hot_go(&x->runs);
	c->looks_until = 0;
	x->quiet = more ? 0 : x->quiet + 1;
	return ++x->made < MOST_RUNS && x->quiet < QUIET_RUNS;
}

static void add_access(struct explore_points_at *points, const struct sched_access *a)
{
	sched_places_add(&points->chosen,
			 &(struct sched_chosen){.module = (char *)module_name(a->module),
						.offset = a->offset,
						.frees = a->frees});
}

/* Leaves out calls that free memory and accesses that were hot in the run that showed the race. */
void explore_races_points(const struct explore_race_runs *x, struct explore_points_at *points)
{
	const struct sched *c = &x->runs.sched;

	points->kind = SCHED_CHOSEN;
	array_each(const struct sched_access, a, &c->accesses)
		if (a->is_point && !a->frees && !a->is_hot && !a->what.atomic && !a->what.pauses)
			add_access(points, a);
	for (size_t i = 0; i < x->atomic; i++)
		if (c->chosen.items[i].atomic)
			sched_places_add(&points->chosen,
					 &(struct sched_chosen){.module = c->chosen.items[i].module,
								.offset = c->chosen.items[i].offset,
								.atomic = true});
}

void explore_races_choose(const struct explore_race_runs *x, struct explore_points_at *points)
{
	explore_races_points(x, points);
	array_each(const struct sched_access, a, &x->runs.sched.accesses)
		if (a->is_point && (a->frees || a->is_hot))
			add_access(points, a);
}

void explore_races_end(struct explore_race_runs *x)
{
	strategy_free(x->runs.sched.strategy);
	explore_runs_end(&x->runs);
	races_free(x->races);
}
