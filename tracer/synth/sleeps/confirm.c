/* Compares the orders of one run with another run of the same test: whether it shows them, which
   threads of a routine take part, and how often their places are passed. */
#include "tracer/synth/sleeps/convert_internal.h"

#include <string.h>

static size_t thread_named(const struct convert_record *r, const char *id)
{
	size_t i = 0;

	while (i < r->threads.count && !str_same(r->threads.items[i].id, id))
		i++;
	return i;
}

static const struct convert_sleep *sleep_of(const struct convert_plan *p,
					    const struct convert_record *r,
					    const struct convert_order *o)
{
	size_t thread = thread_named(r, p->threads.items[o->to_thread]);

	array_each(const struct convert_sleep, s, &r->sleeps)
		if (own_counts(s) && s->thread == thread && orders_site(p, s) == o->site &&
		    orders_ordinal(p, r, s) == o->k)
			return s;
	return NULL;
}

/* True if the thread had the order's event when the sleep ended; its first `n` events count. */
static bool has_it(const struct convert_record *r, const struct convert_other *other, size_t n,
		   const struct convert_order *o)
{
	const struct convert_thread *t = &r->threads.items[other->thread];

	if (o->way == CONVERT_EXITS)
		return other->gone;
	for (size_t i = 0; i < n; i++)
		if (deeds_same_place(&t->events.items[i].at, &o->from) &&
		    (o->way == CONVERT_WAITS || other->gone ||
		     deeds_is_done(r, t, i, other->events)))
			return true;
	return false;
}

/* Moves the order back to the thread's progress in this run: only what both runs show counts. */
static void weaken(struct convert_order *o, const struct convert_record *r,
		   const struct convert_other *other, size_t n, bool blocked)
{
	o->from = r->threads.items[other->thread].events.items[n - 1].at;
	o->from_events = n;
	o->way = blocked ? CONVERT_WAITS : CONVERT_PAST;
	o->from_shared = orders_is_shared(r, other->thread, &o->from);
	o->enough = polls_at(r, other->thread, &o->from);
}

/* True if the thread had the order's event when the sleep ended. */
static bool has_event(const struct convert_record *r, const struct convert_sleep *s, size_t thread,
		      const struct convert_order *o)
{
	array_each(const struct convert_other, other, &s->others) {
		bool blocked;

		if (other->thread == thread &&
		    has_it(r, other, orders_last_event(r, s, other, &blocked), o))
			return true;
	}
	return false;
}

/* True if another thread of the same routine had the order's event. */
static bool has_alike(const struct convert_record *r, const struct convert_sleep *s, size_t from,
		      const struct convert_order *o)
{
	for (size_t i = 0; from < r->threads.count && i < r->threads.count; i++)
		if (i != from && strchr(r->threads.items[i].id, '#') &&
		    given_are_alike(r->threads.items[i].id, r->threads.items[from].id) &&
		    has_event(r, s, i, o))
			return true;
	return false;
}

static void set_role(const struct convert_plan *p, struct convert_order *o)
{
	const char *id = p->threads.items[o->from_thread];

	if (!o->role)
		o->role = base_strndup(id, strcspn(id, "#"));
}

/* Adapts the order to the run. Returns false if it changed: of two sleeps that end at about the
   same time, one run may show less than the other. */
static bool agree(const struct convert_plan *p, const struct convert_record *r,
		  struct convert_order *o)
{
	const struct convert_sleep *s = sleep_of(p, r, o);
	size_t from = thread_named(r, p->threads.items[o->from_thread]);
	enum convert_way was = o->way;

	if (s && !has_event(r, s, from, o) && has_alike(r, s, from, o)) {
		bool known = o->role != NULL;

		set_role(p, o);
		return known;
	}

	for (size_t i = 0; s && i < s->others.count; i++) {
		const struct convert_other *other = &s->others.items[i];
		bool blocked = false;
		size_t n = other->thread == from ? orders_last_event(r, s, other, &blocked) : 0;

		if (other->thread == from && has_it(r, other, n, o)) {
			if (n && deeds_same_place(&r->threads.items[from].events.items[n - 1].at,
						  &o->from))
				o->way = was == CONVERT_WAITS && !blocked && !other->gone
						 ? CONVERT_PAST
						 : was;
			o->during &= !given_joined(r, s, from);
			return o->way == was;
		}
		if (n) {
			weaken(o, r, other, n, blocked);
			return false;
		}
	}
	o->state = CONVERT_NOT_SEEN;
	return false;
}

static unsigned long times_at(const struct convert_plan *p, const struct convert_record *r,
			      size_t site, const char *id)
{
	unsigned long times = 0;

	array_each(const struct convert_sleep, s, &r->sleeps)
		times += own_counts(s) && orders_site(p, s) == site &&
			 (!id || str_same(r->threads.items[s->thread].id, id));
	return times;
}

/* Returns why the site's sleeps or their threads differ in this run; NULL if they do not. */
static const char *times_differ(const struct convert_plan *p, const struct convert_record *r,
				size_t site)
{
	const struct convert_site *own = &p->sites.items[site];

	if (times_at(p, r, site, NULL) != own->times)
		return "the number of its sleeps differs between runs: it waits in a loop for an "
		       "event, or for a time";
	for (size_t i = 0; own->instead != CONVERT_ROLE && i < own->threads.count; i++)
		if (times_at(p, r, site, p->threads.items[own->threads.items[i]]) !=
		    own->thread_times.items[i])
			return "the threads that sleep there differ between runs: the sleep stands "
			       "for work, or for a delay";
	return NULL;
}

static bool confirm_times(struct convert_plan *p, const struct convert_record *r)
{
	bool same = true;

	for (size_t i = 0; i < p->sites.count; i++) {
		const char *why = times_differ(p, r, i);

		if (why)
			convert_leave(&p->sites.items[i], polls_why(r, &p->sites.items[i].at, why));
		same &= !why;
	}
	return same;
}

/* True if the orders differ only in the thread, of one routine, that has the event. */
static bool is_same_role(const struct convert_plan *p, const struct convert_order *a,
			 const struct convert_order *b)
{
	return a->site == b->site && a->k == b->k && a->to_thread == b->to_thread &&
	       a->way == b->way &&
	       (a->way == CONVERT_EXITS || deeds_same_place(&a->from, &b->from)) &&
	       given_are_alike(p->threads.items[a->from_thread], p->threads.items[b->from_thread]);
}

/* If chance decides for one thread of a routine, it does for all of them: one order is left. */
static void join_roles(struct convert_plan *p)
{
	array_each(struct convert_order, o, &p->orders) {
		if (convert_is_left(p, o) || !o->role)
			continue;
		array_each(struct convert_order, other, &p->orders)
			if (other != o && is_same_role(p, o, other))
				other->state = CONVERT_NOT_SEEN;
	}
}

bool convert_confirm(struct convert_plan *p, const struct convert_record *r)
{
	bool same = confirm_times(p, r);

	array_each(struct convert_order, o, &p->orders)
		if (!convert_is_left(p, o) && !agree(p, r, o))
			same = false;
	join_roles(p);
	return same;
}

/* True if the order holds and its event is executed; also for dropped orders. */
static bool is_said(const struct convert_plan *p, const struct convert_order *o)
{
	return !p->sites.items[o->site].left && o->way != CONVERT_WAITS && o->state == CONVERT_KEPT;
}

/* True if other orders imply `o`: its sleep waits for a third thread, which itself waited for the
   same event or a later one. */
static bool is_implied(const struct convert_plan *p, const struct convert_order *o)
{
	array_each(const struct convert_order, last, &p->orders) {
		if (last->site != o->site || last->k != o->k || last->to_thread != o->to_thread ||
		    last->from_thread == o->from_thread || last->way == CONVERT_WAITS || o->role ||
		    last->role || convert_is_left(p, last))
			continue;
		array_each(const struct convert_order, first, &p->orders)
			if (first->from_thread == o->from_thread &&
			    first->to_thread == last->from_thread &&
			    first->to_events < last->from_events &&
			    first->from_events >= o->from_events + (o->way == CONVERT_WAITS) &&
			    is_said(p, first))
				return true;
	}
	return false;
}

void convert_reduce(struct convert_plan *p)
{
	array_each(struct convert_order, o, &p->orders)
		if (!convert_is_left(p, o) && is_implied(p, o))
			o->dropped = true;
}

/* True if other threads run the routine of the thread that has the order's event. */
static bool are_several(const struct convert_plan *p, const struct convert_order *o)
{
	for (size_t i = 0; i < p->threads.count; i++)
		if (i != o->from_thread && strchr(p->threads.items[i], '#') &&
		    given_are_alike(p->threads.items[i], p->threads.items[o->from_thread]))
			return true;
	return false;
}

/* The thread spins: its second arrival completes a round. A wait of that round is over at once, so
   it can only be passed. */
static void set_spins(struct convert_order *o)
{
	o->enough = 2;
	if (o->way == CONVERT_WAITS)
		o->way = CONVERT_PAST;
}

/* The probe script has two places for each counted order, in the sequence of p->orders. */
bool convert_count(struct convert_plan *p, const struct convert_record *r)
{
	size_t place = 0;
	bool same = true;

	array_each(struct convert_order, o, &p->orders) {
		const struct convert_sleep *s;
		unsigned long hits, to_hits;

		if (!convert_is_counted(p, o))
			continue;
		s = sleep_of(p, r, o);
		hits = s && s->after.count > place ? s->after.items[place] : 0;
		if (!o->enough && o->from_hit && hits != o->from_hit && !o->role &&
		    are_several(p, o))
			/* the next probe counts the arrivals of the whole routine */
			set_role(p, o);
		else if (!o->enough &&
			 (hits > POLLS_MOST || (o->from_hit > 1 && hits != o->from_hit)))
			set_spins(o);
		if (o->enough && hits > o->enough)
			hits = o->enough;
		to_hits = s && s->before.count > place + 1 ? s->before.items[place + 1] : 0;
		same &= hits == o->from_hit && to_hits == o->to_hit;
		o->from_hit = hits;
		o->to_hit = to_hits;
		o->state = hits ? CONVERT_KEPT : CONVERT_UNREACHED;
		place += 2;
	}
	join_roles(p);
	return same;
}
