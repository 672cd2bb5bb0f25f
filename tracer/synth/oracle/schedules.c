/*
 * Plain runs show what this machine's scheduler likes to do: what no gate forces may come by luck
 * in a thousand of them, and not on the next machine. So schedules are searched that the gates
 * permit: does the program come out differently in one of them?
 */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"

static const double MOST_S = 5, LEAST_S = 0.5;

/* The same accesses are points as when it failed, at least: what else races is looked for if
   that was not over. */
void synth_search_points(const struct explore *from_e, const struct explore_failure *f,
			 struct explore *e)
{
	const struct explore_points_at *from = f->points ? f->points : &from_e->points_at;

	e->points_at.tested = from->tested;
	sched_places_copy(&e->points_at.chosen, &from->chosen);
}

void synth_search_set(const struct explore *e, const struct explore_failure *f,
		      unsigned long schedules, struct explore_options *o)
{
	*o = e->options;
	if (o->points == POINTS_RACES && !f->points) /* they are known */
		o->points = POINTS_SYNC;
	o->strategy = "auto";
	o->runs = schedules;
	o->jobs = o->shard = o->shards = 1;
	o->all = o->goes_on = false;
	o->gates_s = o->whole_s = 0;
}

double synth_search_seconds(double until)
{
	double left = until - explore_now_s();

	if (until <= 0 || left > MOST_S)
		return MOST_S;
	return left > LEAST_S ? left : LEAST_S;
}

/* A search of its own within the experiment, which it gives back in the end. */
struct explore synth_search_begin(const struct explore *e)
{
	struct explore search = {.quick = e->quick, .full = e->full, .plain = e->plain, .x = e->x};

	search.x.view = (struct experiment_view){0};
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
	struct explore e = synth_search_begin(g->e);
	struct run_options options = g->options;
	int answer;

	options.time_limit = -1;
	e.x.options = &options;
	synth_search_set(g->e, g->f, schedules, &e.options);
	e.options.seconds = synth_search_seconds(until);
	e.options.only_finds = true;
	synth_search_points(g->e, g->f, &e);
	answer = explore_search(&e);
	/* Gates that nobody opens end a schedule, too: in a plain run they would be the verdict. */
	if (answer == 0)
		answer = e.failures.count || e.barred;
	g->schedules = e.runs;
	g->schedules_asked = schedules;
	synth_search_end(&e, g->e);
	return answer;
}
