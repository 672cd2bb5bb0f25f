#include "tracer/experiments/explore_kept.h"

#include "tracer/experiments/explore_account.h"
#include "tracer/experiments/explore_examine.h"
#include "tracer/experiments/explore_gates.h"
#include "tracer/experiments/explore_journal.h"
#include "tracer/experiments/explore_shrink.h"
#include "tracer/experiments/explore_worker.h"

/* The caller writes the folder; the journal says where it is. */
static void keep(struct explore *e, struct explore_failure *f)
{
	if (e->found)
		e->found(e->found_ctx, e, f);
	explore_journal_found(e, f);
}

/* A failure that was found stays one, whatever goes wrong with what is made of it: that is the
   reason why there is no script. -1: a signal has come. */
static int give_up(struct explore *e, struct explore_failure *f)
{
	struct str reason = {0};

	if (!e->x.err->code || session_signals_came() || e->x.last.interrupted)
		return -1;
	str_addf(&reason, "the search for one was ended: %s", error_text(e->x.err));
	base_free(f->no_script);
	f->no_script = str_take(&reason);
	str_clear(&f->gates);
	error_fini(e->x.err);
	session_result_fini(&e->x.last);
	e->x.last = (struct session_result){0};
	e->x.over = false;
	return 0;
}

void explore_kept_first(struct explore *e, struct explore_failure *f)
{
	keep(e, f);
}

int explore_kept_reports(struct explore *e)
{
	for (size_t i = 0; e->found && i < e->failures.count; i++) {
		struct explore_failure *f = &e->failures.items[i];

		if (f->is_reported || f->done || session_signals_came())
			continue;
		if (explore_examine(e, f) < 0 && give_up(e, f) < 0)
			return -1;
		f->is_reported = true;
		keep(e, f);
	}
	return 0;
}

void explore_kept_grant(const struct explore *e, size_t left, struct explore_failure *f)
{
	const struct explore_options *o = &e->options;
	double now = explore_now_s(), part = (e->ends - now) / (double)(left ? left : 1);

	f->until = o->gates_s > 0 ? now + o->gates_s : 0;
	if (e->ends > 0 && (f->until <= 0 || now + part < f->until))
		f->until = now + part;
}

static int shrink(struct explore *e, struct explore_failure *f, struct strategy *strategy,
		  const struct controlled_paths *paths)
{
	ERROR(fault);
	struct explore_worker w = {
		.e = e, .strategy = strategy, .fault = &fault, .points = f->points};
	int answer = explore_worker_begin(&w, 0, paths);

	if (answer == 0)
		answer = explore_shrink(e, &w.runs, f);
	explore_worker_end(&w);
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
static int make_small(struct explore *e, struct explore_failure *f, struct strategy *strategy,
		      const struct controlled_paths *paths)
{
	struct schedule found = f->schedule;
	bool again = f->again, same;
	int answer;

	if (!has_time(f))
		return again || f->is_reported ? 0 : explore_examine(e, f);
	f->schedule = (struct schedule){0};
	schedule_copy(&f->schedule, &found);
	answer = shrink(e, f, strategy, paths);
	same = again && schedule_digest(&f->schedule) == schedule_digest(&found);
	if (answer == 0 && !same)
		answer = explore_examine(e, f);
	if (same || (again && (answer < 0 || !f->again))) {
		schedule_fini(&f->schedule);
		f->schedule = found;
		f->again = true;
	} else {
		schedule_fini(&found);
	}
	return answer;
}

/* Effects of the threads' order and of earlier runs cannot be distinguished here. */
static int leave(struct explore *e, struct explore_failure *f)
{
	base_free(f->no_script);
	f->no_script = base_strdup("by now the program fails without any order");
	return f->looked_at ? 0 : explore_examine(e, f);
}

int explore_kept_script(struct explore *e, struct explore_failure *f, struct strategy *strategy,
			const struct controlled_paths *paths)
{
	int answer = e->keeps_state ? leave(e, f) : make_small(e, f, strategy, paths);

	if (answer == 0 && !e->keeps_state) {
		keep(e, f);
		answer = explore_gates(e, f);
	}
	if (answer < 0 && give_up(e, f) < 0)
		return -1;
	f->done = true;
	keep(e, f);
	return 0;
}
