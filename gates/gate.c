/* Gates: creation, opening, and which threads may pass. */
#include "gates/engine_internal.h"

#include "tracer/base/text/foreign.h"

static struct gate *gate_new(struct engine *e, enum gate_kind kind, const char *type,
			     const char *name)
{
	struct gate *g = base_alloc(1, sizeof(*g));
	struct str shown = {0};

	foreign_line(&shown, name);
	g->name = str_take(&shown);
	g->given = base_strdup(name);
	g->type = base_strdup(type);
	g->kind = kind;
	g->index = e->gates.count;
	*array_add(&e->gates) = g;
	return g;
}

struct gate *engine_gate_simple(struct engine *e, const char *name)
{
	return gate_new(e, GATE_SIMPLE, "SimpleGate", name);
}

struct gate *engine_gate_barrier(struct engine *e, const char *name, unsigned n, bool serial)
{
	struct gate *g = gate_new(e, GATE_BARRIER, "BarrierGate", name);

	g->barrier_size = n;
	g->queue = serial ? GATE_SERIAL : GATE_TOGETHER;
	return g;
}

struct gate *engine_gate_custom(struct engine *e, const char *type, const char *name, int ref)
{
	struct gate *g = gate_new(e, GATE_CUSTOM, type, name);

	g->script_ref = ref;
	return g;
}

struct gate *engine_gate_at(const struct engine *e, size_t index)
{
	return index < e->gates.count ? e->gates.items[index] : NULL;
}

void gate_free(struct gate *g)
{
	base_free(g->name);
	base_free(g->given);
	base_free(g->source);
	base_free((char *)g->type);
	base_free(g);
}

/* ---- opening ---- */

static void call_opened(struct engine *e, struct gate *g)
{
	if (!e->script.opened || e->faulted)
		return;
	if (e->script.opened(e->script.ctx, g, engine_scratch(e)) == ENGINE_FAULT)
		engine_fault(e);
}

/* A custom gate is informed of every open(): it may count them. */
void gate_open(struct engine *e, struct gate *g, struct engine_thread *by)
{
	struct decision *d;

	if (e->faulted || (g->is_open && g->kind != GATE_CUSTOM))
		return;
	g->is_open = true;
	if (g->queue != GATE_TOGETHER)
		g->queue = g->waiting > 0 ? GATE_DRAINING : GATE_SERIAL;
	e->changed++;
	e->stirred = true;
	d = engine_decide(e, DECISION_OPENED);
	d->gate = g;
	d->thread = by;
	if (g->kind == GATE_CUSTOM)
		call_opened(e, g);
	else
		place_check_gate(e, g);
}

/* ---- waiting and passing ---- */

void gate_join(struct engine *e, struct gate *g)
{
	g->waiting++;
	if (g->kind == GATE_BARRIER && !g->is_open && g->waiting >= g->barrier_size)
		gate_open(e, g, NULL);
}

static void check_drained(struct gate *g)
{
	if (g->queue == GATE_DRAINING && g->waiting == 0 && !g->serial_current)
		g->queue = GATE_SERIAL;
}

void gate_unjoin(struct gate *g)
{
	g->waiting--;
	check_drained(g);
}

/* While a queue drains, a newly arrived thread waits behind the threads already held. */
static bool serial_turn(const struct gate *g, const struct engine_stop *s)
{
	bool queued = s->waiting && s->gate == g;

	return !g->serial_current && (queued || g->waiting == 0);
}

static bool lets(const struct gate *g, const struct engine_stop *s)
{
	if (g->ablation)
		return g->ablation == GATE_LEFT_OUT || serial_turn(g, s);
	return g->is_open && (g->queue != GATE_DRAINING || serial_turn(g, s));
}

bool gate_may_let(const struct engine_stop *s)
{
	return lets(s->gate, s);
}

enum engine_answer gate_ask(struct engine *e, struct gate *g, const struct engine_stop *s)
{
	enum engine_answer answer;

	if (g->ablation || g->kind != GATE_CUSTOM || !e->script.ready)
		return lets(g, s) ? ENGINE_YES : ENGINE_NO;
	answer = e->script.ready(e->script.ctx, g, &s->arrival, engine_scratch(e));
	if (answer == ENGINE_FAULT)
		engine_fault(e);
	return answer;
}

void gate_take_turn(struct engine *e, struct gate *g, struct engine_thread *t)
{
	if (g->queue != GATE_DRAINING)
		return;
	g->serial_current = t;
	e->serial_going++;
}

enum engine_answer gate_passed(struct engine *e, struct gate *g, const struct engine_stop *s)
{
	enum engine_answer answer;

	if (g->kind != GATE_CUSTOM || !e->script.passed)
		return ENGINE_YES;
	e->changed++;
	answer = e->script.passed(e->script.ctx, g, &s->arrival, engine_scratch(e));
	if (answer == ENGINE_FAULT)
		engine_fault(e);
	return answer;
}

/* Starts the thread's turn to run on alone, if others wait for that, and counts the pass. */
void gate_note_pass(struct engine *e, struct gate *g, struct engine_thread *t)
{
	if (!g->ablation && !g->opposed)
		return;
	if (g->opposed && g->passed == 0) {
		g->runner = t;
		e->serial_going++;
	}
	if (g->ablation == GATE_ONE_BY_ONE && !g->serial_current) {
		g->serial_current = t;
		e->serial_going++;
	}
	g->passed++;
	if (g->kind == GATE_BARRIER && g->passed >= g->barrier_size)
		gate_open(e, g, NULL);
}

static void open_backs(struct engine *e, const struct gate *of, struct engine_thread *t)
{
	engine_each_gate(g, e)
		if (g->holds_back == of)
			gate_open(e, g, t);
}

static void serial_done(struct engine *e, struct gate *g)
{
	g->serial_current = NULL;
	e->serial_going--;
	e->stirred = true;
	check_drained(g);
}

void gate_ran_on(struct engine *e, struct engine_thread *t)
{
	for (size_t i = 0; e->serial_going && i < e->gates.count; i++) {
		struct gate *g = e->gates.items[i];

		if (g->serial_current == t)
			serial_done(e, g);
		if (g->runner != t)
			continue;
		g->runner = NULL;
		e->serial_going--;
		open_backs(e, g, t);
	}
}

/*
 * True if the gate lets all threads pass for good and needs no notice: its places need not stop
 * any.
 */
bool gate_always_passes(const struct gate *g)
{
	if (g->kind == GATE_CUSTOM || g->opposed)
		return false;
	if (g->ablation)
		return g->kind == GATE_SIMPLE;
	return g->is_open && g->queue == GATE_TOGETHER;
}
