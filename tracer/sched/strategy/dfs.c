/* DFS: walks the tree of schedules from left to right. A run follows the previous run up to the
   last node with a choice left. README.md describes sleep sets, the bound and fairness. */
#include "tracer/sched/strategy/strategy_internal.h"

struct dfs_choice {
	struct strategy_point point;
	bool is_shut;	/* tried, asleep, behind other threads, or over the bound */
	bool is_behind; /* yielded; other threads go first */
	bool sleeps;
};

struct dfs_node {
	struct dfs_choice *choices;
	size_t count, chosen;
	unsigned preemptions; /* of the run before this node */
	unsigned running;     /* the thread that moved last */
};

struct dfs {
	struct strategy base;
	ARRAY(struct dfs_node) nodes;
	struct fairness fairness;
	size_t depth; /* nodes passed in this run */
	bool has_strayed;
	unsigned preemptions, running;
};

static void cut_nodes(struct dfs *d, size_t count)
{
	while (d->nodes.count > count)
		base_free(d->nodes.items[--d->nodes.count].choices);
}

static void dfs_begin(struct strategy *s)
{
	struct dfs *d = (struct dfs *)s;

	d->depth = 0;
	d->has_strayed = false;
	d->preemptions = 0;
	d->running = NOBODY;
	fairness_begin(&d->fairness);
}

/* ---- one node ---------------------------------------------------------------------------- */

/* Returns true for a preemption: another thread is chosen although the running one could go on. */
static bool costs(const struct dfs_node *n, size_t choice)
{
	unsigned thread = n->choices[choice].point.thread;

	if (n->choices[choice].point.op == STRATEGY_WAKE)
		return false;
	for (size_t i = 0; i < n->count; i++) {
		const struct strategy_point *p = &n->choices[i].point;

		if (p->thread == n->running && p->op != STRATEGY_SPURIOUS)
			return thread != n->running && p->op != STRATEGY_YIELD &&
			       !n->choices[i].is_behind;
	}
	return false;
}

static bool may_sleep(const struct dfs *d, const struct dfs_node *n, size_t choice)
{
	const struct strategy_point *p = &n->choices[choice].point;

	if (p->op == STRATEGY_WAKE)
		return false;
	if (d->base.options.bound == STRATEGY_UNBOUND)
		return true;
	return p->thread == n->running &&
	       (p->op == STRATEGY_READ || p->op == STRATEGY_WRITE || p->op == STRATEGY_LOCK);
}

static struct dfs_choice *choice_of(const struct dfs_node *n, unsigned thread, bool spurious)
{
	for (size_t i = 0; i < n->count; i++)
		if (n->choices[i].point.thread == thread &&
		    (n->choices[i].point.op == STRATEGY_SPURIOUS) == spurious)
			return &n->choices[i];
	return NULL;
}

static void inherit_sleep(struct dfs_node *n, const struct dfs_node *before)
{
	const struct strategy_point *moved = &before->choices[before->chosen].point;

	for (size_t i = 0; i < before->count; i++) {
		const struct dfs_choice *c = &before->choices[i];
		struct dfs_choice *same =
			choice_of(n, c->point.thread, c->point.op == STRATEGY_SPURIOUS);

		if (c->sleeps && same && same->point.op != STRATEGY_WAKE &&
		    !strategy_depends(&c->point, moved))
			same->sleeps = same->is_shut = true;
	}
}

/* Prefers the running thread. Returns false if no choice is left. */
static bool dfs_pick(struct dfs_node *n)
{
	const struct dfs_choice *running = choice_of(n, n->running, false);

	if (running && !running->is_shut && running->point.op != STRATEGY_YIELD) {
		n->chosen = (size_t)(running - n->choices);
		return true;
	}
	for (n->chosen = 0; n->chosen < n->count; n->chosen++)
		if (!n->choices[n->chosen].is_shut)
			return true;
	return false;
}

/* ---- a run ------------------------------------------------------------------------------- */

/* Adds a node. Returns false if every choice was explored elsewhere. */
static bool dfs_grow(struct dfs *d, const struct strategy_point *points, size_t count)
{
	struct dfs_node n = {
		.choices = base_alloc(count, sizeof(*n.choices)),
		.count = count,
		.preemptions = d->preemptions,
		.running = d->running,
	};

	for (size_t i = 0; i < count; i++)
		n.choices[i].point = points[i];
	for (size_t i = 0; i < count; i++)
		d->base.fair |= n.choices[i].is_behind =
			fairness_is_behind(&d->fairness, points, count, i);
	for (size_t i = 0; i < count; i++)
		n.choices[i].is_shut = n.choices[i].is_behind ||
				       (costs(&n, i) && n.preemptions >= d->base.options.bound);
	if (d->nodes.count)
		inherit_sleep(&n, &d->nodes.items[d->nodes.count - 1]);
	if (!dfs_pick(&n)) {
		base_free(n.choices);
		return false;
	}
	*array_add(&d->nodes) = n;
	return true;
}

static bool dfs_fits(const struct dfs_node *n, const struct strategy_point *points, size_t count)
{
	if (n->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!strategy_is_same(&n->choices[i].point, &points[i]))
			return false;
	return true;
}

static void move(struct dfs *d, const struct dfs_node *n)
{
	const struct strategy_point *p = &n->choices[n->chosen].point;

	d->depth++;
	if (p->op == STRATEGY_WAKE)
		return;
	d->preemptions += costs(n, n->chosen);
	d->running = p->thread;
	fairness_step(&d->fairness, p);
}

static size_t dfs_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	struct dfs *d = (struct dfs *)s;

	if (s->is_done)
		return STRATEGY_STOP;
	fairness_meet(&d->fairness, points, count);
	if (d->depth < d->nodes.count && !dfs_fits(&d->nodes.items[d->depth], points, count))
		d->has_strayed = true;
	/* the run left the tree: its rest is random, and the search goes on with the next leaf */
	if (d->has_strayed)
		return (size_t)prng_below(&s->prng, count);
	if (d->depth == d->nodes.count && !dfs_grow(d, points, count))
		return STRATEGY_STOP;
	move(d, &d->nodes.items[d->depth]);
	return d->nodes.items[d->depth - 1].chosen;
}

static void dfs_end(struct strategy *s, enum strategy_result result)
{
	struct dfs *d = (struct dfs *)s;

	(void)result;
	s->strayed += d->has_strayed || d->depth < d->nodes.count;
	while (d->nodes.count) {
		struct dfs_node *n = &d->nodes.items[d->nodes.count - 1];
		struct dfs_choice *tried = &n->choices[n->chosen];

		tried->is_shut = true;
		tried->sleeps = may_sleep(d, n, n->chosen);
		if (dfs_pick(n))
			return;
		cut_nodes(d, d->nodes.count - 1);
	}
	s->is_done = true;
}

static void dfs_fini(struct strategy *s)
{
	struct dfs *d = (struct dfs *)s;

	cut_nodes(d, 0);
	array_fini(&d->nodes);
	fairness_fini(&d->fairness);
}

const struct strategy_type strategy_dfs = {
	.name = "dfs",
	.size = sizeof(struct dfs),
	.memory = STRATEGY_MEMORY_ALL,
	.flags = STRATEGY_SPURIOUSLY,
	.begin = dfs_begin,
	.choose = dfs_choose,
	.end = dfs_end,
	.fini = dfs_fini,
};
