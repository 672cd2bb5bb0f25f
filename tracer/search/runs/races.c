#include "tracer/search/runs/races.h"

#include "tracer/search/loop/failure.h"
#include "tracer/search/loop/races.h"
#include "tracer/search/jobs/worker.h"
#include "tracer/search/runs/races_ignored.h"

#include <string.h>
#include <time.h>

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what is found ---------------------------------------------------------------------------------- */

static bool same_place(const struct sched_race_side *a, const struct sched_race_side *b)
{
	return a->line == b->line && str_same(a->file, b->file);
}

static bool races_is_same(const struct sched_race *a, const struct sched_race *b)
{
	const struct sched_race_side *x = a->sides, *y = b->sides;

	return str_same(a->variable, b->variable) &&
	       ((same_place(&x[0], &y[0]) && same_place(&x[1], &y[1])) ||
		(same_place(&x[0], &y[1]) && same_place(&x[1], &y[0])));
}

static void races_add(struct races_hunt *h, const struct sched_race *r, unsigned long times)
{
	array_each(struct race, known, &h->found)
		if (races_is_same(known->seen, r)) {
			known->times += times;
			return;
		}
	*array_add(&h->found) = (struct race){r, times};
}

static void races_collect(struct races_hunt *h)
{
	const struct sched *c = &h->runs->runs.sched;
	size_t count;
	const struct races_pair *pairs = races_pairs(h->runs->races, &count);

	for (size_t i = 0; i < count && i < c->told.count; i++) {
		if (races_is_ignored(h, &c->told.items[i]))
			h->ignored++;
		else
			races_add(h, &c->told.items[i], pairs[i].count);
	}
}

/* ---- the runs --------------------------------------------------------------------------------------- */

static bool races_is_over(const struct races_hunt *h, double begun)
{
	const struct explore_options *o = &h->e.options;

	return (o->runs && h->e.runs >= o->runs) ||
	       (o->seconds > 0 && now_s() - begun >= o->seconds) ||
	       (h->enough && h->runs->quiet >= h->enough);
}

static int races_run(struct races_hunt *h)
{
	struct explore *e = &h->e;
	struct sched *c = &h->runs->runs.sched;
	struct run_result r;
	const char *kind;
	uint64_t key;

	if (e->x.view.progress)
		e->x.view.progress(e->x.view.ctx, e->runs, e->options.runs, "");
	strategy_begin(c->strategy, h->runs->made);
	if (explore_runs_until(e, &h->runs->runs, e->until, &r) < 0)
		return -1;
	if (r.interrupted)
		return experiment_over(&e->x, &r);
	strategy_end(c->strategy, STRATEGY_PASSED);
	e->runs++;
	h->failed += explore_judge(c, &r, &kind, &key) == EXPLORE_FAILED;
	run_result_fini(&r);
	explore_races_more(h->runs);
	return 0;
}

int races_hunt(struct races_hunt *h)
{
	double begun = now_s(), seconds = h->e.options.seconds;
	int answer;

	h->e.until = seconds > 0 ? begun + seconds : 0;
	h->runs = base_alloc(1, sizeof(*h->runs));
	h->runs->strategy = h->e.options.strategy;
	answer = races_ignored_read(h, h->e.x.err);
	if (answer == 0)
		answer = explore_races_begin(h->runs, &h->e);
	while (answer == 0 && !races_is_over(h, begun))
		answer = races_run(h);
	h->e.seconds = now_s() - begun;
	if (h->runs->races)
		races_collect(h);
	return answer;
}

void races_hunt_fini(struct races_hunt *h)
{
	array_fini(&h->found);
	races_ignored_fini(h);
	if (h->runs && h->runs->races)
		explore_races_end(h->runs);
	base_free(h->runs);
	explore_fini(&h->e);
}
