/*
 * What the script needs. Sites whose gates spoil the outcome are left; orders without which the outcome
 * is the same, also when it is tried to bring the opposite about, are dropped; a site without any order
 * is not for ordering.
 */
#include "tracer/cli/convert.h"

#include <string.h>

enum { TRY_RUNS = 3, CONTROLS = 2 };

int convert_plan_same(struct convert *c, unsigned long runs)
{
	struct str text = {0};
	struct error err = {0};
	int same;

	convert_script(&c->plan, "", &text);
	same = convert_use_script(c, str_text(&text), &err) < 0 ? -1 : convert_same(c, runs);
	str_fini(&text);
	return same;
}

static void leave(struct convert_site *site, const char *why, const char *how)
{
	struct str text = {0};

	str_addf(&text, "%s%s", why, how);
	site->left = str_take(&text);
}

/* ---- sites ------------------------------------------------------------------------------------ */

/* Where it sleeps; or before that, where it takes a lock that the others need. 1, 0, or -1. `differs`,
   where that is empty, is how it came out at first. */
static int held_somewhere(struct convert *c, struct convert_site *site, struct str *differs)
{
	int same = 0;

	for (size_t back = 0; !same && back <= site->backs; back++) {
		site->held_back = back;
		same = convert_plan_same(c, TRY_RUNS);
		if (!same && !differs->length)
			str_add(differs, str_text(&c->differs));
	}
	if (!same)
		site->held_back = 0;
	return same;
}

/* Does one order, of its own or of the others, ask for what cannot happen with it? 1, 0, or -1. */
static int without_one(struct convert *c, size_t site, bool own, struct str *differs)
{
	int same = 0;

	array_each(struct convert_order, o, &c->plan.orders) {
		if (same || convert_is_left(&c->plan, o) || (o->site == site) != own)
			continue;
		o->dropped = true;
		same = held_somewhere(c, &c->plan.sites.items[site], differs);
		if (!same)
			o->dropped = false;
	}
	return same;
}

/* Site by site, the others as they are. */
static int add_sites(struct convert *c)
{
	struct convert_plan *p = &c->plan;
	bool *waits = base_alloc(p->sites.count, sizeof(*waits));
	int same = 1;

	for (size_t i = 0; i < p->sites.count; i++) {
		waits[i] = !p->sites.items[i].left;
		if (waits[i])
			p->sites.items[i].left = base_strdup("later");
	}
	c->in_turn = true; /* those that are not converted yet sleep */
	for (size_t i = 0; same >= 0 && i < p->sites.count; i++) {
		struct convert_site *site = &p->sites.items[i];
		struct str differs = {0};

		if (!waits[i])
			continue;
		base_free(site->left);
		site->left = NULL;
		same = held_somewhere(c, site, &differs);
		if (!same)
			same = without_one(c, i, true, &differs);
		if (!same)
			same = without_one(c, i, false, &differs);
		if (!same)
			leave(site, "the orders that were seen do not do for it: with them, ",
			      str_text(&differs));
		str_fini(&differs);
	}
	c->in_turn = false;
	base_free(waits);
	return same < 0 ? -1 : 0;
}

/* ---- orders ----------------------------------------------------------------------------------- */

static void order_text(const struct convert_order *o, struct str *out)
{
	str_addf(out, "order %s%s%s -> %s (", o->blocked ? "[" : "", o->from_name,
		 o->blocked ? "]" : "", o->to_name);
}

/* How a trial calls the order. NULL: it does not know it. */
static const struct session_subject *subject_of(const struct session_evidence *e,
						const struct convert_order *o)
{
	const struct session_subject *found = NULL;
	struct str name = {0};

	order_text(o, &name);
	array_each(const struct session_subject, s, &e->subjects)
		if (strncmp(s->name, str_text(&name), name.length) == 0)
			found = s;
	str_fini(&name);
	return found;
}

/* Runs in one way; `left_out` or only held back. 1 all the same, 0, or -1. */
static int runs_in_way(struct convert *c, const struct session_subject *subject, enum trial_way way,
		       bool left_out, int runs)
{
	const struct session_trial trial = {
		.about = subject->name,
		.left_out = left_out,
		.way = way,
		.early = (const char *const *)subject->movers.items,
		.early_count = subject->movers.count,
	};
	int same = 1;

	for (int i = 0; same > 0 && i < runs; i++) {
		struct session_result r;

		same = convert_trial(c, &trial, &r);
		if (same >= 0)
			session_result_fini(&r);
	}
	return same;
}

/* Does the outcome depend on the order? Where holding somebody back changes the outcome by itself,
   that way tells nothing. 1, 0, or -1. */
static int needs(struct convert *c, const struct session_subject *subject)
{
	static const enum trial_way ways[] = {TRIAL_PLAIN, TRIAL_LATE, TRIAL_EARLY};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		int same;

		if (ways[i] == TRIAL_EARLY && !subject->movers.count)
			continue;
		same = runs_in_way(c, subject, ways[i], true, TRY_RUNS);
		if (!same && ways[i] != TRIAL_PLAIN)
			same = !runs_in_way(c, subject, ways[i], false, CONTROLS);
		if (same <= 0)
			return same < 0 ? -1 : 1;
	}
	return 0;
}

static int try_to_drop(struct convert *c, struct convert_order *o)
{
	const struct session_trial plain = {0};
	const struct session_subject *subject;
	struct session_result r;
	int needed;

	if (convert_plan_same(c, 1) < 0 || convert_trial(c, &plain, &r) < 0)
		return -1;
	subject = subject_of(&r.evidence, o);
	needed = subject ? needs(c, subject) : 1;
	session_result_fini(&r);
	if (needed == 0)
		o->dropped = o->superfluous = true;
	return needed < 0 ? -1 : 0;
}

/* Somebody else's deed is a better reason to go on than that a third one waits for it (to join it). */
static bool is_poor(const struct convert_plan *p, const struct convert_order *o)
{
	if (!o->blocked)
		return false;
	array_each(const struct convert_order, other, &p->orders)
		if (!other->dropped && other->site == o->site && other->k == o->k &&
		    other->to_thread == o->to_thread && !other->blocked)
			return true;
	return false;
}

static int drop_orders(struct convert *c, bool all, bool poor)
{
	array_each(struct convert_order, o, &c->plan.orders) {
		if (convert_is_left(&c->plan, o) || (all && o->during) ||
		    is_poor(&c->plan, o) != poor)
			continue;
		convert_say(c, "which orders matter");
		if (try_to_drop(c, o) < 0)
			return -1;
	}
	return 0;
}

static bool has_order(const struct convert_plan *p, size_t site)
{
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == site && !o->dropped)
			return true;
	return false;
}

static const char *why_left(const struct convert_site *site)
{
	if (site->matters && site->unseen)
		return "the outcome depends on what threads do meanwhile that are in a library, "
		       "where gatectl does not look";
	if (site->matters)
		return "the outcome depends on the time that it takes";
	if (site->unseen)
		return "the outcome is the same without it, but threads work meanwhile that are in "
		       "a library, where gatectl does not look";
	return "the outcome does not depend on what the others do meanwhile";
}

/* That a thread has ended is waited for: the trials cannot hold it back from that. */
static bool waited_for_end(const struct convert_plan *p, size_t site)
{
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == site && o->exits)
			return true;
	return false;
}

/* `all`: who need not sleep does not, as long as that changes nothing. Nor does, without it, whose sleep
   orders something alone, and nothing any more beside the other gates. */
static int leave_unordered(struct convert *c, bool all)
{
	struct convert_plan *p = &c->plan;

	for (size_t i = 0; i < p->sites.count; i++) {
		struct convert_site *site = &p->sites.items[i];

		int same = (all || (site->matters && !waited_for_end(p, i))) && !site->unseen;

		if (site->left || has_order(p, i))
			continue;
		if (same)
			same = convert_plan_same(c, TRY_RUNS);
		if (same < 0)
			return -1;
		if (!same)
			leave(site, "not for ordering: ", why_left(site));
	}
	return 0;
}

bool convert_take_back(struct convert_plan *p)
{
	bool any = false;

	array_each(struct convert_order, o, &p->orders) {
		if (!o->superfluous || p->sites.items[o->site].left)
			continue;
		o->dropped = o->superfluous = false;
		any = true;
	}
	return any;
}

int convert_choose(struct convert *c, bool all)
{
	int same;

	convert_say(c, "with gates");
	convert_reduce(&c->plan);
	same = convert_plan_same(c, TRY_RUNS);
	if (!same)
		convert_take_back(&c->plan);
	if (same < 0 || (!same && add_sites(c) < 0))
		return -1;
	if (drop_orders(c, all, true) < 0 || drop_orders(c, all, false) < 0)
		return -1;
	return leave_unordered(c, all);
}
