/* Learns from a run the orders that sleeps make: which threads sleep where, and what each other
   thread had done last, or was blocked in, when the sleep ended. */
#include "tracer/synth/sleeps/convert_internal.h"

#include <string.h>

/* ---- sites ---- */

static const char *callee_of(const struct convert_sleep *s)
{
	return s->level ? s->calls[s->level - 1].func : s->what;
}

/* A site is a line and the function called there: a macro may sleep in several calls. */
size_t orders_site(const struct convert_plan *p, const struct convert_sleep *s)
{
	size_t i = 0;

	while (i < p->sites.count && (!deeds_same_line(&p->sites.items[i].at, own_line(s)) ||
				      !str_same(p->sites.items[i].callee, callee_of(s))))
		i++;
	return i;
}

const char *convert_still_sleeps(const struct convert_plan *p, const struct convert_record *r,
				 size_t site)
{
	const struct convert_site *own = &p->sites.items[site];

	array_each(const struct convert_sleep, s, &r->sleeps)
		for (unsigned i = 0; own_counts(s) && i < s->call_count; i++)
			if (deeds_same_line(&own->at, &s->calls[i]) &&
			    (!own->several || str_same(own->callee, callee_of(s))))
				return polls_again(s);
	return NULL;
}

/* Sorts by source line, the test's own files first, since the sequence of sleeps varies between
   runs. */
static int by_line(const void *a, const void *b)
{
	const struct convert_site *one = a, *two = b;
	const struct convert_line *x = &one->at, *y = &two->at;
	int order = one->own != two->own ? two->own - one->own : strcmp(x->file, y->file);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void orders_add_thread(struct convert_site *site, size_t thread)
{
	size_t i = 0;

	while (i < site->threads.count && site->threads.items[i] != thread)
		i++;
	if (i == site->threads.count) {
		*array_add(&site->threads) = thread;
		*array_add(&site->thread_times) = 0;
	}
	site->thread_times.items[i]++;
}

/* Notes lines of the same function that the thread passed just before the sleep. */
static void note_back(struct convert_site *site, const struct convert_record *r,
		      const struct convert_sleep *s)
{
	const struct convert_thread *t = &r->threads.items[s->thread];

	for (size_t n = s->events; n > 0 && site->backs < CONVERT_BACK; n--) {
		const struct convert_line *at = &t->events.items[n - 1].at;

		char *location;

		if (!str_same(at->func, site->at.func) || deeds_same_line(at, &site->at))
			continue;
		location = location_of_line(r->symbols, r->program, at);
		if (location)
			site->back_location[site->backs++] = location;
	}
}

static void orders_add_site(struct convert_plan *p, const struct convert_record *r,
			    const struct convert_sleep *s)
{
	size_t i = orders_site(p, s);
	struct convert_site *site = i < p->sites.count ? &p->sites.items[i] : array_add(&p->sites);

	site->several |= site->times && site->at.offset != own_line(s)->offset;
	if (!site->times++) {
		site->at = *own_line(s);
		site->own = own_is(r, site->at.file);
		site->callee = callee_of(s) ? base_strdup(callee_of(s)) : NULL;
		site->what = site->callee ? base_strdup(site->callee) : NULL;
		note_back(site, r, s);
	}
	site->ns = s->ns > site->ns ? s->ns : site->ns;
	orders_add_thread(site, s->thread);
}

/* ---- what another thread had done ---- */

static const struct convert_sleep *sleep_at(const struct convert_record *r, size_t thread,
					    uint64_t t_us)
{
	array_each(const struct convert_sleep, s, &r->sleeps)
		if (s->thread == thread && s->begin_us <= t_us &&
		    (s->state <= CONVERT_OVER || s->end_us > t_us))
			return s;
	return NULL;
}

/* Returns how many events a sleeping thread had before its sleep, which has its own gate. */
static size_t before_sleep(const struct convert_record *r, const struct convert_sleep *s)
{
	const struct convert_thread *t = &r->threads.items[s->thread];
	unsigned level = s->level;
	size_t n = s->events;

	for (; n > 0; n--) {
		const struct convert_line *at = &t->events.items[n - 1].at;
		bool inside = s->call_count && deeds_same_line(at, &s->calls[level]);

		for (unsigned i = 0; i < level; i++)
			inside |= str_same(at->func, s->calls[i].func);
		if (!inside)
			break;
	}
	return n;
}

/* A timed wait that something other than its time-out ended is no sleep. */
size_t orders_last_event(const struct convert_record *r, const struct convert_sleep *s,
			 const struct convert_other *other, bool *blocked)
{
	const struct convert_thread *t = &r->threads.items[other->thread];
	const struct convert_sleep *own =
		other->sleeps ? sleep_at(r, other->thread, s->end_us) : NULL;
	bool sleeps = own && own_counts(own);
	size_t n = sleeps ? before_sleep(r, own) : other->events, last;

	if (!sleeps && !(own && own->foreign) && !other->blocked && !other->gone && n)
		n--; /* the last statement is still executing */
	/* A thread that has ended has executed all its statements. */
	last = deeds_last(r, t, n, other->gone ? 0 : other->events);
	*blocked = (other->blocked || (own && own->foreign)) && !sleeps && last == n;
	return last;
}

bool orders_is_shared(const struct convert_record *r, size_t thread, const struct convert_line *at)
{
	for (size_t i = 0; i < r->threads.count; i++)
		if (i != thread && deeds_passes(&r->threads.items[i], at, 0, SIZE_MAX))
			return true;
	return false;
}

/* ---- orders ---- */

unsigned long orders_ordinal(const struct convert_plan *p, const struct convert_record *r,
			     const struct convert_sleep *s)
{
	size_t site = orders_site(p, s);
	unsigned long k = 0;

	array_each(const struct convert_sleep, o, &r->sleeps) {
		if (own_counts(o) && o->thread == s->thread && orders_site(p, o) == site)
			k++;
		if (o == s)
			break;
	}
	return k;
}

static bool is_role(const struct convert_plan *p, const struct convert_record *r, size_t site)
{
	enum { PART = 16 };
	const struct convert_site *own = &p->sites.items[site];

	array_each(const size_t, t, &own->threads)
		if (!strchr(p->threads.items[*t], '#') ||
		    !given_are_alike(p->threads.items[own->threads.items[0]], p->threads.items[*t]))
			return false;
	array_each(const struct convert_sleep, s, &r->sleeps)
		if (own_counts(s) && orders_site(p, s) == site && own->ns - s->ns > own->ns / PART)
			return false;
	return own->threads.count > 1;
}

/* True if an order already waits for this event or a later one of the same thread. */
static bool orders_is_known(const struct convert_plan *p, const struct convert_order *own)
{
	array_each(const struct convert_order, o, &p->orders)
		if (o->from_thread == own->from_thread && o->to_thread == own->to_thread &&
		    (o->from_events > own->from_events ||
		     (o->from_events == own->from_events &&
		      (o->way == CONVERT_WAITS || own->way != CONVERT_WAITS))))
			return true;
	return false;
}

/* True if the thread runs only library code, without events, and works during the sleep. One that
   only reaches the wait for work, and gets none in the whole run, takes part in no order. */
static bool is_unseen(const struct convert_record *r, const struct convert_other *other)
{
	const struct convert_thread *t = &r->threads.items[other->thread];

	return !other->gone && !t->events.count && !other->rested &&
	       (t->works || !(other->blocked || other->sleeps));
}

static void orders_add_order(struct convert_plan *p, const struct convert_record *r,
			     const struct convert_sleep *s, const struct convert_other *other)
{
	const struct convert_thread *t = &r->threads.items[other->thread];
	size_t site = orders_site(p, s);
	bool blocked;
	size_t n = orders_last_event(r, s, other, &blocked);
	/* If the last statement cannot be named, the order waits for the thread's end. */
	bool exits = other->gone && other->thread && !deeds_is_all(r, t, n);
	struct convert_order o = {
		.from_thread = other->thread,
		.to_thread = s->thread,
		.way = exits	 ? CONVERT_EXITS
		       : blocked ? CONVERT_WAITS
				 : CONVERT_PAST,
		.from_events = exits ? t->events.count : n,
		.to_events = s->events,
		.k = orders_ordinal(p, r, s),
		.site = site,
	};
	const struct convert_event *e = o.from_events ? &t->events.items[o.from_events - 1] : NULL;

	if (!e || orders_is_known(p, &o))
		return;
	o.from = e->at;
	o.from_shared = exits || orders_is_shared(r, other->thread, &e->at);
	o.to_shared = orders_is_shared(r, s->thread, &p->sites.items[site].at);
	o.enough = !exits && polls_at(r, other->thread, &e->at);
	o.during = !given_is(r, s, other->thread, e->t_us);
	o.within = e->t_us >= s->begin_us;
	*array_add(&p->orders) = o;
}

/* Leaves the sites that make no orders, whatever other threads do during their sleeps. */
static void leave_others(struct convert_plan *p, const struct convert_record *r)
{
	array_each(struct convert_site, site, &p->sites)
		if (site->times > POLLS_MOST)
			convert_leave(site,
				      polls_why(r, &site->at,
						"it sleeps too often to stand for one order"));
	array_each(const struct convert_sleep, s, &r->sleeps) {
		size_t site = orders_site(p, s);
		STR(why);

		if (own_counts(s) && !p->sites.items[site].left && polls_is(r, s, &why))
			convert_leave(&p->sites.items[site],
				      polls_why(r, own_line(s), str_text(&why)));
	}
	array_each(const struct convert_sleep, s, &r->sleeps)
		if (s->state == CONVERT_CUT_OFF && s->call_count && !s->foreign &&
		    orders_site(p, s) < p->sites.count)
			convert_leave(&p->sites.items[orders_site(p, s)],
				      "at other times a wake-up or a signal ends it before its "
				      "time is over");
}

void convert_learn(struct convert_plan *p, const struct convert_record *r)
{
	array_each(const struct convert_thread, t, &r->threads)
		*array_add(&p->threads) = base_strdup(t->id ? t->id : "?");
	array_each(const struct convert_sleep, s, &r->sleeps)
		if (own_counts(s))
			orders_add_site(p, r, s);
	array_sort(&p->sites, by_line);
	array_each(struct convert_site, site, &p->sites)
		array_each(const struct convert_site, other, &p->sites)
			site->several |= other != site && deeds_same_line(&other->at, &site->at);
	leave_others(p, r);
	for (size_t i = 0; i < p->sites.count; i++)
		if (is_role(p, r, i))
			p->sites.items[i].instead = CONVERT_ROLE;
	array_each(const struct convert_sleep, s, &r->sleeps) {
		struct convert_site *site =
			own_counts(s) ? &p->sites.items[orders_site(p, s)] : NULL;

		if (site && !site->left)
			*array_add(&p->rests) = (struct convert_rest){orders_site(p, s), s->thread,
								      orders_ordinal(p, r, s)};
		for (size_t i = 0; site && !site->left && i < s->others.count; i++) {
			site->unseen |= is_unseen(r, &s->others.items[i]);
			if (site->instead != CONVERT_ROLE)
				orders_add_order(p, r, s, &s->others.items[i]);
		}
	}
}

void convert_plan_fini(struct convert_plan *p)
{
	array_each(char *, id, &p->threads)
		base_free(*id);
	array_each(struct convert_site, site, &p->sites) {
		base_free(site->location);
		base_free(site->callee);
		base_free(site->what);
		base_free(site->left);
		for (size_t i = 0; i < site->backs; i++)
			base_free(site->back_location[i]);
		array_fini(&site->threads);
		array_fini(&site->thread_times);
	}
	array_each(struct convert_order, o, &p->orders) {
		base_free(o->location);
		base_free(o->role);
	}
	array_fini(&p->threads);
	array_fini(&p->sites);
	array_fini(&p->orders);
	array_fini(&p->rests);
	*p = (struct convert_plan){0};
}
