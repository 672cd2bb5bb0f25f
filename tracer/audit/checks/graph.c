/* Call graph: entries that reach a function, and locksets that all its callers hold. */
#include "tracer/audit/checks/checks.h"

/* ---- only entry that reaches a function ------------------------------------------------------ */

static unsigned own_thread(const struct audit *a, unsigned function)
{
	return number_map_get(&a->own_threads, a->program->functions.items[function].usr);
}

bool graph_is_one_thread(const struct audit *a, unsigned function)
{
	const unsigned is = own_thread(a, function);

	return is > THREAD_SHARES && number_map_get(&a->joined, is - THREAD_SHARES);
}

bool graph_is_of_many(const struct audit *a, unsigned function)
{
	return own_thread(a, function) <= THREAD_SHARES;
}

static bool is_own_thread(const struct audit *a, unsigned function)
{
	return own_thread(a, function) == THREAD_OWNS || graph_is_one_thread(a, function);
}

static unsigned *leader_of(struct audit *a, unsigned function, bool threads)
{
	return threads ? &a->roles[function].thread : &a->roles[function].entry;
}

/* Fixed point of `thread` or `entry` of all roles. An entry reaches itself; with `threads`, entries
   without a thread of their own count as several. */
static void find_leaders(struct audit *a, bool threads)
{
	bool changes = true;

	for (unsigned i = 0; i < a->program->functions.count; i++)
		if (a->roles[i].is_entry)
			*leader_of(a, i, threads) =
				!threads || is_own_thread(a, i) ? i + 1 : (unsigned)ENTRY_SEVERAL;
	while (changes) {
		changes = false;
		array_each(const struct audit_edge, e, &a->calls) {
			const unsigned from = *leader_of(a, e->from, threads);
			unsigned *is = leader_of(a, e->to, threads);

			if (!from || from == *is || *is == (unsigned)ENTRY_SEVERAL ||
			    (!threads && a->roles[e->to].is_entry))
				continue;
			*is = *is ? (unsigned)ENTRY_SEVERAL : from;
			changes = true;
		}
	}
}

bool parallel_one_entry(const struct audit *a, const struct entry_access *x,
			const struct entry_access *y)
{
	const unsigned entry = a->roles[x->entry].entry;

	if (!entry || entry == (unsigned)ENTRY_SEVERAL || entry != a->roles[y->entry].entry)
		return false;
	return is_own_thread(a, entry - 1) || !entries_is_thread(a, entry - 1);
}

/* Fixed point of `starter` and from_main of all roles. */
static void find_starters(struct audit *a)
{
	bool changes = true;

	for (unsigned i = 0; i < a->program->functions.count; i++) {
		struct audit_role *r = &a->roles[i];

		if (r->is_entry && entries_is_thread(a, i))
			r->starter = i + 1;
		else if (r->is_entry)
			r->from_main = !entries_is_callback(a, i) && !entries_is_unused(a, i);
	}
	while (changes) {
		changes = false;
		array_each(const struct audit_edge, e, &a->calls) {
			const struct audit_role *from = &a->roles[e->from];
			struct audit_role *to = &a->roles[e->to];

			if (from->from_main && !to->from_main)
				changes = to->from_main = true;
			if (!from->starter || from->starter == to->starter ||
			    to->starter == (unsigned)ENTRY_SEVERAL)
				continue;
			to->starter = to->starter ? (unsigned)ENTRY_SEVERAL : from->starter;
			changes = true;
		}
	}
}

/* ---- locks that all callers hold ------------------------------------------------------------- */

struct lock_items {
	ARRAY(unsigned) items; /* 2 * lock key + (1 if held exclusively) */
};

/* Item of the lock, or 0 if it is not held. */
static unsigned item_of(const unsigned *items, size_t count, unsigned key)
{
	for (size_t i = 0; i < count; i++)
		if (items[i] / 2 == key)
			return items[i];
	return 0;
}

/* Lockset at the call: the caller's own locks and those of its callers that it has not released. */
static void held_at_call(const struct audit *a, const struct audit_edge *e, struct lock_items *out)
{
	out->items.count = 0;
	for (unsigned i = 0; i < e->held.count; i++) {
		const struct audit_held *h = &e->held.items[i];
		const unsigned key = audit_lock_key(a, h->lock);

		if (key && h->mode != HELD_LEFT)
			*array_add(&out->items) = 2 * key + (h->mode != HELD_SHARED);
	}
	array_each(const unsigned, item, &a->roles[e->from].locks.items) {
		bool is_left = false;

		for (unsigned i = 0; i < e->held.count; i++)
			is_left |= e->held.items[i].mode == HELD_LEFT &&
				   audit_lock_key(a, e->held.items[i].lock) == *item / 2;
		if (!is_left && !item_of(out->items.items, out->items.count, *item / 2))
			*array_add(&out->items) = *item;
	}
}

/* Intersects the locksets. Returns true if the role's changed. */
static bool meet_locks(struct audit_role *r, const struct lock_items *with)
{
	bool changed = false;

	if (!r->locks.is_known) {
		array_each(const unsigned, item, &with->items)
			*array_add(&r->locks.items) = *item;
		return r->locks.is_known = true;
	}
	for (size_t i = r->locks.items.count; i > 0; i--) {
		unsigned *item = &r->locks.items.items[i - 1],
			 other = item_of(with->items.items, with->items.count, *item / 2);

		if (other && (other & 1 || !(*item & 1)))
			continue;
		if (other)
			*item = other;
		else
			array_remove(&r->locks.items, i - 1);
		changed = true;
	}
	return changed;
}

/* Fixed point of the locksets of all callers. */
static void find_callers_locks(struct audit *a)
{
	struct lock_items at_call = {{0}};
	bool changes = true;

	for (unsigned i = 0; i < a->program->functions.count; i++)
		a->roles[i].locks.is_known = a->roles[i].is_entry;
	while (changes) {
		changes = false;
		array_each(const struct audit_edge, e, &a->calls) {
			if (!a->roles[e->from].locks.is_known || a->roles[e->to].is_entry ||
			    e->is_of_new)
				continue;
			held_at_call(a, e, &at_call);
			changes |= meet_locks(&a->roles[e->to], &at_call);
		}
	}
	array_fini(&at_call.items);
}

bool graph_callers_hold(const struct audit *a, unsigned function)
{
	bool any = false;

	array_each(const struct audit_edge, e, &a->calls) {
		bool holds = a->roles[e->from].locks.items.count > 0;

		if (e->to != function || e->is_of_new)
			continue;
		for (unsigned i = 0; i < e->held.count; i++)
			holds |= e->held.items[i].mode != HELD_LEFT;
		if (!holds)
			return false;
		any = true;
	}
	return any;
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* Phases that a call at this moment adds to the called function. */
static unsigned phases_at(unsigned phases, enum audit_moment moment)
{
	if (moment == MOMENT_BEFORE || phases & PHASE_SHARED)
		return phases;
	return moment == MOMENT_JOINED || phases == PHASE_TEARDOWN ? PHASE_TEARDOWN : PHASE_SHARED;
}

/* Functions that other files, other threads or unknown code may call at any time. */
static unsigned phases_of_root(const struct audit *a, unsigned function)
{
	const struct audit_role *r = &a->roles[function];
	const struct audit_function *f = &a->program->functions.items[function];

	if (entries_is_main(a, function) || f->run == RUN_FIRST)
		return PHASE_SETUP;
	if (f->run == RUN_LAST)
		return PHASE_TEARDOWN;
	return r->is_entry || a->facts[function].is_once || (!f->is_static && !r->in_program)
		       ? PHASE_SHARED
		       : 0;
}

static unsigned *phases_of(struct audit *a, unsigned function, bool of_calls)
{
	return of_calls ? &a->roles[function].called : &a->roles[function].phases;
}

/* Phases by the calls alone: a function that these files call is called by nothing else,
   unless its address is taken. A program without threads, as an example of a library, shows
   nothing. */
static unsigned called_of_root(const struct audit *a, unsigned function)
{
	if (entries_is_called(a, function))
		return 0;
	return entries_is_main(a, function) && !a->facts[function].makes_threads
		       ? PHASE_SHARED
		       : phases_of_root(a, function);
}

/* Fixed point of the phases of all functions, or of those by the calls in these files. */
static void find_phases(struct audit *a, bool of_calls)
{
	bool changes = true;

	for (unsigned i = 0; i < a->program->functions.count; i++)
		*phases_of(a, i, of_calls) = of_calls ? called_of_root(a, i) : phases_of_root(a, i);
	while (changes) {
		changes = false;
		array_each(const struct audit_edge, e, &a->calls) {
			const unsigned from = *phases_of(a, e->from, of_calls),
				       more = from ? phases_at(from, e->moment) : 0;
			unsigned *to = phases_of(a, e->to, of_calls);

			changes |= (*to | more) != *to;
			*to |= more;
		}
	}
}

bool graph_is_access_shared(const struct audit *a, const struct entry_access *e)
{
	const unsigned phases = a->roles[e->function].phases;

	return !phases || phases & PHASE_SHARED;
}

bool graph_is_shared(const struct audit *a, unsigned function, enum audit_moment moment)
{
	const unsigned phases = a->roles[function].phases;

	return phases && phases_at(phases, moment) & PHASE_SHARED;
}

bool graph_is_set_up(const struct audit *a, unsigned function, enum audit_moment moment)
{
	return moment == MOMENT_BEFORE && a->roles[function].phases & PHASE_SETUP;
}

bool graph_is_from_known(const struct audit *a, unsigned function)
{
	const struct audit_role *r = &a->roles[function];

	return r->starter || r->from_main || (r->is_entry && !entries_is_callback(a, function));
}

bool graph_is_called_shared(const struct audit *a, unsigned function, enum audit_moment moment)
{
	const unsigned phases = a->roles[function].called;

	return !phases || phases_at(phases, moment) & PHASE_SHARED;
}

/* ---- paths from entries ---------------------------------------------------------------------- */

/* Breadth-first search from the entries. */
static void find_paths(struct audit *a)
{
	const size_t functions = a->program->functions.count;
	/* Depth + 1; 0 means not reached. */
	unsigned *depth = base_alloc(functions + 1, sizeof(*depth));
	bool changes = true;

	for (unsigned i = 0; i < functions; i++)
		depth[i] = a->roles[i].is_entry;
	for (unsigned level = 1; changes; level++) {
		changes = false;
		for (unsigned i = 0; i < a->calls.count; i++) {
			const struct audit_edge *e = &a->calls.items[i];

			if (depth[e->from] != level || depth[e->to])
				continue;
			depth[e->to] = level + 1;
			a->roles[e->to].call = i + 1;
			changes = true;
		}
	}
	base_free(depth);
}

void graph_notes(const struct audit *a, unsigned function, enum finding_way way, struct finding *f)
{
	const struct audit_edge *call;

	if (!a->roles[function].call)
		return;
	call = &a->calls.items[a->roles[function].call - 1];
	graph_notes(a, call->from, way, f);
	finding_step(f, way, call->at, "from here, in %s", entries_name(a, call->from));
}

void graph_find(struct audit *a)
{
	find_leaders(a, true);
	find_leaders(a, false);
	find_starters(a);
	find_callers_locks(a);
	find_paths(a);
	find_phases(a, false);
	find_phases(a, true);
}

static void mark_reached(const struct audit *a, bool *is_reached)
{
	bool changes = true;

	while (changes) {
		changes = false;
		array_each(const struct audit_edge, e, &a->calls)
			if (is_reached[e->from] && !is_reached[e->to])
				changes = is_reached[e->to] = true;
	}
}

bool graph_reaches(const struct audit *a, unsigned from, unsigned to)
{
	bool *is_reached = base_alloc(a->program->functions.count + 1, sizeof(*is_reached)), is;

	is_reached[from] = true;
	mark_reached(a, is_reached);
	is = is_reached[to];
	base_free(is_reached);
	return is;
}
