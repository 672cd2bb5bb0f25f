/* Drops the orders that are not needed. Without such an order the outcome is the same in plain
   runs, in runs that hold back the threads that open its gate, since chance may do what a gate
   forces (prove), and in schedules that are searched. */
#include "tracer/synth/synth_internal.h"
#include "tracer/synth/minimise.h"

#include "tracer/search/explore.h"

#include <string.h>

enum { TURNED = 3 };

/* True if no further run can end before the deadline. f->gates_cut then says that not all is known
   of the gates. */
static bool has_no_time(struct synth *g)
{
	bool late = g->drop_until > 0 && explore_now_s() + g->each >= g->drop_until;

	g->f->gates_cut |= late;
	return late;
}

static const char *thread_of(const struct synth *g, size_t step)
{
	return g->schedule.threads.items[synth_step(g, step)->thread];
}

static int agrees_without(struct synth *g, const struct plan_order *o)
{
	static const enum trial_way ways[] = {TRIAL_PLAIN, TRIAL_LATE, TRIAL_EARLY};
	const char *opens = thread_of(g, o->done);
	STR(gate);
	int answer = 1;

	gate_plan_gate(&g->plan, o, &gate);
	for (size_t i = 0; answer == 1 && i < sizeof(ways) / sizeof(*ways); i++) {
		const struct run_trial trial = {
			.about = str_text(&gate),
			.left_out = true,
			.way = ways[i],
			.early = &opens,
			.early_count = 1,
		};

		answer = has_no_time(g) ? 0 : synth_runs(g, g->tried_each, &trial, g->drop_until);
	}
	return answer;
}

/* Runs the opposite of the order, which holding back at places cannot force: the held thread does
   its step, or with `at_its_end` all its steps, before the other one starts. Returns 1 if the
   outcome is the same or this cannot be tried, 0, or -1. */
static int agrees_turned(struct synth *g, struct plan_order *o, bool at_its_end)
{
	static const struct run_trial all;
	/* may be a routine of several threads */
	const char *opens = g->plan.places.items[o->from].at.thread;
	struct script_place turns = g->plan.places.items[o->to].at;
	struct script_place held = {.kind = SCRIPT_THREAD_START};
	STR(script);
	int answer;

	held.thread = opens ? opens : thread_of(g, o->done);
	if (strcmp(held.thread, "main") == 0) /* the main thread starts before any gate */
		return 1;
	if (has_no_time(g))
		return 0;
	if (at_its_end)
		turns = (struct script_place){.kind = SCRIPT_THREAD_EXIT,
					      .thread = thread_of(g, o->held)};
	else
		turns.after = turns.optional = true;
	o->dropped = true;
	synth_script(g, &script);
	o->dropped = false;
	str_add(&script, "local turned = SimpleGate \"turned\"\n");
	script_place(&turns, &script);
	str_add(&script, " :open(turned)\n");
	script_place(&held, &script);
	str_add(&script, " :wait(turned)\n");
	answer = oracle_script(&g->oracle, str_text(&script));
	if (answer == 0)
		answer = synth_runs(g, g->tried_each < TURNED ? g->tried_each : TURNED, &all,
				    g->drop_until);
	return answer ? answer : g->is_barred;
}

/* Tries both opposites. Only a thread that is held before a line can do that line first. */
static int agrees_otherwise(struct synth *g, struct plan_order *o)
{
	const struct plan_place *held = &g->plan.places.items[o->to];
	int answer = 1;

	if (held->at.kind == SCRIPT_LOCATION && !held->inside)
		answer = agrees_turned(g, o, false);
	return answer == 1 ? agrees_turned(g, o, true) : answer;
}

/* Searches as many schedules as were searched for the whole plan: fewer of them prove nothing. */
static int agrees_in_schedules(struct synth *g, struct plan_order *o)
{
	int answer = 0;

	if (g->outcomes != SYNTH_ONE)
		return 1;
	o->dropped = true;
	if (synth_write(g) == 0)
		answer = synth_escapes(g, SYNTH_SCHEDULES, g->drop_until);
	o->dropped = false;
	if (answer < 0 || synth_write(g) < 0)
		return -1;
	if (answer == 0 && g->schedules < g->schedules_asked) {
		g->f->gates_cut = true;
		return 0;
	}
	return !answer;
}

size_t synth_orders_left(const struct synth *g)
{
	size_t left = 0;

	array_each(const struct plan_order, o, &g->plan.orders)
		left += !o->dropped;
	return left;
}

/* The last order stays: without any, the outcome is not forced, whatever the trials showed. Orders
   with a place inside a line come first, since a repair or another compilation removes it: either
   of two may be enough. Orders that let a thread wait come after those that they serve. */
static enum minimise_rank drop_rank(void *ctx, size_t order)
{
	struct synth *g = ctx;
	const struct plan_order *o = &g->plan.orders.items[order];
	const struct plan_place *places = g->plan.places.items;

	if (o->needed || o->tried || synth_orders_left(g) == 1 || synth_is_by_luck(g, o) ||
	    has_no_time(g))
		return MINIMISE_NEVER;
	if (o->blocked)
		return MINIMISE_THIRD;
	return places[o->from].inside || places[o->to].inside ? MINIMISE_FIRST : MINIMISE_SECOND;
}

/* An order whose trials have no time stays: its need is unknown. */
static int drop_is_needed(void *ctx, size_t order)
{
	struct synth *g = ctx;
	struct plan_order *o = &g->plan.orders.items[order];
	STR(what);
	int answer;

	str_addf(&what, "without 1 of %zu gates: ", synth_orders_left(g));
	gate_plan_gate(&g->plan, o, &what);
	experiment_say(&g->e->x, str_text(&what));
	answer = agrees_otherwise(g, o);
	if (answer < 0 || synth_write(g) < 0)
		return -1;
	if (answer == 1)
		answer = agrees_without(g, o);
	if (answer == 1)
		answer = agrees_in_schedules(g, o);
	if (answer < 0)
		return -1;
	o->tried = !has_no_time(g);
	return answer == 0 || !o->tried;
}

static bool *drop_dropped(void *ctx, size_t order)
{
	return &((struct synth *)ctx)->plan.orders.items[order].dropped;
}

static struct minimise_orders drop_minimise(struct synth *g)
{
	return (struct minimise_orders){g, g->plan.orders.count, drop_dropped, drop_rank,
					drop_is_needed};
}

/* Sets fewer runs for each order if there is no time for all. */
static void share_time(struct synth *g, double until)
{
	enum { WAYS = 3 };
	double left;

	/* runs that hold threads back take longer than plain ones */
	if (g->oracle.made && g->oracle.took / (double)g->oracle.made > g->each)
		g->each = g->oracle.took / (double)g->oracle.made;
	g->tried_each = g->tried;
	g->drop_until = until;
	left = (g->drop_until - explore_now_s()) / (double)(WAYS * (synth_orders_left(g) + 1));
	if (g->drop_until > 0 && left < g->each * (double)g->tried)
		g->tried_each = left > g->each ? (unsigned long)(left / g->each) : 1;
}

int synth_drop(struct synth *g, double until)
{
	const struct minimise_orders m = drop_minimise(g);

	g->f->gates_cut = false;
	share_time(g, until);
	return minimise_orders(&m);
}

bool synth_put_back(struct synth *g)
{
	const struct minimise_orders m = drop_minimise(g);
	bool all = synth_is_past(g->until);
	size_t back = minimise_put_back(&m, all);

	if (back == m.count)
		return false;
	g->plan.orders.items[back].needed |= !all;
	array_each(struct plan_order, o, &g->plan.orders)
		o->tried = false;
	return true;
}
