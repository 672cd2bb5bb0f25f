#include "tracer/search/shrink/examine.h"

#include "tracer/base/files/io.h"
#include "tracer/search/loop/account.h"
#include "tracer/search/loop/failure.h"
#include "tracer/search/loop/run.h"
#include "tracer/search/jobs/worker.h"
#include "tracer/sched/strategy/strategy.h"

#include <string.h>
#include <unistd.h>

struct strategy *explore_guide(const struct schedule *s)
{
	ARRAY(struct strategy_point) points = {0};
	struct strategy *guide;

	array_each(const struct schedule_step, step, &s->steps)
		*array_add(&points) = step->point;
	guide = strategy_guide_exact(points.items, points.count);
	array_fini(&points);
	return guide;
}

/* Where the verdict is about a line, that says more than "a deadlock". */
static void take_where(struct explore_failure *f, const struct run_result *r)
{
	struct str where = {0};
	char *what;

	if (!r->line)
		return;
	what = explore_where(r, f->kind);
	str_addf(&where, "%s at %s:%u", what, str_base_name(str_text(&r->file)), r->line);
	base_free(what);
	base_free(f->where);
	f->where = str_take(&where);
}

/* The texts are the failure's from now on. */
static void examine_take(struct explore_failure *f, struct sched *c, struct run_result *r)
{
	base_free(f->text);
	f->text = base_strdup(str_text(&r->text));
	f->status = r->status;
	f->seconds = r->seconds;
	f->ended = r->ended;
	f->only_expects = r->only_expects;
	f->expects_output = r->expects_output;
	take_where(f, r);
	str_clear(&f->out);
	str_clear(&f->err);
	io_read_at(c->out.kept, &f->out);
	io_read_at(c->err.kept, &f->err);
	for (int kind = 0; kind < REPORT_KINDS; kind++) {
		str_fini(&f->reports[kind]);
		f->reports[kind] = r->reports[kind];
		r->reports[kind] = (struct str){0};
	}
	schedule_fini(&f->schedule);
	f->schedule = c->schedule;
	c->schedule = (struct schedule){0};
}

/* The program did what the schedule says, to its end, and failed as it had. */
static bool is_again(const struct explore_failure *f, const struct sched *c,
		     const struct run_result *r)
{
	const char *kind;
	uint64_t key;

	if (strategy_guide_differs(c->strategy) ||
	    c->schedule.steps.count != f->schedule.steps.count)
		return false;
	if (explore_judge(c, r, &kind, &key) == EXPLORE_FAILED)
		return strcmp(kind, f->kind) == 0;
	/* One that went on until the limit of its script was over goes on again. */
	return c->end == SCHED_STEPS && strcmp(f->kind, "hang") == 0;
}

static void shrink_examine_look(struct explore *e, struct explore_failure *f,
				struct explore_runs *runs, struct run_result *r)
{
	struct sched *c = &runs->sched;

	strategy_end(c->strategy, c->end == SCHED_STOPPED ? STRATEGY_CUT : STRATEGY_FAILED);
	f->looked_at = !r->interrupted && !r->out_of_time;
	f->again = is_again(f, c, r);
	if (f->again && !f->key) { /* of a schedule that was kept */
		const char *kind;

		explore_judge(c, r, &kind, &f->key);
	}
	if (!f->again)
		return;
	examine_take(f, c, r);
	e->modules.count = 0;
	array_each(struct module *, m, &runs->modules)
		*array_add(&e->modules) = *m;
}

/* A failure that is known to hang is seen to do so in less than --hang, where that is more than a
   part of the time left. */
static double hang_s(const struct explore *e)
{
	static const double least_s = 1, part = 1.0 / 3;
	double most = e->options.hang > 0 ? e->options.hang : SCHED_HANG_S;
	double left = (e->ends - explore_now_s()) * part;

	if (e->ends <= 0 || left >= most)
		return most;
	left = left > least_s ? left : least_s;
	return left < most ? left : most;
}

static void examine_prepare(struct explore *e, const struct explore_failure *f, struct sched *c)
{
	bool is_endless = strcmp(f->kind, "livelock") == 0 || strcmp(f->kind, "hang") == 0;

	c->steps = is_endless ? f->schedule.steps.count : e->options.steps;
	c->hang_s = hang_s(e);
	c->flags = SCHED_JUDGES | SCHED_DESCRIBES | (e->forked ? 0 : SCHED_EARLY);
	c->strategy = explore_guide(&f->schedule);
	sched_paths_copy(&c->paths, &f->paths);
}

int explore_examine(struct explore *e, struct explore_failure *f)
{
	static const char *reports[] = {"report.json", "report.html"};
	struct run_options options = *e->x.options;
	struct explore_runs runs = {0};
	struct run_result r = {0};
	int answer;

	options.reports.items = reports;
	options.reports.count = sizeof(reports) / sizeof(*reports);
	examine_prepare(e, f, &runs.sched);
	answer = explore_runs_alone(e, &runs, &options, e->full, f->points, &r);
	if (answer == 0)
		shrink_examine_look(e, f, &runs, &r);
	if (answer == 0 && r.interrupted)
		answer = experiment_over(&e->x, &r);
	run_result_fini(&r);
	strategy_free(runs.sched.strategy);
	explore_runs_end(&runs);
	return answer;
}
