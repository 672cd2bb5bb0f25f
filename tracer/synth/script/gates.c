/*
 * Which gates? As few orders as will do: those of steps that depend on each other are tried first, then
 * all (plan.h). What does not matter is left out (script/drop.c). What is left has to force the failure in each of
 * many runs.
 */
#include "tracer/search/explore.h"
#include "tracer/synth/gating_internal.h"

#include "tracer/base/files/file.h"

#include <string.h>
#include <unistd.h>

enum {
	TRIED_PLAIN = 5,
	TRIED_LONG = 3, /* ... of a livelock or a hang, which takes seconds to show */
	TRIED = 20,	/* runs that an order, or a plan, is tried by */
	LAST_SCHEDULES = 300,
	MANY_ORDERS = 64,  /* more are not tried all at first */
	MOST_ORDERS = 512, /* ... or not at all */
	LATE_MOST = 8,	   /* threads */
};

/*
 * Of the time for one failure (explore_options) the first plan may use up all: so trying a plan gets a part of
 * what is left, and leaving out its gates another one.
 */
static const double PART_TRIED = 0.25;
/* Part of the verification's time that the searches before it may use. */
static const double PART_LOOKED = 0.25;

static const char no_time[] = "there was no time to see what gates do";

static void no_script(struct gating *g, const char *reason)
{
	base_free(g->f->no_script);
	g->f->no_script = base_strdup(reason);
	str_clear(&g->f->gates);
}

static void not_forced(struct gating *g)
{
	const char *differs = str_text(&g->differs);
	size_t lines = gate_plan_lines(&g->plan);
	struct str text = {0};

	if (g->cut) {
		no_script(g, no_time);
		return;
	}
	if (g->plan.unplaced)
		str_addf(&text, "%s; ", g->plan.unplaced);
	if (!lines)
		str_add(&text, "its points are in no order that gates could force, and a plain "
			       "run came out differently");
	else if (g->made == 1)
		str_addf(&text, "under %zu lines of gates the first plain run came out differently",
			 lines);
	else
		str_addf(&text,
			 "under %zu lines of gates it failed in %lu plain runs, and the next one "
			 "came out differently",
			 lines, g->made - 1);
	str_addf(&text, ": %s", differs + (strncmp(differs, "gatectl: ", 9) == 0 ? 9 : 0));
	no_script(g, str_text(&text));
	str_fini(&text);
}

static unsigned thread_at(const struct gating *g, size_t step)
{
	return plan_step_at(&g->schedule, step)->thread;
}

/* An order whose gate nobody passes while the thread is held back: it opens it, or is the one that waits. */
static const struct plan_order *gates_order_of(const struct gating *g, unsigned thread)
{
	const struct plan_order *waits = NULL;

	array_each(const struct plan_order, o, &g->plan.orders) {
		if (!o->dropped && thread_at(g, o->done) == thread)
			return o;
		if (!o->dropped && thread_at(g, o->held) == thread)
			waits = o;
	}
	return waits;
}

/* It begins when nobody else can move. 1: it comes out the same. */
static int begin_late(struct gating *g, unsigned thread)
{
	const char *id = g->schedule.threads.items[thread];
	const struct plan_order *o = gates_order_of(g, thread);
	struct run_trial trial = {.way = TRIAL_EARLY, .early = &id, .early_count = 1};
	struct str gate = {0};
	int answer;

	if (!o || gating_is_past(g->f->until))
		return 1;
	gate_plan_gate(&g->plan, o, &gate);
	trial.about = str_text(&gate);
	answer = gating_runs(g, 1, &trial, g->until);
	if (answer == 0)
		g->late = id;
	str_fini(&gate);
	return answer;
}

/*
 * Who begins first is luck as well, and what a thread does before its first step (it reads a file) may matter. 1: whoever
 * begins late, it comes out the same; 0: it does not for g->late; -1: the experiment is over.
 */
static int begin_each_late(struct gating *g)
{
	int answer = 1;

	if (g->endless || g->defies)
		return 1;
	for (unsigned t = 1; answer == 1 && t < g->schedule.threads.count && t <= LATE_MOST; t++)
		answer = begin_late(g, t);
	return answer;
}

/*
 * Does all of the plan leave no way around it? There may be one for reasons that say nothing
 * against the plan: in a schedule a time-out may end before anything else is done, and a livelock
 * or a hang is known only by its length.
 */
static int look_around(struct gating *g)
{
	int answer = g->endless || g->defies ? 1 : gating_escapes(g, GATING_SCHEDULES, g->until);

	g->strict = answer == 0;
	if (answer < 0 || (g->plan.unplaced && !g->strict)) /* plain runs may fail by luck */
		return answer < 0 ? -1 : 0;
	answer = begin_each_late(g);
	g->firm = answer == 1;
	if (g->firm)
		g->late = NULL;
	return answer == 0 && g->lax ? 1 : answer;
}

/* Each run of a program that hangs takes seconds, and shows no more than the one before. */
static unsigned long verify_runs(const struct gating *g)
{
	enum { HANGS = 10 };
	unsigned long asked = g->e->options.verify;

	return g->endless && !g->livelock && asked > HANGS ? HANGS : asked;
}

/* 1: it forces the failure; what it says of that is in it. */
static int verify(struct gating *g)
{
	double now = explore_now_s(), until = g->f->until;
	int answer = gating_write(g);

	if (answer == 0 && g->strict)
		answer = gating_escapes(g, LAST_SCHEDULES,
					until > 0 ? now + (until - now) * PART_LOOKED : 0);
	if (answer)
		return answer < 0 ? -1 : 0;
	if (g->firm)
		answer = begin_each_late(g);
	if (g->firm && answer != 1)
		return answer;
	g->verifies = true;
	answer = gating_runs_of_all(g, verify_runs(g), "verifying", until);
	g->verifies = false;
	if (answer != 1)
		return answer;
	g->f->forced = g->made;
	g->f->forced_s = g->took;
	g->f->asked = verify_runs(g);
	return gating_write(g) < 0 ? -1 : 1;
}

/* With as few of its gates as will do. */
static int make_small(struct gating *g)
{
	int answer = gating_drop(g) < 0 ? -1 : verify(g);

	while (answer == 0 && !g->cut && gating_put_back(g)) /* others were tried without it */
		answer = gating_drop(g) < 0 ? -1 : verify(g);
	if (answer == 0 && !g->cut &&
	    g->strict) { /* the longer look has found a way around all of it */
		g->strict = g->firm = false;
		answer = verify(g);
	}
	return answer;
}

/* Time that verification does not need goes to the search for fewer gates. */
static void take_rest(struct gating *g)
{
	static const double margin = 1.25;
	double each = g->took / (double)g->made;
	double verified = margin * each * (double)verify_runs(g) / (1 - PART_LOOKED);

	g->each = each;
	if (g->until > 0 && g->f->until - verified > g->until)
		g->until = g->f->until - verified;
}

static int try_plan(struct gating *g)
{
	int answer;

	if (gating_is_past(g->until) && g->any) {
		no_script(g, "there was no time to try more gates");
		return 0;
	}
	g->any = true;
	answer = gating_runs_of_all(g, g->tried, "trying gates", gating_part_left(g, PART_TRIED));
	if (answer == 1) {
		take_rest(g);
		answer = look_around(g);
	}
	if (answer == 1)
		answer = make_small(g);
	if (answer == 0)
		not_forced(g);
	return answer;
}

static void no_plan(struct gating *g)
{
	gate_plan_fini(&g->plan);
	g->plan = (struct gate_plan){0};
	g->dropped = 0;
}

static bool make_plan(struct gating *g, enum plan_orders orders, enum plan_by by)
{
	ERROR(err);
	bool made;

	no_plan(g);
	g->plan.by = by;
	g->plan.most = g->most;
	made = gate_plan_make(&g->plan, &g->schedule, orders, &g->words, &err) == 0;
	if (!made && !g->f->no_script)
		no_script(g, error_text(&err));
	error_fini(&err);
	return made && (g->plan.orders.count || orders == PLAN_ALL);
}

/* The last orders alone: of a long schedule most have nothing to do with the failure, and to find
   that out one by one takes longer than there is time for. */
static int try_last(struct gating *g, enum plan_orders orders)
{
	static const size_t most[] = {16, 128, MOST_ORDERS};
	int answer = 0;

	for (size_t i = 0; answer == 0 && i < sizeof(most) / sizeof(*most); i++) {
		g->most = most[i];
		if (!make_plan(g, orders, PLAN_BY_LINE))
			break;
		answer = try_plan(g);
		if (!g->plan.left_out)
			break;
	}
	g->most = MANY_ORDERS;
	return answer;
}

static bool has_address(const struct gate_plan *p)
{
	array_each(const struct plan_place, place, &p->places)
		if (place->inside)
			return true;
	return false;
}

/* Where there are addresses, places that the next build has, too, are tried first. */
static int try_orders(struct gating *g, enum plan_orders orders)
{
	int answer = 0;

	if (make_plan(g, orders, PLAN_BY_LINE) && g->plan.left_out)
		return try_last(g, orders);
	if (make_plan(g, orders, PLAN_BY_LINE) && gate_plan_is_inside(&g->plan) &&
	    make_plan(g, orders, PLAN_BY_WHOLE_LINE))
		answer = try_plan(g);
	if (answer == 0 && make_plan(g, orders, PLAN_BY_LINE))
		answer = try_plan(g);
	if (answer == 0 && make_plan(g, orders, PLAN_BY_INSTRUCTION) && has_address(&g->plan))
		answer = try_plan(g);
	no_plan(g);
	return answer;
}

static int try_each(struct gating *g)
{
	int answer = 0;

	for (enum plan_orders orders = gating_leaves_woken(g) ? PLAN_TO_THE_END : PLAN_DEPENDENT;
	     answer == 0 && orders <= PLAN_ALL; orders++)
		answer = try_orders(g, orders);
	return answer;
}

static int try_schedule(struct gating *g)
{
	int answer = try_each(g);

	if (answer || !g->late)
		return answer;
	g->lax = true;
	g->any = false;
	answer = try_each(g);
	g->lax = false;
	return answer;
}

/* Not where some schedule has come out differently: the order of threads matters then, whatever plain runs do by luck. */
static int try_plain(struct gating *g)
{
	int answer;

	if (g->defies || g->f->times < g->e->runs || gating_leaves_woken(g))
		return 0;
	g->plain = g->strict = true;
	answer = gating_runs_of_all(g, g->endless ? TRIED_LONG : TRIED_PLAIN,
				    "trying it without gates", gating_part_left(g, PART_TRIED));
	if (answer == 1)
		answer = verify(g);
	g->plain = g->strict = answer == 1;
	return answer;
}

static int try_all(struct gating *g)
{
	int answer = try_plain(g);

	if (answer == 0)
		answer = try_schedule(g);
	if (answer == 0 && gating_cut_spins(g))
		answer = try_schedule(g);
	if (answer == 1) {
		base_free(g->f->no_script);
		g->f->no_script = NULL;
	}
	return answer;
}

/* What came may be another text in each run: then it is just not what the tester's own script expects. */
static int try_both(struct gating *g)
{
	int answer = try_all(g);

	if (answer == 0 && g->instead) {
		g->instead = false;
		g->defies = true;
		gating_set_options(g);
		answer = try_all(g);
	}
	return answer < 0 ? -1 : 0;
}

/* Each run of a program that hangs takes seconds: one that is begun now would be cut. */
static bool is_too_late(const struct gating *g)
{
	enum { SHOWN_S = 3 };

	return g->endless && !g->livelock && gating_is_past(g->f->until - SHOWN_S);
}

int gating_make(struct explore *e, struct explore_failure *f, double until)
{
	struct gating g = {.e = e, .f = f, .tried = TRIED, .until = until, .most = MANY_ORDERS};
	int answer = -1;

	g.path = file_temporary(NULL, "gatectl-", ".lua", e->x.err);
	if (g.path) {
		run_signals_unlink(g.path);
		gating_begin(&g);
		if (g.endless)
			g.tried = TRIED_LONG;
		gating_set_options(&g);
		if (f->until > 0 && is_too_late(&g)) {
			no_script(&g, no_time);
			answer = 0;
		} else {
			answer = try_both(&g);
		}
		if (answer == 0 && f->no_script && run_signals_came()) {
			e->x.over = true;
			answer = -1;
		}
		if (answer < 0)
			no_script(&g, "the search for one was ended");
		gating_end(&g);
		unlink(g.path);
		run_signals_unlink(NULL);
		array_fini(&g.options.scripts);
		str_fini(&g.differs);
	}
	base_free(g.path);
	return answer;
}
