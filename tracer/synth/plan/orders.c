/* Finds the orders of steps that make the outcome: dependent steps (a run with the same order of
   these is equivalent: Mazurkiewicz) that the program does not order itself. Vector clocks give
   happens-before. */
#include "tracer/synth/plan/plan_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_CLOCKS = 1 << 28, /* steps times threads: a gigabyte */
	MOST_WAKES = 2000,     /* orders that choose the thread a signal wakes */
};

/* By step and thread: 1 + the thread's last step that happens before it (itself included) with the
   orders so far. */
struct clocks {
	const struct plan_view *v;
	size_t threads;
	uint32_t *rows;
};

static uint32_t *row(const struct clocks *c, size_t step)
{
	return c->rows + step * c->threads;
}

static unsigned orders_thread_of(const struct plan_view *v, size_t step)
{
	return plan_step(v, step)->thread;
}

static void orders_join(struct clocks *c, size_t to, size_t from)
{
	for (size_t t = 0; t < c->threads; t++)
		if (row(c, to)[t] < row(c, from)[t])
			row(c, to)[t] = row(c, from)[t];
}

static bool covers(const struct clocks *c, size_t step, size_t earlier)
{
	return row(c, step)[orders_thread_of(c->v, earlier)] > earlier;
}

static bool same_object(const struct plan_view *v, size_t a, size_t b)
{
	uint64_t object = plan_step(v, a)->point.object;

	return object != STRATEGY_NO_OBJECT && object == plan_step(v, b)->point.object;
}

/* ---- orders that the program enforces ---- */

/* True for "p2/main", the first thread of a child; "main" is the initial process's. */
static bool is_child(const char *id)
{
	const char *slash = strchr(id, '/');

	return slash && strcmp(slash, "/main") == 0;
}

/* Fork that made the process: the second one for "p2/main", if one process makes all forks. */
static size_t fork_of(const struct plan_view *v, size_t first)
{
	const char *id = v->s->threads.items[orders_thread_of(v, first)];
	unsigned long number = is_child(id) ? strtoul(id + 1, NULL, 10) : 0;
	size_t processes = 0, forks = 0, found = PLAN_NONE;

	if (!number)
		return PLAN_NONE;
	for (size_t i = 0; i < v->s->threads.count; i++)
		processes += is_child(v->s->threads.items[i]);
	array_each(const size_t, fork, &v->forks)
		if (*fork < v->done && ++forks == number)
			found = *fork;
	return forks == processes && found < first ? found : PLAN_NONE;
}

/* Step that created the thread whose first step is `first`, or the first thread. */
static size_t creation(const struct plan_view *v, size_t first)
{
	size_t any = PLAN_NONE;

	array_each(const size_t, create, &v->creates) {
		if (*create >= first)
			break;
		if (same_object(v, *create, first))
			return *create;
		if (any == PLAN_NONE)
			any = *create;
	}
	return any;
}

static bool may_wake(const struct plan_view *v, size_t signal, size_t wait)
{
	return plan_op(v, signal) == STRATEGY_SIGNAL &&
	       orders_thread_of(v, signal) != orders_thread_of(v, wait) &&
	       (plan_step(v, wait)->point.object == STRATEGY_ANY_OBJECT ||
		same_object(v, signal, wait));
}

/* True if the signal woke others of several waiting threads. */
static bool has_woken_others(const struct plan_view *v, size_t signal, unsigned thread)
{
	const struct schedule *s = v->s;
	size_t i = v->steps.items[signal].index + 1, first = i;

	for (; i < s->steps.count && s->steps.items[i].point.op == STRATEGY_WAKE; i++)
		if (s->steps.items[i].thread == thread)
			return false;
	return i > first;
}

/* First signal that may have ended the wait, if all candidates are of one thread; the wait ends
   after it. */
static size_t signal_of(const struct plan_view *v, size_t wait, size_t next)
{
	size_t first = PLAN_NONE;

	if (plan_op(v, wait) != STRATEGY_WAIT || !plan_is_blocked(v, wait) ||
	    plan_ends_wait(plan_op(v, next)))
		return PLAN_NONE;
	for (size_t i = next; i-- > wait;) {
		if (!may_wake(v, i, wait) || has_woken_others(v, i, orders_thread_of(v, wait)))
			continue;
		if (first != PLAN_NONE && orders_thread_of(v, first) != orders_thread_of(v, i))
			return PLAN_NONE;
		first = i;
	}
	return first;
}

static void begin_row(struct clocks *c, size_t at)
{
	const struct plan_view *v = c->v;
	size_t before = v->steps.items[at].before, from;

	if (before != PLAN_NONE)
		orders_join(c, at, before);
	from = before == PLAN_NONE ? creation(v, at) : signal_of(v, before, at);
	if (from != PLAN_NONE)
		orders_join(c, at, from);
	from = before == PLAN_NONE ? fork_of(v, at) : PLAN_NONE;
	if (from != PLAN_NONE)
		orders_join(c, at, from);
	if (plan_op(v, at) == STRATEGY_LOCK) /* a join waits for the thread's end */
		array_each(const size_t, end, &v->ends)
			if (*end < at && same_object(v, *end, at))
				orders_join(c, at, *end);
	row(c, at)[orders_thread_of(v, at)] = (uint32_t)at + 1;
}

/* True for a lock that waits without limit: no trylock, no timeout. */
static bool is_patient(const struct plan_view *v, size_t step)
{
	const char *call = plan_step(v, step)->where.call;

	return !call || (!strstr(call, "try") && !strstr(call, "timed") && !strstr(call, "clock") &&
			 !strstr(call, "_test_"));
}

/* Adds that earlier owners of the lock (by the orders so far) have released it; a condition wait
   releases too. */
static void join_releases(struct clocks *c, const struct plan_related *r, size_t at)
{
	const struct plan_view *v = c->v;
	bool more = plan_op(v, at) == STRATEGY_LOCK && is_patient(v, at);

	while (more) {
		more = false;
		for (size_t i = plan_releases_first(r, at); i != PLAN_NONE;
		     i = r->lists.items[i].next) {
			const struct plan_releases *list = &r->lists.items[i];
			size_t release =
				list->thread != orders_thread_of(v, at)
					? plan_release_before(list, row(c, at)[list->thread])
					: PLAN_NONE;

			if (release == PLAN_NONE || covers(c, at, release))
				continue;
			orders_join(c, at, release);
			more = true;
		}
	}
}

/* ---- orders that gates must enforce ---- */

static bool orders_is_lock(enum strategy_op op)
{
	return op == STRATEGY_LOCK || op == STRATEGY_UNLOCK;
}

/* True if the order of two lock operations matters; whether the second had to wait does not. */
static bool locks_matter(const struct plan_view *v, size_t x, size_t y)
{
	const struct strategy_point *a = &plan_step(v, x)->point, *b = &plan_step(v, y)->point;

	if (a->op == STRATEGY_LOCK && b->op == STRATEGY_LOCK)
		return a->writes || b->writes;
	if (a->op == STRATEGY_UNLOCK && b->op == STRATEGY_UNLOCK)
		return false;
	return !is_patient(v, a->op == STRATEGY_LOCK ? x : y);
}

/* True if a blocking step must begin before `later`. A thread that never gets a lock does nothing
   more. */
static bool blocked_matters(const struct plan_view *v, size_t step, size_t later)
{
	enum strategy_op op = plan_op(v, step);

	return op == STRATEGY_WAIT ? plan_op(v, later) == STRATEGY_SIGNAL : op != STRATEGY_LOCK;
}

/* True if the step begins before `later` and ends after it, or never. */
static bool blocks_over(const struct plan_view *v, size_t step, size_t later)
{
	const struct plan_step *own = &v->steps.items[step];

	return plan_is_blocked(v, step) && own->behind > later && own->waits_until > later;
}

static bool is_kernel(const struct plan_view *v, size_t step)
{
	enum strategy_op op = plan_op(v, step);
	const char *call = plan_step(v, step)->where.call;

	return op == STRATEGY_BLOCK || (op == STRATEGY_SIGNAL && call && strstr(call, "kill"));
}

static bool is_wait(enum strategy_op op)
{
	return op == STRATEGY_WAIT || plan_ends_wait(op);
}

/* True if the steps may concern one object. An unknown object of a kernel call may be any kernel
   call's, of a condition wait any signal's, but never memory or a lock. */
static bool may_be_about_one(const struct plan_view *v, size_t x, size_t y)
{
	enum strategy_op a = plan_op(v, x), b = plan_op(v, y);

	if (plan_step(v, x)->point.object != STRATEGY_ANY_OBJECT &&
	    plan_step(v, y)->point.object != STRATEGY_ANY_OBJECT)
		return true;
	if (is_kernel(v, x) || is_kernel(v, y))
		return is_kernel(v, x) && is_kernel(v, y);
	/* the thread has the mutex again, which it had released */
	if ((a == STRATEGY_SPURIOUS && b == STRATEGY_LOCK) ||
	    (a == STRATEGY_UNLOCK && b == STRATEGY_SPURIOUS))
		return true;
	return (is_wait(a) && b == STRATEGY_SIGNAL) || (a == STRATEGY_SIGNAL && is_wait(b));
}

/* True if the step changes locks or memory of another thread, which the child of the fork gets as
   they were. */
static bool is_copied(const struct plan_view *v, size_t fork, size_t step)
{
	char *const *ids = v->s->threads.items;
	enum strategy_op op = plan_op(v, step);

	return plan_forks(plan_step(v, fork)) &&
	       orders_thread_of(v, fork) != orders_thread_of(v, step) &&
	       plan_same_process(ids[orders_thread_of(v, fork)], ids[orders_thread_of(v, step)]) &&
	       (op == STRATEGY_UNLOCK || op == STRATEGY_WRITE ||
		(op == STRATEGY_LOCK && !plan_is_join(v, step)) ||
		(op == STRATEGY_ATOMIC && plan_step(v, step)->point.writes));
}

/* True if the order of two steps must be forced. The program orders creation, end and join; the end
   of a wait by time cannot be held; signals commute. */
static bool matters(const struct plan_view *v, size_t x, size_t y)
{
	enum strategy_op a = plan_op(v, x), b = plan_op(v, y);

	if (is_copied(v, x, y) || is_copied(v, y, x))
		return true;
	if (!strategy_depends(&plan_step(v, x)->point, &plan_step(v, y)->point) ||
	    !may_be_about_one(v, x, y))
		return false;
	if (a == STRATEGY_CREATE || a == STRATEGY_START || a == STRATEGY_END ||
	    b == STRATEGY_CREATE || b == STRATEGY_START || b == STRATEGY_END ||
	    b == STRATEGY_TIMEOUT || (a == STRATEGY_SIGNAL && b == STRATEGY_SIGNAL))
		return false;
	if (orders_is_lock(a) && orders_is_lock(b) && !locks_matter(v, x, y))
		return false;
	return !blocks_over(v, x, y) || blocked_matters(v, x, y);
}

static void add_edge(const struct plan_view *v, struct plan_edges *out, size_t from, size_t to)
{
	*array_add(out) = (struct plan_edge){from, to, blocks_over(v, from, to)};
}

/* Step that ends the process, or PLAN_NONE. */
static size_t end_of_process(const struct plan_view *v)
{
	for (size_t i = v->done; i-- > 0;)
		if (plan_ends_process(v, i))
			return i;
	return PLAN_NONE;
}

/* Properties of a step that matters() reads, apart from object, thread and whether it still
   blocks. */
static unsigned class_of(const struct plan_view *v, size_t step)
{
	bool bits[] = {plan_step(v, step)->point.writes, is_patient(v, step), is_kernel(v, step),
		       plan_is_join(v, step), plan_forks(plan_step(v, step))};
	unsigned class = plan_op(v, step);

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		class = class << 1 | bits[i];
	return class;
}

/* Latest step of the group that must come before step y and is not yet ordered, or PLAN_NONE. A
   step that still blocks may not matter while an earlier one does. */
static size_t latest_that_matters(const struct clocks *c, const struct plan_related *r,
				  size_t group, size_t y)
{
	for (size_t x = r->groups.items[group].latest; x != PLAN_NONE && !covers(c, y, x);
	     x = r->earlier[x]) {
		if (matters(c->v, x, y))
			return x;
		if (!blocks_over(c->v, x, y))
			break;
	}
	return PLAN_NONE;
}

static int latest_first(const void *x, const void *y)
{
	size_t a = *(const size_t *)x, b = *(const size_t *)y;

	return (a < b) - (a > b);
}

/* Orders y after the steps that it depends on, the latest first: their clocks include earlier
   ones. */
static void join_dependent(struct clocks *c, const struct plan_related *r, size_t y,
			   struct plan_indexes *found, struct plan_edges *out)
{
	size_t steps = 0;

	found->count = 0;
	plan_related(r, y, found);
	array_each(const size_t, group, found) {
		size_t x = latest_that_matters(c, r, *group, y);

		if (x != PLAN_NONE)
			found->items[steps++] = x;
	}
	found->count = steps;
	array_sort(found, latest_first);
	array_each(const size_t, x, found) {
		if (covers(c, y, *x))
			continue;
		add_edge(c->v, out, *x, y);
		orders_join(c, y, *x);
	}
}

static void dependent(struct clocks *c, bool to_the_end, struct plan_edges *out)
{
	const struct plan_view *v = c->v;
	size_t done = v->done, end = end_of_process(v);
	struct plan_indexes found = {0};
	struct plan_related r;

	plan_related_init(&r, v, class_of);
	for (size_t y = 0; y < (to_the_end ? v->steps.count : done) && !plan_is_over(v, y); y++) {
		begin_row(c, y);
		join_dependent(c, &r, y, &found, out);
		if (y >= done && end != PLAN_NONE && !plan_is_join(v, y))
			add_edge(v, out, end, y);
		join_releases(c, &r, y);
		plan_related_add(&r, y);
	}
	array_fini(&found);
	plan_related_fini(&r);
}

static void one_by_one(const struct plan_view *v, struct plan_edges *out)
{
	size_t end = end_of_process(v);

	for (size_t i = 1; i < v->segments.count; i++) {
		size_t first = v->segments.items[i].first, last = v->segments.items[i - 1].last;

		if (first > end && first < v->done) /* a lock that was not acquired */
			continue;
		if (last >= v->over)
			last = end != PLAN_NONE ? end : v->over - 1;
		if (plan_op(v, first) != STRATEGY_TIMEOUT &&
		    !(first >= v->over && plan_is_join(v, first)) &&
		    (first < v->done || !orders_is_lock(plan_op(v, last)) ||
		     (plan_op(v, last) == STRATEGY_LOCK && !plan_is_blocked(v, last))))
			add_edge(v, out, last, first);
	}
}

/* ---- reduction ---- */

/* An edge with its sort keys: threads, segments, steps. Edges with UNION_SAME equal keys may be
   merged. */
enum { UNION_SAME = 3, UNION_KEYS = 6 };
struct plan_union {
	uint64_t keys[UNION_KEYS];
	struct plan_edge edge;
};

static int by_segments(const void *x, const void *y)
{
	const struct plan_union *a = x, *b = y;

	return plan_compare(a->keys, b->keys, UNION_KEYS);
}

/* Merges edges of two threads that begin in one segment or (`ends`) end in one: segments do not
   overlap, so one edge implies the others. */
static void unite_by(const struct plan_view *v, bool ends, struct plan_edges *edges)
{
	ARRAY(struct plan_union) all = {0};

	array_each(const struct plan_edge, edge, edges) {
		size_t from = v->steps.items[edge->from].segment,
		       to = v->steps.items[edge->to].segment;

		*array_add(&all) = (struct plan_union){
			{orders_thread_of(v, edge->from), orders_thread_of(v, edge->to),
			 ends ? to : from, ends ? from : to, edge->from, edge->to},
			*edge};
	}
	array_sort(&all, by_segments);
	edges->count = 0;
	array_each(const struct plan_union, u, &all) {
		struct plan_edge *last = &edges->items[edges->count - 1];

		if (u == all.items || plan_compare(u->keys, u[-1].keys, UNION_SAME) != 0) {
			*array_add(edges) = u->edge;
			continue;
		}
		if (u->edge.from > last->from) {
			last->from = u->edge.from;
			last->blocked = u->edge.blocked;
		}
		if (u->edge.to < last->to)
			last->to = u->edge.to;
	}
	array_fini(&all);
}

static int by_place(const void *x, const void *y)
{
	const struct plan_edge *a = x, *b = y;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->from < b->from) - (a->from > b->from);
}

/* True if the creating thread does more before it stops: the new thread's start does not imply
   that. */
static bool goes_further(const struct plan_view *v, const struct plan_edge *edge)
{
	return v->steps.items[edge->to].before == PLAN_NONE &&
	       v->steps.items[edge->from].behind != PLAN_NONE &&
	       (creation(v, edge->to) == edge->from || fork_of(v, edge->to) == edge->from);
}

/* Drops edges that follow from others (transitive reduction). `all`: edges cover all that segments
   do. */
static void reduce(struct clocks *c, bool all, struct plan_edges *edges)
{
	size_t kept = 0, at = 0;

	array_sort(edges, by_place);
	memset(c->rows, 0, c->v->steps.count * c->threads * sizeof(*c->rows));
	for (size_t y = 0; y < c->v->steps.count; y++) {
		begin_row(c, y);
		for (; at < edges->count && edges->items[at].to == y; at++) {
			const struct plan_edge edge = edges->items[at];

			if (covers(c, y, edge.from) && !(all && goes_further(c->v, &edge)))
				continue;
			edges->items[kept++] = edge;
			orders_join(c, y, edge.from);
		}
	}
	edges->count = kept;
}

/* A thread held at its return from a wait must begin the wait before the signal, or it would miss
   it. */
static void let_wait(const struct plan_view *v, struct plan_edges *edges)
{
	for (size_t i = 0, n = edges->count; i < n; i++) {
		size_t held = edges->items[i].to, wait = v->steps.items[held].before;

		if (!plan_step(v, held)->where.inside || wait == PLAN_NONE ||
		    plan_op(v, wait) != STRATEGY_WAIT)
			continue;
		for (size_t signal = wait + 1; signal < held; signal++) {
			if (!may_wake(v, signal, wait))
				continue;
			*array_add(edges) = (struct plan_edge){wait, signal, true};
			break;
		}
	}
}

static void add_blocked(struct plan_edges *edges, size_t from, size_t to)
{
	array_each(const struct plan_edge, edge, edges)
		if (edge->from == from && edge->to == to && edge->blocked)
			return;
	*array_add(edges) = (struct plan_edge){from, to, true};
}

/* Wait that the thread is in, or PLAN_NONE. `last` is 1 + its last step so far. */
static size_t wait_of(const struct plan_view *v, size_t last)
{
	return last && plan_op(v, last - 1) == STRATEGY_WAIT && plan_is_blocked(v, last - 1)
		       ? last - 1
		       : PLAN_NONE;
}

/* A plain run wakes the longest waiting thread: orders the waits so that it is the one that was
   woken. */
static void wake_first(const struct plan_view *v, const size_t *last, size_t signal,
		       struct plan_edges *edges)
{
	size_t next = v->steps.items[signal].index + 1, woken;

	if (plan_op(v, signal) != STRATEGY_SIGNAL || next >= v->s->steps.count ||
	    v->s->steps.items[next].point.op != STRATEGY_WAKE)
		return;
	woken = wait_of(v, last[v->s->steps.items[next].thread]);
	for (unsigned t = 0; woken != PLAN_NONE && t < v->s->threads.count; t++) {
		size_t other = wait_of(v, last[t]);

		if (other == PLAN_NONE || other <= woken)
			continue;
		add_blocked(edges, woken, other);
		add_blocked(edges, other, signal);
	}
}

/* Orders the wake-ups; those of signals before `begin` are left to chance. */
static void let_wake(const struct plan_view *v, size_t begin, struct plan_edges *edges)
{
	size_t *last = base_alloc(v->s->threads.count + 1, sizeof(*last));
	size_t most = edges->count + MOST_WAKES;

	for (size_t i = 0; i < v->done && edges->count < most && !plan_is_over(v, i); i++) {
		if (i >= begin)
			wake_first(v, last, i, edges);
		last[orders_thread_of(v, i)] = i + 1;
	}
	base_free(last);
}

/* Keeps the last `most` edges. Returns the first step that they concern. */
static size_t keep_last(struct plan_edges *edges, size_t most)
{
	size_t dropped = edges->count - most, first = PLAN_NONE;

	if (!most || edges->count <= most)
		return 0;
	memmove(edges->items, edges->items + dropped, most * sizeof(*edges->items));
	edges->count = most;
	array_each(const struct plan_edge, edge, edges)
		if (edge->from < first)
			first = edge->from;
	return first;
}

bool plan_orders(const struct plan_view *v, enum plan_orders orders, size_t most,
		 struct plan_edges *out, size_t *left_out)
{
	struct clocks c = {.v = v, .threads = v->s->threads.count};
	size_t begin;

	if (v->steps.count > MOST_CLOCKS / (c.threads + 1))
		return false;
	c.rows = base_alloc(v->steps.count * c.threads + 1, sizeof(*c.rows));
	if (orders == PLAN_ALL)
		one_by_one(v, out);
	else
		dependent(&c, orders == PLAN_TO_THE_END, out);
	unite_by(v, false, out);
	unite_by(v, true, out);
	reduce(&c, orders == PLAN_ALL, out);
	base_free(c.rows);
	*left_out = most && out->count > most ? out->count - most : 0;
	begin = keep_last(out, most);
	let_wait(v, out);
	let_wake(v, begin, out);
	return true;
}
