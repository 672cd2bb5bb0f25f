#include "tracer/experiments/explore_examine.h"

#include "tracer/experiments/explore_run.h"
#include "tracer/explore/strategy/guide.h"

static struct strategy *guide_of(const struct schedule *s)
{
	ARRAY(struct strategy_point) points = {0};
	struct strategy *guide;

	array_each(const struct schedule_step, step, &s->steps)
		*array_add(&points) = step->point;
	guide = strategy_guide_exact(points.items, points.count);
	array_fini(&points);
	return guide;
}

/* The texts are the failure's from now on. */
static void take(struct explore_failure *f, struct controlled *c, struct session_result *r)
{
	base_free(f->text);
	f->text = base_strdup(str_text(&r->text));
	if (c->schedule.steps.count != f->schedule.steps.count)
		return;
	schedule_fini(&f->schedule);
	f->schedule = c->schedule;
	c->schedule = (struct schedule){0};
}

int explore_examine(struct explore *e, struct explore_failure *f)
{
	struct explore_runs runs = {0};
	struct controlled *c = &runs.controlled;
	struct session_result r = {0};
	int answer;

	c->steps = e->options.steps;
	c->judges = c->describes = true;
	c->strategy = guide_of(&f->schedule);
	answer = explore_runs_begin(&runs, e->x.options, e->x.symbols, e->full, false, e->x.err);
	if (answer == 0) {
		strategy_begin(c->strategy, 0);
		answer = explore_runs_one(&runs, &r, e->x.err);
	}
	if (answer == 0) {
		strategy_end(c->strategy, STRATEGY_FAILED);
		take(f, c, &r);
	}
	if (answer == 0 && r.interrupted)
		answer = experiment_over(&e->x, &r);
	session_result_fini(&r);
	strategy_free(c->strategy);
	explore_runs_end(&runs);
	return answer;
}
