/* Scripts and lines of Lua while the program runs: places their places, or drops them. */
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/run/places/places.h"

#include <string.h>

/* Returns the indices of the next place, gate and order. */
static struct interactive_made count_made(const struct interactive *l)
{
	struct interactive_made made = {.order = engine_order_count(run_engine(l->run))};

	while (engine_place_at(run_engine(l->run), made.place))
		made.place++;
	while (engine_gate_at(run_engine(l->run), made.gate))
		made.gate++;
	return made;
}

static void count_what_was_made(const struct interactive *l, struct interactive_made *made)
{
	const struct interactive_made now = count_made(l);

	made->places = now.place - made->place;
	made->gates = now.gate - made->gate;
	made->orders = now.order - made->order;
}

static int add_places(struct interactive *l, struct interactive_made *made, struct error *err)
{
	struct run *s = l->run;
	int failed =
		engine_orders_finish(run_engine(s), err) < 0 || places_add(s, made->place, err) < 0;

	count_what_was_made(l, made);
	if (failed) {
		interactive_drop(l, made);
		return -1;
	}
	apply_decisions(s);
	return 0;
}

int interactive_load(struct interactive *l, const char *path, struct interactive_made *made,
		     struct error *err)
{
	if (interactive_needs_program(l, err) < 0)
		return -1;
	*made = count_made(l);
	if (script_load_open(run_scripts(l->run), path, err) < 0) {
		count_what_was_made(l, made);
		interactive_drop(l, made);
		return -1;
	}
	return add_places(l, made, err);
}

/* After the end of the program Lua still has its state; only places and orders need a program. */
static int line_behind_the_end(struct interactive *l, struct interactive_made *made,
			       struct error *err)
{
	count_what_was_made(l, made);
	if (!made->places && !made->orders)
		return 0;
	interactive_drop(l, made);
	interactive_needs_program(l, err);
	return INTERACTIVE_NEEDS_PROGRAM;
}

int interactive_line(struct interactive *l, const char *text, struct str *out,
		     struct interactive_made *made, struct error *err)
{
	struct interactive_made here;
	int failed;

	if (!l->began)
		return interactive_needs_program(l, err);
	here = count_made(l);
	script_lines_see(run_scripts(l->run), l->state != INTERACTIVE_READY);
	failed = script_line(run_scripts(l->run), "input", text, out, err);
	here.seen = script_lines_have_seen(run_scripts(l->run));
	script_lines_see(run_scripts(l->run), false);
	if (failed) {
		count_what_was_made(l, &here);
		interactive_drop(l, &here);
	} else if (l->state == INTERACTIVE_ENDED) {
		failed = line_behind_the_end(l, &here, err);
	} else {
		failed = add_places(l, &here, err);
	}
	if (made)
		*made = here;
	return failed;
}

/* Gates of orders are shared by all orders with the same text, so they stay listed. */
static void list_gates(struct interactive *l, const struct interactive_made *made, bool list)
{
	for (size_t i = made->gate; i - made->gate < made->gates; i++) {
		struct gate *g = engine_gate_at(run_engine(l->run), i);

		g->dropped = !list && !g->from_order;
	}
}

void interactive_take_up(struct interactive *l, const struct interactive_made *made)
{
	if (l->began)
		list_gates(l, made, true);
}

/* A place that could not be resolved may have some of its sites, or none. */
void interactive_drop(struct interactive *l, const struct interactive_made *made)
{
	struct engine *e = run_engine(l->run);

	if (!l->began)
		return;
	list_gates(l, made, false);
	for (size_t i = made->place; i - made->place < made->places; i++)
		places_drop(l->run, engine_place_at(e, i));
	engine_drop_orders(e, made->order, made->orders);
	apply_decisions(l->run);
}

enum interactive_gate interactive_gate(struct interactive *l, const char *name,
				       const char **variable)
{
	const struct gate *g;

	if (!l->began)
		return INTERACTIVE_GATE_NONE;
	switch (script_gate_name(run_scripts(l->run), name, variable)) {
	case SCRIPT_GATE_KNOWN:
		return INTERACTIVE_GATE_KNOWN;
	case SCRIPT_GATE_TAKEN:
		return INTERACTIVE_GATE_TAKEN;
	default:
		break;
	}
	for (size_t i = 0; (g = engine_gate_at(run_engine(l->run), i)); i++)
		if (!g->dropped && strcmp(g->name, name) == 0)
			return INTERACTIVE_GATE_NAMELESS;
	return INTERACTIVE_GATE_NONE;
}
