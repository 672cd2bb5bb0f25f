#include "tracer/experiments/explore_shrink.h"

#include "tracer/experiments/explore_account.h"
#include "tracer/experiments/explore_failure.h"
#include "tracer/explore/schedule/minimise.h"

#include <string.h>

enum { MOST_TRIES = 2000, MOST_S = 60 };

struct shrinking {
	struct explore *e;
	struct explore_runs *runs;
	const struct explore_failure *failure;
	struct minimise *m;
	double until;
};

static int fails_alike(const struct shrinking *x, const struct session_result *r)
{
	const char *kind;
	uint64_t key;

	return explore_judge(&x->runs->controlled, r, &kind, &key) == EXPLORE_FAILED &&
	       key == x->failure->key;
}

/* A candidate that does not end has been given more steps than it can use. */
static unsigned long steps_enough(const struct explore_failure *f, unsigned long most)
{
	unsigned long enough = 4ul * f->steps + 1000;

	return most && most < enough ? most : enough;
}

static int run(void *ctx, const struct segments *wanted, struct schedule *came)
{
	struct shrinking *x = ctx;
	struct controlled *c = &x->runs->controlled;
	struct strategy *guide = strategy_guide_loose(wanted->items, wanted->count);
	struct session_result r = {0};
	int answer;

	c->strategy = guide;
	strategy_begin(guide, 0);
	answer = explore_runs_one(x->runs, &r, x->e->x.err);
	strategy_end(guide, STRATEGY_CUT);
	strategy_free(guide);
	if (answer == 0 && r.interrupted)
		return experiment_over(&x->e->x, &r);
	if (answer == 0)
		answer = fails_alike(x, &r);
	if (answer == 1)
		schedule_copy(came, &c->schedule);
	if (explore_now_s() > x->until)
		x->m->most = x->m->tries; /* it is as small as could be had in this time */
	session_result_fini(&r);
	return answer;
}

static double most_s(const struct explore_options *o)
{
	return o->make_s > 0 && o->make_s < MOST_S ? o->make_s : MOST_S;
}

int explore_shrink(struct explore *e, struct explore_runs *runs, struct explore_failure *f)
{
	struct minimise m = {.run = run, .most = MOST_TRIES};
	struct shrinking x = {e, runs, f, &m, explore_now_s() + most_s(&e->options)};
	struct controlled *c = &runs->controlled;
	struct strategy *before = c->strategy;
	unsigned long steps = c->steps;
	int answer;

	c->steps = strcmp(f->kind, "livelock") == 0 ? controlled_spins_enough(&f->schedule)
						    : steps_enough(f, steps);
	controlled_paths_copy(&c->paths, &f->paths);
	m.ctx = &x;
	answer = schedule_minimise(&m, &f->schedule);
	controlled_paths_copy(&f->paths, &c->paths);
	f->tries = m.tries;
	c->strategy = before;
	c->steps = steps;
	return answer;
}
