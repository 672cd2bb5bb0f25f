/* SURW: samples the interleavings of some interesting points uniformly. README.md describes how
   threads are weighted. Run 0 is a random walk that counts. */
#include "tracer/sched/strategy/strategy_internal.h"

/* Steps of one thread on one object at one place; after add_up(), on one object, in run 0. */
struct surw_touch {
	uint64_t object, place;
	unsigned thread;
	bool accesses;
	bool conflicts; /* includes a step that does not only read */
	unsigned long count;
};

struct surw_known {
	unsigned thread, creator; /* NOBODY: existed from the start */
};

struct surw_thread {
	bool is_here;
	unsigned long left;    /* interesting points in this run */
	unsigned long planned; /* initial `left`, with the points of threads that it creates */
	unsigned long steps;   /* in run 0 */
};

struct surw {
	struct strategy base;
	ARRAY(struct surw_thread) threads; /* by number */
	/* Results of run 0: */
	ARRAY(struct surw_known) known; /* creators before the threads that they create */
	ARRAY(struct surw_touch) touches;
	ARRAY(uint64_t) shared; /* objects */
	/* State of this run: */
	bool all_interest;
	uint64_t object;
	unsigned intended, last;
	ARRAY(struct strategy_point) foreseen;
};

static struct surw_thread *surw_thread_of(struct surw *w, unsigned thread)
{
	return array_at(&w->threads, thread);
}

static bool is_interesting(const struct surw *w, const struct strategy_point *p)
{
	if (w->base.run == 0)
		return false;
	if (!w->all_interest)
		return p->object == w->object;
	return !sharing_is_access(p) || !strategy_is_own_place(&w->base, p->place);
}

/* ---- plan of a run ----------------------------------------------------------------------- */

static void plan(struct surw *w)
{
	if (w->all_interest)
		array_each(struct surw_known, k, &w->known) {
			struct surw_thread *t = surw_thread_of(w, k->thread);

			t->planned = t->steps;
		}
	else
		array_each(struct surw_touch, touch, &w->touches)
			if (touch->object == w->object)
				surw_thread_of(w, touch->thread)->planned = touch->count;
	for (size_t i = w->known.count; i-- > 0;) {
		struct surw_known *k = &w->known.items[i];

		if (k->creator != NOBODY)
			surw_thread_of(w, k->creator)->planned +=
				surw_thread_of(w, k->thread)->planned;
	}
}

static void surw_begin(struct strategy *s)
{
	struct surw *w = (struct surw *)s;

	array_each(struct surw_thread, t, &w->threads) {
		t->is_here = false;
		t->left = t->planned = 0;
		if (s->run == 0)
			t->steps = 0;
	}
	w->intended = w->last = NOBODY;
	if (s->run == 0) {
		w->known.count = w->touches.count = w->shared.count = 0;
	} else {
		uint64_t drawn = prng_below(&s->prng, w->shared.count + 1);

		w->all_interest = drawn == w->shared.count;
		w->object = w->all_interest ? 0 : w->shared.items[drawn];
		plan(w);
	}
}

/* ---- a run ------------------------------------------------------------------------------- */

/* Moves the new thread's share from its creator. If the creator was the intended thread, one of
   the two is drawn. */
static void surw_meet(struct surw *w, unsigned thread)
{
	struct surw_thread *t = surw_thread_of(w, thread), *creator;

	if (t->is_here)
		return;
	t->is_here = true;
	t->left = t->planned;
	if (w->base.run == 0)
		*array_add(&w->known) = (struct surw_known){thread, w->last};
	if (w->last == NOBODY)
		return;
	creator = &w->threads.items[w->last];
	creator->left -= t->left < creator->left ? t->left : creator->left;
	if (w->intended == w->last && t->left &&
	    prng_below(&w->base.prng, t->left + creator->left) < t->left)
		w->intended = thread;
}

static unsigned long left_of(const struct surw *w, const struct strategy_point *p)
{
	return w->threads.items[p->thread].left;
}

/* Draws the intended thread among the threads of `points`, or among all threads if `points` is
   NULL. */
static void intend(struct surw *w, const struct strategy_point *points, size_t count)
{
	unsigned long sum = 0, drawn;

	w->intended = NOBODY;
	for (size_t i = 0; i < count; i++)
		sum += points ? left_of(w, &points[i]) : w->threads.items[i].left;
	if (!sum)
		return;
	drawn = prng_below(&w->base.prng, sum);
	for (size_t i = 0; i < count && w->intended == NOBODY; i++) {
		unsigned long left = points ? left_of(w, &points[i]) : w->threads.items[i].left;

		if (drawn < left)
			w->intended = points ? points[i].thread : (unsigned)i;
		drawn -= left;
	}
}

/* A thread with more points than in run 0 is not held, because its remaining number is unknown. */
static bool is_free(const struct surw *w, const struct strategy_point *p)
{
	return !is_interesting(w, p) || p->thread == w->intended || !left_of(w, p);
}

static size_t count_free(const struct surw *w, const struct strategy_point *points, size_t count,
			 bool *all_yield)
{
	size_t n = 0;

	*all_yield = true;
	for (size_t i = 0; i < count; i++)
		if (is_free(w, &points[i])) {
			n++;
			*all_yield = *all_yield && points[i].op == STRATEGY_YIELD;
		}
	return n;
}

static void record(struct surw *w, const struct strategy_point *p)
{
	struct surw_touch *touch = array_add(&w->touches);

	*touch = (struct surw_touch){.object = p->object,
				     .place = p->place,
				     .thread = p->thread,
				     .accesses = sharing_is_access(p),
				     .conflicts = p->writes || p->op != STRATEGY_READ,
				     .count = 1};
}

static void moved(struct surw *w, const struct strategy_point *p)
{
	struct surw_thread *t = &w->threads.items[p->thread];

	w->last = p->thread;
	if (is_interesting(w, p) && t->left) {
		t->left--;
		w->intended = NOBODY;
	}
	if (p->op == STRATEGY_END)
		t->left = 0;
	if (spin_step(&w->base.spin, p) || !t->left)
		w->intended = NOBODY;
}

static size_t surw_pick(struct surw *w, const struct strategy_point *points, size_t count)
{
	size_t free_ones, nth, i;
	bool all_yield;

	if (w->intended == NOBODY)
		intend(w, NULL, w->threads.count);
	free_ones = count_free(w, points, count, &all_yield);
	if (all_yield) {
		/* The intended thread is blocked, or waits for a thread that is held; there may
		   be none. */
		intend(w, points, count);
		free_ones = count_free(w, points, count, &all_yield);
	}
	nth = (size_t)prng_below(&w->base.prng, free_ones);
	for (i = 0; !is_free(w, &points[i]) || nth-- > 0; i++)
		;
	return i;
}

static size_t surw_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	struct surw *w = (struct surw *)s;
	size_t i;

	if (points[0].op == STRATEGY_WAKE)
		return (size_t)prng_below(&s->prng, count);
	for (i = 0; i < count; i++)
		surw_meet(w, points[i].thread);
	i = surw_pick(w, points, count);
	moved(w, &points[i]);
	if (s->run == 0)
		record(w, &points[i]);
	return i;
}

/* A point like the thread's next ones: interesting if all points are, else not interesting. */
static struct strategy_point next_point(const struct surw *w, unsigned thread)
{
	return (struct strategy_point){.thread = thread,
				       .op = w->all_interest ? STRATEGY_LOCK : STRATEGY_READ,
				       .object = STRATEGY_NO_OBJECT};
}

/* Returns how often the thread is picked again if no other thread moves. Restores the state. */
static size_t picks(struct surw *w, size_t count, size_t chosen, size_t most)
{
	const unsigned intended = w->intended, last = w->last;
	const struct spin_watch spin = w->base.spin;
	const struct prng prng = w->base.prng;
	struct surw_thread *t = &w->threads.items[w->foreseen.items[chosen].thread];
	const unsigned long left = t->left;
	size_t n = 0;

	for (; n < most && surw_pick(w, w->foreseen.items, count) == chosen; n++)
		moved(w, &w->foreseen.items[chosen]);
	w->intended = intended;
	w->last = last;
	w->base.spin = spin;
	w->base.prng = prng;
	t->left = left;
	return n;
}

/* If all points interest, accesses at own places do not: these must not come between, as in runs
   that treat own places as shared. */
static size_t surw_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			   size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	struct surw *w = (struct surw *)s;
	size_t left = spin_left(&w->base.spin);

	if (s->run > 0 && (w->all_interest ? strategy_looks_everywhere(s)
					   : !strategy_avoid_object(avoid, w->object)))
		return 0;
	w->foreseen.count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!surw_thread_of(w, points[i].thread)->is_here)
			return 0; /* its share moves at the next choice */
		*array_add(&w->foreseen) = points[i];
	}
	w->foreseen.items[chosen] = next_point(w, points[chosen].thread);
	return picks(w, count, chosen, left < most ? left : most);
}

/* ---- after run 0 ------------------------------------------------------------------------- */

static int by_object(const void *a, const void *b)
{
	const struct surw_touch *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Merges entries: one for each object and thread remains. */
static void add_up(struct surw *w)
{
	struct surw_touch *items = w->touches.items;
	size_t kept = 0;

	array_each(const struct surw_touch, t, &w->touches)
		w->threads.items[t->thread].steps +=
			!t->accesses || !strategy_is_own_place(&w->base, t->place);
	array_sort(&w->touches, by_object);
	for (size_t i = 1; i < w->touches.count; i++) {
		if (by_object(&items[i], &items[kept]) != 0) {
			items[++kept] = items[i];
		} else {
			items[kept].count++;
			items[kept].conflicts |= items[i].conflicts;
			items[kept].accesses &= items[i].accesses;
		}
	}
	w->touches.count = w->touches.count ? kept + 1 : 0;
}

static void surw_end(struct strategy *s, enum strategy_result result)
{
	struct surw *w = (struct surw *)s;

	(void)result;
	if (s->run > 0)
		return;
	add_up(w);
	for (size_t i = 0, next; i < w->touches.count; i = next) {
		const struct surw_touch *items = w->touches.items;
		bool conflicts = false, accesses = true;

		for (next = i; next < w->touches.count && items[next].object == items[i].object;
		     next++) {
			conflicts |= items[next].conflicts;
			accesses &= items[next].accesses;
		}
		if (next - i > 1 && conflicts &&
		    (!accesses || sharing_is_shared(w->base.shown, items[i].object)) &&
		    items[i].object != STRATEGY_NO_OBJECT && items[i].object != STRATEGY_ANY_OBJECT)
			*array_add(&w->shared) = items[i].object;
	}
}

static void surw_fini(struct strategy *s)
{
	struct surw *w = (struct surw *)s;

	array_fini(&w->threads);
	array_fini(&w->known);
	array_fini(&w->touches);
	array_fini(&w->shared);
	array_fini(&w->foreseen);
}

const struct strategy_type strategy_surw = {
	.name = "surw",
	.size = sizeof(struct surw),
	.memory = STRATEGY_MEMORY_FIRST,
	.flags = STRATEGY_LOOKS | STRATEGY_WALKS | STRATEGY_BIASED,
	.begin = surw_begin,
	.choose = surw_choose,
	.foresee = surw_foresee,
	.end = surw_end,
	.fini = surw_fini,
};
