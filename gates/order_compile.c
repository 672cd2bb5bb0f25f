/*
 * Compiles orders into gates, places and steps (see README.md). "a -> b" is one simple gate: b's
 * place waits at it, and it opens after a's statement has been executed.
 */
#include "gates/engine_internal.h"
#include "gates/names.h"

#include <string.h>

/* Places of each name while orders are compiled. */
struct order_compiler {
	struct engine *e;
	struct order_names events; /* :event names of the script */
	struct order_names made;   /* locations (and threads) with a place from an order */
};

/* ---- a name's places ---- */

static size_t event_at(const struct place *p, const char *name)
{
	for (size_t i = 0; i < p->steps.count; i++)
		if (p->steps.items[i].kind == STEP_EVENT &&
		    strcmp(p->steps.items[i].text, name) == 0)
			return i;
	return p->steps.count;
}

static bool is_made_for(const struct place *p, const struct order_name *n)
{
	struct order_name own = {.text = p->location, .thread = p->thread};

	return p->from_order && !p->after && !p->dropped && order_name_same(&own, n);
}

static void order_compile_note_place(struct order_names *names, const char *text,
				     const char *thread, struct place *p)
{
	size_t number = order_names_number(names, text, thread);
	struct known_name *k = &names->known.items[number];

	if (!k->places.count || k->places.items[k->places.count - 1] != p)
		*array_add(&k->places) = p;
}

static void loom_begin(struct order_compiler *l, struct engine *e)
{
	l->e = e;
	array_each(struct place *, it, &e->places) {
		struct place *p = *it;

		if (p->dropped)
			continue;
		if (p->from_order && !p->after)
			order_compile_note_place(&l->made, p->location, p->thread, p);
		if (p->from_order)
			continue;
		array_each(const struct step, step, &p->steps)
			if (step->kind == STEP_EVENT)
				order_compile_note_place(&l->events, step->text, NULL, p);
	}
}

static void loom_end(struct order_compiler *l)
{
	order_names_fini(&l->events);
	order_names_fini(&l->made);
}

static void make_place(struct order_compiler *l, const struct order_name *n, const char *source)
{
	struct known_name *known = order_names_find(&l->made, n->text, n->thread);
	struct step *event;
	struct place *p;

	if (known) {
		p = known->places.items[0];
		if (strcmp(p->source, source) != 0)
			*array_add(&p->again) = base_strdup(source);
		return;
	}
	p = engine_place(l->e, PLACE_LOCATION, n->text, source);
	p->from_order = true;
	p->thread = n->thread ? base_strdup(n->thread) : NULL;
	p->quoted = n->quoted ? base_strdup(n->quoted) : NULL;
	event = engine_step(p, STEP_EVENT);
	event->text = base_strdup(n->text);
	order_compile_note_place(&l->made, event->text, p->thread,
				 p); /* not p->location, which is altered for display */
}

/* The places of the script's :event of that name, else those created for it as a location. */
static const struct known_name *resolve_name(struct order_compiler *l, const struct order_name *n,
					     const char *source)
{
	struct known_name *known = order_names_find(&l->events, n->text, NULL);

	if (known)
		return known;
	make_place(l, n, source);
	return order_names_find(&l->made, n->text, n->thread);
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

/* ---- steps added to a place ---- */

/* A place created for a name with a thread admits only that thread: the step needs no pattern. */
static void order_compile_fill(struct step *step, const struct place *p, struct gate *gate,
			       const struct order_name *n)
{
	bool admitted = p->thread && n->thread && strcmp(p->thread, n->thread) == 0;

	step->gate = gate;
	step->thread = n->thread && !admitted ? base_strdup(n->thread) : NULL;
}

static void add_wait(struct place *p, struct gate *gate, const struct order_name *n)
{
	order_compile_fill(place_insert(p, event_at(p, n->text), STEP_WAIT), p, gate, n);
}

/* Events other than locations, and places with `after`, have happened on arrival. */
static void add_open(struct engine *e, struct place *p, struct gate *gate,
		     const struct order_name *n)
{
	size_t behind = event_at(p, n->text) + 1;

	if (n->blocked)
		order_compile_fill(place_insert(p, behind, STEP_WATCH), p, gate, n);
	else if (p->kind == PLACE_LOCATION && !p->after)
		order_compile_fill(engine_step(companion(e, p), STEP_OPEN), p, gate, n);
	else
		order_compile_fill(place_insert(p, behind, STEP_OPEN), p, gate, n);
}

static void compile_side(struct order_compiler *l, const struct order_edge *edge, bool left,
			 struct gate *gate)
{
	const struct order_name *n = left ? &edge->from : &edge->to;
	const struct known_name *known = resolve_name(l, n, edge->source);

	array_each(struct place *, p, &known->places) {
		if (left)
			add_open(l->e, *p, gate, n);
		else
			add_wait(*p, gate, n);
	}
}

static void compile_edge(struct order_compiler *l, struct order_edge *edge)
{
	struct str name = {0};
	struct gate *gate;

	order_name_print(&edge->from, &name);
	str_add(&name, " -> ");
	order_name_print(&edge->to, &name);
	gate = engine_gate_simple(l->e, str_text(&name));
	gate->from_order = true;
	gate->source = base_strdup(edge->source);
	edge->gate = gate;
	compile_side(l, edge, true, gate);
	compile_side(l, edge, false, gate);
	str_fini(&name);
}

bool order_says_the_same(const struct order_edge *a, const struct order_edge *b)
{
	return a->from.blocked == b->from.blocked && order_name_same(&a->from, &b->from) &&
	       order_name_same(&a->to, &b->to);
}

/* ---- repeated edges and cycles ---- */

/* True if an earlier edge is equal; `names` has the edges by the name they begin with. */
static bool is_repeated(struct order_names *names, const struct engine *e, size_t index)
{
	const struct order_edge *edge = &e->edges.items[index];
	const struct known_name *from = order_names_find(names, edge->from.text, edge->from.thread);

	array_each(const size_t, i, &from->edges) {
		const struct order_edge *o = &e->edges.items[*i];

		if (*i < index && !o->dropped && order_says_the_same(o, edge))
			return true;
	}
	return false;
}

/* Topological sort: removes names without incoming edges. True if edges are left. */
static bool has_cycle(const struct order_names *names, const size_t *heads, size_t edges)
{
	size_t *ready = base_alloc(names->known.count + 1, sizeof(*ready)), count = 0;

	for (size_t i = 0; i < names->known.count; i++)
		if (!names->known.items[i].incoming)
			ready[count++] = i;
	while (count) {
		const struct known_name *k = &names->known.items[ready[--count]];

		array_each(const size_t, i, &k->edges) {
			edges--;
			if (--names->known.items[heads[*i]].incoming == 0)
				ready[count++] = heads[*i];
		}
	}
	base_free(ready);
	return edges;
}

/*
 * Numbers the names of all edges and links each edge to its first name. True if there is a cycle.
 */
static bool read_edges(const struct engine *e, struct order_names *names)
{
	size_t *heads = base_alloc(e->edges.count + 1, sizeof(*heads)), count = 0;
	bool cycle;

	for (size_t i = 0; i < e->edges.count; i++) {
		const struct order_edge *edge = &e->edges.items[i];
		size_t from = order_names_number(names, edge->from.text, edge->from.thread);

		heads[i] = order_names_number(names, edge->to.text, edge->to.thread);
		if (edge->dropped)
			continue;
		*array_add(&names->known.items[from].edges) = i;
		names->known.items[heads[i]].incoming++;
		count++;
	}
	cycle = has_cycle(names, heads, count);
	base_free(heads);
	return cycle;
}

/*
 * Depth-first search for a path from `at` to `goal` over the edges up to `last`; appends it to
 * `path`.
 */
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
	if (leads(e, index, &edge->to, &edge->from, seen, &path)) {
		error_set(err, ERROR_SCRIPT,
			  "%s: %s%s is a cycle: none of its events can be the first", edge->source,
			  order_word(edge->source), str_text(&path));
		result = error_hint(err, "remove one of these arrows");
	}
	str_fini(&path);
	base_free(seen);
	return result;
}

int engine_order(struct engine *e, const char *text, const char *source, struct error *err)
{
	return order_parse(e, text, source ? source : "--order", err);
}

static int compile_all(struct order_compiler *l, struct order_names *names, bool cycle,
		       struct error *err)
{
	struct engine *e = l->e;

	for (size_t i = 0; i < e->edges.count; i++) {
		struct order_edge *edge = &e->edges.items[i];

		if (edge->woven || edge->dropped)
			continue;
		if (cycle && check_cycle(e, i, err) < 0)
			return -1;
		if (!is_repeated(names, e, i)) {
			compile_edge(l, edge);
		} else {
			resolve_name(l, &edge->from, edge->source);
			resolve_name(l, &edge->to, edge->source);
		}
		edge->woven = true;
	}
	return 0;
}

int engine_orders_finish(struct engine *e, struct error *err)
{
	struct order_compiler l = {0};
	struct order_names names = {0};
	bool cycle = read_edges(e, &names);
	int result;

	loom_begin(&l, e);
	result = compile_all(&l, &names, cycle, err);
	loom_end(&l);
	order_names_fini(&names);
	return result;
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
