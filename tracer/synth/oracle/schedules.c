/*
 * Plain runs show what this machine's scheduler likes to do: what no gate forces may come by luck
 * in a thousand of them, and not on the next machine. So schedules are searched that the gates
 * permit: does the program come out differently in one of them?
 *
 * And a failure may come of what no gate can say, as who is woken of several that wait. So where
 * none of its gates force it, schedules are searched that fail alike, and wake whom a plain run
 * would wake.
 */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"

static const double MOST_S = 5, LEAST_S = 0.5;

/* Part of a script's time for finding it; the rest is for verifying it. */
static const double PART_MADE = 0.5;

/* The same accesses are points as when it failed, at least: what else races is looked for if
   that was not over. */
static void take_points(const struct explore *from_e, const struct explore_failure *f,
			struct explore *e)
{
	const struct explore_points_at *from = f->points ? f->points : &from_e->points_at;

	e->points_at.tested = from->tested;
	sched_places_copy(&e->points_at.chosen, &from->chosen);
}

static void set_search(const struct explore *e, const struct explore_failure *f,
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

static double seconds_until(double until)
{
	double left = until - explore_now_s();

	if (until <= 0 || left > MOST_S)
		return MOST_S;
	return left > LEAST_S ? left : LEAST_S;
}

/* A search of its own within the experiment, which it gives back in the end. */
static struct explore begin_search(const struct explore *e)
{
	struct explore search = {.quick = e->quick, .full = e->full, .plain = e->plain, .x = e->x};

	search.x.view = (struct experiment_view){0};
	return search;
}

static void end_search(struct explore *search, struct explore *e)
{
	search->x.options = e->x.options;
	search->x.view = e->x.view;
	e->x = search->x;
	explore_fini(search);
}

int synth_escapes(struct synth *g, unsigned long most, double until)
{
	unsigned long asked = g->e->options.verify, schedules = asked < most ? asked : most;
	struct explore e = begin_search(g->e);
	struct run_options options = g->options;
	int answer;

	options.time_limit = -1;
	e.x.options = &options;
	set_search(g->e, g->f, schedules, &e.options);
	e.options.seconds = seconds_until(until);
	e.options.only_finds = true;
	take_points(g->e, g->f, &e);
	answer = explore_search(&e);
	/* Gates that nobody opens end a schedule, too: in a plain run they would be the verdict. */
	if (answer == 0)
		answer = e.failures.count || e.barred;
	g->schedules = e.runs;
	g->schedules_asked = schedules;
	end_search(&e, g->e);
	return answer;
}

/* ---- another one that fails
   ------------------------------------------------------------------------- */

/* So many are tried at most; each is looked for in so many schedules, by what it took to find
   the first one. */
enum { OTHERS = 5, LONGER = 4, LEAST = 200 };

/* It has failed with the points of its own search. */
static void take_failure(struct explore *e, struct explore_failure *out)
{
	*out = e->failures.items[0];
	e->failures.count = 0;
	if (!out->points) {
		out->points = base_alloc(1, sizeof(*out->points));
		*out->points = e->points_at;
		e->points_at = (struct explore_points_at){0};
	}
}

/* 1: it is `out`, made small and described, 0: none was found, -1: the experiment is over. */
static int another(struct explore *e, const struct explore_failure *f, unsigned number,
		   double until, struct explore_failure *out)
{
	struct explore other = begin_search(e);
	int answer;

	set_search(e, f, LONGER * f->run + LEAST, &other.options);
	other.options.seconds = seconds_until(until);
	other.options.whole_s = until > 0 ? until - explore_now_s() : 0;
	other.options.seed += number;
	other.options.verify = 0;
	other.options.in_turn = true;
	other.options.alike = f->key;
	take_points(e, f, &other);
	answer = synth_explore(&other);
	if (answer == 0 && other.failures.count && other.failures.items[0].rerun == RERUN_SAME) {
		take_failure(&other, out);
		answer = 1;
	}
	end_search(&other, e);
	return answer;
}

/* It is the same failure; what is told of how it comes is of the other schedule from now on. */
static void adopt(struct explore_failure *f, struct explore_failure *other)
{
	struct explore_failure before = *f;

	*f = *other;
	f->is_other = true;
	f->run = before.run;
	f->strategy = before.strategy;
	f->times = before.times;
	f->steps = before.steps;
	f->preemptions = before.preemptions;
	f->folder = before.folder;
	before.folder = NULL;
	*other = before;
}

static int try_other(struct explore *e, struct explore_failure *f, unsigned number, double until)
{
	struct explore_failure other = {0};
	int answer = another(e, f, number, until, &other);

	other.until = f->until;
	if (answer == 1 && schedule_digest(&other.schedule) != schedule_digest(&f->schedule))
		answer = synth_make(e, &other, until);
	if (answer == 0 && other.gates.length)
		adopt(f, &other);
	explore_failure_fini(&other);
	return answer < 0 ? -1 : 0;
}

int synth_gates(struct explore *e, struct explore_failure *f)
{
	double now = explore_now_s(), until = f->until > 0 ? now + (f->until - now) * PART_MADE : 0;
	int answer;

	if (!e->options.verify)
		return 0;
	if (f->rerun != RERUN_SAME) {
		base_free(f->no_script);
		f->no_script =
			base_strdup((f->rerun != RERUN_NONE)
					    ? "it did not fail again"
					    : "there was no time to run its schedule once more");
		return 0;
	}
	answer = synth_make(e, f, until);
	for (unsigned i = 1; answer == 0 && i <= OTHERS && f->no_script; i++) {
		/* Is there time for a run that fails alike, and one under gates? */
		if (until > 0 && explore_now_s() + 2 * f->seconds >= until)
			break;
		answer = try_other(e, f, i, until);
	}
	return answer;
}
