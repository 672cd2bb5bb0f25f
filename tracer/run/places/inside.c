#include "tracer/run/run_internal.h"
#include "tracer/run/places/places.h"

#include "tracer/run/places/inside_compared.h"
#include "tracer/tracee/fastpath/fastpath.h"

#include <limits.h>
#include <string.h>

enum {
	WORTH_HITS = 32,	/* a site that was reported so often may be again ... */
	WORTH_IDLE = 1000,	/* ... and this is so many times what it costs to change that ... */
	WORTH_TELLING = 100000, /* ... or there are more than anybody reads in a report ... */
	WORTH_READING = 1024,	/* ... or there have been, where nobody knows how many will come */
	REFUSALS_MOST = 4,	/* a thread may stand in the way now, but not next time */
	COUNTS_MOST = 64,	/* of one site; children that were forked before have one each */
};

static const char alike[] = "several threads are called so";

/* The count of one memory: forked children share it, others have their own. */
struct inside_count {
	struct resident_count *count;
	int64_t given;
};

struct inside_site {
	struct run *run;
	struct site_use *use;
	const char *only; /* its stubs never decide for this thread; NULL: they do for all */
	/* ... and only for arrivals that the condition of this place makes idle; NULL: there is none. */
	const struct place *asks;
	ARRAY(struct inside_count) counts;
};

/* ---- which sites ---------------------------------------------------------------------------- */

/* Why this run looks at each arrival, at whatever place. NULL: it does not. */
static const char *run_stops(const struct run *s)
{
	const struct run_options *o = s->options;

	if (o->no_resident)
		return "--no-resident was given";
	if (o->verbose)
		return "-v prints each arrival";
	if (o->pid)
		return "gatectl attached to the program";
	if (s->control.attended || s->control.driven || o->order_log || o->record || o->sched ||
	    o->trial)
		return "this command looks at each arrival";
	return NULL;
}

/* Will nobody ask for its hits any more? */
static bool inside_is_over(const struct act *a)
{
	if (!a->place)
		return false;
	if (a->owner->idle)
		return a->owner->idle(a);
	return a->place->retired && !a->owner->outlives;
}

/* Does the place count its arrivals there? Others only look, as those at a function's entry for
   what comes nearest. */
static bool is_act_of(const struct act *a, const struct place *place)
{
	return a->place == place && !inside_is_over(a);
}

/* The thread that alone the first place there with such a wish is for; NULL: none has one. */
static const char *only_thread(const struct run *s, const struct site_use *use)
{
	array_each(const struct act, a, &use->acts)
		if (!inside_is_over(a) && a->place && a->place->thread)
			return place_only_thread(s->engine, a->place);
	return NULL;
}

/* Does a C expression decide arrivals at the place? */
static bool has_condition(const struct run *s, const struct place *place)
{
	bool idle;

	return place_condition(s->engine, place, &idle) != NULL;
}

/* The act that alone is there, if its place has a condition; NULL: there is none. */
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

/* The place whose condition is compared there, by stubs that there are or may be. */
static const struct place *asked(const struct run *s, const struct site_use *use)
{
	const struct act *a;

	if (use->inside)
		return use->inside->asks;
	a = tested(s, use);
	return a ? a->place : NULL;
}

/* As place_idle_arrivals(); but where one thread alone arrives, those of all others, and where a condition decides, those
   that it makes idle, if the stub there can tell. */
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

/* How many of the next arrivals have no consequence for the act. */
static unsigned long act_idle(const struct run *s, const struct site_use *use, const struct act *a)
{
	if (!a->owner->arrives || !a->place || (a->info && source_site_doubt(a->info)))
		return 0;
	return idle_at(s, use, a->place);
}

/* The reason why act_idle() is 0. Never NULL. */
static const char *act_busy(const struct run *s, const struct site_use *use, const struct act *a)
{
	if (!a->owner->arrives || !a->place)
		return a->place && a->place->after
			       ? "whether its statement has been executed has to be looked at"
			       : "gatectl looks at each thread there for a purpose of its own";
	if (a->info && source_site_doubt(a->info))
		return source_site_doubt(a->info);
	if (has_condition(s, a->place))
		return "its condition is compared inside the program only where no other places "
		       "stand at the same address";
	if (place_only_thread(s->engine, a->place))
		return use->inside && use->inside->only && !*use->inside->only
			       ? alike
			       : "places there name several threads";
	return place_busy(s->engine, a->place);
}

/* Of the next arrivals there; 0 where somebody wants more than to count them. */
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

/* A jump may be longer than the first instruction there. */
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
   an act is the reason if each arrival matters to it, or if it is for one thread. */
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

/* A place that has a reason from earlier keeps it. */
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

/* Those that are called so now; the last of them in *last. Names may be alike that were given to no number. */
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

/* A stub that compares variables first. */
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

/* A stub that is for all threads but `only`; NULL: for all. */
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

/* A stub at the site, for this process too. Where the condition of a place for one thread cannot be compared, the stub is for
   all other threads. Returns NULL, or the reason why there is none. */
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

/* The same, unless it has failed too often, or what decides there is for other places. */
static const char *make_resident(struct run *s, struct run_thread *t, struct tracee_site *site)
{
	struct site_use *use = site->user;
	const struct act *asks = tested(s, use);

	if (use->refusals >= REFUSALS_MOST)
		return use->refusal;
	if (use->inside && use->inside->asks && use->inside->asks != (asks ? asks->place : NULL))
		return "places were added at its address, or have ended, since it became hot";
	if (use->inside && use->inside->counts.count >= COUNTS_MOST)
		return "too many processes of the program pass there";
	use->refusal = make_stub(s, t, site);
	use->refusals += use->refusal != NULL;
	return use->refusal;
}

/* Whoever wants a report has each arrival in it, if they are few. */
static bool is_worth(const struct run *s, const struct site_use *use)
{
	unsigned long idle = idle_arrivals(s, use);

	if (!s->options->reports.count)
		return idle >= WORTH_IDLE;
	return idle >= WORTH_TELLING && (!tested(s, use) || use->hits >= WORTH_READING);
}

/* The site is hot: its arrivals are decided inside from now on, or each act has the reason. */
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
			why = "a function that holds a thread is asked again at each arrival";
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

/* From now on each arrival there is reported. */
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

/* The next thread may get the exited one's memory, and with it its pointer to itself. */
void inside_exited(struct run *s, const struct run_thread *t)
{
	struct tracee_thread *last;

	array_each(struct inside_site *, i, &s->insides)
		if ((*i)->only && engine_thread_matches(s->engine, t->engine, (*i)->only) &&
		    !called(s, (*i)->only, &last))
			array_each(struct inside_count, c, &(*i)->counts)
				c->count->only = 0;
}

/* ---- what has happened there ---------------------------------------------------------------- */

/* Arrivals that were not told yet. */
static void places_inside_tell(struct inside_site *i, unsigned long taken)
{
	struct run *s = i->run;

	if (!taken || s->over)
		return;
	array_each(const struct act, a, &i->use->acts) {
		bool others = a->place && a->place->thread && a->place != i->asks;

		if (!a->owner->arrives || inside_is_over(a))
			continue;
		if (!others)
			place_passed(a->place, taken);
		observe(passed, s, a->place, taken, others);
	}
	s->events++;
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

/* ---- how many more -------------------------------------------------------------------------- */

static bool inside_is_at(const struct inside_site *i, const struct place *place)
{
	array_each(const struct act, a, &i->use->acts)
		if (is_act_of(a, place))
			return true;
	return false;
}

/* Of what the place has, what is not given away yet, for each of those who may ask for it. */
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
