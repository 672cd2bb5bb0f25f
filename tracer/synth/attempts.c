/* Tries plans: dependent orders first, then all (plan.h). Orders that do not matter are dropped
   (oracle/drop.c); the rest has to force the failure in each of many runs. */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"

#include <string.h>

enum {
	TRIED_PLAIN = 5,
	TRIED_LONG = 3, /* runs for a livelock or hang, which takes seconds to show */
	TRIED = 20,	/* runs to try an order or a plan */
	LAST_SCHEDULES = 300,
	MANY_ORDERS = 64,  /* more are not all tried at first */
	MOST_ORDERS = 512, /* more are never tried */
	LATE_MOST = 8,	   /* threads */
	HANGS_VERIFIED = 10,
	HANGS_SHOWN_S = 3,
};

/* Attempts for one kind of orders, in this order. Of more than MANY_ORDERS orders most are
   unrelated to the failure, and dropping them singly takes too long: only the last ones are tried.
   Places that every build has come before addresses. */
enum attempt_if { IF_MANY, IF_INSIDE, IF_FEW, IF_INSTRUCTIONS };
static const struct attempt {
	enum plan_by by;
	size_t most; /* most orders, the last ones */
	enum attempt_if when;
} attempts[] = {
	{PLAN_BY_LINE, 16, IF_MANY},	      {PLAN_BY_LINE, 128, IF_MANY},
	{PLAN_BY_LINE, MOST_ORDERS, IF_MANY}, {PLAN_BY_WHOLE_LINE, MANY_ORDERS, IF_INSIDE},
	{PLAN_BY_LINE, MANY_ORDERS, IF_FEW},  {PLAN_BY_INSTRUCTION, MANY_ORDERS, IF_INSTRUCTIONS},
};

/* Part of the time left that trying a plan gets, since the first plan could use all of it. */
static const double PART_TRIED = 0.25;
/* Part of the verification's time for the searches before it. */
static const double PART_LOOKED = 0.25;
/* A verification may take longer than its runs so far, or than the one before. */
static const double MARGIN = 1.25;
/* Part of the time left for dropping gates; the rest is for another verification. */
static const double PART_DROPPED = 0.75;

static const char no_time[] = "there was no time to try gates";

static void no_script(struct synth *g, const char *reason)
{
	base_free(g->f->no_script);
	g->f->no_script = base_strdup(reason);
	str_clear(&g->f->gates);
}

static void not_forced(struct synth *g)
{
	const char *differs = str_text(&g->differs);
	size_t lines = gate_plan_lines(&g->plan);
	STR(text);

	if (g->oracle.cut) {
		no_script(g, no_time);
		return;
	}
	if (g->plan.unplaced)
		str_addf(&text, "%s; ", g->plan.unplaced);
	if (!lines)
		str_add(&text, "gates cannot force the order of its points, and a plain run had "
			       "another outcome");
	else if (g->oracle.made == 1)
		str_addf(&text, "under %zu lines of gates the first plain run had another outcome",
			 lines);
	else
		str_addf(&text,
			 "under %zu lines of gates it failed in %lu plain runs, and the next one "
			 "had another outcome",
			 lines, g->oracle.made - 1);
	str_addf(&text, ": %s", differs + (strncmp(differs, "gatectl: ", 9) == 0 ? 9 : 0));
	no_script(g, str_text(&text));
}

/* ---- late starts of threads ---- */

/* Order whose gate no thread passes while `thread` is delayed: the thread opens it or waits at
   it. */
static const struct plan_order *order_of_thread(const struct synth *g, unsigned thread)
{
	const struct plan_order *waits = NULL;

	array_each(const struct plan_order, o, &g->plan.orders) {
		if (!o->dropped && synth_step(g, o->done)->thread == thread)
			return o;
		if (!o->dropped && synth_step(g, o->held)->thread == thread)
			waits = o;
	}
	return waits;
}

/* Runs with a thread that begins only when no other can run. Returns 1 if the outcome is the
   same. */
static int begin_late(struct synth *g, unsigned thread)
{
	const char *id = g->schedule.threads.items[thread];
	const struct plan_order *o = order_of_thread(g, thread);
	struct run_trial trial = {.way = TRIAL_EARLY, .early = &id, .early_count = 1};
	STR(gate);
	int answer;

	if (!o || synth_is_past(g->f->until))
		return 1;
	gate_plan_gate(&g->plan, o, &gate);
	trial.about = str_text(&gate);
	answer = synth_runs(g, 1, &trial, g->until);
	if (answer == 0)
		g->late = id;
	return answer;
}

/* Delays the start of each thread: the order of starts is chance, and what a thread does before its
   first step may matter. Returns 1 if no delay changes the outcome, 0 if g->late's does, -1 if the
   experiment is over. */
static int begin_each_late(struct synth *g)
{
	int answer = 1;

	if (g->ends != SYNTH_ENDS || g->expects == SYNTH_UNMET)
		return 1;
	for (unsigned t = 1; answer == 1 && t < g->schedule.threads.count && t <= LATE_MOST; t++)
		answer = begin_late(g, t);
	return answer;
}

/* ---- one plan ---- */

/* Checks the whole plan for other outcomes. One may exist for reasons that do not disprove the
   plan: a schedule may end a timeout early, and a livelock or hang shows only by its length. */
static int look_around(struct synth *g)
{
	bool searches = g->ends == SYNTH_ENDS && g->expects != SYNTH_UNMET;
	int answer = searches ? synth_escapes(g, SYNTH_SCHEDULES, synth_search_until(g->until)) : 1;

	g->outcomes = answer == 0 ? SYNTH_ONE : searches ? SYNTH_OTHERS : SYNTH_UNKNOWN;
	if (answer < 0 || (g->plan.unplaced && answer)) /* plain runs may fail by chance */
		return answer < 0 ? -1 : 0;
	answer = begin_each_late(g);
	g->firm = answer == 1;
	if (g->firm)
		g->late = NULL;
	return answer == 0 && g->lax ? 1 : answer;
}

/* Runs to verify: each run of a hang takes seconds and shows no more than the one before. */
static unsigned long verify_runs(const struct synth *g)
{
	unsigned long asked = g->e->options.verify;

	return g->ends == SYNTH_HANGS && asked > HANGS_VERIFIED ? HANGS_VERIFIED : asked;
}

static void say_gates(const struct synth *g, const char *verb, struct str *what)
{
	size_t left = synth_orders_left(g);

	str_addf(what, "%s %zu gate%s", verb, left, str_plural(left));
}

static void expect_crash(struct synth *g, char *at)
{
	base_free(g->crash);
	g->crash = at;
}

/* Makes the runs that verify the script. If they crash at several places, the script expects the
   signal alone. */
static int verify_by_runs(struct synth *g, const char *what, double until)
{
	int answer;

	expect_crash(g, synth_crash_location(g));
	answer = synth_runs_of_all(g, verify_runs(g), what, until);
	if (answer == 0 && g->crash && !g->oracle.cut) {
		expect_crash(g, NULL);
		answer = synth_runs_of_all(g, verify_runs(g), what, until);
	}
	return answer;
}

/* Verifies the script. Returns 1 if it forces the failure; then its text says so. */
static int verify(struct synth *g)
{
	double now = explore_now_s(), until = g->f->until, before = g->until;
	STR(what);
	int answer;

	expect_crash(g, NULL);
	answer = synth_write(g);

	if (answer == 0 && g->outcomes == SYNTH_ONE)
		answer = synth_escapes(
			g, LAST_SCHEDULES,
			synth_search_until(until > 0 ? now + (until - now) * PART_LOOKED : 0));
	if (answer)
		return answer < 0 ? -1 : 0;
	if (g->firm)
		answer = begin_each_late(g);
	if (g->firm && answer != 1)
		return answer;
	g->until = until;
	if (!g->plain)
		say_gates(g, "verifying", &what);
	answer = verify_by_runs(g, g->plain ? "verifying" : str_text(&what), until);
	g->until = before;
	if (answer != 1)
		return answer;
	g->verified_s = explore_now_s() - now;
	g->f->forced = g->oracle.made;
	g->f->forced_s = g->oracle.took;
	g->f->asked = verify_runs(g);
	return synth_write(g) < 0 ? -1 : 1;
}

static int drop_and_verify(struct synth *g, double until)
{
	return synth_drop(g, until) < 0 ? -1 : verify(g);
}

/* Drops gates, and verifies the script. */
static int make_small(struct synth *g)
{
	int answer = drop_and_verify(g, synth_part_left(g, PART_DROPPED));

	while (answer == 0 && !g->oracle.cut &&
	       synth_put_back(g)) /* others were tried without it */
		answer = drop_and_verify(g, synth_part_left(g, PART_DROPPED));
	/* the longer search found another outcome under all gates */
	if (answer == 0 && !g->oracle.cut && g->outcomes == SYNTH_ONE) {
		g->outcomes = SYNTH_OTHERS;
		g->firm = false;
		answer = verify(g);
	}
	return answer;
}

/* A script that is verified, and the gates that it does without. */
struct verified {
	struct explore_failure f; /* members about the script alone */
	ARRAY(bool) dropped;
};

static void verified_keep(const struct synth *g, struct verified *v)
{
	v->f = (struct explore_failure){
		.forced = g->f->forced, .forced_s = g->f->forced_s, .asked = g->f->asked};
	str_add(&v->f.gates, str_text(&g->f->gates));
	array_each(const struct plan_order, o, &g->plan.orders)
		*array_add(&v->dropped) = o->dropped;
}

static void verified_restore(struct synth *g, const struct verified *v)
{
	g->f->forced = v->f.forced;
	g->f->forced_s = v->f.forced_s;
	g->f->asked = v->f.asked;
	g->f->gates_cut = true;
	str_clear(&g->f->gates);
	str_add(&g->f->gates, str_text(&v->f.gates));
	for (size_t i = 0; i < v->dropped.count; i++)
		g->plan.orders.items[i].dropped = v->dropped.items[i];
}

/* The time that was reserved for the verification, and that it did not need, goes to the gates that
   were not tried yet. The smaller script has to be verified, too. */
static int make_smaller(struct synth *g)
{
	double until = g->f->until - MARGIN * g->verified_s;
	size_t left = synth_orders_left(g);
	struct verified v = {0};
	int answer;

	if (!g->f->gates_cut || explore_now_s() + g->each >= until)
		return 1;
	verified_keep(g, &v);
	g->until = until;
	answer = synth_drop(g, until);
	if (answer == 0 && synth_orders_left(g) < left)
		answer = verify(g);
	else if (answer == 0)
		answer = synth_write(g) < 0 ? -1 : 1;
	if (answer != 1)
		verified_restore(g, &v);
	str_fini(&v.f.gates);
	array_fini(&v.dropped);
	return answer < 0 ? -1 : 1;
}

/* Gives time that verification does not need to dropping gates. */
static void take_rest(struct synth *g)
{
	double verified;

	g->each = g->oracle.took / (double)g->oracle.made;
	verified = MARGIN * g->each * (double)verify_runs(g) / (1 - PART_LOOKED);
	if (g->until > 0 && g->f->until - verified > g->until)
		g->until = g->f->until - verified;
}

/* Keeps the script before its gates are dropped one by one and verified, which may take long. */
static int keep_early(struct synth *g)
{
	if (!g->f->folder || g->f->script)
		return 0;
	if (synth_write(g) < 0)
		return -1;
	explore_keep_failure(g->e, g->f);
	return 0;
}

static int try_plan(struct synth *g)
{
	STR(what);
	int answer;

	if (synth_is_past(g->until) && g->any) {
		no_script(g, "there was no time to try more gates");
		return 0;
	}
	g->any = true;
	say_gates(g, "trying", &what);
	answer = synth_runs_of_all(g, g->tried, str_text(&what), synth_part_left(g, PART_TRIED));
	if (answer == 1) {
		take_rest(g);
		answer = look_around(g);
	}
	if (answer == 1)
		answer = keep_early(g) < 0 ? -1 : make_small(g);
	if (answer == 1)
		answer = make_smaller(g);
	if (answer == 0)
		not_forced(g);
	return answer;
}

/* ---- the attempts ---- */

static void no_plan(struct synth *g)
{
	gate_plan_fini(&g->plan);
	g->plan = (struct gate_plan){0};
}

static bool make_plan(struct synth *g, enum plan_orders orders, enum plan_by by, size_t most)
{
	ERROR(err);
	bool made;

	no_plan(g);
	g->plan.by = by;
	g->plan.most = most;
	made = gate_plan_make(&g->plan, &g->schedule, orders, &g->words, &err) == 0;
	if (!made && !g->f->no_script)
		no_script(g, error_text(&err));
	error_fini(&err);
	return made && (gate_plan_lines(&g->plan) || orders == PLAN_ALL);
}

static bool has_instruction(const struct gate_plan *p)
{
	array_each(const struct plan_place, place, &p->places)
		if (place->inside)
			return true;
	return false;
}

static int try_orders(struct synth *g, enum plan_orders orders)
{
	bool made = make_plan(g, orders, PLAN_BY_LINE, MANY_ORDERS);
	bool many = made && g->plan.left_out, inside = made && gate_plan_is_inside(&g->plan);
	int answer = 0;

	for (size_t i = 0; answer == 0 && i < sizeof(attempts) / sizeof(*attempts); i++) {
		const struct attempt *a = &attempts[i];

		if (many != (a->when == IF_MANY) || (a->when == IF_INSIDE && !inside))
			continue;
		made = make_plan(g, orders, a->by, a->most);
		if (made && !(a->when == IF_INSTRUCTIONS && !has_instruction(&g->plan)))
			answer = try_plan(g);
		if (many && (!made || !g->plan.left_out))
			break;
	}
	no_plan(g);
	return answer;
}

static int try_each(struct synth *g)
{
	int answer = 0;

	for (enum plan_orders orders = synth_leaves_woken(g) ? PLAN_TO_THE_END : PLAN_DEPENDENT;
	     answer == 0 && orders <= PLAN_ALL; orders++)
		answer = try_orders(g, orders);
	return answer;
}

static int try_schedule(struct synth *g)
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

/* Tries without gates, unless some schedule had another outcome: then the order of threads matters,
   whatever plain runs do by chance. */
static int try_plain(struct synth *g)
{
	int answer;

	if (g->expects == SYNTH_UNMET || g->f->times < g->e->runs || synth_leaves_woken(g))
		return 0;
	g->plain = true;
	g->outcomes = SYNTH_ONE;
	answer = synth_runs_of_all(g, g->ends != SYNTH_ENDS ? TRIED_LONG : TRIED_PLAIN,
				   "trying it without gates", synth_part_left(g, PART_TRIED));
	if (answer == 1)
		answer = verify(g);
	g->plain = answer == 1;
	g->outcomes = g->plain ? SYNTH_ONE : SYNTH_UNKNOWN;
	return answer;
}

static int try_all(struct synth *g)
{
	int answer = try_plain(g);

	if (answer == 0)
		answer = try_schedule(g);
	if (answer == 0 && synth_cut_spins(g))
		answer = try_schedule(g);
	if (answer == 1) {
		base_free(g->f->no_script);
		g->f->no_script = NULL;
	}
	return answer;
}

/* Tries with the outcome as the expectation, then with the user's expect: the output may differ in
   each run. */
static int try_both(struct synth *g)
{
	int answer = try_all(g);

	if (answer == 0 && g->expects == SYNTH_CAME) {
		g->expects = SYNTH_UNMET;
		synth_set_options(g);
		answer = try_all(g);
	}
	return answer < 0 ? -1 : 0;
}

int synth_make(struct explore *e, struct explore_failure *f, double until)
{
	struct synth g = {.e = e, .f = f, .tried = TRIED, .until = until, .oracle = {.x = &e->x}};
	int answer = oracle_script(&g.oracle, "");

	if (answer < 0)
		return -1;
	synth_take_schedule(&g);
	synth_words(&g);
	if (g.ends != SYNTH_ENDS)
		g.tried = TRIED_LONG;
	synth_set_options(&g);
	/* A run of a hang takes seconds: one begun now would be cut. */
	if (strcmp(f->kind, "leak") == 0)
		no_script(&g, "no script can expect threads that have not ended");
	else if (f->until > 0 && g.ends == SYNTH_HANGS && synth_is_past(f->until - HANGS_SHOWN_S))
		no_script(&g, no_time);
	else
		answer = try_both(&g);
	if (answer == 0 && f->no_script && run_signals_came()) {
		e->x.over = true;
		answer = -1;
	}
	if (answer < 0 && !f->script)
		no_script(&g, "the search for one was ended");
	array_fini(&g.schedule.steps);
	array_fini(&g.schedule.pending);
	array_fini(&g.options.scripts);
	str_fini(&g.differs);
	base_free(g.crash);
	oracle_fini(&g.oracle);
	return answer < 0 ? -1 : !f->no_script && g.outcomes == SYNTH_OTHERS;
}
