/* DPOR: source sets with sleep sets. A run follows the previous run up to the last node with a
   choice that is wanted and was not tried. dpor.h describes locks, waits and ends. */
#include "tracer/sched/strategy/dpor.h"

static void dpor_cut(struct dpor *d, size_t count)
{
	while (d->nodes.count > count) {
		struct dpor_node *n = &d->nodes.items[--d->nodes.count];

		base_free(n->choices);
		array_fini(&n->clock);
	}
	if (d->known > count)
		d->known = count;
}

static void dpor_begin(struct strategy *s)
{
	struct dpor *d = (struct dpor *)s;

	d->depth = 0;
	d->step = 0;
	d->has_strayed = d->has_stopped = false;
	fairness_begin(&d->fairness);
}

/* ---- one node ---------------------------------------------------------------------------- */

struct dpor_choice *dpor_choice_of(const struct dpor_node *n, unsigned thread)
{
	for (size_t i = 0; i < n->count; i++)
		if (n->choices[i].point.thread == thread)
			return &n->choices[i];
	return NULL;
}

/* The end of a wait by time moves the clock of all threads. */
static bool is_wide(const struct dpor_choice *c)
{
	return c->flags & DPOR_ENDS || c->point.op == STRATEGY_TIMEOUT;
}

size_t dpor_objects(const struct strategy_point *p, struct strategy_point objects[2])
{
	objects[0] = objects[1] = *p;
	if (!p->pair[0])
		return 1;
	objects[0].object = p->pair[0];
	objects[1].object = p->pair[1];
	return 2;
}

bool dpor_depends(const struct dpor_choice *a, const struct dpor_choice *b)
{
	struct strategy_point x[2], y[2];
	size_t xs = dpor_objects(&a->point, x), ys = dpor_objects(&b->point, y);

	if (is_wide(a) || is_wide(b))
		return true;
	for (size_t i = 0; i < xs; i++)
		for (size_t k = 0; k < ys; k++)
			if (strategy_depends(&x[i], &y[k]))
				return true;
	return false;
}

bool dpor_is_possible(const struct dpor_choice *c)
{
	return c->point.acquires != STRATEGY_ACQUIRE_HELD && !(c->flags & DPOR_BEHIND);
}

static void dpor_inherit_sleep(struct dpor_node *n, const struct dpor_node *before)
{
	const struct dpor_choice *moved = dpor_chosen(before);

	for (size_t i = 0; i < before->count; i++) {
		const struct dpor_choice *c = &before->choices[i];
		struct dpor_choice *same = dpor_choice_of(n, c->point.thread);

		if (c->flags & DPOR_ASLEEP && same && strategy_is_same(&same->point, &c->point) &&
		    !dpor_depends(c, moved))
			same->flags |= DPOR_ASLEEP;
	}
}

/* Chooses the first step of a new node, by preference of the thread that moved last. Where every
   thread would wait for a lock, they are let wait, without an alternative: a deadlock, or the end
   of a wait by time. Returns false if every choice was tried elsewhere. */
static bool dpor_pick_first(struct dpor_node *n, unsigned moved)
{
	size_t first = n->count;
	bool could = false;

	for (size_t i = 0; i < n->count; i++) {
		const struct dpor_choice *c = &n->choices[i];

		could |= c->point.acquires != STRATEGY_ACQUIRE_HELD;
		if (!dpor_is_possible(c) || c->flags & DPOR_ASLEEP)
			continue;
		if (first == n->count ||
		    (c->point.thread == moved && c->point.op != STRATEGY_YIELD))
			first = i;
	}
	if (first == n->count && could)
		return false;
	n->chosen = first == n->count ? 0 : first;
	n->choices[n->chosen].flags |= DPOR_WANTED;
	return true;
}

/* ---- what is left out -------------------------------------------------------------------- */

static bool may_wake_spuriously(const struct strategy_point *p)
{
	return p->op == STRATEGY_LOCK && p->acquires == STRATEGY_ACQUIRE_UNKNOWN;
}

/* Looks at the new node for what the search does not cover. `before`: the step before, or NULL. */
static void dpor_note_left(struct dpor *d, const struct dpor_node *n,
			   const struct dpor_node *before)
{
	const struct strategy_point *moved = before ? &dpor_chosen(before)->point : NULL;
	bool goes_on = moved && dpor_choice_of(n, moved->thread);

	for (size_t i = 0; i < n->count; i++)
		if (n->choices[i].point.op == STRATEGY_TIMEOUT)
			d->base.left |= STRATEGY_LEFT_TIME;
	if (!moved)
		return;
	if (moved->op == STRATEGY_WAIT && moved->object == STRATEGY_ANY_OBJECT)
		d->base.left |= STRATEGY_LEFT_SPURIOUS;
	if (may_wake_spuriously(moved) && !goes_on)
		d->base.left |= STRATEGY_LEFT_SPURIOUS;
	if (moved->acquires == STRATEGY_ACQUIRE_HELD && goes_on)
		d->has_strayed = true; /* the lock's state was misread */
}

/* ---- a run ------------------------------------------------------------------------------- */

static struct dpor_node dpor_node_new(struct dpor *d, const struct strategy_point *points,
				      size_t count)
{
	struct dpor_node n = {.choices = base_alloc(count, sizeof(*n.choices)), .count = count};

	for (size_t i = 0; i < count; i++) {
		n.choices[i].point = points[i];
		if (points[i].op == STRATEGY_WAKE)
			n.choices[i].flags = DPOR_WANTED;
		else if (fairness_is_behind(&d->fairness, points, count, i))
			n.choices[i].flags = DPOR_BEHIND;
		d->base.fair |= n.choices[i].flags & DPOR_BEHIND;
	}
	return n;
}

/* Adds a node. Returns false if every choice was tried elsewhere. */
static bool dpor_grow(struct dpor *d, const struct strategy_point *points, size_t count)
{
	const struct dpor_node *before = d->step ? &d->nodes.items[d->step - 1] : NULL;
	struct dpor_node n = dpor_node_new(d, points, count);
	unsigned moved = before ? dpor_chosen(before)->point.thread : NOBODY;

	if (dpor_is_step(&n)) {
		dpor_note_left(d, &n, before);
		if (before)
			dpor_inherit_sleep(&n, before);
		if (!dpor_pick_first(&n, moved)) {
			base_free(n.choices);
			return false;
		}
	}
	*array_add(&d->nodes) = n;
	return true;
}

static bool dpor_fits(const struct dpor_node *n, const struct strategy_point *points, size_t count)
{
	if (n->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!strategy_is_same(&n->choices[i].point, &points[i]))
			return false;
	return true;
}

static size_t dpor_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	struct dpor *d = (struct dpor *)s;
	const struct dpor_node *n;

	if (s->is_done)
		return STRATEGY_STOP;
	fairness_meet(&d->fairness, points, count);
	if (d->depth < d->nodes.count && !dpor_fits(&d->nodes.items[d->depth], points, count))
		d->has_strayed = true;
	if (!d->has_strayed && d->depth == d->nodes.count && !dpor_grow(d, points, count)) {
		d->has_stopped = true;
		return STRATEGY_STOP;
	}
	/* the run left the tree: its rest is random, and the search goes on with the next leaf */
	if (d->has_strayed)
		return (size_t)prng_below(&s->prng, count);
	n = &d->nodes.items[d->depth++];
	if (dpor_is_step(n)) {
		d->step = d->depth;
		fairness_step(&d->fairness, &dpor_chosen(n)->point);
	}
	return n->chosen;
}

/* ---- the end of a run -------------------------------------------------------------------- */

/* A step that ends the program while other threads could go on: each of these may come first. */
static void dpor_note_end(struct dpor *d)
{
	struct dpor_node *n = d->step ? &d->nodes.items[d->step - 1] : NULL;
	unsigned wanted = 0;

	if (n && may_wake_spuriously(&dpor_chosen(n)->point))
		d->base.left |= STRATEGY_LEFT_SPURIOUS;
	for (size_t i = 0; n && i < n->count; i++) {
		if (i == n->chosen || !dpor_is_possible(&n->choices[i]))
			continue;
		n->choices[i].flags |= DPOR_WANTED;
		wanted++;
	}
	if (wanted)
		n->choices[n->chosen].flags |= DPOR_ENDS;
}

/* Goes to the next leaf of the tree. */
static void dpor_advance(struct dpor *d)
{
	while (d->nodes.count) {
		struct dpor_node *n = &d->nodes.items[d->nodes.count - 1];

		n->choices[n->chosen].flags |= DPOR_ASLEEP;
		for (n->chosen = 0; n->chosen < n->count; n->chosen++)
			if ((n->choices[n->chosen].flags & (DPOR_WANTED | DPOR_ASLEEP)) ==
			    DPOR_WANTED)
				break;
		if (n->chosen < n->count) {
			d->known = d->known < d->nodes.count ? d->known : d->nodes.count - 1;
			return;
		}
		dpor_cut(d, d->nodes.count - 1);
	}
	d->base.is_done = true;
}

static void dpor_end(struct strategy *s, enum strategy_result result)
{
	struct dpor *d = (struct dpor *)s;
	bool strayed = d->has_strayed || d->depth < d->nodes.count;

	if (s->is_done)
		return;
	if (result == STRATEGY_CUT && !d->has_stopped)
		s->left |= STRATEGY_LEFT_CUT;
	s->strayed += strayed;
	if (!strayed) {
		if (result != STRATEGY_CUT)
			dpor_note_end(d);
		dpor_find_races(d);
		dpor_stores_look(d);
		if (dpor_stores_matter(&d->stores))
			s->left |= STRATEGY_LEFT_STORES;
	}
	dpor_advance(d);
}

static void dpor_fini(struct strategy *s)
{
	struct dpor *d = (struct dpor *)s;

	dpor_cut(d, 0);
	array_fini(&d->nodes);
	fairness_fini(&d->fairness);
	dpor_races_fini(d);
	dpor_stores_fini(&d->stores);
}

const struct strategy_type strategy_dpor = {
	.name = "dpor",
	.size = sizeof(struct dpor),
	.memory = STRATEGY_MEMORY_ALL,
	.flags = STRATEGY_LOCKS,
	.begin = dpor_begin,
	.choose = dpor_choose,
	.end = dpor_end,
	.fini = dpor_fini,
};
