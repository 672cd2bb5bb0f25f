/* Selects what the script needs. A site whose gates change the outcome keeps its sleep. With
   --needed an order is dropped if the outcome is the same without it, even in runs that force the
   opposite. */
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

/* True if the thread takes part in an order that is kept. */
static bool has_part(const struct convert_plan *p, size_t thread)
{
	array_each(const struct convert_order, o, &p->orders)
		if (!convert_is_left(p, o) && (o->from_thread == thread || o->to_thread == thread))
			return true;
	return false;
}

/* A run in which other threads can always move shows nothing: the late thread never starts. */
static int judge_late(const struct oracle_question *q, struct run_result *r)
{
	return r->verdict == VERDICT_NEVER_OPENED || r->verdict == VERDICT_TIME_LIMIT
		       ? ORACLE_YES
		       : convert_judge(q, r);
}

/* A sleep that stays may end before the late thread begins, as on a busy machine: what another
   thread waits for then must not have been the sleep. What else differs is due to its absence. */
static int judge_without_sleeps(const struct oracle_question *q, struct run_result *r)
{
	(void)q;
	return r->verdict == VERDICT_GATE_DEADLOCK ? ORACLE_NO : ORACLE_YES;
}

/* True if an order waits until a thread waits at the site, as in a time-out of a condition. */
static bool is_waited_for(const struct convert_plan *p, const struct convert_site *site)
{
	array_each(const struct convert_order, o, &p->orders)
		if (!convert_is_left(p, o) && o->way == CONVERT_WAITS &&
		    o->from.line == site->at.line && str_same(o->from.file, site->at.file))
			return true;
	return false;
}

/* Appends the elision of sleeps that stay: those that are not for ordering, or also the others.
   Returns true if there are others. */
static bool elide_left(const struct convert_plan *p, bool all, struct str *out)
{
	static const char harmless[] = "not for ordering";
	bool others = false;

	for (size_t i = 0; i < p->sites.count; i++) {
		const struct convert_site *site = &p->sites.items[i];
		bool is_other;

		if (!site->left || !site->location || site->times != 1)
			continue;
		is_other = strncmp(site->left, harmless, sizeof(harmless) - 1) != 0;
		if (is_other && is_waited_for(p, site))
			continue;
		others |= is_other;
		if (all || !is_other)
			convert_elide_only(p, i, out);
	}
	return others;
}

/* Makes one run in which this thread starts when no other thread can move. Sleeps that are not for
   ordering take no time in it, since a sleeping thread may pass for a waiting one; with `all` no
   sleep does. Returns 1, 0 or -1; `others` is set if there are sleeps for which `all` matters. */
static int late_run(struct convert *c, const char *id, bool all, bool *others)
{
	static const char gate[] = "begins late";
	const struct script_place start = {.kind = SCRIPT_THREAD_START, .thread = id};
	struct oracle_question q = convert_question(c, 1);
	double *limit = &c->x.options->gate_limit, given = *limit, most = 1;
	STR(text);
	int same;

	array_each(const struct convert_site, site, &c->plan.sites)
		most += site->left ? c->seconds : 0;
	*others = elide_left(&c->plan, all, &text);
	if (*limit > most)
		*limit = most;
	script_place(&start, &text);
	str_addf(&text, ":wait(SimpleGate \"%s\")\non \"rest\":open(\"%s\")\n", gate, gate);
	convert_script(&c->plan, "", &text);
	q.judge = all ? judge_without_sleeps : judge_late;
	same = convert_use_script(c, str_text(&text)) < 0 ? -1 : convert_ask(c, &q);
	*limit = given;
	return same;
}

static int begin_late(struct convert *c, const char *id)
{
	bool others;
	int same = late_run(c, id, false, &others);

	return same > 0 && others ? late_run(c, id, true, &others) : same;
}

/* Starts each thread late once: which of two threads arrives first may be chance. The plan's script
   is in use afterwards. Returns 1, 0 or -1. */
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

static const char *const measures =
	"it measures the time: the program reads the clock before and after it";

/* Leaves sites that measure time, and sites that sleep although they are elided. The clock of a
   watched run counts neither elided sleeps nor gates: a site with clock reads around it measures
   time if the outcome differs then. Returns 0 or -1. */
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

/* ---- sites ---- */

/* Holds the threads at the sleep, else at an earlier line, before they take a lock that others
   need. Returns 1, 0 or -1. `differs`, if empty, gets the first outcome that differed. */
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

/* Tries without each order in turn, of this site (`own`) or of the others: one may be impossible to
   force. The only order of the site is what its sleep is for. Returns 1, 0 or -1. */
static int without_one(struct convert *c, size_t site, bool own, int runs, struct str *differs)
{
	int same = 0;

	array_each(struct convert_order, o, &c->plan.orders) {
		if (same || c->endless || convert_is_left(&c->plan, o) ||
		    (o->site == site) != own ||
		    (own && !c->needed && convert_orders_of(&c->plan, site) == 1))
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
		{"not for ordering: the outcome does not depend on what other threads do during it",
		 "not for ordering: the outcome is the same without it, but threads of a library, "
		 "which gatectl does not observe, work during it"},
		{"not for ordering: the outcome depends on the time that it takes",
		 "not for ordering: the outcome depends on what threads of a library, which "
		 "gatectl does not observe, do during it"},
	};

	return why[site->matters][site->unseen];
}

/* True if no event of a kept order occurs during the site's sleeps. */
static bool sees_nothing(const struct convert_plan *p, size_t site)
{
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == site && o->state == CONVERT_KEPT && o->within)
			return false;
	return true;
}

/* Makes the site's threads wait until no thread can move. */
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

/* No order can replace a sleep during which unobserved threads work. */
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

static const char *const late =
	"no time was left to try gates in its place; a larger --for gives more";

static void leave_late(struct convert_site *site)
{
	site->ungated |= !site->left;
	convert_leave(site, late);
}

/* Returns 1, 0 if the site keeps its sleep, or -1. */
static int convert_choose_add_site(struct convert *c, size_t i, int runs)
{
	struct convert_site *site = &c->plan.sites.items[i];
	STR(differs);
	STR(why);
	int same;

	base_free(site->left);
	site->left = NULL;
	site->ungated = false;
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
		convert_leave(site, "not for ordering, since the program has no other "
				    "thread: the outcome depends on the time itself");
	} else if (!same && site->instead == CONVERT_REST && site->unseen) {
		convert_leave(site, why_left(site));
	} else if (!same) {
		str_addf(&why, "the observed orders do not keep the outcome: with them, %s",
			 str_text(&differs));
		convert_leave(site, str_text(&why));
		site->ungated = site->instead != CONVERT_REST;
	} else if (same < 0) {
		convert_leave(site, late);
		site->ungated = true;
	}
	return same;
}

int convert_one_by_one(struct convert *c, int runs)
{
	struct convert_plan *p = &c->plan;
	bool *waits = base_alloc(p->sites.count, sizeof(*waits)), was = c->in_turn;
	int same = 1;

	for (size_t i = 0; i < p->sites.count; i++) {
		waits[i] = !p->sites.items[i].left;
		leave_late(&p->sites.items[i]);
	}
	c->in_turn = true; /* sites that are not converted yet sleep */
	for (size_t i = 0; same >= 0 && i < p->sites.count; i++)
		if (waits[i])
			same = convert_choose_add_site(c, i, runs);
	c->in_turn = was;
	base_free(waits);
	return same < 0 ? -1 : 0;
}

void convert_leave_untried(struct convert *c, bool all)
{
	c->late = true;
	for (size_t i = 0; i < c->plan.sites.count; i++)
		if (all || !convert_orders_of(&c->plan, i))
			leave_late(&c->plan.sites.items[i]);
}

/* A sleep beside threads that work all the time stands for work, not for an order. */
bool convert_can_rest(const struct convert *c)
{
	const struct convert_record *r = c->records.items[0];

	if (c->needed || !convert_is_long(c) || r->impatient || r->threads.count == 1)
		return false;
	array_each(const struct convert_site, site, &c->plan.sites)
		if (!site->left || site->ungated)
			return true;
	return false;
}

/* ---- orders ---- */

/* Returns the order's subject in trials, or NULL if they do not know it. */
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

/* Returns 1 if one way of forcing the opposite changes the outcome, 0 if not, -1 to stop. */
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

/* Holds the thread of the order's event at each place before it, then at all but the first, and so
   on. Returns 1 if that changes the outcome, 0, or -1. */
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

/* Returns 1 if the outcome depends on the order, 0 if not, -1 to stop. */
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

/* The subjects that can be left out come from a run with all gates. */
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

/* True if the order waits until a thread blocks (in a join, say) and another order of the sleep
   waits for an event, which is better. */
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

/* True if an order of the site waits for the end of a thread: trials cannot delay that. */
static bool waited_for_end(const struct convert_plan *p, size_t site)
{
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == site && o->way == CONVERT_EXITS)
			return true;
	return false;
}

/* Returns 1 if the outcome changes without this sleep while the other sleeps have their own length,
   0, or -1. Before this they lasted until no work was left. */
static int matters_at_times(struct convert *c, size_t site)
{
	STR(text);
	int same;

	convert_elide_only(&c->plan, site, &text);
	same = convert_try(c, str_text(&text), TRY_RUNS);
	return same < 0 ? -1 : !same;
}

/* True if the script has any order. */
static bool has_orders(const struct convert_plan *p)
{
	array_each(const struct convert_order, o, &p->orders)
		if (!convert_is_left(p, o))
			return true;
	return false;
}

/* Returns 1 if the site keeps its sleep, 0 if it is elided, -1 to stop. */
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

/* Elides also the sleeps without orders, if the outcome stays the same. With --needed it tries only
   those that matter alone, since the other gates may make them superfluous. */
static int leave_unordered(struct convert *c)
{
	struct convert_plan *p = &c->plan;

	for (size_t i = 0; i < p->sites.count; i++)
		if (!p->sites.items[i].left && !convert_orders_of(p, i) && leave_site(c, i) < 0)
			return -1;
	return 0;
}

/* Drops the orders that the program itself forces. */
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

static int convert_choose_all(struct convert *c)
{
	const struct minimise_orders m = order_minimise(c);
	int same;

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

/* Sleeps and time-outs that stay end at rest, as in the script (convert_till_rest()). */
int convert_choose(struct convert *c)
{
	int failed;

	c->in_turn = !c->needed && c->x.hasten;
	failed = convert_choose_all(c);
	c->in_turn = false;
	return failed;
}
