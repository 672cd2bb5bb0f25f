/*
 * Which gates? As few orders as will do: those of steps that depend on each other are tried first, then
 * all (plan.h). Orders without which the runs come out the same are left out: also where the threads
 * that would open the gate are held back, since by luck a program does what a gate forces (prove.h), and in
 * schedules that are searched (explore_gates_schedules.c). What is left has to force the failure in each of many runs.
 */
#include "tracer/experiments/explore_gates_internal.h"

#include "tracer/base/file.h"
#include "tracer/experiments/explore_account.h"

#include <string.h>
#include <unistd.h>

enum {
	TRIED_PLAIN = 5,
	TRIED_LONG = 3, /* ... of a livelock, which is not seen for a second */
	TRIED = 20,	/* runs that an order, or a plan, is tried by */
	TURNED = 3,
	LIMIT_FACTOR = 20,
	LIMIT_LEAST_S = 5,
	GATE_LIMIT_S = 3,
	SCHEDULES = 100, /* ... and schedules */
	LAST_SCHEDULES = 300,
};

/*
 * Of the time for one failure (explore_options) the first plan may use up all: so trying a plan gets a part of
 * what is left, and leaving out its gates another one.
 */
static const double PART_TRIED = 0.25, PART_DROPPED = 0.75;
/* Of the time to verify in: that much is there for what needs to be verified again. */
static const double PART_AGAIN = 1.0 / 6;
/* ... and that much for the schedules that are searched before. */
static const double PART_LOOKED = 0.25;

static bool is_past(double until)
{
	return until > 0 && explore_now_s() >= until;
}

static bool is_late(const struct gating *g)
{
	return is_past(g->until);
}

static double part_left(const struct gating *g, double part)
{
	double now = explore_now_s();

	return g->until > 0 ? now + (g->until - now) * part : 0;
}

/* ---- plain runs ------------------------------------------------------------------------------------- */

/* Again, for another way to write the script. */
static void set_options(struct gating *g)
{
	const struct session_options *given = g->e->x.options;
	struct session_options *o = &g->options;
	double limit = LIMIT_FACTOR * g->f->seconds;

	array_fini(&o->scripts);
	*o = *given;
	o->scripts.items = NULL;
	o->scripts.count = o->scripts.capacity = 0;
	for (size_t i = 0; !g->instead && i < given->scripts.count; i++)
		*array_add(&o->scripts) = given->scripts.items[i];
	*array_add(&o->scripts) = g->path;
	o->features = g->e->plain;
	o->reports.count = 0;
	o->controlled = NULL;
	o->out = o->err = 0;
	o->leftover = LEFTOVER_KILL;
	o->verbose = false;
	o->quiet = true;
	o->gate_limit = o->gate_limit < 0 ? GATE_LIMIT_S : o->gate_limit;
	if (o->time_limit < 0)
		o->time_limit = limit > LIMIT_LEAST_S ? limit : LIMIT_LEAST_S;
}

/* With gates left out places may be missed: then only how the program ends counts. */
static bool agrees(const struct gating *g, const struct session_trial *trial,
		   const struct session_result *r)
{
	if (trial->left_out)
		return r->evidence.as_expected != g->defies;
	return r->verdict == (g->defies ? VERDICT_NOT_AS_EXPECTED : VERDICT_OK);
}

static bool was_turned(const struct session_result *r)
{
	array_each(const struct session_subject, s, &r->evidence.subjects)
		if (s->is_gate && strncmp(s->name, "gate turned ", strlen("gate turned ")) == 0)
			return s->movers.count;
	return false;
}

static void note_difference(struct gating *g, const struct session_result *r)
{
	const char *text = r->text.length ? str_text(&r->text) : str_text(&r->evidence.came);

	str_clear(&g->differs);
	str_add_bytes(&g->differs, text, strcspn(text, "\n"));
}

/* One that hangs is not waited for when there is no time: that it does not agree leaves all as it is. */
static double limit_of(const struct gating *g)
{
	double limit = g->options.time_limit, rest = g->until - explore_now_s();

	if (g->verifies || !g->until || !(limit > LIMIT_LEAST_S) || limit < rest)
		return limit;
	return rest > LIMIT_LEAST_S ? rest : LIMIT_LEAST_S;
}

/* 1: it agreed, 0: it did not, -1: the experiment is over. */
static int run(struct gating *g, const struct session_trial *trial)
{
	struct experiment *x = &g->e->x;
	struct session_options *given = x->options;
	double limit = g->options.time_limit;
	struct session_result r;
	int answer;

	g->options.time_limit = limit_of(g);
	x->options = &g->options;
	answer = experiment_run(x, trial, NULL, &r);
	x->options = given;
	g->options.time_limit = limit;
	if (answer < 0)
		return -1;
	answer = agrees(g, trial, &r);
	g->turned = was_turned(&r);
	g->barred = !answer && r.verdict != (g->defies ? VERDICT_OK : VERDICT_NOT_AS_EXPECTED);
	if (!answer)
		note_difference(g, &r);
	session_result_fini(&r);
	return answer;
}

/* 1: all agreed, or those that there was time for; g->made tells how many, up to the first that did not. */
static int runs(struct gating *g, unsigned long most, const struct session_trial *trial,
		double until)
{
	double begun = explore_now_s();
	int answer = 1;

	g->made = 0;
	g->e->x.planned = most;
	while (answer == 1 && g->made < most && (!g->made || !is_past(until))) {
		g->e->x.done = g->made;
		answer = run(g, trial);
		g->made++;
	}
	g->took = explore_now_s() - begun;
	return answer;
}

static int write_script(struct gating *g)
{
	str_clear(&g->f->gates);
	gating_script(g, &g->f->gates);
	return file_replace(g->path, str_text(&g->f->gates), g->e->x.err);
}

static int runs_of_all(struct gating *g, unsigned long most, const char *what, double until)
{
	static const struct session_trial all;

	experiment_say(&g->e->x, what);
	return write_script(g) < 0 ? -1 : runs(g, most, &all, until);
}

/* ---- what is not needed ------------------------------------------------------------------------------ */

static int agrees_without(struct gating *g, const struct plan_order *o)
{
	const char *opens = g->schedule.threads.items[plan_step_at(&g->schedule, o->done)->thread];
	static const enum trial_way ways[] = {TRIAL_PLAIN, TRIAL_LATE, TRIAL_EARLY};
	struct str gate = {0};
	int answer = 1;

	gate_plan_gate(&g->plan, o, &gate);
	for (size_t i = 0; answer == 1 && i < sizeof(ways) / sizeof(*ways); i++) {
		const struct session_trial trial = {
			.about = str_text(&gate),
			.left_out = true,
			.way = ways[i],
			.early = &opens,
			.early_count = 1,
		};

		answer = runs(g, g->tried_each, &trial, g->drop_until);
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
	static const struct session_trial all;
	char *const *ids = g->schedule.threads.items;
	const char *opens = g->plan.places.items[o->from].thread; /* or several alike */
	struct str script = {0};
	int answer;

	if (!opens)
		opens = ids[plan_step_at(&g->schedule, o->done)->thread];
	if (strcmp(opens, "main") == 0) /* it has begun before any gate */
		return 1;
	o->dropped = true;
	gating_script(g, &script);
	o->dropped = false;
	str_add(&script, "local turned = SimpleGate \"turned\"\n");
	add_turn(g, o, at_its_end, &script);
	str_addf(&script, "on(\"thread-start\", { thread = \"%s\" }) :wait(turned)\n", opens);
	answer = file_replace(g->path, str_text(&script), g->e->x.err);
	str_fini(&script);
	answer = answer < 0 ? -1
			    : runs(g, g->tried_each < TURNED ? g->tried_each : TURNED, &all,
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
	if (write_script(g) == 0)
		answer = gating_escapes(g, SCHEDULES, g->until);
	o->dropped = false;
	if (answer < 0 || write_script(g) < 0)
		return -1;
	if (answer == 0 && g->schedules < SCHEDULES) {
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

	if (answer < 0 || write_script(g) < 0)
		return -1;
	if (answer == 1)
		answer = agrees_without(g, o);
	if (answer == 1)
		answer = agrees_in_schedules(g, o);
	if (answer == 1 && is_past(g->drop_until)) {
		g->f->gates_cut = true;
		answer = 0;
	}
	return answer;
}

/* Fewer runs for each order, if there is no time for all. */
static void share_time(struct gating *g)
{
	enum { WAYS = 3 };
	double each = g->took / (double)g->made, left;

	g->tried_each = g->tried;
	g->drop_until = part_left(g, PART_DROPPED);
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
		if (is_past(g->drop_until)) {
			g->f->gates_cut = true;
			break;
		}
		answer = is_needless(g, o);
		if (answer < 0)
			return -1;
		o->dropped = answer;
		g->dropped += o->dropped;
		if (o->dropped && write_script(g) < 0)
			return -1;
	}
	return 0;
}

/* Those that let somebody wait after what they do it for. */
static int drop(struct gating *g)
{
	experiment_say(&g->e->x, "without each of the gates");
	g->f->gates_cut = false;
	share_time(g);
	return drop_each(g, false) < 0 || drop_each(g, true) < 0 ? -1 : 0;
}

/* What was left out last has been tried with the fewest others. If there is no time for one after the other, all are. */
static bool put_back(struct gating *g)
{
	bool any = false;

	for (size_t i = g->plan.orders.count; i-- > 0;) {
		struct plan_order *o = &g->plan.orders.items[i];

		if (!o->dropped)
			continue;
		o->dropped = false;
		o->needed = !is_late(g);
		g->dropped--;
		any = true;
		if (!is_late(g))
			break;
		g->f->gates_cut = true;
	}
	return any;
}

/* ---- one plan after the other ------------------------------------------------------------------------ */

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

/*
 * Does all of the plan leave no way around it? There may be one for reasons that say nothing against the plan: in a
 * schedule a time-out may end before anything else is done, and a livelock is known only by its length.
 */
static int look_around(struct gating *g)
{
	int answer = g->livelock || g->defies ? 1 : gating_escapes(g, SCHEDULES, g->until);

	g->strict = answer == 0;
	return answer < 0 ? -1 : 1;
}

/* What making has left of its time is for verifying. */
static double verify_until(const struct gating *g)
{
	double now = explore_now_s(), most = g->e->options.verify_s;

	if (!g->until)
		return now + most;
	return g->until + most > now + most * PART_AGAIN ? g->until + most
							 : now + most * PART_AGAIN;
}

/* 1: it forces the failure; what it says of that is in it. */
static int verify(struct gating *g)
{
	double now = explore_now_s();
	int answer = write_script(g);

	if (answer == 0 && g->strict)
		answer = gating_escapes(g, LAST_SCHEDULES,
					now + (verify_until(g) - now) * PART_LOOKED);
	if (answer)
		return answer < 0 ? -1 : 0;
	g->verifies = true;
	answer = runs_of_all(g, g->e->options.verify, "verifying", verify_until(g));
	g->verifies = false;
	if (answer != 1)
		return answer;
	g->f->forced = g->made;
	g->f->forced_s = g->took;
	g->f->asked = g->e->options.verify;
	return write_script(g) < 0 ? -1 : 1;
}

static int try_plan(struct gating *g)
{
	int answer;

	if (is_late(g) && g->any) {
		no_script(g, "there was no time to try more gates");
		return 0;
	}
	g->any = true;
	answer = runs_of_all(g, g->tried, "trying gates", part_left(g, PART_TRIED));
	if (answer == 1)
		answer = look_around(g);
	if (answer == 1 && drop(g) < 0)
		return -1;
	if (answer == 1)
		answer = verify(g);
	while (answer == 0 && put_back(g)) /* others were tried without it */
		answer = drop(g) < 0 ? -1 : verify(g);
	if (answer == 0 && g->strict) { /* the longer look has found a way around all of it */
		g->strict = false;
		answer = verify(g);
	}
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
	made = gate_plan_make(&g->plan, &g->schedule, orders, &g->words, &err) == 0;
	if (!made && !g->f->no_script)
		no_script(g, error_text(&err));
	error_fini(&err);
	return made && (g->plan.orders.count || orders == PLAN_ALL);
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

static int try_schedule(struct gating *g)
{
	bool woken = gating_leaves_woken(g);
	int answer = 0;

	for (enum plan_orders orders = woken ? PLAN_TO_THE_END : PLAN_DEPENDENT;
	     answer == 0 && orders <= PLAN_ALL; orders++)
		answer = try_orders(g, orders);
	return answer;
}

/* Not where some schedule has come out differently: the order of threads matters then, whatever plain runs do by luck. */
static int try_plain(struct gating *g)
{
	int answer;

	if (g->defies || g->f->times < g->e->runs || gating_leaves_woken(g))
		return 0;
	g->plain = g->strict = true;
	answer = runs_of_all(g, g->livelock ? TRIED_LONG : TRIED_PLAIN, "trying it without gates",
			     part_left(g, PART_TRIED));
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
		set_options(g);
		answer = try_all(g);
	}
	return answer < 0 ? -1 : 0;
}

int gating_make(struct explore *e, struct explore_failure *f, double until)
{
	struct gating g = {.e = e, .f = f, .tried = TRIED, .until = until};
	int answer = -1;

	g.path = file_temporary(NULL, "gatectl-", ".lua", e->x.err);
	if (g.path) {
		session_signals_unlink(g.path);
		gating_begin(&g);
		if (g.livelock)
			g.tried = TRIED_LONG;
		set_options(&g);
		answer = try_both(&g);
		if (answer < 0)
			no_script(&g, "the search for one was ended");
		gating_end(&g);
		unlink(g.path);
		session_signals_unlink(NULL);
		array_fini(&g.options.scripts);
		str_fini(&g.differs);
	}
	base_free(g.path);
	return answer;
}
