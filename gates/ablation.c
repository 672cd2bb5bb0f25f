/*
 * Leaves gates out, to see whether they matter: a gate left out lets all threads pass. Brings about
 * the opposite of a gate too, by further gates, places and steps (see README.md).
 */
#include "gates/engine_internal.h"

/* ---- what can be left out ---- */

static bool is_subject(const struct step *step)
{
	return step->kind == STEP_WHEN || step->kind == STEP_RUN;
}

static bool nth_gate(const struct engine *e, size_t *index, struct engine_subject *out)
{
	array_each(struct gate *, g, &e->gates) {
		if ((*g)->holds_back || (*index)--)
			continue;
		*out = (struct engine_subject){.gate = *g};
		return true;
	}
	return false;
}

bool engine_subject_at(const struct engine *e, size_t index, struct engine_subject *out)
{
	if (nth_gate(e, &index, out))
		return true;
	array_each(struct place *, it, &e->places) {
		for (size_t i = 0; i < (*it)->steps.count; i++) {
			if (!is_subject(&(*it)->steps.items[i]) || index--)
				continue;
			*out = (struct engine_subject){.place = *it, .step = i};
			return true;
		}
	}
	return false;
}

void engine_subject_name(const struct engine_subject *s, struct str *out)
{
	const char *source = s->gate ? s->gate->source : s->place->source;

	if (s->gate)
		str_addf(out, "%s %s", s->gate->from_order ? "order" : "gate", s->gate->name);
	else
		str_addf(out, "%s at %s",
			 s->place->steps.items[s->step].kind == STEP_WHEN ? "condition"
									  : "wait_until",
			 s->place->location);
	if (source)
		str_addf(out, " (%s)", source);
}

bool engine_subject_holds(const struct engine_subject *s)
{
	const struct step *step = s->gate ? NULL : &s->place->steps.items[s->step];

	return !step || step->kind != STEP_RUN || step->waits;
}

void engine_waits_until(struct place *p, int ref)
{
	array_each(struct step, step, &p->steps)
		step->waits |= step->kind == STEP_RUN && step->script_ref == ref;
}

void engine_ablate(const struct engine_subject *s)
{
	if (s->gate)
		s->gate->ablation = GATE_LEFT_OUT;
	else
		s->place->steps.items[s->step].left_out = true;
}

/* ---- the opposite ---- */

static struct gate *make_back(struct engine *e, struct gate *of, const char *when)
{
	struct str name = {0};
	struct gate *back;

	str_addf(&name, "%s (held back %s)", of->name, when);
	back = engine_gate_simple(e, str_text(&name));
	back->holds_back = of;
	of->opposed = true;
	str_fini(&name);
	return back;
}

static struct step wait_step(struct gate *back, const char *thread)
{
	return (struct step){
		.kind = STEP_WAIT,
		.gate = back,
		.thread = thread ? base_strdup(thread) : NULL,
	};
}

/* Holds threads before a statement whose end is the place `after`. */
static void hold_before(struct engine *e, const struct place *after, struct gate *back,
			const char *thread)
{
	struct place *p = engine_place(e, after->kind, after->location, after->source);

	p->thread = after->thread ? base_strdup(after->thread) : NULL;
	p->hit_first = after->hit_first;
	p->hit_last = after->hit_last;
	p->optional = p->from_order = true;
	*engine_step(p, STEP_WAIT) = wait_step(back, thread);
}

static size_t first_event(const struct place *p)
{
	size_t i = 0;

	while (i + 1 < p->steps.count && p->steps.items[i].kind != STEP_EVENT)
		i++;
	return i;
}

static bool opens(const struct step *step, const struct gate *g)
{
	return (step->kind == STEP_OPEN || step->kind == STEP_WATCH) && step->gate == g;
}

/*
 * Holds the thread before the opening step. Returns the number of steps inserted before `at` in p.
 */
static size_t hold_opener(struct engine *e, struct place *p, size_t at, struct gate *back)
{
	const char *thread = p->steps.items[at].thread;
	struct place *begin = p->companion_of;

	if (!begin && p->after) {
		hold_before(e, p, back, thread);
		return 0;
	}
	if (begin) {
		*place_insert(begin, first_event(begin), STEP_WAIT) = wait_step(back, thread);
		return 0;
	}
	*place_insert(p, at, STEP_WAIT) = wait_step(back, thread);
	return 1;
}

static void hold_openers(struct engine *e, struct gate *g)
{
	struct gate *back = make_back(e, g, "where it would open");
	size_t count = e->places.count; /* excludes the places that are created below */

	for (size_t k = 0; k < count; k++) {
		struct place *p = e->places.items[k];

		for (size_t i = 0; i < p->steps.count; i++)
			if (opens(&p->steps.items[i], g))
				i += hold_opener(e, p, i, back);
	}
}

static bool place_opens(const struct place *p, const struct gate *g)
{
	array_each(const struct step, step, &p->steps)
		if (opens(step, g))
			return true;
	return p->companion && place_opens(p->companion, g);
}

static void hold_at_start(struct engine *e, struct gate *g, const char *thread)
{
	struct place *p = engine_place(e, PLACE_THREAD_START, "thread-start", g->source);

	p->thread = base_strdup(thread);
	p->optional = p->from_order = true;
	*engine_step(p, STEP_WAIT) = wait_step(make_back(e, g, "at its start"), NULL);
}

/*
 * Holds the thread at its start and at each place where it does not open the gate.
 * engine_give_way() releases it there: the others may need its work to get to the gate.
 */
static void hold_on_the_way(struct engine *e, struct gate *g, const char *thread, size_t places)
{
	for (size_t i = 0; i < places; i++) {
		struct place *p = e->places.items[i];

		if (!place_opens(p, g))
			*engine_step(p, STEP_WAIT) =
				wait_step(make_back(e, g, "on its way"), thread);
	}
	hold_at_start(e, g, thread);
}

void engine_oppose(struct engine *e, struct gate *g, const char *const *threads, size_t count)
{
	size_t places = e->places.count; /* excludes the places that are created below */

	for (size_t i = 0; i < count; i++)
		hold_on_the_way(e, g, threads[i], places);
	if (g->kind != GATE_BARRIER)
		hold_openers(e, g);
	else if (g->ablation)
		g->ablation = GATE_ONE_BY_ONE;
}

/* ---- the other order of two arrivals ---- */

bool place_has_gate(const struct place *p)
{
	array_each(const struct step, step, &p->steps)
		if (step->gate)
			return true;
	return p->companion && place_has_gate(p->companion);
}

const struct gate *engine_swap(struct engine *e, const struct engine_arrival *first,
			       const struct engine_arrival *second)
{
	struct gate *passed = engine_gate_simple(e, "the second arrival");

	passed->is_open = true;
	*place_insert(first->place, 0, STEP_WAIT) =
		wait_step(make_back(e, passed, "at the first"), first->thread);
	*engine_step(second->place, STEP_WAIT) = wait_step(passed, second->thread);
	return passed;
}

/* ---- giving way ---- */

/* Releases the threads that the gate holds back. Returns false if there are none. */
static bool gives_way(struct engine *e, struct gate *g, bool for_good)
{
	bool holds = g->ablation == GATE_ONE_BY_ONE || (g->holds_back && !g->is_open);

	if (!holds || (g->waiting == 0 && !for_good))
		return false;
	if (g->holds_back)
		gate_open(e, g, NULL);
	if (g->ablation == GATE_ONE_BY_ONE)
		g->ablation = GATE_LEFT_OUT;
	e->stirred = true;
	return true;
}

bool engine_give_way(struct engine *e, bool for_good)
{
	bool any = false;

	engine_enter(e);
	for (size_t i = 0; i < e->gates.count; i++)
		any |= gives_way(e, e->gates.items[i], for_good);
	engine_leave(e);
	return any;
}
