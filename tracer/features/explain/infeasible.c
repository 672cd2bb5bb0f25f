/*
 * Why the order that the gates ask for cannot happen: the thread that would open a gate waits, by
 * whatever chain, for the thread that the gate holds. Tells this circle of held and waiting threads
 * in words, and where the gate would have to be.
 */
#include "tracer/run/threads/threads.h"
#include "tracer/features/explain/explain.h"
#include "tracer/features/explain/hints.h"

#include "tracer/base/files/path.h"

#include <string.h>

enum { MOST_STARTS = 16 }; /* held threads from which a circle is looked for */

/* ---- who would open what ----------------------------------------------------------------------- */

static bool is_alive(const struct run_thread *t)
{
	return waiting_is_alive(waiting_of(t));
}

/* Is the thread in the function that the place is in? */
static bool infeasible_is_inside(const struct run_thread *t, const struct place *p)
{
	const struct near_misses *nm = near_miss_of(p);

	if (!nm || !nm->function)
		return false;
	if (hints_inside(nm, t->engine))
		return true;
	return waiting_of(t)->func && strcmp(waiting_of(t)->func, nm->function) == 0;
}

static bool infeasible_is_meant(struct run *s, const struct run_thread *t, const struct place *p)
{
	return is_alive(t) &&
	       (!p->thread || engine_thread_matches(s->engine, t->engine, p->thread));
}

/* ---- the circle ---------------------------------------------------------------------------------- */

/* A thread of the circle. It waits for the next one, or is held by a gate that the next one would
   open. */
struct member {
	struct run_thread *thread;
	const struct place
		*opens; /* where it would open the gate that holds the previous one; or NULL */
	size_t before;	/* in the search: index of the one it was found from */
};

struct circle {
	struct member *items;
	size_t count, capacity;
};

static bool infeasible_is_known(const struct circle *c, const struct run_thread *t)
{
	array_each(const struct member, m, c)
		if (m->thread == t)
			return true;
	return false;
}

/* The search is back at its start: keeps only the threads on the way, in order. */
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

/* True: this was the start, so the circle is complete. */
static bool add_member(struct circle *c, size_t from, struct run_thread *t, const struct place *p)
{
	if (from && t == c->items[0].thread) {
		keep_way(c, from, p);
		return true;
	}
	if (!infeasible_is_known(c, t))
		*array_add(c) = (struct member){.thread = t, .opens = p, .before = from};
	return false;
}

/* Adds the threads in the place's function; if there are none and the place names a thread, those
   that it means. */
static bool add_openers(struct run *s, struct circle *c, size_t from, const struct place *p)
{
	bool any = false;

	for (int pass = 0; pass < 2 && !any && (!pass || p->thread); pass++)
		array_each(struct run_thread *, t, &s->threads) {
			if (*t == c->items[from].thread || !infeasible_is_meant(s, *t, p) ||
			    (!pass && !infeasible_is_inside(*t, p)))
				continue;
			any = true;
			if (add_member(c, from, *t, p))
				return true;
		}
	return false;
}

/* Has nobody come there, or is the thread that came held before it does what the order asks for? */
static bool is_ahead(const struct run *s, const struct place *p, const struct gate *g)
{
	array_each(struct run_thread *, t, &s->threads)
		if (g->from_order && waiting_of(*t)->held && (*t)->hold.place == p)
			return true;
	return !place_reached(p);
}

static bool infeasible_follow(struct run *s, struct circle *c, size_t from)
{
	const struct run_thread *t = c->items[from].thread;
	const struct place *p;

	if (waiting_of(t)->held) {
		for (size_t i = 0; t->hold.gate && (p = engine_place_at(s->engine, i)); i++)
			if (hints_opens(p, t->hold.gate) &&
			    is_ahead(s, hints_main(p), t->hold.gate) &&
			    add_openers(s, c, from, hints_main(p)))
				return true;
		return false;
	}
	array_each(const struct engine_thread *, on, &waiting_of(t)->on)
		if (add_member(c, from, threads_of(*on), NULL))
			return true;
	return false;
}

static bool find_from(struct run *s, struct run_thread *held, struct circle *c)
{
	(*array_add(c)) = (struct member){.thread = held};
	for (size_t i = 0; i < c->count; i++)
		if (infeasible_follow(s, c, i))
			return true;
	array_fini(c);
	return false;
}

static bool find_circle(struct run *s, struct circle *c)
{
	unsigned starts = 0;

	array_each(struct run_thread *, t, &s->threads)
		if (waiting_of(*t)->held && starts++ < MOST_STARTS && find_from(s, *t, c))
			return true;
	return false;
}

static const struct member *next_of(const struct circle *c, size_t i)
{
	return &c->items[(i + 1) % c->count];
}

static const struct member *before(const struct circle *c, size_t i)
{
	return &c->items[(i + c->count - 1) % c->count];
}

/* ---- in words ------------------------------------------------------------------------------------ */

/* Its position in the source; else as the tester wrote it. */
static void add_location(const struct place *p, struct str *out)
{
	const struct run_place *sp = p->user;

	array_each(struct source_sites *, r, &sp->results)
		if ((*r)->count && (*r)->items[0].file && (*r)->items[0].line) {
			hints_line((*r)->items[0].file, (*r)->items[0].line, out);
			return;
		}
	str_add(out, p->location);
}

static bool infeasible_waits_for_lock(const struct run_thread *t)
{
	enum waiting_kind kind = waiting_of(t)->kind;

	return kind == WAITING_MUTEX || kind == WAITING_RWLOCK || kind == WAITING_STREAM ||
	       kind == WAITING_SEMAPHORE;
}

/* " while it owns mutex lock_a (taken at calc.c:10)" */
static void add_owned(const struct run_thread *waiter, struct str *out)
{
	const struct waiting *w = waiting_of(waiter);

	if (waiting_of(waiter)->held || !infeasible_waits_for_lock(waiter))
		return;
	str_addf(out, " while it owns %s %s", waiting_word(w->kind), w->object ? w->object : "");
	if (w->taken_file && w->on.count == 1) {
		str_add(out, " (taken at ");
		hints_line(w->taken_file, w->taken_line, out);
		str_add(out, ")");
	}
}

static void add_opens(const struct member *m, const struct run_thread *held, const char *comma,
		      struct str *out)
{
	if (!m->opens || !held->hold.gate)
		return;
	str_addf(out, ", which would open gate %s at ", held->hold.gate->name);
	add_location(m->opens, out);
	str_add(out, comma);
}

static void add_wait(const struct circle *c, size_t i, struct str *out)
{
	const struct run_thread *t = c->items[i].thread, *next = next_of(c, i)->thread;

	if (infeasible_waits_for_lock(t) && i + 1 == c->count)
		str_addf(out, " waits for that %s here", waiting_word(waiting_of(t)->kind));
	else if (infeasible_waits_for_lock(t))
		str_addf(out, " waits here for %s %s, which %s owns",
			 waiting_word(waiting_of(t)->kind),
			 waiting_of(t)->object ? waiting_of(t)->object : "", next->engine->id);
	else if (waiting_of(t)->kind == WAITING_CONDITION)
		str_addf(out, " waits here for condition variable %s, which %s could signal",
			 waiting_of(t)->object ? waiting_of(t)->object : "", next->engine->id);
	else if (waiting_of(t)->kind == WAITING_JOIN)
		str_addf(out, " joins %s here", next->engine->id);
	else if (waiting_of(t)->kind == WAITING_PROCESS)
		str_addf(out, " waits here for the process of %s to end", next->engine->id);
	else
		str_addf(out, " %s here", str_text(&waiting_of(t)->text));
}

static void member_line(const struct circle *c, size_t i, struct str *out)
{
	const struct member *m = &c->items[i];
	const struct run_thread *t = m->thread, *prev = before(c, i)->thread;
	const struct waiting *w = waiting_of(t);

	if (w->file && w->line)
		str_addf(out, "%s:%u: ", path_shown(w->file), w->line);
	else
		str_add(out, "  ");
	if (w->held) {
		str_addf(out, "gate %s holds %s here", t->hold.gate->name, t->engine->id);
		add_owned(prev, out);
		add_opens(m, prev, "", out);
	} else {
		str_add(out, t->engine->id);
		add_opens(m, prev, ",", out);
		add_wait(c, i, out);
		add_owned(prev, out);
	}
	str_add(out, "\n");
}

bool infeasible_lines(struct run *s, struct str *out)
{
	struct circle c = {0};
	bool found = find_circle(s, &c);

	for (size_t i = 0; i < c.count; i++)
		member_line(&c, i, out);
	array_fini(&c);
	return found;
}

/* ---- what to do ---------------------------------------------------------------------------------- */

static void try_gates(const struct circle *c, struct str *out)
{
	const struct gate *g = c->items[0].thread->hold.gate;

	str_add(out, "each of these threads would be let go by the next one: ");
	if (g->from_order)
		str_addf(out, "leave out one of the orders, %s or another", g->name);
	else
		str_addf(out,
			 "open gate %s before the thread that opens it is held itself, or "
			 "leave one of the gates out",
			 g->name);
}

static void try_lock(const struct run_thread *held, const struct run_thread *waiter,
		     struct str *out)
{
	const struct waiting *w = waiting_of(waiter);
	const char *object = w->object ? w->object : "the lock";

	if (w->taken_file && w->on.count == 1) {
		str_addf(out, "hold %s before it takes %s, at ", held->engine->id, object);
		hints_line(w->taken_file, w->taken_line, out);
		str_add(out, " or earlier (or behind the unlock)");
	} else {
		str_addf(out, "hold %s where it does not own %s", held->engine->id, object);
	}
	str_addf(out, ", or open gate %s before %s needs %s", held->hold.gate->name,
		 waiter->engine->id, object);
	if (w->file && w->line) {
		str_add(out, " at ");
		hints_line(w->file, w->line, out);
	}
}

static void try_other(const struct run_thread *held, const struct run_thread *waiter,
		      struct str *out)
{
	const struct waiting *w = waiting_of(waiter);

	str_addf(out, "open gate %s before %s waits for %s", held->hold.gate->name,
		 waiter->engine->id, held->engine->id);
	if (w->file && w->line) {
		str_add(out, " at ");
		hints_line(w->file, w->line, out);
	}
	str_addf(out, ": %s cannot go on while the gate holds it", held->engine->id);
}

bool infeasible_try(struct run *s, struct str *out)
{
	const struct run_thread *held, *waiter;
	struct circle c = {0};
	bool found = find_circle(s, &c);

	if (found) {
		held = c.items[0].thread;
		waiter = before(&c, 0)->thread;
		if (waiting_of(waiter)->held)
			try_gates(&c, out);
		else if (infeasible_waits_for_lock(waiter))
			try_lock(held, waiter, out);
		else
			try_other(held, waiter, out);
	}
	array_fini(&c);
	return found;
}
