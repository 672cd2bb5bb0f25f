/* Prepares a failure's schedule for plans: links related steps by object, cuts loops. Also finds
   orders that plain runs keep by chance on one machine but not on the next: who returns from a wait
   first, who is woken. */
#include "tracer/synth/synth_internal.h"

#include <stdio.h>
#include <string.h>

/* Number of last steps of a livelock that contain all it does forever. */
enum { LAST_ROUNDS = 512 };

/* The creator's n-th child, or NULL; *at is its index. */
static const char *child_of(const struct explore_failure *f, unsigned thread, unsigned children,
			    size_t *at)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.%04x", f->paths.items[thread], children);
	for (*at = 0; *at < f->paths.count; (*at)++)
		if (strcmp(f->paths.items[*at], path) == 0)
			return f->paths.items[*at];
	return NULL;
}

/* Gives a CREATE and its START one object: the thread. */
static void link_threads(struct synth *g)
{
	unsigned *children = base_alloc(g->f->paths.count + 1, sizeof(*children));

	array_each(struct schedule_step, step, &g->schedule.steps) {
		struct strategy_point *p = &step->point;
		size_t child;

		if (p->op == STRATEGY_START)
			p->object = p->thread + 1;
		else if (p->op == STRATEGY_CREATE && p->thread < g->f->paths.count &&
			 child_of(g->f, p->thread, ++children[p->thread], &child))
			p->object = child + 1;
	}
	base_free(children);
}

/* A thread that returns from a condition wait reacquires the lock: the last one that it took. */
static void link_waits(struct schedule *s)
{
	struct locks_taken {
		ARRAY(uint64_t) locks;
	} *held = base_alloc(s->threads.count + 1, sizeof(*held)); /* by thread, most recent last */

	array_each(struct schedule_step, step, &s->steps) {
		struct locks_taken *own = &held[step->thread];
		struct strategy_point *p = &step->point;

		if (p->op == STRATEGY_WAIT && step->where.inside && own->locks.count) {
			p->op = STRATEGY_LOCK;
			p->object = own->locks.items[own->locks.count - 1];
		}
		if (p->op == STRATEGY_LOCK)
			*array_add(&own->locks) = p->object;
		else if (p->op == STRATEGY_UNLOCK && own->locks.count)
			own->locks.count--;
	}
	for (size_t t = 0; t < s->threads.count; t++)
		array_fini(&held[t].locks);
	base_free(held);
}

/* A raw futex may be no lock: its waits become WAIT and are woken. */
static void link_futexes(struct schedule *s)
{
	array_each(struct schedule_step, step, &s->steps) {
		const char *call = step->where.call;

		if (step->point.op != STRATEGY_LOCK || !call || strcmp(call, "syscall") != 0)
			continue;
		if (step->where.inside)
			step->point.object = STRATEGY_NO_OBJECT;
		else
			step->point.op = STRATEGY_WAIT;
	}
}

/* A wait with a predicate stays in one line of the user's code and one call; the begin of the wait
   is a line of the header. */
static void place_in_header(struct schedule_where *w)
{
	if (!w->header.file || w->inside)
		return;
	w->file = w->header.file;
	w->line = w->header.line;
	w->func = w->header.func;
	w->address = w->header.address;
}

/* True if the wrapper did something before, in what may be the same call. */
static bool is_further_in(const struct schedule_where *before, const struct schedule_where *w)
{
	const struct schedule_place *a = &before->caller, *b = &w->caller;

	return str_same(before->func, w->func) && str_same(before->file, w->file) &&
	       (!a->file || (a->line == b->line && str_same(a->file, b->file)));
}

/* Returns the thread's last one of the first `at` steps, or NULL. */
static const struct schedule_step *before(const struct schedule *s, unsigned thread, size_t at)
{
	while (at-- > 0)
		if (s->steps.items[at].thread == thread)
			return &s->steps.items[at];
	return NULL;
}

/* The first step in a wrapper is placed at the statement that calls it. */
static void place_in_caller(const struct schedule *s, struct schedule_step *step, size_t at)
{
	const struct schedule_step *earlier = before(s, step->thread, at);
	struct schedule_where *w = &step->where;

	if (!w->caller.file || w->inside || (earlier && is_further_in(&earlier->where, w)))
		return;
	w->file = w->caller.file;
	w->line = w->caller.line;
	w->func = w->caller.func;
	w->wrapped = w->caller.call == w->call ? NULL : w->call;
	w->call = w->caller.call;
	w->object = w->caller.object;
	w->address = w->caller.address;
}

static bool is_like(const struct schedule_step *a, const struct schedule_step *b)
{
	return a->thread == b->thread && a->point.op == b->point.op &&
	       a->point.place == b->point.place;
}

/* True if a step in [low, high) is like `at`. */
static bool comes_between(const struct schedule *s, size_t at, size_t low, size_t high)
{
	for (size_t i = low; i < high; i++)
		if (is_like(&s->steps.items[i], &s->steps.items[at]))
			return true;
	return false;
}

/* Cuts an endless loop after its first round, which contains all that matters. */
static void cut_rounds(struct schedule *s)
{
	size_t last = s->steps.count > LAST_ROUNDS ? s->steps.count - LAST_ROUNDS : 0;
	size_t begin = last, end;

	while (begin && comes_between(s, begin - 1, last, s->steps.count))
		begin--;
	end = begin;
	while (end < s->steps.count && !comes_between(s, end, begin, end))
		end++;
	s->steps.count = end;
	s->pending.count = 0;
}

/* True if the thread only spins: reads the same again, or yields. */
static bool goes_round(const struct schedule *s, size_t at)
{
	const struct schedule_step *step = &s->steps.items[at];

	if (step->point.op == STRATEGY_YIELD)
		return true;
	if (step->point.op != STRATEGY_READ)
		return false;
	for (size_t i = at + 1; i < s->steps.count; i++) {
		const struct schedule_step *next = &s->steps.items[i];

		if (next->thread == step->thread && next->point.op != STRATEGY_WAKE &&
		    next->point.op != STRATEGY_YIELD)
			return is_like(next, step) && next->point.object == step->point.object;
	}
	return false;
}

bool synth_cut_spins(struct synth *g)
{
	struct schedule *s = &g->schedule;
	size_t kept = 0, count = s->steps.count;

	for (size_t i = 0; i < count; i++)
		if (!goes_round(s, i))
			s->steps.items[kept++] = s->steps.items[i];
	s->steps.count = kept;
	return kept < count;
}

/* Steps of timers are left out: no gate holds a timer, and in a plain run each expires. */
static void copy_steps(const struct schedule *from, struct schedule *to)
{
	*to = *from;
	to->steps.items = to->pending.items = NULL;
	to->steps.count = to->steps.capacity = 0;
	to->pending.count = to->pending.capacity = 0;
	array_each(const struct schedule_step, step, &from->steps)
		if (!schedule_is_timer(from, step->thread))
			*array_add(&to->steps) = *step;
	array_each(const struct schedule_step, step, &from->pending)
		*array_add(&to->pending) = *step;
}

void synth_take_schedule(struct synth *g)
{
	struct schedule *s = &g->schedule;

	copy_steps(&g->f->schedule, s);
	if (strcmp(g->f->kind, "livelock") == 0) {
		g->ends = SYNTH_LIVELOCK;
		cut_rounds(s);
	} else if (strcmp(g->f->kind, "hang") == 0) {
		g->ends = SYNTH_HANGS;
	}
	link_threads(g);
	link_waits(s);
	link_futexes(s);
	array_each(struct schedule_step, step, &s->steps)
		place_in_header(&step->where);
	array_each(struct schedule_step, step, &s->pending)
		place_in_header(&step->where);
	/* Later steps first: each looks at the place of the one before. */
	array_each(struct schedule_step, step, &s->pending)
		place_in_caller(s, step, s->steps.count);
	for (size_t i = s->steps.count; i-- > 0;)
		place_in_caller(s, &s->steps.items[i], i);
}

/* ---- orders kept by chance ---- */

/* True if the thread is about to return from a wait in the kernel. Under the scheduler the waking
   thread runs to its next point first; in plain runs both run at once. */
static bool is_back_soon(const struct schedule_step *step)
{
	return step->point.op == STRATEGY_BLOCK && step->where.inside;
}

bool synth_leaves_woken(const struct synth *g)
{
	array_each(const struct schedule_step, step, &g->schedule.pending)
		if (is_back_soon(step))
			return true;
	return false;
}

/* Previous step of the same thread, or the number of steps. */
static size_t step_before(const struct synth *g, size_t step)
{
	const struct schedule *s = &g->schedule;
	unsigned thread = synth_step(g, step)->thread;

	for (size_t i = step < s->steps.count ? step : s->steps.count; i-- > 0;)
		if (s->steps.items[i].thread == thread)
			return i;
	return s->steps.count;
}

/* True if the order makes a thread wait before it is held at the return from the wait: in a
   schedule it always has waited. */
static bool lets_wait(const struct synth *g, const struct plan_order *o)
{
	array_each(const struct plan_order, other, &g->plan.orders)
		if (!other->dropped && g->plan.places.items[other->to].inside &&
		    step_before(g, other->held) == o->done)
			return true;
	return false;
}

/* In a plain run a thread that calls pthread_cond_wait after the signal can consume it. Under
   the scheduler it cannot, so a schedule does not prove that such a gate is unnecessary. */
static bool lets_wake(const struct synth *g, const struct plan_order *o)
{
	const struct schedule *s = &g->schedule;
	size_t next = o->held + 1;

	if (g->outcomes == SYNTH_ONE || synth_step(g, o->done)->point.op != STRATEGY_WAIT)
		return false;
	return synth_step(g, o->held)->point.op == STRATEGY_WAIT ||
	       (next < s->steps.count && s->steps.items[next].point.op == STRATEGY_WAKE);
}

bool synth_is_by_luck(const struct synth *g, const struct plan_order *o)
{
	if (o->held >= g->schedule.steps.count && is_back_soon(synth_step(g, o->held)))
		return true;
	return o->blocked && (lets_wait(g, o) || lets_wake(g, o));
}
