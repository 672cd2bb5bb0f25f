/*
 * Whoever a gate could still free, by whatever chain, is hopeful; so is whoever waits for nobody in
 * particular, as long as somebody is at a gate. When nobody can move, those without hope have
 * themselves to blame: they wait in a circle, or for an owner that is gone. No gate is part of
 * that.
 */
#include "gates/waits.h"

enum { NOBODY = -1, GONE = -2 };

struct graph {
	const struct wait *waits;
	size_t count;
	int *on;	   /* index of the thread it waits for; NOBODY: not known; or GONE */
	unsigned *hopeful; /* 0: not; else the how many-th it became so */
};

/* ---- who waits for whom ---- */

static int index_of(const struct wait *waits, size_t count, const struct engine_thread *t)
{
	if (!t)
		return NOBODY;
	for (size_t i = 0; i < count; i++)
		if (waits[i].thread == t)
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
	case WAIT_GATE:
	case WAIT_MUTEX:
	case WAIT_FUTEX:
		break;
	}
	return false;
}

static bool anybody_moves(const struct graph *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (can_move(g, i))
			return true;
	return g->count == 0;
}

static bool anybody_at_gate(const struct graph *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->waits[i].kind == WAIT_GATE)
			return true;
	return false;
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

static bool has_hope(const struct graph *g, size_t i)
{
	const struct wait *w = &g->waits[i];

	switch (w->kind) {
	case WAIT_NOT:
	case WAIT_GATE:
	case WAIT_FUTEX:
		return true;
	case WAIT_MUTEX:
	case WAIT_JOIN:
		return g->on[i] == NOBODY || (g->on[i] >= 0 && g->hopeful[g->on[i]]);
	case WAIT_PROCESS:
		return hopeless_child(g, w) == NOBODY;
	}
	return true;
}

/* Hope starts at the gates; without any there is none. Returns whether somebody is without. */
static bool spread_hope(struct graph *g)
{
	bool changed = anybody_at_gate(g);
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

/* ---- the cycle, or the longest chain ---- */

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

static int next_of(const struct graph *g, int i)
{
	const struct wait *w = &g->waits[i];

	if (w->kind == WAIT_MUTEX || w->kind == WAIT_JOIN)
		return g->on[i] >= 0 ? g->on[i] : NOBODY;
	if (w->kind != WAIT_PROCESS)
		return NOBODY;
	return g->hopeful[i] ? hopeful_child(g, w, g->hopeful[i]) : hopeless_child(g, w);
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
static void follow(const struct graph *g, size_t start, struct chain *c)
{
	size_t at;

	c->length = 0;
	for (int i = (int)start; i != NOBODY; i = next_of(g, i)) {
		at = position(c->items, c->length, i);
		if (at < c->length) {
			c->cycle = true;
			c->length -= at;
			for (size_t k = 0; k < c->length; k++)
				c->items[k] = c->items[at + k];
			return;
		}
		c->items[c->length++] = (size_t)i;
	}
	c->cycle = false;
}

/* Does the chain say more than the best one so far? A cycle says all. */
static bool is_better(const struct chain *c, const struct chain *best)
{
	return c->cycle ? !best->cycle : !best->cycle && c->length > best->length;
}

/* Starts from those without hope (own), or from all, which then end at a gate or in the unknown. */
static void find_chain(const struct graph *g, bool own, struct chain *best)
{
	struct chain c = {.items = base_alloc(g->count, sizeof(*c.items))};
	bool to_gate;

	for (size_t i = 0; i < g->count; i++) {
		if (own && g->hopeful[i])
			continue;
		follow(g, i, &c);
		to_gate = g->waits[c.items[c.length - 1]].kind == WAIT_GATE;
		if ((!own && !to_gate) || !is_better(&c, best))
			continue;
		best->cycle = c.cycle;
		best->length = c.length;
		for (size_t k = 0; k < c.length; k++)
			best->items[k] = c.items[k];
	}
	base_free(c.items);
}

static enum waits_answer judge(struct graph *g, size_t *cycle, size_t *length)
{
	struct chain best = {0};
	bool own;

	if (anybody_moves(g))
		return WAITS_MOVING;
	own = spread_hope(g);
	best.items = base_alloc(g->count, sizeof(*best.items));
	find_chain(g, own, &best);
	for (size_t i = 0; cycle && i < best.length; i++)
		cycle[i] = best.items[i];
	if (length)
		*length = best.length;
	base_free(best.items);
	return own ? WAITS_OWN : WAITS_GATE;
}

enum waits_answer waits_judge(const struct wait *waits, size_t count, size_t *cycle, size_t *length)
{
	struct graph g = {.waits = waits, .count = count};
	enum waits_answer answer;

	if (length)
		*length = 0;
	g.on = base_alloc(count, sizeof(*g.on));
	g.hopeful = base_alloc(count, sizeof(*g.hopeful));
	for (size_t i = 0; i < count; i++)
		g.on[i] = index_of(waits, count, waits[i].on);
	answer = judge(&g, cycle, length);
	base_free(g.on);
	base_free(g.hopeful);
	return answer;
}
