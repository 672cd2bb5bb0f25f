#include "tracer/search/loop/state.h"

#include "tracer/search/shrink/examine.h"
#include "tracer/search/loop/run.h"
#include "tracer/search/jobs/worker.h"
#include "tracer/sched/strategy/strategy.h"

void explore_state_move(struct explore_outcome *to, struct explore_outcome *from)
{
	schedule_fini(&to->passed);
	sched_paths_cut(&to->passed_paths, 0);
	array_fini(&to->passed_paths);
	to->passed = from->passed;
	to->passed_paths = from->passed_paths;
	from->passed = (struct schedule){0};
	from->passed_paths = (struct sched_paths){0};
}

void explore_state_first(struct explore *e, struct explore_outcome *o)
{
	struct explore_passed *p = &e->passed;

	if (!o->passed.steps.count || p->is_known)
		return;
	p->is_known = true;
	p->run = o->ended == EXPLORE_PASSED ? e->runs : 0;
	p->schedule = o->passed;
	p->paths = o->passed_paths;
	o->passed = (struct schedule){0};
	o->passed_paths = (struct sched_paths){0};
}

static void state_judge(struct explore *e, const struct sched *c, const struct run_result *r)
{
	const struct strategy_difference *d = strategy_guide_differs(c->strategy);
	struct str text = {0};
	const char *kind;
	uint64_t key;

	if (explore_judge(c, r, &kind, &key) == EXPLORE_FAILED) {
		str_addf(&text, e->passed.run ? "schedule %lu" : "an earlier run", e->passed.run);
		str_add(&text, " passed the first time and fails now: the program keeps state "
			       "between runs (files, sockets, shared memory)");
		e->keeps_state = str_take(&text);
	}
	e->twice += d != NULL; /* a summary of parts counts the same as that of the whole */
	e->differed += d != NULL;
	if (d && !e->differs)
		e->differs = explore_difference(d, &e->passed.schedule,
						e->passed.run ? e->passed.run - 1 : 0);
}

static void state_prepare(struct explore *e, struct sched *c)
{
	c->steps = e->options.steps;
	c->flags = e->forked ? 0 : SCHED_EARLY;
	c->strategy = explore_guide(&e->passed.schedule);
	sched_paths_copy(&c->paths, &e->passed.paths);
}

int explore_state_check(struct explore *e)
{
	struct explore_passed *p = &e->passed;
	struct explore_runs runs = {0};
	struct run_result r = {0};
	int answer;

	if (p->is_checked || !p->schedule.steps.count)
		return 0;
	p->is_checked = true;
	state_prepare(e, &runs.sched);
	answer = explore_runs_alone(e, &runs, e->x.options, e->quick, p->points, &r);
	if (answer == 0 && !r.interrupted && !(runs.sched.seen & SCHED_PREEMPTED))
		state_judge(e, &runs.sched, &r);
	if (answer == 0 && r.interrupted)
		answer = experiment_over(&e->x, &r);
	run_result_fini(&r);
	strategy_free(runs.sched.strategy);
	explore_runs_end(&runs);
	return answer;
}

void explore_state_fini(struct explore *e)
{
	struct explore_passed *p = &e->passed;

	schedule_fini(&p->schedule);
	sched_paths_cut(&p->paths, 0);
	array_fini(&p->paths);
	if (p->points)
		explore_points_fini(p->points);
	base_free(p->points);
	base_free(e->keeps_state);
}
