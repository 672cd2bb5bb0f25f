/* Which accesses may be beside each other at all: those of one program, if it has threads. */
#include "tracer/audit/checks/entries.h"
#include "tracer/audit/frontend/targets.h"

#include <string.h>

enum { OF_SEVERAL = -1 };

static bool is_own_thread(const struct audit *a, unsigned function)
{
	return number_map_get(&a->own_threads, a->program->functions.items[function].usr) ==
	       THREAD_OWNS;
}

/* Which entry alone leads to each function: index + 1; 0: none that is known. An entry leads to itself, a thread's first
   function to what others do not call, too. */
static unsigned *find_leaders(const struct audit *a, bool threads)
{
	unsigned *of = base_alloc(a->program->functions.count + 1, sizeof(*of));
	bool changes = true;

	for (unsigned i = 0; i < a->program->functions.count; i++)
		if (entries_is(a, i))
			of[i] = !threads || is_own_thread(a, i) ? i + 1 : (unsigned)OF_SEVERAL;
	while (changes) {
		changes = false;
		array_each(const struct audit_edge, e, &a->calls) {
			const unsigned from = of[e->from], is = of[e->to];

			if (!from || from == is || is == (unsigned)OF_SEVERAL ||
			    (!threads && entries_is(a, e->to)))
				continue;
			of[e->to] = is ? (unsigned)OF_SEVERAL : from;
			changes = true;
		}
	}
	return of;
}

static bool is_thread(const struct audit *a, unsigned function)
{
	return number_map_get(&a->program->taken, a->program->functions.items[function].usr) ==
	       TAKEN_BY_THREAD;
}

bool entries_of_one(const struct audit *a, const struct entry_access *x,
		    const struct entry_access *y)
{
	const unsigned entry = a->entry_of[x->entry];

	if (!entry || entry == (unsigned)OF_SEVERAL || entry != a->entry_of[y->entry])
		return false;
	return is_own_thread(a, entry - 1) || !is_thread(a, entry - 1);
}

/* ---- units that are compiled for the same --------------------------------------------------------------------- */

static bool has_same_targets(const struct audit_unit *a, const struct audit_unit *b)
{
	if (a->targets.count != b->targets.count)
		return false;
	for (size_t i = 0; i < a->targets.count; i++)
		if (a->targets.items[i] != b->targets.items[i])
			return false;
	return true;
}

static bool may_be_beside(const struct audit *a, const struct audit_unit *unit,
			  const struct audit_unit *other)
{
	array_each(const unsigned, x, &unit->targets)
		array_each(const unsigned, y, &other->targets)
			if (*x == *y ? !a->sequential[*x] : !targets_are_apart(a->program, *x, *y))
				return true;
	return false;
}

/* Of a thousand units there are a few kinds: what is asked for each pair of accesses is known beforehand. */
static void find_kinds(struct audit *a)
{
	ARRAY(struct audit_unit *) kinds = {0};

	array_each(struct audit_unit, u, &a->program->sources) {
		u->kind = 0;
		while (u->kind < kinds.count && !has_same_targets(kinds.items[u->kind], u))
			u->kind++;
		if (u->kind == kinds.count)
			*array_add(&kinds) = u;
	}
	a->kinds = (unsigned)kinds.count;
	a->beside = base_alloc(kinds.count * kinds.count + 1, sizeof(*a->beside));
	for (size_t x = 0; x < kinds.count; x++)
		for (size_t y = 0; y < kinds.count; y++)
			a->beside[x * kinds.count + y] =
				may_be_beside(a, kinds.items[x], kinds.items[y]);
	array_fini(&kinds);
}

/* A program is what has a main; without anything that makes a thread, all of it comes one after the other. */
void beside_find(struct audit *a)
{
	const struct audit_program *p = a->program;
	bool *has_main = base_alloc(p->targets.count + 1, sizeof(*has_main)),
	     *has_threads = base_alloc(p->targets.count + 1, sizeof(*has_threads));

	for (unsigned i = 0; i < p->functions.count; i++) {
		const struct audit_function *f = &p->functions.items[i];

		if (!f->unit)
			continue;
		array_each(const unsigned, t, &p->sources.items[f->unit - 1].targets) {
			has_main[*t] |= strcmp(entries_name(a, i), "main") == 0;
			has_threads[*t] |= a->facts[i].makes_threads;
		}
	}
	a->thread_of = find_leaders(a, true);
	a->entry_of = find_leaders(a, false);
	a->sequential = base_alloc(p->targets.count + 1, sizeof(*a->sequential));
	for (unsigned t = 0; t < p->targets.count; t++)
		a->sequential[t] = targets_is_named(p, t) && has_main[t] && !has_threads[t];
	find_kinds(a);
	base_free(has_main);
	base_free(has_threads);
}

bool beside_nobody(const struct audit *a, unsigned function)
{
	const unsigned unit = a->program->functions.items[function].unit;

	if (!unit)
		return false;
	array_each(const unsigned, t, &a->program->sources.items[unit - 1].targets)
		if (!a->sequential[*t])
			return false;
	return true;
}

static bool are_beside(const struct audit *a, unsigned unit, unsigned other)
{
	const struct audit_unit *all = a->program->sources.items;

	return !unit || !other ||
	       a->beside[(size_t)all[unit - 1].kind * a->kinds + all[other - 1].kind];
}

static size_t beside_kind_of(const struct audit *a, unsigned function)
{
	const unsigned unit = a->program->functions.items[function].unit;

	return unit ? 2 + a->program->sources.items[unit - 1].kind : 1;
}

size_t entries_kind(const struct audit *a, const struct entry_access *e)
{
	return beside_kind_of(a, e->entry) * (a->kinds + 2) + beside_kind_of(a, e->function);
}

bool entries_together(const struct audit *a, const struct entry_access *x,
		      const struct entry_access *y)
{
	const struct audit_function *all = a->program->functions.items;

	return are_beside(a, all[x->function].unit, all[y->function].unit) &&
	       are_beside(a, all[x->entry].unit, all[y->function].unit) &&
	       are_beside(a, all[x->function].unit, all[y->entry].unit) &&
	       are_beside(a, all[x->entry].unit, all[y->entry].unit) &&
	       are_beside(a, all[x->entry].unit, all[x->function].unit) &&
	       are_beside(a, all[y->entry].unit, all[y->function].unit);
}

/* Nobody else's: what is reached from the thread's argument. */
static bool is_of_argument(const struct audit *a, const struct entry_access *e)
{
	const enum term_kind kind =
		term_at(&a->terms, term_root(&a->terms, e->access->address)).kind;

	return kind == TERM_PARAMETER || kind == TERM_SITE || kind == TERM_JOIN;
}

/* Both are what one thread does with the object that it has to itself. */
static bool are_of_one_thread(const struct audit *a, const struct entry_access *x,
			      const struct entry_access *y)
{
	const unsigned thread = a->thread_of[x->entry];

	return thread && thread != (unsigned)OF_SEVERAL && thread == a->thread_of[y->entry] &&
	       is_of_argument(a, x) && is_of_argument(a, y);
}

/* A program's first thread is one. */
static bool are_of_main(const struct audit *a, const struct entry_access *x,
			const struct entry_access *y)
{
	return x->entry == y->entry && strcmp(entries_name(a, x->entry), "main") == 0;
}

static bool is_of_thread(const struct audit *a, const struct entry_access *e)
{
	return is_thread(a, e->entry);
}

/* Before its entry has made a thread, or when it has waited for it. */
static bool is_without_threads(const struct audit *a, const struct entry_access *e)
{
	const struct audit_facts *f = &a->facts[e->entry];

	return e->access->alone &&
	       ((f->makes_threads && !e->access->late) || (f->joins_threads && e->access->late));
}

/* ... that is given this object: who else should have it yet? */
static bool is_before_its_thread(const struct audit *a, const struct entry_access *e)
{
	if (e->access->is_before)
		return true;
	if (e->access->late || !is_without_threads(a, e))
		return false;
	array_each(const unsigned, given, &a->facts[e->entry].given)
		if (term_contains(&a->terms, e->access->address, *given))
			return true;
	return false;
}

bool entries_beside(const struct audit *a, const struct entry_access *x,
		    const struct entry_access *y)
{
	if (!entries_together(a, x, y) || are_of_one_thread(a, x, y) || are_of_main(a, x, y) ||
	    is_before_its_thread(a, x) || is_before_its_thread(a, y))
		return false;
	return !(is_of_thread(a, x) && is_without_threads(a, y)) &&
	       !(is_of_thread(a, y) && is_without_threads(a, x));
}

bool entries_behind_threads(const struct audit *a, const struct entry_access *e)
{
	return e->access->late && is_without_threads(a, e);
}

bool entries_in_two_threads(const struct audit *a, const struct entry_access *x,
			    const struct entry_access *y)
{
	const bool of_thread = is_of_thread(a, x) || is_of_thread(a, y);

	return of_thread && x->entry != y->entry && !entries_is_callback(a, x->entry) &&
	       !entries_is_callback(a, y->entry);
}
