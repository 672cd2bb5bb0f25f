/*
 * A thread has hope if a gate could still free it, by whatever chain. When nobody can move,
 * threads without hope deadlock by the program's own fault: they wait in a cycle, for what only
 * threads of that cycle could give, or for an owner that has exited. No gate is involved.
 */
#include "gates/engine.h"

enum { NOBODY = -1, GONE = -2 };

struct graph {
	const struct wait *waits;
	size_t count;
	int *on;	   /* index of the thread it waits for; NOBODY: not known; or GONE */
	unsigned *hopeful; /* 0: not; else the how many-th it became so */
};

void wait_fini(struct wait *w)
{
	array_fini(&w->more);
	array_fini(&w->by);
}

/* ---- who waits for whom ---- */

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

/* What it waits for may have happened already: it is about to wake up. */
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

/* Is `by` one of those of whom any one could set i free? For waits that have no owner. */
static bool could_free(const struct graph *g, size_t i, size_t by)
{
	const struct wait *w = &g->waits[i], *other = &g->waits[by];

	if (by == i)
		return false;
	if (w->kind == WAIT_FILE)
		return is_among(w, other->process);
	return w->shared || space_of(w) == space_of(other);
}

/* ---- who has hope ---- */

/* The first thread of the process without hope, or NOBODY: all of them could come to their end. */
static int hopeless_in(const struct graph *g, int process)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->waits[i].process == process && !g->hopeful[i])
			return (int)i;
	return NOBODY;
}

/* Who keeps the process that w waits for from ending; of several children any one would do. */
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

/* The first owner that will not let go, GONE where it cannot, or NOBODY: all of them could. */
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

/* Of those who could set i free: the one that became hopeful first, or NOBODY. */
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

/* Hope starts at the gates, and at those who move. Returns whether somebody is without. */
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

/* ---- the cycle, or the chain that says most ---- */

static bool all_hoped_before(const struct graph *g, int process, unsigned rank)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->waits[i].process == process && g->hopeful[i] >= rank)
			return false;
	return true;
}

/* From where the hope of w came: against the order in which it spread, so never in a circle. */
static int hopeful_child(const struct graph *g, const struct wait *w, unsigned rank)
{
	for (size_t i = 0; i < g->count; i++)
		if (waits_for_process(w, &g->waits[i]) &&
		    all_hoped_before(g, g->waits[i].process, rank))
			return (int)i;
	return NOBODY;
}

/* Nobody of those who could set i free has hope: one of them, of another process where there is. */
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

/* From `start` to where it ends; of a chain that runs into a cycle only the cycle is kept. */
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
 * A lock or a file leads to the next one for sure, and says more than somebody's end does; who
 * waits for nobody in particular may have nothing to do with it at all.
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

/* Does the chain say more than the best one so far? A cycle says all. */
static bool waits_is_better(const struct graph *g, const struct chain *c, const struct chain *best)
{
	return c->cycle ? !best->cycle : !best->cycle && weight(g, c) > weight(g, best);
}

/* Starts from those without hope (own), or from all, which then end at a gate. */
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

/* ---- the answers ---- */

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
