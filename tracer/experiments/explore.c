/* The search: run after run, until one fails, or there is nothing left to see, or no time. */
#include "tracer/experiments/explore.h"
#include "tracer/experiments/explore_examine.h"
#include "tracer/experiments/explore_failure.h"
#include "tracer/experiments/explore_gates.h"
#include "tracer/experiments/explore_races.h"
#include "tracer/experiments/explore_run.h"
#include "tracer/experiments/explore_seen.h"
#include "tracer/explore/scripted/scripted.h"
#include "tracer/experiments/explore_shrink.h"
#include "tracer/explore/schedule/minimise.h"

#include <string.h>
#include <time.h>

enum { SAMPLES = 512 };

struct search {
	struct explore *e;
	struct explore_runs runs;
	struct strategy *strategy;
	struct error fault; /* of a strategy in Lua */
	struct seen seen;
	double begun;
	unsigned long every; /* runs between two samples */
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what a run has shown ------------------------------------------------------------------------ */

/* Of so many samples every second one is dropped. */
static void thin(struct search *s)
{
	struct explore *e = s->e;
	size_t kept = 0;

	for (size_t i = 1; i < e->samples.count; i += 2)
		e->samples.items[kept++] = e->samples.items[i];
	e->samples.count = kept;
	s->every *= 2;
}

static void sample(struct search *s)
{
	struct explore *e = s->e;

	if (e->runs % s->every)
		return;
	*array_add(&e->samples) = (struct explore_sample){now_s() - s->begun, e->runs, e->distinct};
	if (e->samples.count == SAMPLES)
		thin(s);
}

static struct explore_failure *known(struct explore *e, uint64_t key)
{
	array_each(struct explore_failure, f, &e->failures)
		if (f->key == key)
			return f;
	return NULL;
}

static void failed(struct search *s, const struct controlled *c, const struct session_result *r,
		   const char *kind, uint64_t key)
{
	struct explore *e = s->e;
	struct explore_failure *f = known(e, key);

	if (f) {
		f->times++;
		return;
	}
	f = array_add(&e->failures);
	*f = (struct explore_failure){.key = key,
				      .kind = base_strdup(kind),
				      .where = explore_where(r, kind),
				      .text = base_strdup(str_text(&r->text)),
				      .status = r->status,
				      .run = e->runs,
				      .strategy = e->options.strategy,
				      .times = 1};
	schedule_copy(&f->schedule, &c->schedule);
	f->steps = (unsigned)f->schedule.steps.count;
	f->preemptions = (unsigned)schedule_preemptions(&f->schedule);
}

static enum strategy_result note(struct search *s, const struct controlled *c,
				 const struct session_result *r)
{
	static const enum strategy_result results[] = {
		[EXPLORE_PASSED] = STRATEGY_PASSED,
		[EXPLORE_FAILED] = STRATEGY_FAILED,
		[EXPLORE_BARRED] = STRATEGY_CUT,
		[EXPLORE_CUT] = STRATEGY_CUT,
	};
	struct explore *e = s->e;
	const char *kind;
	uint64_t key;
	enum explore_ended ended = explore_judge(c, r, &kind, &key);

	if (c->end == CONTROLLED_STOPPED) /* the strategy has seen it: no schedule */
		return STRATEGY_CUT;
	e->runs++;
	e->points += c->schedule.steps.count;
	e->distinct += seen_add(&s->seen, schedule_digest(&c->schedule));
	e->barred += ended == EXPLORE_BARRED;
	e->cut += ended == EXPLORE_CUT;
	if (ended == EXPLORE_FAILED)
		failed(s, c, r, kind, key);
	sample(s);
	return results[ended];
}

/* ---- the runs ------------------------------------------------------------------------------------- */

static bool is_over(const struct search *s)
{
	const struct explore *e = s->e;
	const struct explore_options *o = &e->options;

	return (o->runs && e->runs >= o->runs) ||
	       (o->seconds > 0 && now_s() - s->begun >= o->seconds) ||
	       (e->failures.count && !o->all) || strategy_is_done(s->strategy);
}

static void tell(struct explore *e)
{
	if (e->x.view.progress)
		e->x.view.progress(e->x.view.ctx, e->runs, e->options.runs, "");
}

/* One run. 0, or -1: the experiment is over. `counts`: it is one of the search's. */
static int run(struct search *s, struct explore_runs *runs, uint64_t number, bool counts)
{
	struct explore *e = s->e;
	struct strategy *strategy = runs->controlled.strategy;
	enum strategy_result result = STRATEGY_CUT;
	struct session_result r;
	int failed;

	tell(e);
	strategy_begin(strategy, number);
	failed = explore_runs_one(runs, &r, e->x.err);
	if (!failed && !r.interrupted && counts)
		result = note(s, &runs->controlled, &r);
	strategy_end(strategy, result);
	if (!failed && r.interrupted)
		return experiment_over(&e->x, &r);
	session_result_fini(&r);
	return failed;
}

static int search(struct search *s)
{
	struct explore *e = s->e;

	for (uint64_t number = 0; !is_over(s); number++) {
		if (run(s, &s->runs, number, true) < 0)
			return -1;
		if (s->fault.code)
			return error_move(e->x.err, &s->fault);
	}
	e->complete = strategy_is_done(s->strategy) && !strategy_strayed(s->strategy);
	return 0;
}

/*
 * Afterwards it is known where points are. `auto` is a search from here on already; whoever asks for another
 * strategy wants to see what that one finds.
 */
static int find_races(struct search *s)
{
	struct explore *e = s->e;
	struct explore_race_runs x = {0};
	int answer = explore_races_begin(&x, e);
	bool counts = strcmp(e->options.strategy, "auto") == 0;

	while (answer == 0 && !is_over(s)) {
		answer = run(s, &x.runs, x.made, counts);
		if ((e->failures.count && !e->options.all) || !explore_races_more(&x))
			break;
	}
	explore_races_choose(&x, &e->points_at);
	array_each(char *, path, &x.runs.controlled.paths)
		*array_add(&s->runs.controlled.paths) = base_strdup(*path);
	explore_races_end(&x);
	return answer;
}

/* ---- the strategy ---------------------------------------------------------------------------------- */

static void print(void *ctx, const char *line)
{
	const struct experiment_view *view = &((struct search *)ctx)->e->x.view;

	if (view->print)
		view->print(view->ctx, line);
}

static void describe(void *ctx, const struct strategy_point *point, struct schedule_where *where)
{
	controlled_describe(&((struct search *)ctx)->runs.controlled, point, where);
}

static int make_strategy(struct search *s)
{
	const struct explore_options *o = &s->e->options;
	const struct strategy_options options = {o->seed, o->depth, o->bound, 0};
	const struct scripted_host host = {s, print, describe, &s->fault};
	struct error *err = s->e->x.err;

	if (!scripted_is_file(o->strategy)) {
		s->strategy = strategy_new(o->strategy, &options);
		return s->strategy
			       ? 0
			       : error_set(err, ERROR_USAGE,
					   "--strategy: there is none called '%s'", o->strategy);
	}
	s->strategy = scripted_new(o->strategy, o->seed, &host);
	return s->strategy ? 0 : error_move(err, &s->fault);
}

static int begin(struct search *s)
{
	struct explore *e = s->e;
	const struct explore_options *o = &e->options;

	if (make_strategy(s) < 0)
		return -1;
	s->runs.controlled.strategy = s->strategy;
	s->runs.controlled.steps = o->steps;
	e->points_at.kind = o->points == POINTS_MEMORY ? CONTROLLED_MEMORY : CONTROLLED_SYNC;
	if (o->points == POINTS_RACES && find_races(s) < 0)
		return -1;
	explore_runs_points(&s->runs, &e->points_at);
	if (explore_runs_begin(&s->runs, e->x.options, e->x.symbols, e->quick, true, e->x.err) < 0)
		return -1;
	e->forked = s->runs.kept != NULL;
	e->not_forked = s->runs.not_kept ? base_strdup(s->runs.not_kept) : NULL;
	return 0;
}

static void keep_paths(struct explore *e, const struct controlled *c)
{
	array_each(char *, path, &c->paths)
		*array_add(&e->paths) = base_strdup(*path);
}

int explore_search(struct explore *e)
{
	struct search s = {.e = e, .begun = now_s(), .every = 1};
	int answer = begin(&s);

	if (answer == 0)
		answer = search(&s);
	e->seconds = now_s() - s.begun;
	for (size_t i = 0; answer == 0 && i < e->failures.count; i++)
		answer = explore_shrink(e, &s.runs, &e->failures.items[i]);
	keep_paths(e, &s.runs.controlled);
	explore_runs_end(&s.runs);
	strategy_free(s.strategy);
	error_fini(&s.fault);
	seen_fini(&s.seen);
	for (size_t i = 0; answer == 0 && i < e->failures.count; i++)
		answer = explore_examine(e, &e->failures.items[i]);
	for (size_t i = 0; answer == 0 && i < e->failures.count; i++)
		answer = explore_gates(e, &e->failures.items[i]);
	return answer;
}

void explore_fini(struct explore *e)
{
	array_each(struct explore_failure, f, &e->failures)
		explore_failure_fini(f);
	array_fini(&e->failures);
	array_fini(&e->samples);
	array_each(char *, path, &e->paths)
		base_free(*path);
	array_fini(&e->paths);
	array_fini(&e->modules);
	base_free(e->differs);
	base_free(e->not_forked);
}
