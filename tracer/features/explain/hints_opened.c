/* Explains why a gate is closed: which places open it, and where the threads are that could arrive
 * there. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/explain/hints.h"

#include "tracer/base/text/suggest.h"

#include <string.h>

const struct place *hints_main(const struct place *p)
{
	return p->companion_of ? p->companion_of : p;
}

static bool has_step(const struct place *p, const struct gate *g, unsigned kinds)
{
	array_each(const struct step, step, &p->steps)
		if ((kinds >> step->kind & 1) && step->gate == g)
			return !p->dropped;
	return false;
}

bool hints_opens(const struct place *p, const struct gate *g)
{
	return has_step(p, g, 1u << STEP_OPEN | 1u << STEP_WATCH);
}

static bool waits_at(const struct place *p, const struct gate *g)
{
	return has_step(p, g, 1u << STEP_WAIT);
}

/* True if the thread died with the program while it was held. */
static bool is_lost(const struct run_thread *t)
{
	return run_thread_is_lost(t);
}

static bool is_held(const struct run_thread *t)
{
	return waiting_of(t)->held || is_lost(t);
}

static bool is_alive(const struct run_thread *t)
{
	return is_lost(t) || waiting_is_alive(waiting_of(t));
}

static bool is_held_at(const struct run_thread *t, const struct gate *g)
{
	return is_held(t) && run_thread_hold(t)->gate == g;
}

/* Names the living threads that the gate holds (`there`; only at place `at` if that is not NULL),
 * or does not hold. `out` may be NULL. Returns their number. */
static size_t add_living(struct run *s, const struct gate *g, bool there, const struct place *at,
			 struct str *out)
{
	PASSERS(list);

	run_each_thread(t, s)
		if (is_alive(t) && is_held_at(t, g) == there &&
		    (!at || run_thread_hold(t)->place == at))
			*array_add(&list) = (struct passer){.thread = run_thread_engine(t)};
	if (out)
		passers_add(&list, out);
	return list.count;
}

static bool holds_any(struct run *s, const struct gate *g)
{
	return add_living(s, g, true, NULL, NULL) > 0;
}

static bool function_holds(struct run *s, const struct place *p)
{
	return add_living(s, NULL, true, p, NULL) > 0;
}

/* ---- a place that opens the gate --------------------------------------------------------- */

/* Returns a thread that the place holds before its verb `open`, or NULL. */
static const struct run_thread *stopped_before(struct run *s, const struct place *p)
{
	run_each_thread(t, s)
		if (is_held(t) && run_thread_hold(t)->place == p)
			return t;
	return NULL;
}

/* The thread may end in the statement, as by pthread_exit(). */
static void why_not_ended(struct run *s, const struct place *main, struct str *out)
{
	PASSERS(by);

	str_add(out, "the statement was begun but has not been executed to its end");
	passers_of(s, main, true, &by);
	array_each(const struct passer, one, &by)
		if (hints_exited(s, one->thread))
			str_addf(out, "; %s exited in it", one->thread->id);
}

static void why_not_opened(struct run *s, const struct place *p, const struct gate *g,
			   struct str *out)
{
	const struct place *main = hints_main(p);
	const struct run_thread *before = stopped_before(s, main);

	if (before) {
		str_addf(out, "%s has arrived there, but is held ", run_thread_id(before));
		if (run_thread_hold(before)->gate == g)
			str_addf(out, "by this same gate: it waits before it opens");
		else if (run_thread_hold(before)->gate)
			str_addf(out, "by gate %s before it opens",
				 run_thread_hold(before)->gate->name);
		else
			str_addf(out, "by a %s of the script (%s) before it opens",
				 place_holder(main), place_source(main));
	} else if (!place_reached(main)) {
		hints_near(s, main, out);
	} else if (p != main && !p->arrivals) {
		why_not_ended(s, main, out);
	} else {
		str_add(out, "it was reached ");
		hints_times(main->arrivals, out);
		if (g->is_open)
			str_addf(out,
				 ", and the gate is open, but the function ready of %s returns "
				 "false",
				 g->type);
	}
}

/* True if the place's own options keep threads away. False if a matching thread is held by a gate
 * that this place does not open. */
static bool is_mistaken(struct run *s, const struct place *p)
{
	run_each_thread(t, s)
		if (!p->arrivals && is_held(t) && run_thread_hold(t)->gate &&
		    !hints_opens(p, run_thread_hold(t)->gate) && p->thread &&
		    engine_thread_matches(run_engine(s), run_thread_engine(t), p->thread))
			return false;
	return hints_is_mistaken(s, p);
}

/* True if the thread would open the gate at p: it is in the place's function, or matches the
 * `thread` option. */
static bool would_open(struct run *s, const struct run_thread *t, const struct place *p)
{
	const struct near_misses *nm = near_miss_of(p);

	if (!is_alive(t) || stopped_before(s, p) == t ||
	    (p->thread && !engine_thread_matches(run_engine(s), run_thread_engine(t), p->thread)))
		return false;
	return p->thread || (nm && hints_inside(nm, run_thread_engine(t)));
}

/* Returns a thread that would open gate g at p but is held by g, or NULL. */
static const struct run_thread *waits_itself(struct run *s, const struct place *p,
					     const struct gate *g)
{
	run_each_thread(t, s)
		if (would_open(s, t, p) && is_held_at(t, g))
			return t;
	return NULL;
}

static void opener_threads(struct run *s, const struct place *p, const struct gate *g,
			   struct str *out)
{
	const struct run_thread *t = waits_itself(s, p, g);
	bool any = false;

	run_each_thread(it, s)
		any |= would_open(s, it, p);
	if (t && waiting_of(t)->file)
		waiting_begin_line(waiting_of(t)->file, waiting_of(t)->line, out);
	if (t)
		str_addf(out, "%s would open gate %s there, but is held by it here\n",
			 run_thread_id(t), g->name);
	else if (!any && p->thread && hints_match(s, p->thread))
		str_addf(out,
			 "%s: no thread that matches '%s' is alive, so that none can open it\n",
			 place_source(p), p->thread);
}

static void opener_line(struct run *s, const struct place *p, const struct gate *g, struct str *out)
{
	const struct place *main = hints_main(p);

	str_addf(out, "%s: gate %s is opened at %s: ", place_source(main), g->name, main->location);
	why_not_opened(s, p, g, out);
	str_add(out, "\n");
	if (!place_reached(main) && !is_mistaken(s, main))
		opener_threads(s, main, g, out);
}

/* ---- no place opens the gate ------------------------------------------------------------- */

static const struct gate *other_named(struct run *s, const struct gate *but, const char *name)
{
	engine_each_gate(g, run_engine(s))
		if (g != but && !g->from_order && strcmp(g->name, name) == 0)
			return g;
	return NULL;
}

/* Returns a gate of the same or a similar name, or NULL: the tester may have made two gates where
 * one was intended. */
static const struct gate *like(struct run *s, const struct gate *g)
{
	struct suggestions similar = {.wanted = g->name};
	const struct gate *found = other_named(s, g, g->name);
	STR(ignored);
	char *best;

	engine_each_gate(other, run_engine(s))
		if (other != g && !other->from_order)
			suggest_offer(&similar, other->name);
	best = suggest_best(&similar);
	suggest_take(&similar, &ignored);
	if (!found && best)
		found = other_named(s, g, best);
	base_free(best);
	return found;
}

static const struct place *opener_of(struct run *s, const struct gate *g)
{
	engine_each_place(p, run_engine(s))
		if (hints_opens(p, g))
			return p;
	return NULL;
}

/* Returns the line of the script at which threads wait for the gate, by a verb or in a function. */
static const char *waited_for_at(struct run *s, const struct gate *g)
{
	engine_each_place(p, run_engine(s))
		if (waits_at(p, g))
			return place_source(p);
	run_each_thread(t, s)
		if (is_held_at(t, g))
			return place_source(run_thread_hold(t)->place);
	return g->name;
}

/* Appends a line for each function of the script that may open the gate, except those that wait at
 * it. Returns false if there is none. */
static bool functions_that_may(struct run *s, const struct gate *g, struct str *out)
{
	bool any = false;

	engine_each_place(p, run_engine(s)) {
		if (!engine_may_open(run_engine(s), p, g) || add_living(s, g, true, p, NULL))
			continue;
		any = true;
		str_addf(out, "%s: the function at %s may open gate %s: ", place_source(p),
			 p->location, g->name);
		if (place_reached(p)) {
			str_add(out, "it has run ");
			hints_times(p->arrivals, out);
			str_add(out, ", and has not");
		} else {
			hints_near(s, p, out);
		}
		str_add(out, "\n");
	}
	return any;
}

static void not_opened(struct run *s, const struct gate *g, struct str *out)
{
	const struct gate *other = like(s, g);
	const struct place *opener = other ? opener_of(s, other) : NULL;

	if (functions_that_may(s, g, out))
		return;
	str_addf(out, "%s: no place of the script opens gate %s", waited_for_at(s, g), g->name);
	if (opener && strcmp(other->name, g->name) == 0)
		str_addf(out, "; %s opens another gate of the same name", place_source(opener));
	else if (opener)
		str_addf(out, "; %s opens gate %s: is that the same gate?", place_source(opener),
			 other->name);
	str_add(out, "\n");
}

/* ---- a barrier ------------------------------------------------------------------------------ */

/* Explains why no further thread arrives at the barrier through this place. */
static void way_to_barrier(struct run *s, const struct place *p, struct str *out)
{
	STR(others);

	if (!place_reached(p)) {
		str_addf(out, "%s: %s: ", place_source(p), p->location);
		hints_near(s, p, out);
		str_add(out, "\n");
	} else if (p->thread && hints_shut_out(s, p, &others)) {
		str_addf(out, "%s: %s is only for '%s', but %s also arrived there\n",
			 place_source(p), p->location, p->thread, str_text(&others));
	}
}

/* Returns the thread held at the barrier for which t waits, or NULL. */
static const struct run_thread *needs_one_at(const struct run_thread *t, const struct gate *g)
{
	array_each(const struct engine_thread *const, on, &waiting_of(t)->on)
		if (is_held_at(threads_of(*on), g))
			return threads_of(*on);
	return NULL;
}

static void barrier_lines(struct run *s, const struct gate *g, struct str *out)
{
	size_t here, others = add_living(s, g, false, NULL, NULL);

	str_addf(out, "%s: barrier %s opens when %u threads wait at it: ", waited_for_at(s, g),
		 g->name, g->barrier_size);
	here = add_living(s, g, true, NULL, out);
	str_addf(out, " do%s", here == 1 ? "es" : "");
	if (here + others < g->barrier_size) {
		if (others)
			str_addf(out, ", and only %zu other thread%s alive", others,
				 others == 1 ? " is" : "s are");
		else
			str_add(out, ", and no other thread is alive");
	} else {
		str_add(out, ", ");
		add_living(s, g, false, NULL, out);
		str_addf(out, " do%s not", others == 1 ? "es" : "");
	}
	str_add(out, "\n");
	engine_each_place(p, run_engine(s))
		if (waits_at(p, g) && !p->companion_of)
			way_to_barrier(s, p, out);
	run_each_thread(t, s)
		if (is_alive(t) && needs_one_at(t, g)) {
			const struct waiting *w = waiting_of(t);

			if (w->file && w->line)
				waiting_begin_line(w->file, w->line, out);
			str_addf(out, "%s cannot reach the barrier: it %s\n", run_thread_id(t),
				 str_text(&w->text));
		}
}

/* ---- a gate ------------------------------------------------------------------------------ */

static void gate_lines(struct run *s, const struct gate *g, struct str *out)
{
	bool any = false;

	if (g->kind == GATE_BARRIER) {
		barrier_lines(s, g, out);
		return;
	}
	engine_each_place(p, run_engine(s)) {
		if (!hints_opens(p, g))
			continue;
		opener_line(s, p, g, out);
		any = true;
	}
	if (!any && g->kind == GATE_SIMPLE)
		not_opened(s, g, out);
	else if (any && !add_living(s, g, false, NULL, NULL) && !run_outcome(s)->held_at_end)
		str_addf(out, "%s: no thread is left that could open gate %s\n",
			 waited_for_at(s, g), g->name);
	if (any || g->kind == GATE_SIMPLE)
		return;
	/* a type that the script defines: its function `ready` alone decides */
	str_addf(out, "%s: gate %s: the function ready of %s still returns false for ",
		 waited_for_at(s, g), g->name, g->type);
	add_living(s, g, true, NULL, out);
	str_add(out, "\n");
}

void hints_gates(struct run *s, struct str *out)
{
	engine_each_gate(g, run_engine(s))
		if (holds_any(s, g))
			gate_lines(s, g, out);
	engine_each_place(p, run_engine(s)) {
		if (!function_holds(s, p))
			continue;
		str_addf(out, "%s: the %s at %s is still false for ", place_source(p),
			 place_holder(p), p->location);
		add_living(s, NULL, true, p, out);
		str_add(out, "\n");
	}
}

/* ---- advice ------------------------------------------------------------------------------ */

/* Returns a place that would open a gate that holds a thread, but at which no thread got to the
 * verb `open`, or NULL. */
static const struct place *missing_opener(struct run *s)
{
	engine_each_gate(g, run_engine(s))
		engine_each_place(p, run_engine(s))
			if (holds_any(s, g) && hints_opens(p, g) &&
			    (!place_reached(hints_main(p)) || stopped_before(s, hints_main(p))))
				return hints_main(p);
	return NULL;
}

/* Returns a gate that holds a thread and that nothing in the script opens, or NULL. */
static const struct gate *orphan(struct run *s)
{
	STR(ignored);

	engine_each_gate(g, run_engine(s))
		if (holds_any(s, g) && g->kind == GATE_SIMPLE && !opener_of(s, g) &&
		    !functions_that_may(s, g, &ignored))
			return g;
	return NULL;
}

static bool barrier_try(struct run *s, const struct gate *g, struct str *out)
{
	size_t here = add_living(s, g, true, NULL, NULL), could = here;

	engine_each_place(p, run_engine(s)) {
		STR(others);

		if (!p->thread || !waits_at(p, g) || !hints_shut_out(s, p, &others))
			continue;
		str_addf(out, "remove `thread` at %s, or let it also match the others",
			 p->location);
		return true;
	}
	run_each_thread(t, s) {
		const struct run_thread *owner = is_alive(t) ? needs_one_at(t, g) : NULL;

		if (!owner || !waiting_of(t)->object || waiting_of(t)->kind != WAITING_MUTEX)
			continue;
		str_addf(out, "a place for the barrier at which %s does not own %s: %s needs it",
			 run_thread_id(owner), waiting_of(t)->object, run_thread_id(t));
		return true;
	}
	run_each_thread(t, s)
		could += is_alive(t) && !is_held_at(t, g) && !needs_one_at(t, g);
	if (could >= g->barrier_size)
		return false;
	if (here > 1)
		str_addf(out, "BarrierGate(\"%s\", %zu), or ", g->name, here);
	str_addf(out, "a place for the barrier that %u threads reach", g->barrier_size);
	return true;
}

/* Advice if the script is correct, but no thread reaches the place that opens the gate. */
static bool way_try(struct run *s, const struct place *p, struct str *out)
{
	const struct near_misses *nm = near_miss_of(p);
	const struct run_thread *itself = NULL, *held = NULL;

	if (run_outcome(s)->gate_limit || run_outcome(s)->held_at_end) {
		str_addf(out, "find out what keeps %s from being reached%s", p->location,
			 run_outcome(s)->gate_limit ? "; `--gate-limit` makes the wait longer"
						    : " before the program ends");
		return true;
	}
	engine_each_gate(g, run_engine(s))
		if (!itself && hints_opens(p, g))
			itself = waits_itself(s, p, g);
	if (stopped_before(s, p)) {
		str_addf(out, "at %s, let %s open before it waits: write :open before :wait",
			 p->location, run_thread_id(stopped_before(s, p)));
		return true;
	}
	if (itself) {
		str_addf(out,
			 "open gate %s at a place that comes before %s, or let another thread "
			 "open it",
			 run_thread_hold(itself)->gate->name,
			 run_thread_hold(itself)->place->location);
		return true;
	}
	run_each_thread(t, s) {
		if (is_alive(t) && !is_held(t))
			return false;
		held = held || !is_alive(t) ? held : t;
	}
	if (!held || !nm || !nm->function || !nm->complete || nm->visits.count)
		return false;
	str_addf(out, "hold %s later: while it is held there, no thread calls %s",
		 run_thread_id(held), nm->function);
	return true;
}

/* Advice about a barrier that holds threads, or a function that releases none. */
static bool holder_try(struct run *s, struct str *out)
{
	engine_each_gate(g, run_engine(s))
		if (g->kind == GATE_BARRIER && holds_any(s, g)) {
			if (barrier_try(s, g, out))
				return true;
			break;
		}
	engine_each_place(p, run_engine(s)) {
		if (!function_holds(s, p))
			continue;
		str_addf(out, "let the %s at %s be true for one of the threads that it holds",
			 place_holder(p), p->location);
		return true;
	}
	return false;
}

bool hints_gates_try(struct run *s, struct str *out)
{
	const struct gate *g = orphan(s), *other = g ? like(s, g) : NULL;
	const struct place *p = missing_opener(s);

	if (g && other && opener_of(s, other))
		str_addf(out, "create one gate, and use it in :wait and in :open");
	else if (g)
		str_addf(out, "add a place that opens gate %s: at \"...\" :open(...)", g->name);
	else if (p && !place_reached(p) && is_mistaken(s, p))
		hints_missing_try(s, p, out);
	else
		return (p && way_try(s, p, out)) || holder_try(s, out);
	return true;
}
