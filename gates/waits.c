/*
 * The wait-for graph. A thread "has hope" if an open gate could free it, by any chain of wake-ups.
 * When no thread can move, threads without hope are the program's own deadlock: a cycle of waits,
 * or a wait for an owner that has exited.
 */
#include "gates/engine.h"

enum { NOBODY = -1, GONE = -2 };

struct graph {
	const struct wait *waits;
	size_t count;
	/* index of the thread that thread i waits for; NOBODY: unknown; GONE: exited */
	int *on;
	unsigned *hopeful; /* 0: no hope; else the rank at which the thread got it */
};

void wait_fini(struct wait *w)
{
	array_fini(&w->more);
	array_fini(&w->by);
}

/* ---- edges of the graph ---- */

static int index_of(const struct graph *g, const struct engine_thread *t)
{
	if (!t)
		return NOBODY;
	for (size_t i = 0; i < g->count; i++)
		if (g->waits[i].thread == t)
			return (int)i;
	return GONE;
}

static bool waits_for_process(const struct wait *w, const struct wait *other)
{
	if (w->on_process)
		return other->process == w->on_process;
	return other->parent == w->process;
}

static bool process_is_alive(const struct graph *g, const struct wait *w)
{
	for (size_t i = 0; i < g->count; i++)
		if (waits_for_process(w, &g->waits[i]))
			return true;
	return false;
}

/*
 * True if thread i runs, or its awaited event has already happened so that it is about to wake up.
 */
static bool can_move(const struct graph *g, size_t i)
{
	const struct wait *w = &g->waits[i];

	switch (w->kind) {
	case WAIT_NOT:
		return true;
	case WAIT_JOIN:
		return g->on[i] == GONE;
	case WAIT_PROCESS:
		return !process_is_alive(g, w);
	default:
		return false;
	}
}

static bool anybody_moves(const struct graph *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (can_move(g, i))
			return true;
	return g->count == 0;
}

static bool has_owner(const struct graph *g, size_t i)
{
	const struct wait *w = &g->waits[i];

	return (w->kind == WAIT_MUTEX || w->kind == WAIT_JOIN) && g->on[i] != NOBODY;
}

static int space_of(const struct wait *w)
{
	return w->space ? w->space : w->process;
}

static bool is_among(const struct wait *w, int process)
{
	for (size_t i = 0; i < w->by.count; i++)
		if (w->by.items[i] == process)
			return true;
	return false;
}

/* True if thread `by` could wake thread i, which waits without an owner. */
static bool could_free(const struct graph *g, size_t i, size_t by)
{
	const struct wait *w = &g->waits[i], *other = &g->waits[by];

	if (by == i)
		return false;
	if (w->kind == WAIT_FILE)
		return is_among(w, other->process);
	return w->shared || space_of(w) == space_of(other);
}

/* ---- hope ---- */

/* The first thread of the process without hope, or NOBODY if all could exit. */
static int hopeless_in(const struct graph *g, int process)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->waits[i].process == process && !g->hopeful[i])
			return (int)i;
	return NOBODY;
}

/*
 * The thread that keeps the awaited process from exiting, or NOBODY; of several children one
 * suffices.
 */
static int hopeless_child(const struct graph *g, const struct wait *w)
{
	int who, found = NOBODY;

	for (size_t i = 0; i < g->count; i++) {
		if (!waits_for_process(w, &g->waits[i]))
			continue;
		who = hopeless_in(g, g->waits[i].process);
		if (who == NOBODY)
			return NOBODY;
		if (found == NOBODY)
			found = who;
	}
	return found;
}

/* The first owner without hope, GONE if it has exited, or NOBODY if all owners could unlock. */
static int hopeless_owner(const struct graph *g, size_t i)
{
	const struct wait *w = &g->waits[i];
	int who = g->on[i];

	for (size_t k = 0;; k++) {
		if (who < 0 || !g->hopeful[who])
			return who;
		if (k == w->more.count)
			return NOBODY;
		who = index_of(g, w->more.items[k]);
	}
}

/* The thread that got hope first among those that could wake thread i, or NOBODY. */
static int hopeful_giver(const struct graph *g, size_t i)
{
	int first = NOBODY;

	for (size_t by = 0; by < g->count; by++)
		if (g->hopeful[by] && could_free(g, i, by) &&
		    (first == NOBODY || g->hopeful[by] < g->hopeful[first]))
			first = (int)by;
	return first;
}

static bool has_hope(const struct graph *g, size_t i)
{
	const struct wait *w = &g->waits[i];

	if (w->kind == WAIT_GATE || can_move(g, i))
		return true;
	if (w->kind == WAIT_NEVER)
		return false;
	if (w->kind == WAIT_PROCESS)
		return hopeless_child(g, w) == NOBODY;
	if (has_owner(g, i))
		return hopeless_owner(g, i) == NOBODY;
	return hopeful_giver(g, i) != NOBODY;
}

/* Spreads hope from the gates and the moving threads. True if a thread is left without. */
static bool spread_hope(struct graph *g)
{
	bool changed = true;
	unsigned hopeful = 0;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < g->count; i++) {
			if (g->hopeful[i] || !has_hope(g, i))
				continue;
			g->hopeful[i] = ++hopeful;
			changed = true;
		}
	}
	return hopeful < g->count;
}

/* ---- the cycle, or the most informative chain ---- */

static bool all_hoped_before(const struct graph *g, int process, unsigned rank)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->waits[i].process == process && g->hopeful[i] >= rank)
			return false;
	return true;
}

/* The child that gave w its hope. Ranks below `rank` only, so the chain has no cycle. */
static int hopeful_child(const struct graph *g, const struct wait *w, unsigned rank)
{
	for (size_t i = 0; i < g->count; i++)
		if (waits_for_process(w, &g->waits[i]) &&
		    all_hoped_before(g, g->waits[i].process, rank))
			return (int)i;
	return NOBODY;
}

/* A thread that could wake thread i, in another process if possible; none of them has hope. */
static int hopeless_giver(const struct graph *g, size_t i)
{
	int found = NOBODY;

	for (size_t by = 0; by < g->count; by++) {
		if (!could_free(g, i, by))
			continue;
		if (g->waits[by].process != g->waits[i].process)
			return (int)by;
		if (found == NOBODY)
			found = (int)by;
	}
	return found;
}

static int next_without_hope(const struct graph *g, size_t i)
{
	const struct wait *w = &g->waits[i];
	int next = NOBODY;

	if (w->kind == WAIT_PROCESS)
		next = hopeless_child(g, w);
	else if (w->kind == WAIT_FILE)
		next = hopeless_giver(g, i);
	else if (has_owner(g, i))
		next = hopeless_owner(g, i);
	return next == GONE ? NOBODY : next;
}

static int next_with_hope(const struct graph *g, size_t i)
{
	const struct wait *w = &g->waits[i];

	if (w->kind == WAIT_GATE || w->kind == WAIT_NOT)
		return NOBODY;
	if (w->kind == WAIT_PROCESS)
		return hopeful_child(g, w, g->hopeful[i]);
	return has_owner(g, i) ? g->on[i] : hopeful_giver(g, i);
}

struct chain {
	size_t *items;
	size_t length;
	bool cycle;
};

static size_t position(const size_t *items, size_t length, int what)
{
	size_t i = 0;

	while (i < length && items[i] != (size_t)what)
		i++;
	return i;
}

/* Follows the waits from `start`; of a chain that enters a cycle only the cycle is kept. */
static void waits_follow(const struct graph *g, size_t start, struct chain *c)
{
	size_t at;
	int i = (int)start;

	c->length = 0;
	c->cycle = false;
	while (i != NOBODY) {
		at = position(c->items, c->length, i);
		if (at < c->length) {
			c->cycle = true;
			c->length -= at;
			for (size_t k = 0; k < c->length; k++)
				c->items[k] = c->items[at + k];
			return;
		}
		c->items[c->length++] = (size_t)i;
		i = g->hopeful[i] ? next_with_hope(g, (size_t)i) : next_without_hope(g, (size_t)i);
	}
}

/*
 * Weight of a wait in a chain: an owner or a file names the next thread for certain, a lock or file
 * says more than an awaited exit, a futex without owner may be unrelated.
 */
static unsigned weight_of(const struct graph *g, size_t i)
{
	if (g->waits[i].kind == WAIT_PROCESS)
		return 1;
	if (g->waits[i].kind == WAIT_FILE)
		return 2;
	if (!has_owner(g, i))
		return 0;
	return g->waits[i].kind == WAIT_JOIN ? 1 : 2;
}

static unsigned weight(const struct graph *g, const struct chain *c)
{
	unsigned sum = c->length > 0;

	for (size_t i = 0; i + 1 < c->length; i++)
		sum += weight_of(g, c->items[i]);
	return sum;
}

/* True if the chain says more than the best so far; a cycle says most. */
static bool waits_is_better(const struct graph *g, const struct chain *c, const struct chain *best)
{
	return c->cycle ? !best->cycle : !best->cycle && weight(g, c) > weight(g, best);
}

/* Finds the best chain from threads without hope (own), or from all threads, ending at a gate. */
static void find_chain(const struct graph *g, bool own, struct chain *best)
{
	struct chain c = {.items = base_alloc(g->count, sizeof(*c.items))};

	for (size_t i = 0; i < g->count; i++) {
		if (own && g->hopeful[i])
			continue;
		waits_follow(g, i, &c);
		if (!waits_is_better(g, &c, best))
			continue;
		best->cycle = c.cycle;
		best->length = c.length;
		for (size_t k = 0; k < c.length; k++)
			best->items[k] = c.items[k];
	}
	base_free(c.items);
}

static void copy_chain(const struct graph *g, bool own, size_t *cycle, size_t *length)
{
	struct chain best = {.items = base_alloc(g->count, sizeof(*best.items))};

	find_chain(g, own, &best);
	for (size_t i = 0; cycle && i < best.length; i++)
		cycle[i] = best.items[i];
	if (length)
		*length = best.length;
	base_free(best.items);
}

/* ---- judgements ---- */

static void graph_init(struct graph *g, const struct wait *waits, size_t count)
{
	*g = (struct graph){.waits = waits, .count = count};
	g->on = base_alloc(count, sizeof(*g->on));
	g->hopeful = base_alloc(count, sizeof(*g->hopeful));
	for (size_t i = 0; i < count; i++)
		g->on[i] = index_of(g, waits[i].on);
}

static void graph_fini(struct graph *g)
{
	base_free(g->on);
	base_free(g->hopeful);
}

enum waits_answer waits_judge(const struct wait *waits, size_t count, size_t *cycle, size_t *length)
{
	enum waits_answer answer = WAITS_MOVING;
	struct graph g;

	if (length)
		*length = 0;
	graph_init(&g, waits, count);
	if (!anybody_moves(&g)) {
		answer = spread_hope(&g) ? WAITS_OWN : WAITS_GATE;
		copy_chain(&g, answer == WAITS_OWN, cycle, length);
	}
	graph_fini(&g);
	return answer;
}

bool waits_lost(const struct wait *waits, size_t count, size_t *cycle, size_t *length)
{
	struct graph g;
	bool lost;

	*length = 0;
	graph_init(&g, waits, count);
	lost = spread_hope(&g);
	if (lost)
		copy_chain(&g, true, cycle, length);
	graph_fini(&g);
	return lost;
}
