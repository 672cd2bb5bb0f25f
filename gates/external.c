/* Actions outside any thread: PLACE_REST and orders given up, when no thread can move, and those of
 * the user. */
#include "gates/engine_internal.h"

#include <string.h>

int engine_pass_by_hand(struct engine *e, struct engine_thread *t)
{
	struct engine_stop *s = t->stop;

	if (!s || !s->waiting || s->coroutine)
		return -1;
	engine_enter(e);
	stop_pass(e, s);
	s->step_at++;
	stop_go(e, s);
	engine_leave(e);
	return 0;
}

/* Lets the held thread pass all remaining steps of its place. */
static void end_place(struct engine *e, struct engine_stop *s)
{
	if (s->coroutine && e->script.run_end)
		e->script.run_end(e->script.ctx, s->coroutine);
	s->coroutine = NULL;
	stop_pass(e, s);
	s->step_at = s->arrival.place->steps.count;
	stop_go(e, s);
}

bool engine_let_go(struct engine *e, struct engine_thread *t)
{
	struct engine_stop *s = t->stop;

	if (!s || !s->waiting)
		return false;
	engine_enter(e);
	if (s->gate) {
		s->gate->ablation = GATE_LEFT_OUT;
		e->changed++;
		e->stirred = true;
	} else {
		end_place(e, s);
	}
	engine_leave(e);
	return true;
}

bool engine_may_open(const struct engine *e, const struct place *p, const struct gate *g)
{
	array_each(const struct step, step, &p->steps)
		if (step->kind == STEP_RUN && !p->dropped &&
		    (!e->script.may_open || e->script.may_open(e->script.ctx, step->script_ref, g)))
			return true;
	return false;
}

void engine_drop(struct engine *e, struct place *p)
{
	if (p->dropped)
		return;
	engine_enter(e);
	p->retired = p->dropped = true;
	p->optional = true;
	for (size_t i = 0; i < e->threads.count; i++) {
		struct engine_stop *s = e->threads.items[i]->thread.stop;

		if (s && s->waiting && s->arrival.place == p)
			end_place(e, s);
	}
	engine_decide(e, DECISION_DEAD)->place = p;
	engine_leave(e);
}

/* The edge's gate goes to an equal edge if there is one; else it lets all threads pass. */
static void end_edge(struct engine *e, struct order_edge *edge)
{
	if (!edge->gate)
		return;
	array_each(struct order_edge, other, &e->edges) {
		if (other->dropped || !order_says_the_same(other, edge))
			continue;
		other->gate = edge->gate;
		edge->gate = NULL;
		return;
	}
	edge->gate->ablation = GATE_LEFT_OUT;
}

void engine_drop_orders(struct engine *e, size_t first, size_t count)
{
	engine_enter(e);
	for (size_t i = first; i < e->edges.count && i - first < count; i++)
		e->edges.items[i].dropped = true;
	for (size_t i = first; i < e->edges.count && i - first < count; i++)
		end_edge(e, &e->edges.items[i]);
	engine_each_place(p, e)
		if (p->from_order && !p->dropped && !order_needs(e, p))
			engine_drop(e, p);
	e->changed++;
	e->stirred = true;
	engine_leave(e);
}

static void let_all(struct engine *e, const char *pattern)
{
	for (size_t i = 0; i < e->threads.count; i++) {
		struct engine_thread *t = &e->threads.items[i]->thread;

		if (t->held && engine_thread_matches(e, t, pattern))
			engine_pass_by_hand(e, t);
	}
}

static struct place *next_rest(const struct engine *e)
{
	engine_each_place(p, e)
		if (p->kind == PLACE_REST && !p->retired)
			return p;
	return NULL;
}

bool engine_has_rest(const struct engine *e)
{
	return next_rest(e) != NULL;
}

bool engine_rest(struct engine *e)
{
	struct place *p = next_rest(e);

	if (!p || e->faulted)
		return false;
	engine_enter(e);
	p->arrivals++;
	p->retired = true;
	array_each(struct step, step, &p->steps) {
		if (step->kind == STEP_OPEN)
			gate_open(e, step->gate, NULL);
		else if (step->kind == STEP_RELEASE)
			let_all(e, step->text);
	}
	engine_leave(e);
	return true;
}
