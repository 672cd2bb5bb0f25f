/* Races of a run: pairs of dependent steps that another schedule makes in the other order. The
   clocks are vector clocks (Mattern 1988); source sets are of Abdulla and others, 2014. */
#include "tracer/sched/strategy/dpor.h"

enum { PIECE = 8, MOST_PIECES = 64, SHARED = UINT32_MAX };

static const struct strategy_point *point_at(const struct dpor *d, size_t i)
{
	return &dpor_chosen(&d->nodes.items[i])->point;
}

/* ---- shared memory ----------------------------------------------------------------------- */

/* WIDE: the step can depend on each other step. LOCAL: no step depends on it but these. */
enum dpor_reach { LOCAL, SHARES, WIDE };

static bool is_plain(const struct strategy_point *p)
{
	return p->object != STRATEGY_NO_OBJECT && p->object != STRATEGY_ANY_OBJECT;
}

static uint64_t pieces_of(const struct strategy_point *p)
{
	return (p->object + (p->size ? p->size - 1 : 0)) / PIECE - p->object / PIECE + 1;
}

static bool has_any_size(const struct strategy_point *p)
{
	return p->size == STRATEGY_ANY_SIZE || pieces_of(p) > MOST_PIECES;
}

/* `p`: one of dpor_objects(), as in is_piece_shared(). */
static void own_pieces_of(struct dpor *d, const struct strategy_point *p)
{
	if (!is_plain(p))
		return;
	if (has_any_size(p)) {
		d->has_any_size = true;
		return;
	}
	for (uint64_t i = 0; i < pieces_of(p); i++) {
		uint64_t *owner = table_at(&d->owners, p->object / PIECE + i);

		*owner = !*owner || *owner == p->thread + 1u ? p->thread + 1u : SHARED;
	}
}

static void own_pieces(struct dpor *d, const struct strategy_point *p)
{
	struct strategy_point objects[2];
	size_t count = dpor_objects(p, objects);

	for (size_t i = 0; i < count; i++)
		own_pieces_of(d, &objects[i]);
}

static bool is_piece_shared(const struct dpor *d, const struct strategy_point *p)
{
	if (!is_plain(p))
		return false;
	if (d->has_any_size)
		return true;
	for (uint64_t i = 0; i < pieces_of(p); i++)
		if (table_get(&d->owners, p->object / PIECE + i) == SHARED)
			return true;
	return false;
}

bool dpor_is_shared(const struct dpor *d, const struct strategy_point *p)
{
	struct strategy_point objects[2];
	size_t count = dpor_objects(p, objects);

	for (size_t i = 0; i < count; i++)
		if (is_piece_shared(d, &objects[i]))
			return true;
	return false;
}

static enum dpor_reach reach_of(const struct dpor *d, const struct dpor_choice *c)
{
	if (c->flags & DPOR_ENDS || c->point.op == STRATEGY_TIMEOUT ||
	    (c->point.object == STRATEGY_ANY_OBJECT && !c->point.pair[0]))
		return WIDE;
	return dpor_is_shared(d, &c->point) ? SHARES : LOCAL;
}

/* Lists the steps. An access shows now whether earlier ones of its memory are shared. */
static void list_steps(struct dpor *d)
{
	d->all.count = d->shared.count = d->wide.count = 0;
	for (size_t i = d->known; i < d->depth; i++)
		if (dpor_is_step(&d->nodes.items[i]))
			own_pieces(d, point_at(d, i));
	for (size_t i = 0; i < d->depth; i++) {
		enum dpor_reach reach;

		if (!dpor_is_step(&d->nodes.items[i]))
			continue;
		reach = reach_of(d, dpor_chosen(&d->nodes.items[i]));
		*array_add(&d->all) = i;
		if (reach != LOCAL)
			*array_add(&d->shared) = i;
		if (reach == WIDE)
			*array_add(&d->wide) = i;
	}
}

/* A part of the list of a run's steps. */
struct steps {
	const size_t *items;
	size_t count;
};

/* Returns the steps before step i on which it may depend. */
static struct steps steps_before(const struct dpor *d, size_t i)
{
	enum dpor_reach reach = reach_of(d, dpor_chosen(&d->nodes.items[i]));
	struct steps s = {d->wide.items, d->wide.count};

	if (reach == WIDE)
		s = (struct steps){d->all.items, d->all.count};
	else if (reach == SHARES)
		s = (struct steps){d->shared.items, d->shared.count};
	s.count = array_search(s.items, sizeof(i), sizeof(i), s.count, i, false);
	return s;
}

/* ---- clocks ------------------------------------------------------------------------------ */

static size_t clock_get(const struct dpor_clock *c, unsigned thread)
{
	return thread < c->count ? c->items[thread] : 0;
}

static void clock_join(struct dpor_clock *c, const struct dpor_clock *other)
{
	for (size_t t = 0; t < other->count; t++) {
		size_t *known = array_at(c, t);

		*known = *known < other->items[t] ? other->items[t] : *known;
	}
}

static void clock_copy(struct dpor_clock *to, const struct dpor_clock *from)
{
	to->count = 0;
	clock_join(to, from);
}

/* A thread that could not go on before a step, and can after it, was created or woken by it. A lock
   that is given back is not such a cause: its acquirers compete for it. */
static void follow_cause(struct dpor *d, const struct dpor_node *before, const struct dpor_node *n)
{
	unsigned moved = dpor_chosen(before)->point.thread;

	for (size_t i = 0; i < n->count; i++) {
		const struct strategy_point *p = &n->choices[i].point;
		const struct dpor_choice *was = dpor_choice_of(before, p->thread);

		if (p->thread != moved && !(was && strategy_is_same(&was->point, p)))
			clock_join(array_at(&d->now, p->thread), &before->clock);
	}
}

/* ---- races ------------------------------------------------------------------------------- */

static bool takes_lock(const struct strategy_point *p)
{
	return p->acquires == STRATEGY_ACQUIRE_FREE || p->acquires == STRATEGY_ACQUIRE_HELD;
}

/* Returns true if a thread holds the lock before the step. A wait gives its mutex back when it
   begins. */
static bool is_while_held(const struct strategy_point *p)
{
	return p->op == STRATEGY_UNLOCK || p->op == STRATEGY_END ||
	       (p->op == STRATEGY_WAIT && p->acquires == STRATEGY_ACQUIRE_UNKNOWN) ||
	       p->acquires == STRATEGY_ACQUIRE_AGAIN || p->acquires == STRATEGY_ACQUIRE_HELD;
}

/* Returns true if step i can come before step j, on which it depends. */
static bool is_reversible(const struct dpor *d, size_t j, size_t i)
{
	const struct strategy_point *earlier = point_at(d, j), *later = point_at(d, i);
	const struct dpor_choice *pending;

	if (takes_lock(later) && is_while_held(earlier))
		return false;
	if (d->last.items[later->thread] > j)
		return true; /* the thread has come to step i after step j */
	pending = dpor_choice_of(&d->nodes.items[j], later->thread);
	return pending && strategy_is_same(&pending->point, later) &&
	       pending->point.acquires != STRATEGY_ACQUIRE_HELD;
}

/* Adds the step to the part of the run that begins with d->first. Returns true if it is a first
   step of a thread there, and no step of the part happens before it. */
static bool is_initial(struct dpor *d, size_t k)
{
	unsigned thread = point_at(d, k)->thread;
	const struct dpor_clock *clock = &d->nodes.items[k].clock;
	bool initial = true;

	if (*array_at(&d->first, thread))
		return false;
	for (unsigned t = 0; t < d->first.count; t++)
		if (d->first.items[t] && clock_get(clock, t) >= d->first.items[t])
			initial = false;
	d->first.items[thread] = k + 1;
	return initial;
}

/* Chooses among the initials of a reversed race. `covered`: one of them is in the source set. */
struct initials {
	struct dpor_choice *best;
	bool covered;
};

static void add_initial(struct initials *found, struct dpor_choice *c, bool preferred)
{
	if (!c)
		return;
	found->covered |= (c->flags & (DPOR_WANTED | DPOR_ASLEEP)) != 0;
	if (dpor_is_possible(c) && (!found->best || preferred))
		found->best = c;
}

/* Makes node j try a schedule with step i before step j: of the steps that do not happen after
   step j, and step i, one that can come first has to be in the node's source set. */
static void reverse(struct dpor *d, size_t j, size_t i)
{
	struct dpor_node *n = &d->nodes.items[j];
	unsigned moved = point_at(d, j)->thread, thread = point_at(d, i)->thread;
	struct initials found = {0};

	dpor_stores_raced(&d->stores, point_at(d, j));
	dpor_stores_raced(&d->stores, point_at(d, i));
	d->first.count = 0;
	for (size_t k = j + 1; k <= i; k++) {
		const struct dpor_node *step = &d->nodes.items[k];

		if (!dpor_is_step(step) || (k < i && clock_get(&step->clock, moved) > j))
			continue;
		if (is_initial(d, k))
			add_initial(&found, dpor_choice_of(n, point_at(d, k)->thread),
				    point_at(d, k)->thread == thread);
	}
	if (found.covered)
		return;
	if (found.best)
		found.best->flags |= DPOR_WANTED;
	for (size_t c = 0; !found.best && c < n->count; c++)
		if (dpor_is_possible(&n->choices[c]))
			n->choices[c].flags |= DPOR_WANTED;
}

/* Sets the clock of step i, from its thread's and from the steps on which it depends. */
static void set_clock(struct dpor *d, size_t i, const struct steps *s)
{
	struct dpor_node *n = &d->nodes.items[i];
	unsigned thread = point_at(d, i)->thread;

	clock_copy(&n->clock, array_at(&d->now, thread));
	for (size_t k = s->count; k-- > 0;) {
		size_t j = s->items[k];
		const struct dpor_node *other = &d->nodes.items[j];

		if (clock_get(&n->clock, dpor_chosen(other)->point.thread) <= j &&
		    dpor_depends(dpor_chosen(other), dpor_chosen(n)))
			clock_join(&n->clock, &other->clock);
	}
	*array_at(&n->clock, thread) = i + 1;
}

/* Reverses the races of step i. A race whose reversal is impossible hides none before it: a lock's
   release is between its acquirers. */
static void reverse_races(struct dpor *d, size_t i, const struct steps *s)
{
	const struct dpor_node *n = &d->nodes.items[i];
	unsigned thread = point_at(d, i)->thread;
	struct dpor_clock covered = {0};

	clock_copy(&covered, &d->now.items[thread]);
	for (size_t k = s->count; k-- > 0;) {
		size_t j = s->items[k];
		const struct dpor_node *other = &d->nodes.items[j];

		if (dpor_chosen(other)->point.thread == thread ||
		    clock_get(&covered, dpor_chosen(other)->point.thread) > j ||
		    !dpor_depends(dpor_chosen(other), dpor_chosen(n)) || !is_reversible(d, j, i))
			continue;
		reverse(d, j, i);
		clock_join(&covered, &other->clock);
	}
	array_fini(&covered);
}

void dpor_find_races(struct dpor *d)
{
	const struct dpor_node *before = NULL;

	array_each(struct dpor_clock, clock, &d->now)
		clock->count = 0;
	d->last.count = 0;
	list_steps(d);
	array_each(const size_t, at, &d->all) {
		size_t i = *at;
		unsigned thread = point_at(d, i)->thread;

		if (before)
			follow_cause(d, before, &d->nodes.items[i]);
		(void)array_at(&d->now, thread);
		(void)array_at(&d->last, thread);
		if (i >= d->known) {
			const struct steps s = steps_before(d, i);

			set_clock(d, i, &s);
			reverse_races(d, i, &s);
		}
		before = &d->nodes.items[i];
		d->last.items[thread] = i + 1;
		clock_copy(&d->now.items[thread], &before->clock);
	}
	d->known = d->depth;
}

void dpor_races_fini(struct dpor *d)
{
	array_each(struct dpor_clock, clock, &d->now)
		array_fini(clock);
	array_fini(&d->now);
	array_fini(&d->last);
	array_fini(&d->first);
	array_fini(&d->all);
	array_fini(&d->shared);
	array_fini(&d->wide);
	table_fini(&d->owners);
}
