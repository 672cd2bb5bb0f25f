/* What would have had to happen: who opens a gate, and what came nearest to a place. */
#include "tracer/session/internal.h"

#include <string.h>

static bool opens(const struct place *p, const struct gate *g)
{
	array_each(const struct step, step, &p->steps)
		if ((step->kind == STEP_OPEN || step->kind == STEP_WATCH) && step->gate == g)
			return true;
	return false;
}

static bool may_open_any(const struct place *p)
{
	array_each(const struct step, step, &p->steps)
		if (step->kind == STEP_RUN)
			return true;
	return false;
}

static void opener_line(const struct place *p, struct str *out)
{
	const struct place *main = p->companion_of ? p->companion_of : p;

	str_addf(out, "  it is opened at %s (%s)", main->location, main->source);
	if (!main->arrivals && main->thread)
		str_addf(out, ", where no thread that matches '%s' has arrived\n", main->thread);
	else if (!main->arrivals)
		str_add(out, ", where no thread has arrived\n");
	else if (p->companion_of && !p->arrivals)
		str_add(out, ", which was begun but has not been executed to its end\n");
	else
		str_addf(out, ", reached %lu time%s\n", main->arrivals,
			 main->arrivals == 1 ? "" : "s");
}

static void gate_lines(struct session *s, const struct gate *g, struct str *out)
{
	const struct place *p;
	bool any = false, by_function = false;

	if (g->kind == GATE_BARRIER) {
		str_addf(out, "gate %s opens when %u threads wait at it\n", g->name,
			 g->barrier_size);
		return;
	}
	str_addf(out, "gate %s is shut\n", g->name);
	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++) {
		by_function |= may_open_any(p);
		if (!opens(p, g))
			continue;
		opener_line(p, out);
		any = true;
	}
	if (!any && g->kind == GATE_SIMPLE)
		str_add(out, by_function ? "  no :open names it, a :run function may open it\n"
					 : "  no place opens it\n");
}

/* Each gate at which somebody was held when the run ended, once. */
void hints_gates(struct session *s, struct str *out)
{
	const struct gate *g;

	for (size_t i = 0; (g = engine_gate_at(s->engine, i)); i++) {
		bool holds = false;

		array_each(struct session_thread *, t, &s->threads)
			holds |= (*t)->waiting.held && (*t)->hold.gate == g;
		if (holds)
			gate_lines(s, g, out);
	}
}

/* A thread came by that the place's `thread` option does not mean. */
void hints_pass_by(struct session_place *place, const struct engine_thread *t)
{
	for (size_t i = 0; i < PASSERS; i++) {
		if (place->passers[i] == t)
			return;
		if (place->passers[i])
			continue;
		place->passers[i] = t;
		return;
	}
}

static void add_passers(const struct place *p, struct str *out)
{
	const struct session_place *sp = p->user;

	str_addf(out, "no thread that matches '%s' arrived there, but", p->thread);
	for (size_t i = 0; i < PASSERS && sp->passers[i]; i++)
		str_addf(out, "%s %s", i ? "," : "", sp->passers[i]->id);
	str_add(out, " did");
}

void hints_missing(struct session *s, const struct place *p, struct str *out)
{
	const struct session_place *sp = p->user;

	(void)s;
	if (p->arrivals)
		str_addf(out, "arrived %lu time%s, hit = %lu was asked for", p->arrivals,
			 p->arrivals == 1 ? "" : "s", p->hit_first);
	else if (sp->located && !sp->found)
		str_addf(out, "%s", sp->nearest ? sp->nearest : "its object was never loaded");
	else if (p->thread && sp->passers[0])
		add_passers(p, out);
	else if (p->thread)
		str_addf(out, "no thread arrived there (wanted: '%s')", p->thread);
	else
		str_add(out, "no thread arrived there");
}
