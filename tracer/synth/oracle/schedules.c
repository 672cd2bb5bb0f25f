/* Searches the schedules that the gates permit for another outcome. Plain runs show only what this
   machine's scheduler does: chance may do what no gate forces in a thousand of them. */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"

static const double LEAST_S = 0.5;

double synth_search_until(double until)
{
	static const double MOST_S = 5;
	double most = explore_now_s() + MOST_S;

	return until > 0 && until < most ? until : most;
}

/* The scheduling points are at least those of the failing run. The search for more races continues
   only if it was not over when the program failed. */
struct explore synth_search_begin(const struct explore *e, const struct explore_failure *f,
				  unsigned long schedules, double until)
{
	struct explore search = {.quick = e->quick,
				 .full = e->full,
				 .plain = e->plain,
				 .x = e->x,
				 .options = e->options};
	const struct explore_points_at *from = f->points ? f->points : &e->points_at;
	struct explore_options *o = &search.options;
	double left = until - explore_now_s();

	search.x.view = (struct experiment_view){0};
	search.points_at.tested = from->tested;
	sched_places_copy(&search.points_at.chosen, &from->chosen);
	if (o->points == POINTS_RACES && !f->points) /* the races are known */
		o->points = POINTS_SYNC;
	o->strategy = "auto";
	o->runs = schedules;
	o->jobs = o->shard = o->shards = 1;
	o->all = o->goes_on = false;
	o->gates_s = o->whole_s = 0;
	o->seconds = until > 0 ? (left > LEAST_S ? left : LEAST_S) : 0;
	return search;
}

void synth_search_end(struct explore *search, struct explore *e)
{
	search->x.options = e->x.options;
	search->x.view = e->x.view;
	e->x = search->x;
	explore_fini(search);
}

int synth_escapes(struct synth *g, unsigned long most, double until)
{
	unsigned long asked = g->e->options.verify, schedules = asked < most ? asked : most;
	struct explore e = synth_search_begin(g->e, g->f, schedules, until);
	struct run_options options = g->options;
	int answer;

	options.time_limit = -1;
	e.x.options = &options;
	e.options.only_finds = true;
	e.options.spurious = 0; /* as in plain runs */
	answer = explore_search(&e);
	/* A gate that stays closed also ends a schedule; in a plain run it is the verdict. */
	if (answer == 0)
		answer = e.failures.count || e.barred;
	g->schedules = e.runs;
	g->schedules_asked = schedules;
	synth_search_end(&e, g->e);
	return answer;
}
