/* Places and their steps, and whether a place can act again. */
#include "gates/engine_internal.h"

#include "tracer/base/text/foreign.h"

#include <limits.h>
#include <string.h>

/* Counts the steps made by all engines in this thread; a change invalidates gate_uses. */
static _Thread_local unsigned long steps_made = 1;

/*
 * The location on one line: a newline in a ;TEXT becomes a blank, which the text's match ignores.
 */
static char *shown_location(const char *location)
{
	struct str blanks = {0}, shown = {0};

	str_add(&blanks, location);
	for (char *at = strchr(location, ';') ? blanks.text : NULL; at && *at; at++)
		if (strchr("\n\t\r\v\f", *at))
			*at = ' ';
	foreign_line(&shown, str_text(&blanks));
	str_fini(&blanks);
	return str_take(&shown);
}

struct place *engine_place(struct engine *e, enum place_kind kind, const char *location,
			   const char *source)
{
	struct place *p = base_alloc(1, sizeof(*p));

	p->index = e->places.count;
	p->kind = kind;
	p->location = shown_location(location);
	p->source = source ? base_strdup(source) : NULL;
	*array_add(&e->places) = p;
	return p;
}

struct place *engine_place_at(const struct engine *e, size_t index)
{
	return index < e->places.count ? e->places.items[index] : NULL;
}

struct step *engine_step(struct place *p, enum step_kind kind)
{
	struct step *step = array_add(&p->steps);

	steps_made++;
	step->kind = kind;
	return step;
}

struct step *place_insert(struct place *p, size_t at, enum step_kind kind)
{
	struct step *step;

	(void)array_add(&p->steps);
	steps_made++;
	step = &p->steps.items[at];
	memmove(step + 1, step, (p->steps.count - 1 - at) * sizeof(*step));
	*step = (struct step){.kind = kind};
	return step;
}

void place_free(struct place *p)
{
	array_each(struct step, step, &p->steps) {
		base_free(step->text);
		base_free(step->thread);
	}
	array_fini(&p->steps);
	base_free(p->location);
	base_free(p->source);
	base_free(p->quoted);
	base_free(p->thread);
	base_free(p->when);
	array_each(char *, source, &p->again)
		base_free(*source);
	array_fini(&p->again);
	base_free(p->object);
	base_free(p);
}

bool place_in_range(const struct place *p)
{
	return p->arrivals >= p->hit_first && (p->hit_last == 0 || p->arrivals <= p->hit_last);
}

bool place_reached(const struct place *p)
{
	return p->arrivals >= (p->hit_first ? p->hit_first : 1);
}

bool place_missing(const struct place *p)
{
	return !p->optional && !p->companion_of && !place_reached(p);
}

const char *place_source(const struct place *p)
{
	return p->source ? p->source : "--order";
}

bool place_has_step(const struct place *p, enum step_kind kind)
{
	array_each(const struct step, step, &p->steps)
		if (step->kind == kind)
			return true;
	return false;
}

/* ---- whether a place can act again ---- */

static bool steps_are_idle(const struct place *p);

const char *place_thread(const struct place *p, size_t n)
{
	if (p->thread && n-- == 0)
		return p->thread;
	array_each(const struct step, step, &p->steps)
		if (step->thread && n-- == 0)
			return step->thread;
	return NULL;
}

/* True if the step has no effect from now on, for any thread. */
static bool step_is_idle(const struct place *p, const struct step *step)
{
	switch (step->kind) {
	case STEP_WAIT:
		return gate_always_passes(step->gate);
	case STEP_OPEN:
		return step->gate->is_open && step->gate->kind != GATE_CUSTOM;
	case STEP_WATCH:
		return step->gate->is_open;
	case STEP_EVENT:
		return !p->companion || steps_are_idle(p->companion);
	case STEP_WHEN:
	case STEP_RUN:
	case STEP_LOG:
	case STEP_KILL:
	case STEP_ELIDE:
	case STEP_SPURIOUS:
	case STEP_RELEASE:
		break;
	}
	return false;
}

static bool steps_are_idle(const struct place *p)
{
	array_each(struct step, step, &p->steps)
		if (!step_is_idle(p, step))
			return false;
	return true;
}

/* True if an arrival anywhere can let another thread pass: then each arrival matters. */
static bool arrivals_matter(const struct engine *e)
{
	array_each(struct gate *const, it, &e->gates)
		if ((*it)->queue || (*it)->ablation || (*it)->opposed || (*it)->holds_back)
			return true;
	return false;
}

unsigned long place_idle_arrivals(const struct engine *e, const struct place *p)
{
	if (p->thread || p->when || p->companion_of || p->dropped || arrivals_matter(e))
		return 0;
	if (p->arrivals + 1 < p->hit_first)
		return p->hit_first - 1 - p->arrivals;
	if ((p->hit_last && p->arrivals >= p->hit_last) || steps_are_idle(p))
		return ULONG_MAX;
	return 0;
}

/* True if a [c] of an order exists: the place that a thread reached before it blocked matters. */
static bool blocking_matters(const struct engine *e)
{
	array_each(struct place *const, p, &e->places)
		array_each(const struct step, step, &(*p)->steps)
			if (step->kind == STEP_WATCH)
				return true;
	return false;
}

const char *place_only_thread(const struct engine *e, const struct place *p)
{
	if (!p->thread || !strchr(p->thread, '#') || strpbrk(p->thread, "*?{"))
		return NULL;
	if (p->companion_of || p->dropped || arrivals_matter(e) || blocking_matters(e))
		return NULL;
	return p->thread;
}

/* The expression of a place that only holds threads until it is true, or NULL. */
static const char *held_until(const struct place *p)
{
	if (p->thread || p->hit_first || p->hit_last || p->steps.count != 1)
		return NULL;
	return p->steps.items[0].kind == STEP_WHEN ? p->steps.items[0].text : NULL;
}

const char *place_condition(const struct engine *e, const struct place *p, bool *idle)
{
	if (p->companion_of || p->dropped || arrivals_matter(e) || blocking_matters(e))
		return NULL;
	*idle = !p->when;
	return p->when ? p->when : held_until(p);
}

static bool has_function(const struct place *p)
{
	array_each(const struct step, step, &p->steps)
		if (step->kind == STEP_RUN || (step->kind == STEP_WHEN && !step->text))
			return true;
	return false;
}

const char *place_holder(const struct place *p)
{
	return has_function(p) ? "function" : "condition";
}

const char *place_busy(const struct engine *e, const struct place *p)
{
	if (arrivals_matter(e))
		return "a gate lets threads pass one at a time, so that every arrival matters";
	if (p->companion || p->companion_of)
		return "gatectl has to see when its statement has been executed";
	if (p->thread)
		return blocking_matters(e) ? "an order depends on where threads block"
					   : "its thread option does not name one thread by its id";
	if (p->hit_first || p->hit_last)
		return "its verbs act at each arrival that its hit option selects";
	if (has_function(p))
		return "a Lua function is called at each arrival: { when = \"EXPR\" } can be "
		       "decided "
		       "inside the program";
	return "its verbs act, or its gate decides, at each arrival";
}

void place_passed(struct place *p, unsigned long arrivals)
{
	*(p->when ? &p->refused : &p->arrivals) += arrivals;
}

void place_check_dead(struct engine *e, struct place *p)
{
	if (p->retired || p->inside || !place_reached(p))
		return;
	if (!(p->hit_last && p->arrivals >= p->hit_last) && !steps_are_idle(p))
		return;
	p->retired = true;
	engine_decide(e, DECISION_DEAD)->place = p;
}

bool engine_is_done(const struct engine *e)
{
	engine_each_place(p, e)
		if (!p->retired && (place_missing(p) || p->inside || !steps_are_idle(p)))
			return false;
	return true;
}

/* ---- places by gate ---- */

static void add_use(struct engine *e, const struct gate *g, size_t place)
{
	struct gate_uses *uses = &e->uses.items[g->index];

	*array_add(uses) = place;
}

static void make_uses(struct engine *e)
{
	array_each(struct gate_uses, uses, &e->uses)
		uses->count = 0;
	while (e->uses.count < e->gates.count)
		(void)array_add(&e->uses);
	array_each(struct place *, it, &e->places) {
		const struct place *p = *it;

		array_each(const struct step, step, &p->steps) {
			if (!step->gate)
				continue;
			add_use(e, step->gate, p->index);
			if (p->companion_of)
				add_use(e, step->gate, p->companion_of->index);
		}
	}
	e->uses_made = steps_made;
}

static int place_by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Retires places in the order in which the script created them. A repeated call has no effect. */
void place_check_gate(struct engine *e, const struct gate *g)
{
	struct gate_uses *uses;

	if (e->uses_made != steps_made || e->uses.count < e->gates.count)
		make_uses(e);
	uses = &e->uses.items[g->index];
	array_sort(uses, place_by_number);
	for (size_t i = 0; i < uses->count; i++)
		place_check_dead(e, e->places.items[uses->items[i]]);
}
