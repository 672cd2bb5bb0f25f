/* Arrivals decided inside the program: which sites get stubs, and how many arrivals they count. */
#include "tracer/run/run_internal.h"
#include "tracer/run/places/places.h"

#include "tracer/run/places/inside_compared.h"
#include "tracer/tracee/fastpath/fastpath.h"

#include <limits.h>
#include <string.h>

enum {
	WORTH_HITS = 32,   /* hits after which, and after each multiple, a jump is considered */
	WORTH_IDLE = 1000, /* idle arrivals that outweigh the cost of a jump */
	WORTH_TELLING = 100000, /* idle arrivals that are more than a report can usefully show */
	/* hits that a report shows where the number of idle arrivals is not known */
	WORTH_READING = 1024,
	REFUSALS_MOST = 4, /* a thread may be in the way of a jump, but not at the next attempt */
	COUNTS_MOST = 64,  /* for each site; children that were forked before have one each */
};

static const char alike[] = "several threads have this name";

/* A count in one shared memory: forked children share it, other processes have their own. */
struct inside_count {
	struct resident_count *count;
	int64_t given; /* arrivals granted and not yet accounted for */
};

struct inside_site {
	struct run *run;
	struct site_use *use;
	/* name of the thread that always traps; NULL: none; "": all do, see give_up() */
	const char *only;
	/* The place whose condition the stubs compare: they decide only idle arrivals. NULL: no
	   condition. */
	const struct place *asks;
	ARRAY(struct inside_count) counts;
};

/* ---- choice of sites ------------------------------------------------------------------------- */

/* Returns the reason why this run stops at each arrival, at any place, or NULL. */
static const char *run_stops(const struct run *s)
{
	const struct run_options *o = s->options;

	if (o->no_resident)
		return "--no-resident was given";
	if (o->verbose)
		return "-v prints each arrival";
	if (o->pid)
		return "gatectl attached to the program";
	if (s->control.attended || s->control.driven || o->order_log || s->record || o->sched ||
	    o->trial)
		return "this command looks at each arrival";
	return NULL;
}

/* True if the act needs no further hits. */
static bool inside_is_over(const struct act *a)
{
	if (!a->place)
		return false;
	if (a->owner->idle)
		return a->owner->idle(a);
	return a->place->retired && !a->owner->outlives;
}

/* True if the place counts the act's arrivals. Other acts only look, as at the entry of a function
   for a near miss. */
static bool is_act_of(const struct act *a, const struct place *place)
{
	return a->place == place && !inside_is_over(a);
}

/* Returns the only thread that the first place with a thread is for; NULL: no such place. */
static const char *only_thread(const struct run *s, const struct site_use *use)
{
	array_each(const struct act, a, &use->acts)
		if (!inside_is_over(a) && a->place && a->place->thread)
			return place_only_thread(s->engine, a->place);
	return NULL;
}

/* True if a C expression decides arrivals at the place. */
static bool has_condition(const struct run *s, const struct place *place)
{
	bool idle;

	return place_condition(s->engine, place, &idle) != NULL;
}

/* Returns the act if it is alone at the site and its place has a condition; else NULL. */
static const struct act *tested(const struct run *s, const struct site_use *use)
{
	const struct act *found = NULL;

	array_each(const struct act, a, &use->acts) {
		if (inside_is_over(a))
			continue;
		if (found)
			return NULL;
		found = a;
	}
	return found && found->place && has_condition(s, found->place) ? found : NULL;
}

/* Returns the place whose condition is compared at the site, by existing or possible stubs. */
static const struct place *asked(const struct run *s, const struct site_use *use)
{
	const struct act *a;

	if (use->inside)
		return use->inside->asks;
	a = tested(s, use);
	return a ? a->place : NULL;
}

/* The number of idle arrivals at the place. If one thread alone is to arrive, those of others are
   idle; if stubs compare a condition, those that it makes idle. */
static unsigned long idle_at(const struct run *s, const struct site_use *use,
			     const struct place *place)
{
	const char *only;

	if (has_condition(s, place) && asked(s, use) == place)
		return ULONG_MAX;
	if (!place->thread)
		return place_idle_arrivals(s->engine, place);
	only = use->inside ? use->inside->only : only_thread(s, use);
	return only && !place->companion_of && strcmp(only, place->thread) == 0 ? ULONG_MAX : 0;
}

/* Returns how many of the next arrivals have no consequence for the act. */
static unsigned long act_idle(const struct run *s, const struct site_use *use, const struct act *a)
{
	if (!a->owner->arrives || !a->place || (a->info && source_site_doubt(a->info)))
		return 0;
	return idle_at(s, use, a->place);
}

/* Returns the reason why act_idle() is 0. Never NULL. */
static const char *act_busy(const struct run *s, const struct site_use *use, const struct act *a)
{
	if (!a->owner->arrives || !a->place)
		return a->place && a->place->after
			       ? "gatectl has to check whether its statement has been executed"
			       : "gatectl looks at each thread there for a purpose of its own";
	if (a->info && source_site_doubt(a->info))
		return source_site_doubt(a->info);
	if (has_condition(s, a->place))
		return "other places are at the same address, so that its condition is not "
		       "compared inside the program";
	if (place_only_thread(s->engine, a->place))
		return use->inside && use->inside->only && !*use->inside->only
			       ? alike
			       : "places there name several threads";
	return place_busy(s->engine, a->place);
}

/* The number of next arrivals that only have to be counted; 0: an act needs each. */
static unsigned long idle_arrivals(const struct run *s, const struct site_use *use)
{
	unsigned long least = ULONG_MAX;

	array_each(const struct act, a, &use->acts) {
		unsigned long idle = inside_is_over(a) ? ULONG_MAX : act_idle(s, use, a);

		least = idle < least ? idle : least;
	}
	return least;
}

static struct inside_site *inside_of(struct run *s, struct site_use *use)
{
	if (!use->inside) {
		use->inside = base_alloc(1, sizeof(*use->inside));
		use->inside->run = s;
		use->inside->use = use;
		*array_add(&s->insides) = use->inside;
	}
	return use->inside;
}

static bool has_count(const struct site_use *use, const struct resident_count *count)
{
	if (use->inside)
		array_each(const struct inside_count, c, &use->inside->counts)
			if (c->count == count)
				return true;
	return false;
}

/* The length in bytes of the instructions that the jump replaces: it may be longer than the
   first. */
static unsigned span_of(struct site_use *use, const struct tracee_site *site)
{
	if (use->span_known)
		return use->span;
	array_each(const struct act, a, &use->acts)
		if (a->info && !use->span)
			use->span = source_movable(a->info->module, site->addr - a->bias,
						   RESIDENT_JUMP, &use->unmovable);
	use->span_known = true;
	return use->span;
}

/* Sets the reasons of the acts at the site. `why`: what prevents a jump there. NULL: nothing, so
   the reason is an act that needs each arrival, or is for one thread. */
static void note_reasons(const struct run *s, struct site_use *use, const char *why)
{
	bool busy = !why && !idle_arrivals(s, use);
	const struct act *stopper = NULL;

	array_each(struct act, a, &use->acts) {
		if (inside_is_over(a))
			continue;
		a->stops_for = NULL;
		a->stops = why;
		if (busy && !act_idle(s, use, a))
			a->stops = act_busy(s, use, a);
		else if (!busy && !why && a->place->thread && asked(s, use) != a->place)
			a->stops = "the thread that it names stops there each time";
		stopper = a->stops && !stopper ? a : stopper;
	}
	array_each(struct act, a, &use->acts) {
		if (inside_is_over(a) || !stopper || a->stops)
			continue;
		a->stops = stopper->stops;
		a->stops_for = stopper->place;
	}
}

/* A place that has an earlier reason keeps it. */
static void note_few(const struct site_use *use)
{
	array_each(struct act, a, &use->acts)
		if (!inside_is_over(a) && !a->stops)
			a->stops = "its arrivals are few enough for each to be in the report";
}

bool inside_reason(const struct run *s, const struct place *place, struct str *out)
{
	array_each(struct site_use *const, use, &s->uses)
		array_each(const struct act, a, &(*use)->acts) {
			if (a->place != place || !a->stops)
				continue;
			if (a->stops_for)
				str_addf(out, "the place of %s stands at the same address: ",
					 place_source(a->stops_for));
			str_add(out, a->stops);
			return true;
		}
	return false;
}

/* Returns the number of threads with this name now; the last of them in *last. Names without a
   number may be shared. */
static size_t called(struct run *s, const char *only, struct tracee_thread **last)
{
	size_t n = 0;

	*last = NULL;
	for (size_t i = 0; i < s->threads.count; i++) {
		struct run_thread *t = s->threads.items[i];

		if (!t->tracee || !engine_thread_matches(s->engine, t->engine, only))
			continue;
		*last = t->tracee;
		n++;
	}
	return n;
}

/* Makes a stub that compares variables first. */
static struct resident_count *make_compared(struct run *s, struct run_thread *t,
					    struct tracee_site *site, const struct act *a,
					    const char **why)
{
	struct tracee_comparison tests[INSPECT_TESTS];
	const char *expression;
	size_t count;
	bool idle;

	*why = "its condition is more than comparisons of integers, pointers and bools with "
	       "constants, or what it reads has to be computed";
	expression = place_condition(s->engine, a->place, &idle);
	count = inside_comparisons(t, a->info ? a->info->scope : 0, expression, idle, tests);
	return count ? tracee_site_compared(s->tracee, t->process->tracee, t->tracee, site,
					    span_of(site->user, site), tests, count, why)
		     : NULL;
}

/* Makes a stub for all threads but `only`; NULL: for all threads. */
static struct resident_count *make_plain(struct run *s, struct run_thread *t,
					 struct tracee_site *site, const char *only,
					 const char **why)
{
	struct tracee_process *process = t->process->tracee;
	unsigned span = span_of(site->user, site);
	struct tracee_thread *one;

	*why = alike;
	if (!only)
		return tracee_site_resident(s->tracee, process, t->tracee, site, span, why);
	return called(s, only, &one) > 1 ? NULL
					 : tracee_site_for_others(s->tracee, process, t->tracee,
								  site, span, one, why);
}

/* Makes a stub at the site, also for this process. If the condition of a place for one thread
   cannot be compared, the stub is for all other threads. Returns NULL, or the reason of a
   failure. */
static const char *make_stub(struct run *s, struct run_thread *t, struct tracee_site *site)
{
	struct site_use *use = site->user;
	const char *why, *only = use->inside ? use->inside->only : only_thread(s, use);
	const struct act *tests = tested(s, use), *asks = NULL;
	struct resident_count *count = NULL;
	struct inside_site *inside;

	if (tests && (!use->inside || use->inside->asks))
		count = make_compared(s, t, site, tests, &why);
	if (count) {
		asks = tests;
		only = NULL;
	} else if (!tests || only) {
		count = make_plain(s, t, site, only, &why);
	}
	if (!count)
		return use->unmovable ? use->unmovable : why;
	if (has_count(use, count))
		return NULL;
	inside = inside_of(s, use);
	inside->only = only;
	inside->asks = asks ? asks->place : NULL;
	*array_add(&inside->counts) = (struct inside_count){count, 0};
	return NULL;
}

/* Makes a stub unless that has failed too often, or the existing stubs are for other places.
   Returns NULL, or the reason of a failure. */
static const char *make_resident(struct run *s, struct run_thread *t, struct tracee_site *site)
{
	struct site_use *use = site->user;
	const struct act *asks = tested(s, use);

	if (use->refusals >= REFUSALS_MOST)
		return use->refusal;
	if (use->inside && use->inside->asks && use->inside->asks != (asks ? asks->place : NULL))
		return "places were added at its address, or have ended, since it became hot";
	if (use->inside && use->inside->counts.count >= COUNTS_MOST)
		return "too many processes of the program execute it";
	use->refusal = make_stub(s, t, site);
	use->refusals += use->refusal != NULL;
	return use->refusal;
}

/* A report contains each arrival if they are few. */
static bool is_worth(const struct run *s, const struct site_use *use)
{
	unsigned long idle = idle_arrivals(s, use);

	if (!s->options->reports.count)
		return idle >= WORTH_IDLE;
	return idle >= WORTH_TELLING && (!tested(s, use) || use->hits >= WORTH_READING);
}

/* The site is hot: decides its arrivals inside from now on, or sets the reason of each act. */
static void consider(struct run *s, struct run_thread *t, struct tracee_site *site)
{
	struct site_use *use = site->user;
	const char *why = run_stops(s);

	if (why && !s->options->reports.count)
		return;
	if (!why && idle_arrivals(s, use)) {
		if (!is_worth(s, use)) {
			if (!use->inside)
				note_few(use);
			return;
		}
		why = make_resident(s, t, site);
		if (!why && s->looks)
			why = "a function that holds a thread is called again at each arrival";
	}
	note_reasons(s, use, why);
}

void inside_hit(struct run *s, struct run_thread *t, struct tracee_site *site)
{
	struct site_use *use = site->user;

	if (!use)
		return;
	if (++use->hits % WORTH_HITS == 0)
		consider(s, t, site);
	array_each(const struct act, a, &use->acts)
		array_each(struct inside_site *, i, &s->insides)
			array_each(const struct act, other, &(*i)->use->acts)
				if (a->place && !inside_is_over(a) && is_act_of(other, a->place))
					inside_take_back((*i)->use);
}

/* All arrivals there are reported from now on. */
static void give_up(struct inside_site *i)
{
	inside_take_back(i->use);
	i->only = "";
}

void inside_born(struct run *s, struct run_thread *t)
{
	struct tracee_thread *last;

	array_each(struct inside_site *, i, &s->insides) {
		if (!(*i)->only || !engine_thread_matches(s->engine, t->engine, (*i)->only))
			continue;
		if (called(s, (*i)->only, &last) > 1)
			give_up(*i);
		array_each(struct inside_count, c, &(*i)->counts)
			if (tracee_is_only(t->tracee, c->count) < 0)
				give_up(*i);
	}
}

/* The next thread may get the same memory, and so the same thread pointer. */
void inside_exited(struct run *s, const struct run_thread *t)
{
	struct tracee_thread *last;

	array_each(struct inside_site *, i, &s->insides)
		if ((*i)->only && engine_thread_matches(s->engine, t->engine, (*i)->only) &&
		    !called(s, (*i)->only, &last))
			array_each(struct inside_count, c, &(*i)->counts)
				c->count->only = 0;
}

/* ---- arrivals decided inside ----------------------------------------------------------------- */

/* Adds arrivals that were decided inside to their places. */
static void places_inside_tell(struct inside_site *i, unsigned long taken)
{
	struct run *s = i->run;
	bool counts = false;

	if (!taken || s->over)
		return;
	array_each(const struct act, a, &i->use->acts) {
		bool others = a->place && a->place->thread && a->place != i->asks;

		if (!a->owner->arrives || inside_is_over(a))
			continue;
		if (!others)
			place_passed(a->place, taken);
		counts |= !others;
		observe(passed, s, a->place, taken, others);
	}
	s->events += counts;
}

static int64_t take_in(struct inside_count *c, int64_t left)
{
	int64_t taken = c->given - left;

	c->given = left;
	return taken;
}

void inside_take_back(const struct site_use *use)
{
	int64_t taken = 0;

	if (!use->inside)
		return;
	array_each(struct inside_count, c, &use->inside->counts) {
		taken += c->given - resident_reclaim(c->count);
		c->given = 0;
	}
	places_inside_tell(use->inside, (unsigned long)taken);
}

void inside_take_all_back(struct run *s)
{
	array_each(struct inside_site *, i, &s->insides)
		inside_take_back((*i)->use);
}

void inside_tell(struct run *s)
{
	array_each(struct inside_site *, i, &s->insides) {
		int64_t taken = 0;

		array_each(struct inside_count, c, &(*i)->counts)
			taken += take_in(c, resident_left(c->count));
		places_inside_tell(*i, (unsigned long)taken);
	}
}

/* ---- new counts ------------------------------------------------------------------------------ */

static bool inside_is_at(const struct inside_site *i, const struct place *place)
{
	array_each(const struct act, a, &i->use->acts)
		if (is_act_of(a, place))
			return true;
	return false;
}

/* The arrivals of the place that no stub has been granted yet, divided among the counts that
   ask. */
static int64_t share_of(const struct run *s, const struct place *place)
{
	bool endless = place->thread || has_condition(s, place);
	unsigned long idle = endless ? ULONG_MAX : place_idle_arrivals(s->engine, place);
	int64_t rest = idle < INT64_MAX / 4 ? (int64_t)idle : INT64_MAX / 4, askers = 0;

	array_each(struct inside_site *const, i, &s->insides)
		if (inside_is_at(*i, place))
			array_each(const struct inside_count, c, &(*i)->counts) {
				rest -= c->given;
				askers += !c->given;
			}
	return rest > 0 && askers ? rest / askers : 0;
}

static void places_inside_give(struct run *s, struct inside_site *i, struct inside_count *c)
{
	int64_t least = INT64_MAX;

	if (c->given || !idle_arrivals(s, i->use))
		return;
	array_each(const struct act, a, &i->use->acts) {
		int64_t share = inside_is_over(a) ? INT64_MAX : share_of(s, a->place);

		least = share < least ? share : least;
	}
	if (least > 0 && least < INT64_MAX && resident_give(c->count, least))
		c->given = least;
}

void inside_give(struct run *s)
{
	if (s->looks)
		inside_take_all_back(s);
	if (s->over || s->looks)
		return;
	array_each(struct inside_site *, i, &s->insides)
		array_each(struct inside_count, c, &(*i)->counts)
			places_inside_give(s, *i, c);
}

void inside_free(struct run *s)
{
	array_each(struct inside_site *, i, &s->insides) {
		array_fini(&(*i)->counts);
		base_free(*i);
	}
	array_fini(&s->insides);
}
