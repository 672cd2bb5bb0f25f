/* Makes the runs of one worker and turns each into an outcome. */
#include "tracer/search/search_internal.h"

#include "tracer/base/files/io.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/strategy/strategy.h"

#include <string.h>

enum { TWICE_EVERY = 100 };

/* ---- outcome of a run ------------------------------------------------------------------------ */

static void take_passed(const struct sched *c, struct explore_outcome *o)
{
	schedule_copy(&o->passed, &c->schedule);
	schedule_names_copy(&o->passed_paths, &c->paths);
}

static void take_failure(const struct sched *c, const struct run_result *r, const char *kind,
			 struct explore_outcome *o)
{
	o->kind = base_strdup(kind);
	o->where = explore_where(r, kind);
	o->text = explore_text(c, r, kind);
	schedule_copy(&o->schedule, &c->schedule);
	schedule_names_copy(&o->paths, &c->paths);
}

static char *take_said(const struct sched *c)
{
	struct str text = {0};

	io_read_at(c->out.kept, &text);
	return str_take(&text);
}

static bool worker_is_wanted(const struct explore *e, const char *kind, uint64_t key)
{
	const bool is_deadlock = strcmp(kind, "deadlock") == 0;

	if (e->options.alike && e->options.alike != key)
		return false;
	return e->options.fails == FAILS_ANYHOW ||
	       is_deadlock == (e->options.fails == FAILS_BY_DEADLOCK);
}

/* Takes the last steps of a run cut at the step limit; at most EXPLORE_CUTS of them are kept. */
static void take_last(struct sched *c, struct explore_outcome *o)
{
	if (o->ended != EXPLORE_TRUNCATED || c->end != SCHED_STEPS ||
	    !(c->flags & SCHED_KEEPS_LAST))
		return;
	o->last_steps = base_strdup(str_text(&c->last_steps));
	o->last_threads = base_strdup(str_text(&c->last_threads));
	o->last_words = base_strdup(str_text(&c->last_words));
	if (++c->last_kept == EXPLORE_CUTS)
		c->flags &= ~(unsigned)SCHED_KEEPS_LAST;
}

static enum strategy_result worker_take(struct explore *e, struct sched *c,
					const struct run_result *r, struct explore_outcome *o)
{
	static const enum strategy_result results[] = {
		[EXPLORE_PASSED] = STRATEGY_PASSED,
		[EXPLORE_FAILED] = STRATEGY_FAILED,
		[EXPLORE_GATED] = STRATEGY_CUT,
		[EXPLORE_TRUNCATED] = STRATEGY_CUT,
	};
	const char *kind;

	o->ended = explore_judge(c, r, &kind, &o->key);
	if (o->ended == EXPLORE_FAILED && !worker_is_wanted(e, kind, o->key))
		o->ended = EXPLORE_PASSED;
	o->none = c->end == SCHED_STOPPED;
	o->digest = schedule_digest(&c->schedule);
	o->points = c->schedule.steps.count;
	o->status = r->status;
	o->late = o->ended == EXPLORE_TRUNCATED && r->out_of_time;
	take_last(c, o);
	if (c->left.length)
		o->left = base_strdup(str_text(&c->left));
	o->asks_ids = c->seen & SCHED_ASKS_IDS;
	o->threads = c->paths.count;
	o->said = e->said ? take_said(c) : NULL;
	if (o->ended == EXPLORE_FAILED && !explore_known(e, o->key))
		take_failure(c, r, kind, o);
	else if (o->ended == EXPLORE_PASSED && !o->none && !(c->seen & SCHED_PREEMPTED) &&
		 !e->passed.is_known)
		take_passed(c, o);
	return results[o->ended];
}

static void take_lesson(const struct strategy *s, struct explore_outcome *o)
{
	size_t count;
	const uint64_t *words = strategy_lesson(s, &count);

	for (size_t i = 0; words && i < count; i++)
		*array_add(&o->lesson) = words[i];
}

int explore_make(struct explore *e, struct explore_runs *runs, uint64_t run,
		 struct explore_outcome *out)
{
	struct strategy *strategy = runs->sched.strategy;
	enum strategy_result result = STRATEGY_CUT;
	struct run_result r;
	int failed;

	*out = (struct explore_outcome){.run = run};
	strategy_begin(strategy, run);
	failed = explore_runs_until(e, runs, e->until, &r);
	if (!failed && !r.interrupted)
		result = worker_take(e, &runs->sched, &r, out);
	strategy_end(strategy, result);
	if (!failed && r.interrupted)
		return experiment_over(&e->x, &r);
	take_lesson(strategy, out);
	run_result_fini(&r);
	return failed;
}

/* ---- second run of a schedule ---------------------------------------------------------------- */

char *explore_difference(const struct strategy_difference *d, const struct schedule *first,
			 uint64_t run)
{
	const struct schedule_step *step = &first->steps.items[d->step];
	struct str text = {0};

	str_addf(&text, "schedule %llu, step %zu of %zu: ", (unsigned long long)run + 1,
		 d->step + 1, first->steps.count);
	if (d->is_longer)
		str_add(&text, "the second run had one more step");
	else
		str_addf(&text, "%s was to %s", first->threads.items[step->thread],
			 schedule_op(d->recorded.op));
	if (d->has_come && !d->is_longer)
		str_addf(&text, ", but came to %s%s", schedule_op(d->came.op),
			 d->came.op == d->recorded.op ? " somewhere else" : "");
	else if (!d->is_longer)
		str_add(&text, ", but could not continue");
	return str_take(&text);
}

/* Runs the schedule a second time: the same choices must lead to the same points. */
static int again(struct explore_worker *w, struct explore_outcome *o)
{
	struct sched *c = &w->runs.sched;
	struct schedule first = {0};
	struct explore_outcome second = {0};
	const struct strategy_difference *d;
	int answer;

	schedule_copy(&first, &c->schedule);
	c->strategy = schedule_guide(&first);
	answer = explore_make(w->e, &w->runs, o->run, &second);
	if ((c->seen & SCHED_PREEMPTED) ||
	    (second.ended == EXPLORE_TRUNCATED && c->end == SCHED_RAN))
		d = NULL; /* a timer changed the schedule, or the time was over */
	else
		d = answer == 0 ? strategy_guide_differs(c->strategy) : NULL;
	o->twice = answer == 0;
	o->differs = d ? explore_difference(d, &first, o->run) : NULL;
	explore_outcome_fini(&second);
	strategy_free(c->strategy);
	c->strategy = w->strategy;
	schedule_fini(&first);
	return answer;
}

static bool is_made_twice(const struct explore_worker *w, const struct explore_outcome *o)
{
	return (o->run + 1) % TWICE_EVERY == 0 && !o->none && o->ended != EXPLORE_GATED &&
	       !(w->runs.sched.seen & SCHED_PREEMPTED) &&
	       !(o->ended == EXPLORE_TRUNCATED && w->runs.sched.end == SCHED_RAN);
}

/* ---- the worker ------------------------------------------------------------------------------ */

int explore_worker_begin(struct explore_worker *w, unsigned worker,
			 const struct schedule_names *paths)
{
	struct explore *e = w->e;
	struct sched *c = &w->runs.sched;

	c->strategy = w->strategy;
	c->steps = e->options.steps;
	c->hang_s = e->options.hang;
	c->spurious = e->options.spurious;
	c->flags = SCHED_KEEPS_LAST | SCHED_ENDS_SPINS | e->options.flags |
		   (e->options.in_turn ? SCHED_WAKES_FIRST : 0);
	explore_pauses_set(e, c);
	schedule_names_copy(&c->paths, paths);
	w->paths = paths->count;
	w->runs.worker = worker;
	explore_points_set(&w->runs.sched, w->points ? w->points : &e->points_at);
	return explore_runs_begin(e, &w->runs, e->x.options, e->quick, true);
}

static int worker_make(struct explore_worker *w, uint64_t run, struct explore_outcome *out)
{
	struct sched *c = &w->runs.sched;

	if (strategy_memory(w->strategy) != STRATEGY_MEMORY_ALL)
		schedule_names_cut(&c->paths, w->paths);
	explore_runs_grant(&w->runs);
	if (explore_make(w->e, &w->runs, run, out) < 0)
		return -1;
	if (w->fault->code)
		return error_move(w->e->x.err, w->fault);
	return 0;
}

/* Makes run 0, from which some strategies learn the number of points; its threads keep their
   numbers in later runs. */
static int make_first(struct explore_worker *w, struct explore_outcome *out)
{
	int answer = worker_make(w, 0, out);

	w->counted = true;
	if (strategy_memory(w->strategy) != STRATEGY_MEMORY_NONE)
		w->paths = w->runs.sched.paths.count;
	return answer;
}

int explore_worker_run(struct explore_worker *w, uint64_t run, struct explore_outcome *out)
{
	struct explore_outcome first = {0};
	int answer = 0;

	if (run > 0 && !w->counted && strategy_memory(w->strategy) != STRATEGY_MEMORY_NONE)
		answer = make_first(w, &first);
	*out = (struct explore_outcome){.run = run};
	if (answer == 0)
		answer = run > 0 ? worker_make(w, run, out) : make_first(w, out);
	if (answer == 0 && first.passed.steps.count)
		explore_state_move(out, &first);
	explore_outcome_fini(&first);
	if (answer == 0 && is_made_twice(w, out))
		answer = again(w, out);
	return answer;
}

void explore_worker_end(struct explore_worker *w)
{
	explore_runs_end(&w->runs);
}
