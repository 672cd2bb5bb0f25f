/* The scripts of the failures that a search has found: each is made small, described, and made into
   gates. */
#include "tracer/search/explore.h"
#include "tracer/synth/script/scripts.h"

#include "tracer/synth/script/gates.h"

static void grant_time(const struct explore *e, size_t left, struct explore_failure *f)
{
	const struct explore_options *o = &e->options;
	double now = explore_now_s(), part = (e->ends - now) / (double)(left ? left : 1);

	f->until = o->gates_s > 0 ? now + o->gates_s : 0;
	if (e->ends > 0 && (f->until <= 0 || now + part < f->until))
		f->until = now + part;
}

/* The strategy chooses nothing: all runs follow schedules. */
static int shrink(struct explore *e, struct explore_failure *f)
{
	const struct strategy_options options = {.seed = e->options.seed, .depth = 1};
	const struct schedule_names none = {0};
	ERROR(fault);
	struct explore_worker w = {.e = e,
				   .strategy = strategy_new("random", &options),
				   .fault = &fault,
				   .points = f->points};
	int answer = explore_worker_begin(&w, 0, &none);

	if (answer == 0)
		answer = explore_shrink(e, &w.runs, f);
	explore_worker_end(&w);
	strategy_free(w.strategy);
	error_fini(&fault);
	return answer;
}

/* A run that takes longer than all of them may is not repeated to make its schedule small: a long
   one, or one that hangs, which has to be looked at for --hang once more. */
static bool has_time(const struct explore_failure *f)
{
	enum { LONG = 10000, LOOKED = 2 };
	double most = explore_shrink_s(f);

	if (f->until <= 0)
		return true;
	if (f->schedule.steps.count >= LONG)
		return f->seconds < most;
	return f->seconds < LOOKED * most;
}

/* A small schedule that does not fail again is worth less than the one that was found and has. */
static int make_small(struct explore *e, struct explore_failure *f)
{
	struct schedule found = f->schedule;
	bool again = (f->rerun == RERUN_SAME), same;
	int answer;

	if (!has_time(f))
		return again || (f->progress >= FAILURE_REPORTED) ? 0 : explore_examine(e, f);
	f->schedule = (struct schedule){0};
	schedule_copy(&f->schedule, &found);
	answer = shrink(e, f);
	same = again && schedule_digest(&f->schedule) == schedule_digest(&found);
	if (answer == 0 && !same)
		answer = explore_examine(e, f);
	if (same || (again && (answer < 0 || f->rerun != RERUN_SAME))) {
		schedule_fini(&f->schedule);
		f->schedule = found;
		f->rerun = RERUN_SAME;
	} else {
		schedule_fini(&found);
	}
	return answer;
}

/* Effects of the threads' order and of earlier runs cannot be distinguished here. */
static int scripts_leave(struct explore *e, struct explore_failure *f)
{
	base_free(f->no_script);
	f->no_script = base_strdup("by now the program fails without any order");
	return (f->rerun != RERUN_NONE) ? 0 : explore_examine(e, f);
}

int synth_script(struct explore *e, size_t left, struct explore_failure *f)
{
	int answer;

	grant_time(e, left, f);
	answer = e->keeps_state ? scripts_leave(e, f) : make_small(e, f);
	if (answer == 0 && !e->keeps_state) {
		explore_keep_failure(e, f);
		answer = explore_gates(e, f);
	}
	if (answer < 0 && explore_no_script(e, f) < 0)
		return -1;
	f->progress = FAILURE_DONE;
	explore_keep_failure(e, f);
	return 0;
}

static size_t count_left(const struct explore *e)
{
	size_t left = 0;

	array_each(const struct explore_failure, f, &e->failures)
		left += f->progress != FAILURE_DONE;
	return left;
}

int synth_explore(struct explore *e)
{
	int answer = explore_search(e);

	for (size_t i = 0; answer == 0 && !e->options.only_finds && i < e->failures.count; i++)
		if (e->failures.items[i].progress != FAILURE_DONE)
			answer = synth_script(e, count_left(e), &e->failures.items[i]);
	e->over = e->over && answer == 0;
	return answer;
}
