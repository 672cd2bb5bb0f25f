/* Minimizes a failing schedule: runs each candidate (sched/schedule/schedule.h). */
#include "tracer/search/explore.h"
#include "tracer/sched/schedule/schedule.h"

#include <string.h>

enum { MOST_TRIES = 2000, MOST_S = 60, LIVELOCK_LOOKED_AT = 1024 };

/* Seconds without a step for candidates. Less than --hang is enough: the result is run again. */
static const double HANG_S = 1;
/* Part of the script's time for minimizing; the rest is for finding gates. */
static const double PART_SHRUNK = 1.0 / 6;

struct shrinking {
	struct explore *e;
	struct explore_runs *runs;
	const struct explore_failure *failure;
	struct minimise *m; /* NULL while no candidates are tried */
	bool of_kind;	    /* failures of the same kind at other places count */
	unsigned long tries;
	double until;
};

static int fails_alike(const struct shrinking *x, const struct run_result *r)
{
	const char *kind;
	uint64_t key;

	if (explore_judge(&x->runs->sched, r, &kind, &key) != EXPLORE_FAILED)
		return false;
	return x->of_kind ? strcmp(kind, x->failure->kind) == 0 : key == x->failure->key;
}

/* Step limit of candidates: only a candidate that does not end reaches it. */
static unsigned long steps_enough(const struct explore_failure *f, unsigned long most)
{
	unsigned long enough = 4ul * f->steps + 1000;

	return most && most < enough ? most : enough;
}

static void shrink_tell(const struct shrinking *x)
{
	const struct experiment *all = &x->e->x;

	if (all->view.progress)
		all->view.progress(all->view.ctx, x->m->tries, 0, str_text(&all->what));
}

static int shrink_run(void *ctx, const struct segments *wanted, struct schedule *came)
{
	struct shrinking *x = ctx;
	struct sched *c = &x->runs->sched;
	struct strategy *guide = strategy_guide_loose(wanted->items, wanted->count);
	struct run_result r = {0};
	int answer;

	if (x->m)
		shrink_tell(x);
	c->strategy = guide;
	strategy_begin(guide, 0);
	answer = explore_runs_until(x->e, x->runs, x->until, &r);
	strategy_end(guide, STRATEGY_CUT);
	strategy_free(guide);
	if (answer == 0 && r.interrupted)
		return experiment_over(&x->e->x, &r);
	if (answer == 0)
		answer = fails_alike(x, &r);
	if (answer == 1)
		schedule_copy(came, &c->schedule);
	run_result_fini(&r);
	return answer;
}

double explore_shrink_s(const struct explore_failure *f)
{
	double part = (f->until - explore_now_s()) * PART_SHRUNK;

	return f->until > 0 && part < MOST_S ? part : MOST_S;
}

/* Ends minimizing; the smallest schedule so far is the result. */
static bool shrink_is_over(void *ctx)
{
	const struct shrinking *x = ctx;

	return explore_now_s() > x->until || run_signals_came();
}

/* Minimizes with candidates of at most `steps` steps. */
static int shrink(struct shrinking *x, unsigned long steps, size_t looked_at, struct schedule *s)
{
	struct sched *c = &x->runs->sched;
	struct minimise m = {
		.ctx = x, .run = shrink_run, .is_over = shrink_is_over, .most = MOST_TRIES};
	int answer;

	c->steps = steps;
	c->looked_at = looked_at;
	x->m = &m;
	answer = schedule_minimise(&m, s);
	x->tries += m.tries;
	x->m = NULL;
	c->looked_at = 0;
	return answer;
}

/* Runs the schedule with many more steps. Returns 1 with the steps in *s if it is still the
   livelock, 0 if not, -1 if the experiment is over. */
static int confirm(struct shrinking *x, unsigned long steps, struct schedule *s)
{
	struct segments segments = {0};
	struct schedule came = {0};
	int answer;

	schedule_segments(s, &segments);
	x->runs->sched.steps = steps;
	x->tries++;
	answer = shrink_run(x, &segments, &came);
	if (answer == 1) {
		schedule_fini(s);
		*s = came;
		came = (struct schedule){0};
	}
	schedule_fini(&came);
	array_fini(&segments);
	return answer;
}

/* Proving a livelock takes thousands of steps, too many for each candidate: candidates are tried
   with fewer, and the result is confirmed at the end. */
static int shrink_livelock(struct shrinking *x, struct schedule *found)
{
	size_t steps = sched_spins_enough(found, SCHED_LOOKED_AT);
	size_t few = sched_spins_enough(found, LIVELOCK_LOOKED_AT);
	struct schedule s = {0};
	int answer = 0;

	if (few < steps) {
		schedule_copy(&s, found);
		answer = shrink(x, few, LIVELOCK_LOOKED_AT, &s);
		if (answer == 0)
			answer = confirm(x, steps, &s);
	}
	if (answer == 1) {
		schedule_fini(found);
		*found = s;
		return 0;
	}
	schedule_fini(&s);
	return answer < 0 ? -1 : shrink(x, steps, 0, found);
}

/* Tries the schedule without preemptions first: if it hangs too, no smaller one says more. */
static int shrink_hang(struct shrinking *x, unsigned long steps, struct explore_failure *f)
{
	struct segments none = {0};
	struct schedule came = {0};
	int answer;

	x->runs->sched.steps = steps;
	x->tries++;
	x->of_kind = true;
	answer = shrink_run(x, &none, &came);
	x->of_kind = false;
	if (answer == 1) {
		schedule_fini(&f->schedule);
		f->schedule = came;
		f->undisturbed = true;
		return 0;
	}
	schedule_fini(&came);
	return answer < 0 ? -1 : shrink(x, steps, 0, &f->schedule);
}

int explore_shrink(struct explore *e, struct explore_runs *runs, struct explore_failure *f)
{
	struct shrinking x = {
		.e = e, .runs = runs, .failure = f, .until = explore_now_s() + explore_shrink_s(f)};
	struct sched *c = &runs->sched;
	struct strategy *before = c->strategy;
	unsigned long steps = c->steps;
	double hang_s = c->hang_s;
	int answer;

	experiment_say(&e->x, "making the schedule small");
	c->hang_s = hang_s > 0 && hang_s < HANG_S ? hang_s : HANG_S;
	schedule_names_copy(&c->paths, &f->paths);
	if (strcmp(f->kind, "livelock") == 0)
		answer = shrink_livelock(&x, &f->schedule);
	else if (strcmp(f->kind, "hang") == 0)
		answer = shrink_hang(&x, steps_enough(f, steps), f);
	else
		answer = shrink(&x, steps_enough(f, steps), 0, &f->schedule);
	schedule_names_copy(&f->paths, &c->paths);
	f->tries = x.tries;
	c->strategy = before;
	c->steps = steps;
	c->hang_s = hang_s;
	return answer;
}
