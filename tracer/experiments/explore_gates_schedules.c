/*
 * Plain runs show what this machine's scheduler likes to do: what no gate forces may come by luck in a thousand of
 * them, and not on the next machine. So schedules are searched that the gates permit: does the program come
 * out differently in one of them?
 */
#include "tracer/experiments/explore_gates_internal.h"

static const double MOST_S = 5;

/* The same accesses are points as when it failed, at least: what else races is looked for if that was not over. */
static void take_points(const struct gating *g, struct explore *e)
{
	const struct explore_points_at *from = g->f->points ? g->f->points : &g->e->points_at;

	e->points_at.tested = from->tested;
	array_each(const struct controlled_chosen, c, from)
		*array_add(&e->points_at) = (struct controlled_chosen){
			base_strdup(c->module), c->offset, c->atomic, c->frees};
}

static void set_search(const struct gating *g, unsigned long schedules, struct explore_options *o)
{
	*o = g->e->options;
	if (o->points == POINTS_RACES && !g->f->points) /* they are known */
		o->points = POINTS_SYNC;
	o->strategy = "auto";
	o->runs = schedules;
	o->seconds = MOST_S;
	o->jobs = o->shard = o->shards = 1;
	o->only_finds = true;
	o->all = o->goes_on = false;
}

/* Gates that nobody opens end a schedule, too: in a plain run they would be the verdict. */
static bool has_escaped(const struct explore *e)
{
	return e->failures.count || e->barred;
}

int gating_escapes(struct gating *g, unsigned long schedules)
{
	struct experiment *x = &g->e->x;
	struct explore e = {
		.quick = g->e->quick, .full = g->e->full, .plain = g->e->plain, .x = *x};
	struct session_options options = g->options;
	int answer;

	options.time_limit = -1;
	e.x.options = &options;
	e.x.view = (struct experiment_view){0};
	set_search(g, schedules, &e.options);
	take_points(g, &e);
	answer = explore_search(&e);
	if (answer == 0)
		answer = has_escaped(&e);
	g->schedules = e.runs;
	e.x.options = x->options;
	e.x.view = x->view;
	*x = e.x;
	explore_fini(&e);
	return answer;
}
