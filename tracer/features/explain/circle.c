/* Cycles of the wait graph. A gate is an edge from the thread that it holds to the threads that
 * would open it: such a cycle shows why the requested order is infeasible. A cycle without gates is
 * a deadlock of the program itself. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/explain/hints.h"

#include <string.h>

enum { MOST_STARTS = 16 }; /* number of held threads from which a cycle is searched */

/* A thread of the cycle. It waits for the next member, or a gate that the next one would open holds
 * it. */
struct member {
	struct run_thread *thread;
	/* place where this thread would open the gate that holds the previous one, or NULL */
	const struct place *opens;
	/* during the search: index of the member from which this one was found */
	size_t before;
};

struct circle {
	struct member *items;
	size_t count, capacity;
};

/* ---- the search -------------------------------------------------------------------------- */

/* True if the thread is in the function that contains the place. */
static bool is_in_function(const struct run_thread *t, const struct place *p)
{
	const struct near_misses *nm = near_miss_of(p);

	return nm && nm->function &&
	       (hints_inside(nm, run_thread_engine(t)) ||
		str_same(waiting_of(t)->func, nm->function));
}

/* Reduces the visited threads to the path from the start to `last`, in order. */
static void keep_way(struct circle *c, size_t last, const struct place *closing)
{
	struct circle way = {0};

	for (size_t i = last;; i = c->items[i].before) {
		*array_add(&way) = c->items[i];
		if (!i)
			break;
	}
	array_fini(c);
	for (size_t i = way.count; i-- > 0;)
		*array_add(c) = way.items[i];
	array_fini(&way);
	c->items[0].opens = closing;
}

/* Returns true if t is the start, which completes the cycle. */
static bool add_member(struct circle *c, size_t from, struct run_thread *t, const struct place *p)
{
	if (from && t == c->items[0].thread) {
		keep_way(c, from, p);
		return true;
	}
	array_each(const struct member, m, c)
		if (m->thread == t)
			return false;
	*array_add(c) = (struct member){.thread = t, .opens = p, .before = from};
	return false;
}

/* Adds the threads in the place's function; if there are none, and the place names a thread, the
 * threads that match. Returns true if that completes the cycle. */
static bool add_openers(struct run *s, struct circle *c, size_t from, const struct place *p)
{
	bool any = false;

	for (int pass = 0; pass < 2 && !any && (!pass || p->thread); pass++)
		run_each_thread(t, s) {
			if (t == c->items[from].thread || !waiting_is_alive(waiting_of(t)) ||
			    (p->thread &&
			     !engine_thread_matches(run_engine(s), run_thread_engine(t),
						    p->thread)) ||
			    (!pass && !is_in_function(t, p)))
				continue;
			any = true;
			if (add_member(c, from, t, p))
				return true;
		}
	return false;
}

/* True if no thread has arrived at p, or if the thread that arrived is held there by an order. */
static bool is_ahead(const struct run *s, const struct place *p, const struct gate *g)
{
	run_each_thread(t, s)
		if (g->from_order && waiting_of(t)->held && run_thread_hold(t)->place == p)
			return true;
	return !place_reached(p);
}

static bool circle_follow(struct run *s, struct circle *c, size_t from)
{
	const struct run_thread *t = c->items[from].thread;
	const struct place *p;

	if (waiting_of(t)->held) {
		for (size_t i = 0;
		     run_thread_hold(t)->gate && (p = engine_place_at(run_engine(s), i)); i++)
			if (hints_opens(p, run_thread_hold(t)->gate) &&
			    is_ahead(s, hints_main(p), run_thread_hold(t)->gate) &&
			    add_openers(s, c, from, hints_main(p)))
				return true;
		return false;
	}
	array_each(const struct engine_thread *, on, &waiting_of(t)->on)
		if (add_member(c, from, threads_of(*on), NULL))
			return true;
	return false;
}

/* Returns false if no cycle contains the thread; *c are then the thread and all threads that it
 * waits for, directly or not. */
static bool circle_from(struct run *s, struct run_thread *t, struct circle *c)
{
	array_fini(c);
	*array_add(c) = (struct member){.thread = t};
	for (size_t i = 0; i < c->count; i++)
		if (circle_follow(s, c, i))
			return true;
	return false;
}

static bool find_circle(struct run *s, struct circle *c)
{
	unsigned starts = 0;

	run_each_thread(t, s)
		if (waiting_of(t)->held && starts++ < MOST_STARTS && circle_from(s, t, c))
			return true;
	array_fini(c);
	return false;
}

/* ---- text -------------------------------------------------------------------------------- */

/* Appends the place's source line, or the location as written in the script. */
static void add_location(const struct place *p, struct str *out)
{
	const struct run_place *sp = p->user;

	array_each(struct source_sites *, r, run_place_results(sp))
		if ((*r)->count && (*r)->items[0].file && (*r)->items[0].line) {
			hints_line((*r)->items[0].file, (*r)->items[0].line, out);
			return;
		}
	str_add(out, p->location);
}

static bool is_taken_once(const struct waiting *w)
{
	return w->taken_file && w->on.count == 1;
}

/* Appends " while it owns mutex lock_a (taken at calc.c:10)": the lock that `w` waits for. */
static void add_owned(const struct waiting *w, struct str *out)
{
	if (w->held || !waiting_is_lock(w->kind))
		return;
	str_addf(out, " while it owns %s %s", waiting_word(w->kind), w->object ? w->object : "");
	if (is_taken_once(w))
		str_addf(out, " (taken at %s:%u)", str_base_name(w->taken_file), w->taken_line);
}

static void add_opens(const struct member *m, const struct run_thread *held, const char *comma,
		      struct str *out)
{
	if (!m->opens || !run_thread_hold(held)->gate)
		return;
	str_addf(out, ", which would open gate %s at ", run_thread_hold(held)->gate->name);
	add_location(m->opens, out);
	str_add(out, comma);
}

static void add_wait(const struct waiting *w, const char *next, bool last, struct str *out)
{
	const char *object = w->object ? w->object : "";

	if (waiting_is_lock(w->kind) && last)
		str_addf(out, " waits for that %s here", waiting_word(w->kind));
	else if (waiting_is_lock(w->kind))
		str_addf(out, " waits here for %s %s, which %s owns", waiting_word(w->kind), object,
			 next);
	else if (w->kind == WAITING_CONDITION || w->kind == WAITING_DESTROY)
		str_addf(out, " waits here for condition variable %s, which %s could signal",
			 object, next);
	else if (w->kind == WAITING_JOIN)
		str_addf(out, " joins %s here", next);
	else if (w->kind == WAITING_PROCESS)
		str_addf(out, " waits here for the process of %s to end", next);
	else
		str_addf(out, " %s here", str_text(&w->text));
}

static void member_line(const struct circle *c, size_t i, struct str *out)
{
	const struct member *m = &c->items[i];
	const struct run_thread *t = m->thread;
	const struct run_thread *next = c->items[(i + 1) % c->count].thread;
	const struct run_thread *prev = c->items[(i + c->count - 1) % c->count].thread;
	const struct waiting *w = waiting_of(t);

	waiting_begin_line(w->file, w->line, out);
	if (w->held) {
		str_addf(out, "gate %s holds %s here", run_thread_hold(t)->gate->name,
			 run_thread_id(t));
		add_owned(waiting_of(prev), out);
		add_opens(m, prev, "", out);
	} else {
		str_add(out, run_thread_id(t));
		add_opens(m, prev, ",", out);
		add_wait(w, run_thread_id(next), i + 1 == c->count, out);
		add_owned(waiting_of(prev), out);
	}
	str_add(out, "\n");
}

void infeasible_lines(struct run *s, struct str *out)
{
	struct circle c = {0};

	find_circle(s, &c);
	for (size_t i = 0; i < c.count; i++)
		member_line(&c, i, out);
	array_fini(&c);
}

/* ---- advice about gates ------------------------------------------------------------------ */

static void try_gates(const struct gate *g, struct str *out)
{
	str_add(out, "each of these threads waits for the next one: ");
	if (g->from_order)
		str_addf(out, "remove one of the orders, %s or another", g->name);
	else
		str_addf(out,
			 "open gate %s before the thread that opens it is held, or remove one of "
			 "the gates",
			 g->name);
}

/* Advice for a cycle in which a gate holds `held` and `waiter` waits for that thread. */
static void try_wait(const struct run_thread *held, const struct run_thread *waiter,
		     struct str *out)
{
	const struct waiting *w = waiting_of(waiter);
	const char *object = w->object ? w->object : "the lock", *id = run_thread_id(held);
	const char *gate = run_thread_hold(held)->gate->name;
	bool lock = waiting_is_lock(w->kind);

	if (lock && is_taken_once(w))
		str_addf(out,
			 "hold %s before it takes %s, at %s:%u or earlier (or after the unlock), "
			 "or ",
			 id, object, str_base_name(w->taken_file), w->taken_line);
	else if (lock)
		str_addf(out, "hold %s where it does not own %s, or ", id, object);
	str_addf(out, "open gate %s before %s %s %s", gate, run_thread_id(waiter),
		 lock ? "needs" : "waits for", lock ? object : id);
	if (w->file && w->line)
		str_addf(out, " at %s:%u", str_base_name(w->file), w->line);
	if (!lock)
		str_addf(out, ": %s cannot go on while the gate holds it", id);
}

bool infeasible_try(struct run *s, struct str *out)
{
	struct circle c = {0};
	bool found = find_circle(s, &c);

	if (found) {
		const struct run_thread *held = c.items[0].thread;
		const struct run_thread *waiter = c.items[c.count - 1].thread;

		if (waiting_of(waiter)->held)
			try_gates(run_thread_hold(held)->gate, out);
		else
			try_wait(held, waiter, out);
	}
	array_fini(&c);
	return found;
}

/* ---- an order that cannot come about ----------------------------------------------------- */

static const struct place *place_with_step(struct run *s, const struct gate *g, bool opens)
{
	engine_each_place(p, run_engine(s))
		array_each(const struct step, step, &p->steps)
			if (step->gate == g && (step->kind == STEP_WAIT) != opens)
				return hints_main(p);
	return NULL;
}

/* Appends "calc.c:7@worker#1", as the text of an order names it. */
static void add_event(const struct place *p, struct str *out)
{
	if (p->kind == PLACE_LOCATION)
		add_location(p, out);
	else
		str_add(out, p->location);
	if (p->thread)
		str_addf(out, "@%s", p->thread);
}

/* Appends the order that holds threads at `to`; a gate that no place opens (a barrier), or a
 * function of the script (g is NULL), is no order. */
static void add_order(struct run *s, const struct place *to, const struct gate *g, struct str *out)
{
	const struct place *from = g ? place_with_step(s, g, true) : NULL;

	if (from) {
		str_add(out, "the order ");
		add_event(from, out);
		str_add(out, " -> ");
		add_event(hints_main(to), out);
		str_add(out, " cannot come about: ");
	} else {
		str_addf(out, "%s at ", g ? "gate" : place_holder(to));
		add_event(hints_main(to), out);
		str_addf(out,
			 " (%s) cannot let the thread go on: ", g ? g->name : place_source(to));
	}
}

static void add_sentences(const struct circle *c, size_t end, struct str *out)
{
	for (size_t i = 1; i < end; i++) {
		str_add(out, i > 1 ? "; " : "");
		waiting_sentence(c->items[i].thread, out);
	}
}

/* Appends why no thread gets to the place that would let the thread go on. */
static void add_reason(struct run *s, const struct circle *c, bool closed, struct str *out)
{
	const struct gate *g = run_thread_hold(c->items[0].thread)->gate;
	const struct place *from = g ? place_with_step(s, g, true) : NULL;

	if (closed)
		add_sentences(c, c->count, out);
	else if (c->count > 1)
		add_sentences(c, 2, out);
	else if (from && !place_reached(from))
		hints_near(s, from, out);
	else
		str_add(out, str_text(waiting_cycle(s)));
}

static bool meets_held(const struct circle *c)
{
	for (size_t i = 1; i < c->count; i++)
		if (waiting_of(c->items[i].thread)->held)
			return true;
	return false;
}

/* A thread of a cycle is preferred to one that waits for no other held thread, and this one to any:
 * giving up an order that may still come about would force less of the script than possible. */
struct run_thread *infeasible_order(struct run *s, struct str *out)
{
	struct run_thread *alone = NULL, *first = NULL, *found = NULL;
	struct circle c = {0};
	unsigned starts = 0;
	bool closed = false;

	run_each_thread(t, s) {
		if (!waiting_of(t)->held || starts++ >= MOST_STARTS || closed)
			continue;
		first = first ? first : t;
		closed = circle_from(s, t, &c);
		found = closed ? t : NULL;
		alone = alone || meets_held(&c) ? alone : t;
	}
	found = found ? found : alone ? alone : first;
	if (found && !closed)
		circle_from(s, found, &c);
	if (found) {
		add_order(s, run_thread_hold(found)->place, run_thread_hold(found)->gate, out);
		add_reason(s, &c, closed, out);
		str_add(out, "\n");
	}
	array_fini(&c);
	return found;
}

/* Appends a line about the order unless it is there already. */
static void add_once(struct run *s, const struct place *to, const struct gate *g, const char *why,
		     struct str *out)
{
	STR(order);

	add_order(s, to, g, &order);
	if (!strstr(str_text(out), str_text(&order)))
		str_addf(out, "%s%s\n", str_text(&order), why);
}

static void add_missing(struct run *s, const struct place *p, struct str *out)
{
	STR(why);

	hints_missing(s, p, &why);
	array_each(const struct step, step, &p->steps) {
		const struct place *to = step->gate ? place_with_step(s, step->gate, false) : NULL;

		if (!to)
			continue;
		add_once(s, to, step->gate, str_text(&why), out);
		return;
	}
}

void infeasible_missing(struct run *s, struct str *out)
{
	run_each_thread(t, s)
		if (run_thread_is_lost(t)) {
			STR(why);

			str_addf(&why, "%s was held there when the program ended",
				 run_thread_id(t));
			add_once(s, run_thread_hold(t)->place, run_thread_hold(t)->gate,
				 str_text(&why), out);
		}
	engine_each_place(p, run_engine(s))
		if (place_missing(p))
			add_missing(s, p, out);
}

/* ---- a deadlock without gates ------------------------------------------------------------ */

/* Returns the only owner of the lock that the thread waits for, or NULL if it waits for no lock or
 * the owner is not known. */
static const struct run_thread *owner_of(const struct waiting *w)
{
	bool lock = w->kind == WAITING_MUTEX || w->kind == WAITING_READ || w->kind == WAITING_WRITE;

	return lock && w->object && w->on.count == 1 ? threads_of(w->on.items[0]) : NULL;
}

/* True if every thread of the verdict waits for another thread of the verdict. */
static bool is_circle(struct run *s)
{
	run_each_thread(t, s) {
		const struct waiting *w = waiting_of(t);
		const struct run_thread *owner = owner_of(w);

		if (w->in_cycle &&
		    (!owner || w->gone || owner == t || !waiting_of(owner)->in_cycle))
			return false;
	}
	return waiting_cycle(s)->length > 0;
}

/* Names all locks of the cycle. */
static void try_order(struct run *s, struct str *out)
{
	size_t locks = 0;

	run_each_thread(t, s)
		if (waiting_of(t)->in_cycle)
			str_addf(out, "%s%s", locks++ ? " and " : "", waiting_of(t)->object);
	str_add(out, " are taken in different orders: take them in the same order everywhere");
}

/* Returns the thread of the verdict if it is the only one and waits for a lock that it owns, else
 * NULL. */
static const struct run_thread *waits_for_itself(struct run *s)
{
	const struct run_thread *found = NULL;

	run_each_thread(t, s) {
		if (!waiting_of(t)->in_cycle)
			continue;
		if (found || owner_of(waiting_of(t)) != t)
			return NULL;
		found = t;
	}
	return found;
}

void own_deadlock_try(struct run *s, struct str *out)
{
	const struct run_thread *alone = waits_for_itself(s);
	const struct waiting *w = alone ? waiting_of(alone) : NULL;

	if (alone)
		str_addf(out, "%s takes %s again while it owns it: release it before%s",
			 run_thread_id(alone), w->object,
			 w->kind == WAITING_MUTEX ? ", or make it recursive" : "");
	else if (is_circle(s))
		try_order(s, out);
	else
		str_add(out, "the program deadlocks by itself");
	str_add(out, "; a test of the deadlock says `expect { deadlock = true }`");
}
