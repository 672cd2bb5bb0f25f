/*
 * What the script needs. A site whose gates spoil the outcome keeps its sleep. With --needed an
 * order is dropped if the outcome is the same without it, even in runs that try the opposite; then
 * a site left without any order is not for ordering.
 */
#include "tracer/synth/sleeps/convert_internal.h"
#include "tracer/synth/minimise.h"

#include <string.h>

enum { LATE_MOST = 8, TRY_RUNS = 3, EARLIER_TRIES = 6 };

int convert_plan_same(struct convert *c, unsigned long runs)
{
	STR(text);

	convert_script(&c->plan, "", &text);
	return convert_try(c, str_text(&text), runs);
}

/* Has the thread a part in an order that is kept? */
static bool has_part(const struct convert_plan *p, size_t thread)
{
	array_each(const struct convert_order, o, &p->orders)
		if (!convert_is_left(p, o) && (o->from_thread == thread || o->to_thread == thread))
			return true;
	return false;
}

/* Where other threads can always move, the late thread never begins: that tells nothing. */
static int judge_late(const struct oracle_question *q, struct run_result *r)
{
	return r->verdict == VERDICT_NEVER_OPENED || r->verdict == VERDICT_TIME_LIMIT
		       ? ORACLE_YES
		       : convert_judge(q, r);
}

/* One run in which this thread begins when no other thread can move, and sleeps that are not for
   ordering take no time: a thread that sleeps may be taken for one that waits. 1, 0, or
   -1. */
static int begin_late(struct convert *c, const char *id)
{
	static const char gate[] = "begins late", harmless[] = "not for ordering";
	const struct script_place start = {.kind = SCRIPT_THREAD_START, .thread = id};
	struct oracle_question q = convert_question(c, 1);
	double *limit = &c->x.options->gate_limit, given = *limit, most = 1;
	STR(text);
	int same;

	for (size_t i = 0; i < c->plan.sites.count; i++) {
		const struct convert_site *site = &c->plan.sites.items[i];

		most += site->left ? c->seconds : 0;
		if (site->left && site->location && site->times == 1 &&
		    strncmp(site->left, harmless, sizeof(harmless) - 1) == 0)
			convert_elide_only(&c->plan, i, &text);
	}
	if (*limit > most)
		*limit = most;
	script_place(&start, &text);
	str_addf(&text, ":wait(SimpleGate \"%s\")\non \"rest\":open(\"%s\")\n", gate, gate);
	convert_script(&c->plan, "", &text);
	q.judge = judge_late;
	same = convert_use_script(c, str_text(&text)) < 0 ? -1 : convert_ask(c, &q);
	*limit = given;
	return same;
}

/* Which thread comes first where two may be first is luck: each begins late once. The script of the
   plan is in use afterwards. 1, 0, or -1. */
static int begin_each_late(struct convert *c)
{
	STR(text);
	int same = 1;

	for (size_t t = 0, tried = 0; same > 0 && t < c->plan.threads.count; t++) {
		const char *id = c->plan.threads.items[t];

		if (strchr(id, '#') && tried < LATE_MOST && has_part(&c->plan, t)) {
			same = begin_late(c, id);
			tried++;
		}
	}
	convert_script(&c->plan, "", &text);
	return same > 0 && convert_use_script(c, str_text(&text)) < 0 ? -1 : same;
}

static const char *const measures = "it measures the time: the clock is asked before and after it";

/*
 * What a sleep is timed by is no order. By the clock that a watched run sees neither an elided sleep
 * nor a gate takes time: if the outcome differs then, sites with the clock before and after them keep
 * their sleep. So do sites that sleep though they are elided. 0, or -1.
 */
static int leave_measured(struct convert *c)
{
	struct convert_record run = {0};
	STR(text);
	int same;

	convert_script(&c->plan, "", &text);
	same = convert_alone(c, str_text(&text), &run);
	for (size_t i = 0; same >= 0 && i < c->plan.sites.count; i++) {
		struct convert_site *site = &c->plan.sites.items[i];
		const char *sleeps = convert_still_sleeps(&c->plan, &run, i);

		if (!same && polls_measures(c->records.items[0], &site->at))
			convert_leave(site, measures);
		else if (sleeps && !site->left)
			convert_leave(site, sleeps);
	}
	convert_record_fini(&run);
	return same < 0 ? -1 : 0;
}

int convert_plan_holds(struct convert *c, unsigned long runs)
{
	int same = convert_plan_same(c, runs);

	return same > 0 ? begin_each_late(c) : same;
}

/* ---- sites ------------------------------------------------------------------------------------ */

/* Holds the thread where it sleeps; or earlier, where it takes a lock that the others need. 1, 0,
   or -1. `differs`, if empty, gets the first outcome that differed. */
static int held_somewhere(struct convert *c, struct convert_site *site, int runs,
			  struct str *differs)
{
	int same = 0;

	for (size_t back = 0; !same && back <= (site->by_callee ? 0 : site->backs); back++) {
		site->held_back = back;
		same = convert_plan_holds(c, runs);
		if (!same && !differs->length)
			str_add(differs, str_text(&c->differs));
		if (!same && c->endless)
			break;
	}
	if (!same)
		site->held_back = 0;
	return same;
}

/* Does one order, of this site or of another one, ask for the impossible? Tries without each. 1, 0,
   or -1. */
static int without_one(struct convert *c, size_t site, bool own, int runs, struct str *differs)
{
	int same = 0;

	array_each(struct convert_order, o, &c->plan.orders) {
		if (same || c->endless || convert_is_left(&c->plan, o) || (o->site == site) != own)
			continue;
		o->state = CONVERT_NOT_SEEN;
		same = held_somewhere(c, &c->plan.sites.items[site], runs, differs);
		if (same <= 0)
			o->state = CONVERT_KEPT;
	}
	return same;
}

static const char *why_left(const struct convert_site *site)
{
	static const char *const why[2][2] = {
		{"not for ordering: the outcome does not depend on what the others do meanwhile",
		 "not for ordering: the outcome is the same without it, but threads work meanwhile "
		 "that are in a library, where gatectl does not look"},
		{"not for ordering: the outcome depends on the time that it takes",
		 "not for ordering: the outcome depends on what threads do meanwhile that are in a "
		 "library, where gatectl does not look"},
	};

	return why[site->matters][site->unseen];
}

/* Does nothing that is seen happen while it sleeps? */
static bool sees_nothing(const struct convert_plan *p, size_t site)
{
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == site && o->state == CONVERT_KEPT && o->within)
			return false;
	return true;
}

/* Its threads wait until no thread can move. */
static void let_rest(struct convert_plan *p, size_t site)
{
	p->sites.items[site].instead = CONVERT_REST;
	array_each(struct convert_order, o, &p->orders)
		if (o->site == site)
			o->state = CONVERT_NOT_SEEN;
}

static bool can_rest(const struct convert *c, const struct convert_site *site)
{
	return !c->needed && !site->by_callee && site->instead == CONVERT_ORDERS &&
	       c->records.items[0]->threads.count > 1;
}

/* What such a sleep waits for is not seen, so no order can replace it. */
static void leave_unseen(struct convert *c)
{
	struct convert_plan *p = &c->plan;

	for (size_t i = 0; i < p->sites.count; i++) {
		struct convert_site *site = &p->sites.items[i];

		if (!site->unseen || site->left || site->instead == CONVERT_ROLE ||
		    (convert_orders_of(p, i) && !(site->matters && sees_nothing(p, i))))
			continue;
		if (can_rest(c, site))
			let_rest(p, i);
		else
			convert_leave(site, why_left(site));
	}
}

static const char *const late = "there was no time to try it without (--for)";

/* 1, 0 the site keeps its sleep, or -1. */
static int convert_choose_add_site(struct convert *c, size_t i, int runs)
{
	struct convert_site *site = &c->plan.sites.items[i];
	STR(differs);
	STR(why);
	int same;

	base_free(site->left);
	site->left = NULL;
	c->endless = false;
	same = held_somewhere(c, site, runs, &differs);
	if (!same)
		same = without_one(c, i, true, runs, &differs);
	if (!same)
		same = without_one(c, i, false, runs, &differs);
	if (!same && can_rest(c, site)) {
		let_rest(&c->plan, i);
		same = convert_plan_holds(c, runs);
	}
	if (!same && polls_measures(c->records.items[0], &site->at)) {
		convert_leave(site, measures);
	} else if (!same && c->records.items[0]->threads.count == 1) {
		convert_leave(site, "not for ordering, as nobody else is there: the outcome "
				    "depends on the time itself");
	} else if (!same && site->instead == CONVERT_REST) {
		convert_leave(site, why_left(site));
	} else if (!same) {
		str_addf(&why, "the orders that were seen do not do for it: with them, %s",
			 str_text(&differs));
		convert_leave(site, str_text(&why));
	} else if (same < 0) {
		convert_leave(site, late);
	}
	return same;
}

int convert_one_by_one(struct convert *c, int runs)
{
	struct convert_plan *p = &c->plan;
	bool *waits = base_alloc(p->sites.count, sizeof(*waits));
	int same = 1;

	for (size_t i = 0; i < p->sites.count; i++) {
		waits[i] = !p->sites.items[i].left;
		convert_leave(&p->sites.items[i], late);
	}
	c->in_turn = true; /* sites that are not converted yet sleep */
	for (size_t i = 0; same >= 0 && i < p->sites.count; i++)
		if (waits[i])
			same = convert_choose_add_site(c, i, runs);
	c->in_turn = false;
	base_free(waits);
	return same < 0 ? -1 : 0;
}

void convert_leave_untried(struct convert *c)
{
	c->late = true;
	for (size_t i = 0; i < c->plan.sites.count; i++)
		if (!convert_orders_of(&c->plan, i))
			convert_leave(&c->plan.sites.items[i], late);
}

/* ---- orders ----------------------------------------------------------------------------------- */

/* The order as trials know it. NULL: they do not. */
static const struct run_subject *subject_of(const struct convert_plan *p,
					    const struct run_evidence *e,
					    const struct convert_order *o)
{
	const struct run_subject *found = NULL;
	struct gate_plan gates = {0};
	STR(name);

	convert_gates(p, &gates);
	str_add(&name, "order ");
	array_each(const struct plan_order, own, &gates.orders)
		if (&p->orders.items[own->done] == o)
			gate_plan_gate(&gates, own, &name);
	str_add(&name, " (");
	gate_plan_fini(&gates);
	array_each(const struct run_subject, s, &e->subjects)
		if (strncmp(s->name, str_text(&name), name.length) == 0)
			found = s;
	return found;
}

/* Does one way of trying the opposite change the outcome? 1, 0, or -1. */
static int changes(struct convert *c, const struct run_subject *subject, enum trial_way way)
{
	const struct run_trial trial = {
		.about = subject->name,
		.early = (const char *const *)subject->movers.items,
		.early_count = subject->movers.count,
	};
	struct oracle_question q = convert_question(c, TRY_RUNS);

	q.trial = &trial;
	return oracle_needs(&c->oracle, &q, way);
}

/* Does it if the thread that is waited for is held back before it comes there, at each of its
   steps, at all but the first of them, and so on? 1, 0, or -1. */
static int changes_earlier(struct convert *c, const struct convert_order *o,
			   const struct run_subject *subject)
{
	const struct convert_record *r = c->records.items[0];
	int needed = 0;

	for (size_t skip = 0; !needed && skip < EARLIER_TRIES; skip++) {
		STR(text);
		bool any;

		convert_script(&c->plan, "", &text);
		any = convert_earlier(&c->plan, r, o, skip, &text);
		if (any)
			needed = convert_use_script(c, str_text(&text)) < 0
					 ? -1
					 : changes(c, subject, TRIAL_EARLY);
		if (!any)
			break;
	}
	return needed;
}

/* Does the outcome depend on the order? 1, 0, or -1. */
static int needs(struct convert *c, const struct convert_order *o,
		 const struct run_subject *subject)
{
	int needed = changes(c, subject, TRIAL_LATE);

	if (!needed && subject->movers.count)
		needed = changes(c, subject, TRIAL_EARLY);
	if (!needed)
		needed = changes(c, subject, TRIAL_PLAIN);
	if (!needed && subject->movers.count)
		needed = changes_earlier(c, o, subject);
	return needed;
}

/* A run with all gates lists what may be left out. */
static int order_is_needed(void *ctx, size_t order)
{
	static const struct run_trial all;
	struct convert *c = ctx;
	const struct convert_order *o = &c->plan.orders.items[order];
	const struct run_subject *subject;
	struct run_result r;
	int needed;

	experiment_say(&c->x, "which orders matter");
	if (convert_plan_same(c, 1) < 0 || experiment_run(&c->x, &all, NULL, &r) < 0)
		return -1;
	subject = subject_of(&c->plan, &r.evidence, o);
	needed = subject ? needs(c, o, subject) : 1;
	run_result_fini(&r);
	return needed;
}

/* A wait for what some thread does is better than one for a thread that only blocks (joining it,
   say). */
static bool is_poor(const struct convert_plan *p, const struct convert_order *o)
{
	if (o->way != CONVERT_WAITS)
		return false;
	array_each(const struct convert_order, other, &p->orders)
		if (!convert_is_left(p, other) && other->site == o->site && other->k == o->k &&
		    other->to_thread == o->to_thread && other->way != CONVERT_WAITS)
			return true;
	return false;
}

static enum minimise_rank order_rank(void *ctx, size_t order)
{
	const struct convert *c = ctx;
	const struct convert_order *o = &c->plan.orders.items[order];

	if (convert_is_left(&c->plan, o))
		return MINIMISE_NEVER;
	return is_poor(&c->plan, o) ? MINIMISE_FIRST : MINIMISE_SECOND;
}

static bool *order_dropped(void *ctx, size_t order)
{
	struct convert *c = ctx;
	struct convert_order *o = &c->plan.orders.items[order];

	return c->plan.sites.items[o->site].left ? NULL : &o->dropped;
}

static struct minimise_orders order_minimise(struct convert *c)
{
	return (struct minimise_orders){c, c->plan.orders.count, order_dropped, order_rank,
					order_is_needed};
}

/* Is the end of a thread waited for? Trials cannot hold a thread back from ending. */
static bool waited_for_end(const struct convert_plan *p, size_t site)
{
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == site && o->way == CONVERT_EXITS)
			return true;
	return false;
}

/* It did not matter while the others' sleeps lasted until no work was left; does it when they do
   not? -1: stop. */
static int matters_at_times(struct convert *c, size_t site)
{
	STR(text);
	int same;

	convert_elide_only(&c->plan, site, &text);
	same = convert_try(c, str_text(&text), TRY_RUNS);
	return same < 0 ? -1 : !same;
}

/* Does the script order anything? */
static bool has_orders(const struct convert_plan *p)
{
	array_each(const struct convert_order, o, &p->orders)
		if (!convert_is_left(p, o))
			return true;
	return false;
}

/* 1 the site keeps its sleep, 0 it need not sleep, or -1. */
static int leave_site(struct convert *c, size_t i)
{
	struct convert_site *site = &c->plan.sites.items[i];
	bool beside = site->matters && !waited_for_end(&c->plan, i) && has_orders(&c->plan);
	bool needless = (!c->needed || beside) && !site->unseen;
	int same = needless ? convert_plan_same(c, TRY_RUNS) : 0, at_times = 0;

	if (same)
		return same < 0 ? -1 : 0;
	if (!site->matters)
		at_times = matters_at_times(c, i);
	if (at_times < 0)
		return -1;
	site->matters |= at_times;
	convert_leave(site, why_left(site));
	return 1;
}

/* Sites without any order left do not sleep either, as long as that changes nothing. Where only
   what is needed is kept, that holds for a sleep that orders something alone, but nothing any more
   beside the other gates. */
static int leave_unordered(struct convert *c)
{
	struct convert_plan *p = &c->plan;

	for (size_t i = 0; i < p->sites.count; i++)
		if (!p->sites.items[i].left && !convert_orders_of(p, i) && leave_site(c, i) < 0)
			return -1;
	return 0;
}

/* No script need say what the program alone sees to. */
static void drop_given(struct convert_plan *p)
{
	array_each(struct convert_order, o, &p->orders)
		o->dropped |= !o->during;
}

bool convert_take_back(struct convert *c)
{
	const struct minimise_orders m = order_minimise(c);

	return minimise_put_back(&m, true) < m.count;
}

int convert_choose(struct convert *c)
{
	const struct minimise_orders m = order_minimise(c);
	int same;

	convert_hurry(c);
	leave_unseen(c);
	drop_given(&c->plan);
	if (!convert_count_converted(&c->plan))
		return 0;
	experiment_say(&c->x, "with gates");
	convert_reduce(&c->plan);
	same = convert_plan_holds(c, TRY_RUNS);
	if (!same)
		convert_take_back(c);
	if (same < 0 || (!same && convert_one_by_one(c, TRY_RUNS) < 0))
		return -1;
	if (convert_count_converted(&c->plan) && leave_measured(c) < 0)
		return -1;
	if (c->needed && minimise_orders(&m) < 0)
		return -1;
	return leave_unordered(c);
}
