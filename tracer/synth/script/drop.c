/*
 * Which orders are not needed? Without those the runs come out the same: also where the threads that would open the gate
 * are held back, since by luck a program does what a gate forces (prove.h), and in schedules that are searched.
 */
#include "tracer/search/explore.h"
#include "tracer/synth/gating_internal.h"

#include "tracer/base/files/file.h"

#include <string.h>

enum { TURNED = 3 };

static const double PART_DROPPED = 0.75;

/* Is there no time for another run? It has to end by then, not to begin. What is not known of the
   gate then is said. */
static bool has_no_time(struct gating *g)
{
	bool late = g->drop_until > 0 && explore_now_s() + g->each >= g->drop_until;

	g->f->gates_cut |= late;
	return late;
}

static int agrees_without(struct gating *g, const struct plan_order *o)
{
	const char *opens = g->schedule.threads.items[plan_step_at(&g->schedule, o->done)->thread];
	static const enum trial_way ways[] = {TRIAL_PLAIN, TRIAL_LATE, TRIAL_EARLY};
	struct str gate = {0};
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

		answer = has_no_time(g) ? 0 : gating_runs(g, g->tried_each, &trial, g->drop_until);
	}
	str_fini(&gate);
	return answer;
}

/* When it is let go that the other thread begins. */
static void add_turn(struct gating *g, const struct plan_order *o, bool at_its_end, struct str *out)
{
	struct plan_place held = g->plan.places.items[o->to];

	held.after = held.optional = true;
	if (at_its_end)
		str_addf(out, "on(\"thread-exit\", { thread = \"%s\" })",
			 g->schedule.threads.items[plan_step_at(&g->schedule, o->held)->thread]);
	else
		gate_plan_place(&held, out);
	str_add(out, " :open(turned)\n");
}

/* What holding back at places cannot say: what is held has been done, or (at its end) all that its thread does,
   before anything that the other one does. 1: it comes out the same, or cannot be tried. */
static int agrees_turned(struct gating *g, struct plan_order *o, bool at_its_end)
{
	static const struct run_trial all;
	char *const *ids = g->schedule.threads.items;
	const char *opens = g->plan.places.items[o->from].thread; /* or several alike */
	struct str script = {0};
	int answer;

	if (!opens)
		opens = ids[plan_step_at(&g->schedule, o->done)->thread];
	if (strcmp(opens, "main") == 0) /* it has begun before any gate */
		return 1;
	if (has_no_time(g))
		return 0;
	o->dropped = true;
	gating_script(g, &script);
	o->dropped = false;
	str_add(&script, "local turned = SimpleGate \"turned\"\n");
	add_turn(g, o, at_its_end, &script);
	str_addf(&script, "on(\"thread-start\", { thread = \"%s\" }) :wait(turned)\n", opens);
	answer = file_replace(g->path, str_text(&script), g->e->x.err);
	str_fini(&script);
	answer = answer < 0 ? -1
			    : gating_runs(g, g->tried_each < TURNED ? g->tried_each : TURNED, &all,
					  g->drop_until);
	return answer ? answer : g->barred && !g->turned;
}

/* Where it is held by a line that it has not begun, what it does there can be done first. */
static int agrees_otherwise(struct gating *g, struct plan_order *o)
{
	const struct plan_place *held = &g->plan.places.items[o->to];
	int answer = 1;

	if (held->kind == PLAN_LOCATION && !held->inside)
		answer = agrees_turned(g, o, false);
	return answer == 1 ? agrees_turned(g, o, true) : answer;
}

/* As many as were looked at before by all of the plan: with fewer it is not known. */
static int agrees_in_schedules(struct gating *g, struct plan_order *o)
{
	int answer = 0;

	if (!g->strict)
		return 1;
	o->dropped = true;
	if (gating_write(g) == 0)
		answer = gating_escapes(g, GATING_SCHEDULES, g->until);
	o->dropped = false;
	if (answer < 0 || gating_write(g) < 0)
		return -1;
	if (answer == 0 && !g->all_schedules) {
		g->f->gates_cut = true;
		return 0;
	}
	return !answer;
}

static size_t orders_left(const struct gating *g)
{
	return g->plan.orders.count - g->dropped;
}

/* 1: it comes out the same without it. With the time over that is not known. */
static int is_needless(struct gating *g, struct plan_order *o)
{
	int answer = agrees_otherwise(g, o);

	if (answer < 0 || gating_write(g) < 0)
		return -1;
	if (answer == 1)
		answer = agrees_without(g, o);
	if (answer == 1)
		answer = agrees_in_schedules(g, o);
	return answer == 1 && has_no_time(g) ? 0 : answer;
}

/* Fewer runs for each order, if there is no time for all. */
static void share_time(struct gating *g)
{
	enum { WAYS = 3 };
	double each, left;

	if (g->made) /* by the plan, or when it was verified last */
		g->each = g->took / (double)g->made;
	each = g->each;
	g->tried_each = g->tried;
	g->drop_until = gating_part_left(g, PART_DROPPED);
	left = (g->drop_until - explore_now_s()) / (double)(WAYS * (orders_left(g) + 1));
	if (g->drop_until > 0 && left < each * (double)g->tried)
		g->tried_each = left > each ? (unsigned long)(left / each) : 1;
}

/* The last one stays: without any the program does what it likes, whatever has come of it here. */
static int drop_each(struct gating *g, bool blocked)
{
	array_each(struct plan_order, o, &g->plan.orders) {
		int answer;

		if (o->blocked != blocked || o->dropped || o->needed || orders_left(g) == 1 ||
		    gating_is_by_luck(g, o))
			continue;
		if (has_no_time(g))
			break;
		answer = is_needless(g, o);
		if (answer < 0)
			return -1;
		o->dropped = answer;
		g->dropped += o->dropped;
		if (o->dropped && gating_write(g) < 0)
			return -1;
	}
	return 0;
}

/* Those that let somebody wait after what they do it for. */
int gating_drop(struct gating *g)
{
	experiment_say(&g->e->x, "without each of the gates");
	g->f->gates_cut = false;
	share_time(g);
	return drop_each(g, false) < 0 || drop_each(g, true) < 0 ? -1 : 0;
}

bool gating_put_back(struct gating *g)
{
	bool any = false;

	for (size_t i = g->plan.orders.count; i-- > 0;) {
		struct plan_order *o = &g->plan.orders.items[i];

		if (!o->dropped)
			continue;
		o->dropped = false;
		o->needed = !gating_is_past(g->until);
		g->dropped--;
		any = true;
		if (!gating_is_past(g->until))
			break;
	}
	return any;
}
