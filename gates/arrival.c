/* One thread's stop: it goes from place to place, is held and is released. */
#include "gates/engine_internal.h"

/* ---- the list of held stops, in order of arrival ---- */

static void list_add(struct engine *e, struct engine_stop *s)
{
	s->listed = true;
	s->next = NULL;
	s->prev = e->held_last;
	*(s->prev ? &s->prev->next : &e->held_first) = s;
	e->held_last = s;
}

static void list_remove(struct engine *e, struct engine_stop *s)
{
	if (!s->listed)
		return;
	*(s->prev ? &s->prev->next : &e->held_first) = s->next;
	*(s->next ? &s->next->prev : &e->held_last) = s->prev;
	s->listed = false;
}

/* ---- held and not ---- */

static bool asks_script(const struct gate *g)
{
	return !g || g->kind == GATE_CUSTOM;
}

static void keep_text(struct str *copy, const char **text)
{
	if (!*text || *text == copy->text)
		return;
	str_clear(copy);
	str_add(copy, *text);
	*text = str_text(copy);
}

/* A held thread counts as blocked for the serial barrier that has just let it pass. */
static void stop_first_hold(struct engine *e, struct engine_stop *s)
{
	struct decision *d = engine_decide(e, DECISION_HOLD);

	d->thread = s->arrival.thread;
	d->place = s->arrival.place;
	d->gate = s->gate;
	if (!s->listed)
		list_add(e, s);
	if (asks_script(s->gate))
		e->functions++;
	gate_ran_on(e, s->arrival.thread);
	if (s->gate)
		gate_join(e, s->gate);
}

void stop_hold(struct engine *e, struct engine_stop *s, struct gate *g)
{
	s->asked = e->changed;
	if (s->waiting)
		return;
	keep_text(&s->file, &s->arrival.file);
	keep_text(&s->func, &s->arrival.func);
	s->waiting = true;
	s->gate = g;
	s->arrival.thread->held = true;
	stop_first_hold(e, s);
}

static void stop_unhold(struct engine *e, struct engine_stop *s)
{
	s->waiting = false;
	if (asks_script(s->gate))
		e->functions--;
	if (s->gate)
		gate_unjoin(s->gate);
	s->gate = NULL;
}

void stop_pass(struct engine *e, struct engine_stop *s)
{
	struct decision *d;

	if (!s->waiting)
		return;
	d = engine_decide(e, DECISION_PASS);
	d->thread = s->arrival.thread;
	d->place = s->arrival.place;
	d->gate = s->gate;
	if (s->gate)
		gate_take_turn(e, s->gate, s->arrival.thread);
	stop_unhold(e, s);
}

bool engine_held(const struct engine *e, const struct engine_thread *t, struct engine_hold *out)
{
	const struct engine_stop *s = t->stop;

	(void)e;
	if (!s || !s->waiting)
		return false;
	out->place = s->arrival.place;
	out->gate = s->gate;
	return true;
}

void engine_spot(const struct engine_thread *t, struct arrival_spot *out)
{
	const struct engine_stop *s = t->stop;

	if (s && s->place_at < s->spots.count)
		*out = s->spots.items[s->place_at];
}

/* ---- from place to place ---- */

static void stop_leave(struct engine *e, struct engine_stop *s)
{
	struct place *p = s->arrival.place;

	if (!s->entered)
		return;
	s->entered = false;
	p->inside--;
	place_check_dead(e, p);
}

static void take_spot(struct engine_stop *s)
{
	if (s->place_at >= s->spots.count)
		return;
	s->arrival.file = s->spots.items[s->place_at].file;
	s->arrival.func = s->spots.items[s->place_at].func;
	s->arrival.line = s->spots.items[s->place_at].line;
	s->arrival.scope = s->spots.items[s->place_at].scope;
}

/* True if the arrival counts. `when` is evaluated once, with the variables at the arrival. */
static bool is_admitted(struct engine *e, const struct engine_stop *s, struct place *p)
{
	if (!p->when || step_expression(e, p->when, &s->arrival, false) == ENGINE_YES)
		return true;
	p->refused++;
	return false;
}

static bool stop_enter(struct engine *e, struct engine_stop *s, struct place *p)
{
	struct engine_thread *t = s->arrival.thread;
	struct decision *d;

	if (p->companion_of ? !engine_thread_disarm(t, p) : !engine_thread_matches(e, t, p->thread))
		return false;
	s->arrival.place = p;
	take_spot(s);
	if (!is_admitted(e, s, p))
		return false;
	s->arrival.count = ++p->arrivals;
	d = engine_decide(e, DECISION_ARRIVED);
	d->thread = t;
	d->place = p;
	if (!place_in_range(p))
		return false;
	s->entered = true;
	s->step_at = 0;
	p->inside++;
	return true;
}

/* Each step is copied, and the count read again: a function of the script may add steps. */
static enum step_result stop_at_place(struct engine *e, struct engine_stop *s)
{
	struct place *p = s->places.items[s->place_at];
	enum step_result result;
	struct step step;

	if (!s->entered && (p->dropped || !stop_enter(e, s, p)))
		return STEP_DONE;
	for (; s->step_at < p->steps.count; s->step_at++) {
		step = p->steps.items[s->step_at];
		result = step_take(e, s, &step);
		if (result != STEP_DONE)
			return result;
	}
	stop_leave(e, s);
	return STEP_DONE;
}

/* The gate that waits for the thread to block, or NULL. */
static struct gate *watched_by(struct engine *e, const struct own_thread *own)
{
	for (size_t i = 0; i < own->watches.count; i++)
		if (!own->watches.items[i]->is_open)
			return own->watches.items[i];
	for (size_t i = 0; e->serial_going && i < e->gates.count; i++)
		if (e->gates.items[i]->serial_current == &own->thread ||
		    e->gates.items[i]->runner == &own->thread)
			return e->gates.items[i];
	return NULL;
}

/* The watch of an order's [c] stays until the thread blocks: each release repeats it. */
static void ask_to_watch(struct engine *e, struct engine_thread *t, struct place *place)
{
	struct gate *gate = watched_by(e, engine_thread_own(t));
	struct decision *d;

	if (!gate)
		return;
	d = engine_decide(e, DECISION_WATCH);
	d->thread = t;
	d->place = place;
	d->gate = gate;
}

static void stop_release(struct engine *e, struct engine_stop *s)
{
	struct engine_thread *t = s->arrival.thread;

	list_remove(e, s);
	if (t->held)
		e->changed++; /* a function may look at another thread's state */
	t->held = false;
	t->stop = NULL;
	engine_decide(e, DECISION_RELEASE)->thread = t;
	ask_to_watch(e, t, s->arrival.place);
}

void stop_go(struct engine *e, struct engine_stop *s)
{
	for (; s->place_at < s->places.count; s->place_at++) {
		enum step_result result = stop_at_place(e, s);

		if (result == STEP_GONE)
			break;
		if (result != STEP_DONE)
			return;
	}
	stop_leave(e, s);
	stop_release(e, s);
}

void stop_drop(struct engine *e, struct engine_stop *s)
{
	struct engine_thread *t = s->arrival.thread;

	if (s->coroutine && e->script.run_end)
		e->script.run_end(e->script.ctx, s->coroutine);
	s->coroutine = NULL;
	if (s->waiting)
		stop_unhold(e, s);
	list_remove(e, s);
	t->held = false;
	t->stop = NULL;
	stop_leave(e, s);
}

static struct engine_stop *stop_begin(struct place *const *places, size_t count,
				      const struct arrival *at)
{
	struct engine_stop *s = &engine_thread_own(at->thread)->stop;

	at->thread->stop = s;
	s->arrival = *at;
	s->arrival.place = NULL;
	s->arrival.count = 0;
	s->arrival.spots = NULL;
	s->places.count = s->spots.count = 0;
	for (size_t i = 0; i < count; i++)
		*array_add(&s->places) = places[i];
	for (size_t i = 0; at->spots && i < count; i++)
		*array_add(&s->spots) = at->spots[i];
	s->place_at = s->step_at = 0;
	s->dies = false;
	return s;
}

/*
 * True at the begin of a statement whose end is a place too: the thread has not run on before that.
 */
static bool is_begin(struct place *const *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (places[i]->companion)
			return true;
	return false;
}

void engine_arrive(struct engine *e, struct place *const *places, size_t count,
		   const struct arrival *at)
{
	if (e->faulted)
		return;
	engine_enter(e);
	if (at->thread->stop)
		stop_drop(e, at->thread->stop);
	if (!is_begin(places, count))
		gate_ran_on(e, at->thread);
	e->changed++;
	stop_go(e, stop_begin(places, count, at));
	engine_leave(e);
}
