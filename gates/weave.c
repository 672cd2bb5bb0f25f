/*
 * Orders become gates, places and steps. "a -> b" is one simple gate: b's place waits at it, and it
 * is opened where a's statement has been executed.
 *
 * A name stands for places with a STEP_EVENT: those that the tester gave this :event name, else one
 * that is made here for a location. What an order adds goes next to that step: waiting right before
 * it (b has not happened while its thread is held), opening and watching right behind it.
 */
#include "gates/internal.h"

#include <string.h>

/* ---- a name's places ---- */

static size_t event_at(const struct place *p, const char *name)
{
	for (size_t i = 0; i < p->steps.count; i++)
		if (p->steps.items[i].kind == STEP_EVENT &&
		    strcmp(p->steps.items[i].text, name) == 0)
			return i;
	return p->steps.count;
}

static bool is_named(const struct place *p, const struct order_name *n)
{
	return !p->from_order && !p->dropped && event_at(p, n->text) < p->steps.count;
}

static bool is_made_for(const struct place *p, const struct order_name *n)
{
	struct order_name own = {.text = p->location, .thread = p->thread};

	return p->from_order && !p->after && !p->dropped && order_name_same(&own, n);
}

static void make_place(struct engine *e, const struct order_name *n, const char *source)
{
	struct place *p;

	array_each(struct place *, it, &e->places) {
		if (is_made_for(*it, n)) {
			if (strcmp((*it)->source, source) != 0)
				*array_add(&(*it)->again) = base_strdup(source);
			return;
		}
	}
	p = engine_place(e, PLACE_LOCATION, n->text, source);
	p->from_order = true;
	p->thread = n->thread ? base_strdup(n->thread) : NULL;
	engine_step(p, STEP_EVENT)->text = base_strdup(n->text);
}

/* Is it the tester's own name for some place? If not, there is a place made for it afterwards. */
static bool resolve_name(struct engine *e, const struct order_name *n, const char *source)
{
	array_each(struct place *, p, &e->places)
		if (is_named(*p, n))
			return true;
	make_place(e, n, source);
	return false;
}

static struct place *companion(struct engine *e, struct place *p)
{
	struct place *c;

	if (p->companion)
		return p->companion;
	c = engine_place(e, p->kind, p->location, p->source);
	c->thread = p->thread ? base_strdup(p->thread) : NULL;
	c->after = c->from_order = true;
	c->optional = p->optional;
	c->companion_of = p;
	p->companion = c;
	return c;
}

/* ---- what is added there ---- */

/* A place made for a bound name admits only those threads anyway. */
static void fill(struct step *step, const struct place *p, struct gate *gate,
		 const struct order_name *n)
{
	bool admitted = p->thread && n->thread && strcmp(p->thread, n->thread) == 0;

	step->gate = gate;
	step->thread = n->thread && !admitted ? base_strdup(n->thread) : NULL;
}

static void add_wait(struct place *p, struct gate *gate, const struct order_name *n)
{
	fill(place_insert(p, event_at(p, n->text), STEP_WAIT), p, gate, n);
}

/* Events other than locations, and those that say `after`, have happened when they are reached. */
static void add_open(struct engine *e, struct place *p, struct gate *gate,
		     const struct order_name *n)
{
	size_t behind = event_at(p, n->text) + 1;

	if (n->blocked)
		fill(place_insert(p, behind, STEP_WATCH), p, gate, n);
	else if (p->kind == PLACE_LOCATION && !p->after)
		fill(engine_step(companion(e, p), STEP_OPEN), p, gate, n);
	else
		fill(place_insert(p, behind, STEP_OPEN), p, gate, n);
}

static void weave_side(struct engine *e, const struct order_edge *edge, bool left,
		       struct gate *gate)
{
	const struct order_name *n = left ? &edge->from : &edge->to;
	bool named = resolve_name(e, n, edge->source);
	size_t count = e->places.count; /* companions come behind */

	for (size_t i = 0; i < count; i++) {
		struct place *p = e->places.items[i];

		if (!(named ? is_named(p, n) : is_made_for(p, n)))
			continue;
		if (left)
			add_open(e, p, gate, n);
		else
			add_wait(p, gate, n);
	}
}

static void weave(struct engine *e, struct order_edge *edge)
{
	struct str name = {0};
	struct gate *gate;

	order_name_print(&edge->from, &name);
	str_add(&name, " -> ");
	order_name_print(&edge->to, &name);
	gate = engine_gate_simple(e, str_text(&name));
	gate->from_order = true;
	gate->source = base_strdup(edge->source);
	edge->gate = gate;
	weave_side(e, edge, true, gate);
	weave_side(e, edge, false, gate);
	str_fini(&name);
}

bool order_says_the_same(const struct order_edge *a, const struct order_edge *b)
{
	return a->from.blocked == b->from.blocked && order_name_same(&a->from, &b->from) &&
	       order_name_same(&a->to, &b->to);
}

/* ---- what cannot be ---- */

static bool is_repeated(const struct engine *e, size_t index)
{
	const struct order_edge *edge = &e->edges.items[index];

	for (size_t i = 0; i < index; i++) {
		const struct order_edge *o = &e->edges.items[i];

		if (!o->dropped && order_says_the_same(o, edge))
			return true;
	}
	return false;
}

/* A way from `at` to `goal` over the edges up to `last`; what lies between goes to `path`. */
static bool leads(const struct engine *e, size_t last, const struct order_name *at,
		  const struct order_name *goal, bool *seen, struct str *path)
{
	size_t length = path->length;

	if (order_name_same(at, goal))
		return true;
	for (size_t i = 0; i <= last; i++) {
		const struct order_edge *edge = &e->edges.items[i];

		if (seen[i] || edge->dropped || !order_name_same(&edge->from, at))
			continue;
		seen[i] = true;
		str_add(path, " -> ");
		order_name_print(&edge->to, path);
		if (leads(e, last, &edge->to, goal, seen, path))
			return true;
		path->length = length;
		path->text[length] = '\0';
	}
	return false;
}

static int check_cycle(const struct engine *e, size_t index, struct error *err)
{
	const struct order_edge *edge = &e->edges.items[index];
	bool *seen = base_alloc(index + 1, sizeof(*seen));
	struct str path = {0};
	int result = 0;

	order_name_print(&edge->from, &path);
	str_add(&path, " -> ");
	order_name_print(&edge->to, &path);
	if (leads(e, index, &edge->to, &edge->from, seen, &path))
		result = error_set(err, ERROR_SCRIPT,
				   "%s: %s%s is a cycle: none of it could ever come first",
				   edge->source, order_word(edge->source), str_text(&path));
	str_fini(&path);
	base_free(seen);
	return result;
}

int engine_order(struct engine *e, const char *text, const char *source, struct error *err)
{
	return order_parse(e, text, source ? source : "--order", err);
}

int engine_orders_finish(struct engine *e, struct error *err)
{
	for (size_t i = 0; i < e->edges.count; i++) {
		struct order_edge *edge = &e->edges.items[i];

		if (edge->woven || edge->dropped)
			continue;
		if (check_cycle(e, i, err) < 0)
			return -1;
		if (!is_repeated(e, i)) {
			weave(e, edge);
		} else {
			resolve_name(e, &edge->from, edge->source);
			resolve_name(e, &edge->to, edge->source);
		}
		edge->woven = true;
	}
	return 0;
}

size_t engine_order_count(const struct engine *e)
{
	return e->edges.count;
}

bool order_needs(const struct engine *e, const struct place *p)
{
	const struct place *made = p->companion_of ? p->companion_of : p;

	for (size_t i = 0; i < e->edges.count; i++) {
		const struct order_edge *edge = &e->edges.items[i];

		if (!edge->dropped &&
		    (is_made_for(made, &edge->from) || is_made_for(made, &edge->to)))
			return true;
	}
	return false;
}
