/* A fixed set of schedules: one thread goes before or after all others, at once or when each has
   made a few steps; or all threads take turns. All other runs are POS's. */
#include "tracer/sched/strategy/strategy_internal.h"

enum extreme {
	NEWEST_FIRST,
	OLDEST_FIRST,
	ONE_FIRST,
	ONE_LAST,
	TURNS,	       /* each thread makes `steps` steps, then the next one */
	TURNS_REVERSE, /* then the one before */
};

/* With `steps` a run first lets the main thread create all threads. Then each of them makes so many
   steps, as a turn or before the schedule of ONE_FIRST or ONE_LAST begins. */
static const struct extreme_run {
	enum extreme kind;
	int one; /* number of the thread; -1: the last one */
	unsigned steps;
} runs[] = {
	{TURNS, 0, 1},	    {ONE_FIRST, -1, 1},	   {NEWEST_FIRST, 0, 0}, {OLDEST_FIRST, 0, 0},
	{ONE_FIRST, 1, 1},  {TURNS_REVERSE, 0, 1}, {ONE_LAST, 1, 0},	 {ONE_LAST, -1, 0},
	{ONE_FIRST, -1, 2}, {ONE_FIRST, 1, 2},	   {ONE_LAST, -1, 1},	 {ONE_LAST, 1, 1},
	{ONE_FIRST, 1, 0},  {ONE_LAST, 2, 0},	   {ONE_FIRST, 2, 1},	 {ONE_FIRST, -1, 3},
	{ONE_FIRST, 1, 3},  {ONE_LAST, 1, 2},	   {TURNS, 0, 2},	 {TURNS_REVERSE, 0, 2},
};

struct extreme_thread {
	bool is_here;
	unsigned steps;
	uint64_t dropped; /* its priority after it yielded or spun; 0: it did not */
};

struct extremes {
	struct strategy base;
	struct strategy *pos; /* owned; it counts run 0, too */
	struct extreme_run now;
	unsigned threads; /* of run 0: 1 + the largest number */
	unsigned here;	  /* threads seen in this run */
	bool is_crowd;	  /* all threads are here, or the main thread cannot create more */
	bool is_even;	  /* all threads have made `now.steps` steps */
	uint64_t back;	  /* the lowest priority given */
	ARRAY(struct extreme_thread) seen;
};

/* Priorities from high to low; those of threads that yielded or spun are below all of them. */
enum { CLASS = 40 };
#define TOP	(UINT64_C(3) << CLASS)
#define USUAL	(UINT64_C(2) << CLASS)
#define BOTTOM	(UINT64_C(1) << CLASS)
#define DROPPED (UINT64_C(1) << (CLASS - 1))

static bool is_extreme(const struct strategy *s)
{
	return s->run > 0 && s->run <= sizeof(runs) / sizeof(*runs);
}

static void extremes_begin(struct strategy *s)
{
	struct extremes *e = (struct extremes *)s;

	if (!e->pos)
		e->pos = strategy_alloc(&strategy_pos, &s->options);
	s->shown = e->pos->shown;
	if (s->run == 0)
		e->threads = 0;
	if (!is_extreme(s)) {
		strategy_begin(e->pos, s->run);
		return;
	}
	e->now = runs[s->run - 1];
	if (e->now.one < 0)
		e->now.one += (int)e->threads;
	e->seen.count = e->here = 0;
	e->is_crowd = e->is_even = !e->now.steps;
	e->back = DROPPED;
}

static void extremes_meet(struct extremes *e, const struct strategy_point *points, size_t count)
{
	bool creates = false;

	for (size_t i = 0; i < count; i++) {
		struct extreme_thread *t = array_at(&e->seen, points[i].thread);

		e->here += !t->is_here;
		t->is_here = true;
		creates |= points[i].thread == 0 && !t->dropped;
	}
	e->is_crowd |= e->here >= e->threads || !creates;
}

static bool takes_turns(const struct extremes *e)
{
	return e->now.kind == TURNS || e->now.kind == TURNS_REVERSE;
}

/* OLDEST_FIRST alone ends a process before its other threads have ended. */
static uint64_t priority_of(const struct extremes *e, const struct strategy_point *p)
{
	unsigned thread = p->thread;
	uint64_t oldest = UINT32_MAX - thread;

	if (p->ends_process && e->now.kind != OLDEST_FIRST)
		return 0;
	if (e->seen.items[thread].dropped)
		return e->seen.items[thread].dropped;
	if (!e->is_crowd)
		return USUAL + oldest;
	if (!e->is_even && !takes_turns(e))
		return (e->seen.items[thread].steps < e->now.steps ? USUAL : BOTTOM) + oldest;
	if (e->now.kind == NEWEST_FIRST)
		return USUAL + thread;
	if ((int)thread == e->now.one && e->now.kind == ONE_FIRST)
		return TOP;
	if ((int)thread == e->now.one && e->now.kind == ONE_LAST)
		return BOTTOM;
	return USUAL + oldest;
}

static size_t highest_ranked(const struct extremes *e, const struct strategy_point *points,
			     size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (priority_of(e, &points[i]) > priority_of(e, &points[best]))
			best = i;
	return best;
}

/* How far the thread's turn is after that of the thread that moved last. */
static unsigned distance(const struct extremes *e, const struct strategy_point *p)
{
	unsigned thread = p->thread;

	if (p->ends_process)
		return UINT32_MAX;
	return e->now.kind == TURNS ? thread - e->base.last - 1 : e->base.last - thread - 1;
}

static size_t next_turn(const struct extremes *e, const struct strategy_point *points, size_t count)
{
	size_t best = 0;

	for (size_t i = 0; i < count; i++)
		if (points[i].thread == e->base.last &&
		    e->seen.items[points[i].thread].steps % e->now.steps)
			return i;
	for (size_t i = 1; i < count; i++)
		if (distance(e, &points[i]) < distance(e, &points[best]))
			best = i;
	return best;
}

static void extremes_moved(struct extremes *e, const struct strategy_point *moved)
{
	struct extreme_thread *t = &e->seen.items[moved->thread];

	if (moved->op == STRATEGY_CREATE) /* a loop that creates threads does not spin */
		e->base.spin = (struct spin_watch){0};
	t->steps += pct_counts(moved) && !strategy_is_own(&e->base, moved);
	if (spin_step(&e->base.spin, moved) || moved->op == STRATEGY_YIELD)
		t->dropped = --e->back;
}

/* True if a thread still has steps to make before the schedule begins. */
static bool is_uneven(const struct extremes *e, const struct strategy_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!e->seen.items[points[i].thread].dropped &&
		    e->seen.items[points[i].thread].steps < e->now.steps)
			return true;
	return false;
}

static size_t extremes_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	struct extremes *e = (struct extremes *)s;
	size_t best;

	if (!is_extreme(s)) {
		best = strategy_choose(e->pos, points, count);
		if (s->run == 0 && points[best].thread >= e->threads)
			e->threads = points[best].thread + 1;
		return best;
	}
	if (points[0].op == STRATEGY_WAKE)
		return 0;
	extremes_meet(e, points, count);
	e->is_even |= e->is_crowd && !is_uneven(e, points, count);
	best = e->is_crowd && takes_turns(e) ? next_turn(e, points, count)
					     : highest_ranked(e, points, count);
	extremes_moved(e, &points[best]);
	return best;
}

static size_t extremes_foresee(struct strategy *s, const struct strategy_point *points,
			       size_t count, size_t chosen, size_t most,
			       struct strategy_avoid *avoid)
{
	const struct extremes *e = (const struct extremes *)s;
	size_t n = spin_left(&s->spin);

	if (!is_extreme(s))
		return strategy_foresee(e->pos, points, count, chosen, most, avoid);
	if (!e->is_even || takes_turns(e) || highest_ranked(e, points, count) != chosen)
		return 0;
	return n < most ? n : most;
}

static void extremes_end(struct strategy *s, enum strategy_result result)
{
	if (!is_extreme(s))
		strategy_end(((struct extremes *)s)->pos, result);
}

static void extremes_fini(struct strategy *s)
{
	struct extremes *e = (struct extremes *)s;

	array_fini(&e->seen);
	strategy_free(e->pos);
}

const struct strategy_type strategy_extremes = {
	.name = "extremes",
	.size = sizeof(struct extremes),
	.memory = STRATEGY_MEMORY_FIRST,
	.flags = STRATEGY_WALKS,
	.begin = extremes_begin,
	.choose = extremes_choose,
	.foresee = extremes_foresee,
	.end = extremes_end,
	.fini = extremes_fini,
};
