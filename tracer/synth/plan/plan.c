/* Makes the plan: a gate for each order to force, with the places where it holds and is opened. */
#include "tracer/synth/plan/plan_internal.h"

#include <string.h>

static bool plan_is_taken(const struct gate_plan *p, const char *name)
{
	array_each(const struct plan_place, place, &p->places)
		if (str_same(place->gate, name))
			return true;
	array_each(const struct plan_order, o, &p->orders)
		if (str_same(o->from_event, name) || str_same(o->to_event, name))
			return true;
	return false;
}

char *gate_plan_unique(const struct gate_plan *p, const char *name)
{
	struct str unique = {0};

	str_add(&unique, name);
	for (unsigned n = 2; plan_is_taken(p, str_text(&unique)); n++) {
		str_clear(&unique);
		str_addf(&unique, "%s_%u", name, n);
	}
	return str_take(&unique);
}

static char *unique_name(struct plan_placing *g, size_t at, enum plan_tense tense)
{
	OWNED(plain) = plan_name(g->v->s, plan_step(g->v, at), tense);
	char *unique = gate_plan_unique(g->p, plain);

	return unique;
}

/* True if no thread like `id` passed the place in the schedule. */
static bool nobody_passed(const struct plan_view *v, const struct plan_place *place, const char *id)
{
	const struct schedule_where *where = &plan_step_at(v->s, place->step)->where;

	for (size_t i = 0; i < v->done; i++) {
		const struct schedule_step *step = plan_step(v, i);

		if (plan_are_alike(v->s->threads.items[step->thread], id) &&
		    (place->at.kind == SCRIPT_LOCATION
			     ? plan_is_same_place(&step->where, where, !place->inside)
			     : step->point.op == STRATEGY_START))
			return false;
	}
	return true;
}

/* Reuses a place for a thread that has not begun, if a thread like it is held there in the end. */
static bool held_alike(struct plan_placing *g, const struct plan_edge *edge)
{
	const struct plan_view *v = g->v;
	const char *id = v->s->threads.items[plan_step(v, edge->to)->thread];

	array_each(const struct plan_order, o, &g->p->orders) {
		struct plan_place *place = &g->p->places.items[o->to];
		unsigned other = plan_step_at(v->s, o->held)->thread;

		if (o->held < v->s->steps.count || o->blocked || place->at.hit ||
		    o->done != v->steps.items[edge->from].index ||
		    !plan_are_alike(v->s->threads.items[other], id) || !nobody_passed(v, place, id))
			continue;
		base_free((char *)place->at.thread);
		place->at.thread = base_strndup(id, strcspn(id, "#"));
		return true;
	}
	return false;
}

static bool is_unbegun(const struct plan_view *v, const struct plan_edge *edge)
{
	return edge->to >= v->done && plan_op(v, edge->to) == STRATEGY_START;
}

/* Clears the error of an order without a place and keeps its text. Returns -1 for any other
   error. */
static int leave_out(struct plan_placing *g)
{
	if (g->err->code != ERROR_STATE)
		return -1;
	if (!g->p->unplaced)
		g->p->unplaced = base_strdup(error_text(g->err));
	error_fini(g->err);
	return 0;
}

/* Opens after the thread's last step, `from` or earlier, that has a place: a weaker order. */
static int open_earlier(struct plan_placing *g, const struct plan_edges *edges,
			const struct plan_edge *edge, struct plan_order *o, size_t *named)
{
	enum { MOST = 256 }; /* most steps back */
	struct plan_edge weaker = *edge;

	for (unsigned i = 0; plan_open(g, edges, &weaker, &o->from, named) < 0; i++) {
		size_t before = g->v->steps.items[weaker.from].before;

		if (before == PLAN_NONE || i == MOST || leave_out(g) < 0)
			return -1;
		weaker.from = before;
		weaker.blocked = false;
	}
	o->done = g->v->steps.items[weaker.from].index;
	o->blocked = weaker.blocked;
	return 0;
}

static int plan_add_order(struct plan_placing *g, const struct plan_edges *edges,
			  const struct plan_edge *edge)
{
	struct plan_order o = {.held = g->v->steps.items[edge->to].index};
	struct plan_place *places;
	size_t named;

	if (plan_hold(g, edge->to, &o.to) < 0 || open_earlier(g, edges, edge, &o, &named) < 0)
		return -1;
	places = g->p->places.items;
	if (edge->to < g->v->over) /* the run cannot end before these steps */
		places[o.from].at.optional = places[o.to].at.optional = false;
	if (o.blocked)
		o.from_event = unique_name(g, named, PLAN_DOES);
	else if (!places[o.from].gate)
		places[o.from].gate = unique_name(g, named, PLAN_DID);
	*array_add(&g->p->orders) = o; /* takes the name before the second one is made */
	if (o.blocked) {
		char *name = unique_name(g, edge->to, PLAN_DOES);

		g->p->orders.items[g->p->orders.count - 1].to_event = name;
	}
	return 0;
}

static int add_orders(struct plan_placing *g, const struct plan_edges *edges, bool unbegun)
{
	array_each(const struct plan_edge, edge, edges) {
		if (is_unbegun(g->v, edge) != unbegun || (unbegun && held_alike(g, edge)))
			continue;
		if (plan_is_over(g->v, 0) ||
		    (plan_add_order(g, edges, edge) < 0 && leave_out(g) < 0))
			return -1;
	}
	return 0;
}

static int add_spurious(struct plan_placing *g)
{
	for (size_t i = 0; i < g->v->done; i++)
		if (plan_op(g->v, i) == STRATEGY_SPURIOUS && plan_spurious(g, i) < 0)
			return -1;
	return 0;
}

int gate_plan_make(struct gate_plan *p, const struct schedule *s, enum plan_orders orders,
		   const struct plan_words *words, struct error *err)
{
	struct plan_edges edges = {0};
	struct plan_view v;
	struct plan_placing g = {
		.p = p, .v = &v, .words = words, .err = err, .all = orders == PLAN_ALL};
	int answer = 0;

	plan_view_init(&v, s, words);
	if (!plan_orders(&v, orders, p->most, &edges, &p->left_out))
		answer = error_set(err, ERROR_STATE,
				   "%zu steps of %zu threads are too many to search for orders",
				   s->steps.count, s->threads.count);
	if (answer == 0)
		answer = add_orders(&g, &edges, false);
	if (answer == 0)
		answer = add_orders(&g, &edges, true);
	if (answer == 0)
		answer = add_spurious(&g);
	if (answer == 0 && p->unplaced && !p->orders.count)
		answer = error_set(err, ERROR_STATE, "%s", p->unplaced);
	if (!err->code && plan_is_over(&v, 0))
		answer = error_set(err, ERROR_STATE,
				   "there was no time to find the orders of %zu steps",
				   s->steps.count);
	array_fini(&edges);
	plan_view_fini(&v);
	return answer;
}

void gate_plan_fini(struct gate_plan *p)
{
	array_each(struct plan_place, place, &p->places)
		plan_place_fini(place);
	array_each(struct plan_order, o, &p->orders) {
		base_free(o->from_event);
		base_free(o->to_event);
	}
	array_fini(&p->places);
	array_fini(&p->orders);
	base_free(p->unplaced);
}
