/*
 * Which orders are not needed? Without those the runs come out the same: also where the threads
 * that would open the gate are held back, since by luck a program does what a gate forces
 * (prove), and in schedules that are searched.
 */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"

#include <string.h>

enum { TURNED = 3 };

static const double PART_DROPPED = 0.75;

/* Is there no time for another run? It has to end by then, not to begin. What is not known of the
   gate then is said. */
static bool has_no_time(struct synth *g)
{
	bool late = g->drop_until > 0 && explore_now_s() + g->each >= g->drop_until;

	g->f->gates_cut |= late;
	return late;
}

static const char *thread_of(const struct synth *g, size_t step)
{
	return g->schedule.threads.items[plan_step_at(&g->schedule, step)->thread];
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

/* What holding back at places cannot say: what is held has been done, or (at its end) all that
   its thread does, before anything that the other one does. 1: it comes out the same, or cannot
   be tried. */
static int agrees_turned(struct synth *g, struct plan_order *o, bool at_its_end)
{
	static const struct run_trial all;
	const char *opens = g->plan.places.items[o->from].at.thread; /* or several alike */
	struct script_place turns = g->plan.places.items[o->to].at;
	struct script_place held = {.kind = SCRIPT_THREAD_START};
	STR(script);
	int answer;

	held.thread = opens ? opens : thread_of(g, o->done);
	if (strcmp(held.thread, "main") == 0) /* it has begun before any gate */
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

/* Where it is held by a line that it has not begun, what it does there can be done first. */
static int agrees_otherwise(struct synth *g, struct plan_order *o)
{
	const struct plan_place *held = &g->plan.places.items[o->to];
	int answer = 1;

	if (held->at.kind == SCRIPT_LOCATION && !held->inside)
		answer = agrees_turned(g, o, false);
	return answer == 1 ? agrees_turned(g, o, true) : answer;
}

/* As many as were looked at before by all of the plan: with fewer it is not known. */
static int agrees_in_schedules(struct synth *g, struct plan_order *o)
{
	int answer = 0;

	if (!g->strict)
		return 1;
	o->dropped = true;
	if (synth_write(g) == 0)
		answer = synth_escapes(g, SYNTH_SCHEDULES, g->until);
	o->dropped = false;
	if (answer < 0 || synth_write(g) < 0)
		return -1;
	if (answer == 0 && g->schedules < g->schedules_asked) {
		g->f->gates_cut = true;
		return 0;
	}
	return !answer;
}

static size_t orders_left(const struct synth *g)
{
	size_t left = 0;

	array_each(const struct plan_order, o, &g->plan.orders)
		left += !o->dropped;
	return left;
}

/* 1: it comes out the same without it. With the time over that is not known. */
static int is_needless(struct synth *g, struct plan_order *o)
{
	int answer = agrees_otherwise(g, o);

	if (answer < 0 || synth_write(g) < 0)
		return -1;
	if (answer == 1)
		answer = agrees_without(g, o);
	if (answer == 1)
		answer = agrees_in_schedules(g, o);
	return answer == 1 && has_no_time(g) ? 0 : answer;
}

/* Fewer runs for each order, if there is no time for all. */
static void share_time(struct synth *g)
{
	enum { WAYS = 3 };
	double left;

	if (g->oracle.made) /* by the plan, or when it was verified last */
		g->each = g->oracle.took / (double)g->oracle.made;
	g->tried_each = g->tried;
	g->drop_until = synth_part_left(g, PART_DROPPED);
	left = (g->drop_until - explore_now_s()) / (double)(WAYS * (orders_left(g) + 1));
	if (g->drop_until > 0 && left < g->each * (double)g->tried)
		g->tried_each = left > g->each ? (unsigned long)(left / g->each) : 1;
}

/* The last one stays: without any the program does what it likes, whatever has come of it here. */
static int drop_each(struct synth *g, bool blocked)
{
	array_each(struct plan_order, o, &g->plan.orders) {
		int answer;

		if (o->blocked != blocked || o->dropped || o->needed || orders_left(g) == 1 ||
		    synth_is_by_luck(g, o))
			continue;
		if (has_no_time(g))
			break;
		answer = is_needless(g, o);
		if (answer < 0)
			return -1;
		o->dropped = answer;
		if (o->dropped && synth_write(g) < 0)
			return -1;
	}
	return 0;
}

/* Those that let somebody wait after what they do it for. */
int synth_drop(struct synth *g)
{
	experiment_say(&g->e->x, "without each of the gates");
	g->f->gates_cut = false;
	share_time(g);
	return drop_each(g, false) < 0 || drop_each(g, true) < 0 ? -1 : 0;
}

bool synth_put_back(struct synth *g)
{
	bool any = false;

	for (size_t i = g->plan.orders.count; i-- > 0;) {
		struct plan_order *o = &g->plan.orders.items[i];

		if (!o->dropped)
			continue;
		o->dropped = false;
		o->needed = !synth_is_past(g->until);
		any = true;
		if (o->needed)
			break;
	}
	return any;
}
