/* The engine: an event comes in, held threads are asked again, decisions go out. */
#include "gates/engine_internal.h"

struct engine *engine_new(const struct engine_world *world)
{
	struct engine *e = base_alloc(1, sizeof(*e));

	if (world)
		e->world = *world;
	return e;
}

void engine_set_script(struct engine *e, const struct engine_script *script)
{
	if (script)
		e->script = *script;
	else
		e->script = (struct engine_script){0};
}

/* The script may be closed already, so coroutines of held threads are not freed here. */
void engine_free(struct engine *e)
{
	if (!e)
		return;
	array_each(struct own_thread *, t, &e->threads)
		engine_thread_free(*t);
	array_each(struct gate *, g, &e->gates)
		gate_free(*g);
	array_each(struct place *, p, &e->places)
		place_free(*p);
	array_each(struct order_edge, edge, &e->edges)
		order_edge_fini(edge);
	array_each(struct queued, q, &e->queue)
		base_free(q->text);
	array_fini(&e->threads);
	array_fini(&e->gates);
	array_fini(&e->places);
	array_fini(&e->edges);
	array_each(struct gate_uses, uses, &e->uses)
		array_fini(uses);
	array_fini(&e->uses);
	array_fini(&e->queue);
	base_free(e->last_text);
	error_fini(&e->error);
	error_fini(&e->scratch);
	base_free(e);
}

/* ---- one call of the engine ---- */

/* True if asking the held thread again could give another answer than the last time. */
static bool worth_asking(const struct engine *e, const struct engine_stop *s)
{
	if (s->gate && s->gate->kind != GATE_CUSTOM)
		return gate_may_let(s);
	return s->asked != e->changed;
}

/* The first held stop, in order of arrival, that is worth asking, or NULL. */
static struct engine_stop *engine_pick(struct engine *e)
{
	for (struct engine_stop *s = e->held_first; s; s = s->next)
		if (s->waiting && !s->dies && worth_asking(e, s))
			return s;
	return NULL;
}

/* Asks until no held thread can pass: a thread that passes may open a gate for another. */
static void engine_settle(struct engine *e)
{
	struct engine_stop *s;

	if (!e->stirred && (e->functions == 0 || e->settled == e->changed))
		return;
	while (!e->faulted && (s = engine_pick(e)))
		stop_go(e, s);
	e->stirred = false;
	e->settled = e->changed;
}

void engine_enter(struct engine *e)
{
	if (e->depth++ == 0)
		e->progress = 0;
}

void engine_leave(struct engine *e)
{
	if (e->depth == 1 && !e->faulted)
		engine_settle(e);
	e->depth--;
}

void engine_changed(struct engine *e)
{
	engine_enter(e);
	engine_progress(e);
	engine_leave(e);
}

void engine_progress(struct engine *e)
{
	e->changed++;
	e->progress++;
}

void engine_blocked(struct engine *e, struct engine_thread *t)
{
	struct own_thread *own = engine_thread_own(t);

	engine_enter(e);
	e->changed++;
	gate_ran_on(e, t);
	for (size_t i = 0; i < own->watches.count; i++)
		gate_open(e, own->watches.items[i], t);
	own->watches.count = 0;
	engine_leave(e);
}

/* ---- events ---- */

struct engine_thread *engine_thread_new(struct engine *e, const char *id, const char *start,
					int tid)
{
	struct own_thread *own = base_alloc(1, sizeof(*own));

	engine_enter(e);
	own->thread.id = base_strdup(id);
	own->thread.start = start ? base_strdup(start) : NULL;
	own->thread.tid = tid;
	*array_add(&e->threads) = own;
	e->changed++;
	engine_leave(e);
	return &own->thread;
}

void engine_thread_exited(struct engine *e, struct engine_thread *t)
{
	struct own_thread *own = engine_thread_own(t);

	if (t->exited)
		return;
	engine_enter(e);
	t->exited = true;
	if (t->stop)
		stop_drop(e, t->stop);
	gate_ran_on(e, t);
	engine_thread_release(own);
	e->changed++;
	engine_leave(e);
}

void engine_open(struct engine *e, struct gate *g, struct engine_thread *by)
{
	engine_enter(e);
	gate_open(e, g, by);
	engine_leave(e);
}
