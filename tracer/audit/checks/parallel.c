/* May-happen-in-parallel analysis: accesses of one program that has threads. */
#include "tracer/audit/checks/checks.h"

#include <string.h>

/* ---- kinds of units -------------------------------------------------------------------------- */

static bool has_same_targets(const struct audit_unit *a, const struct audit_unit *b)
{
	return a->targets.count == b->targets.count &&
	       (!a->targets.count || memcmp(a->targets.items, b->targets.items,
					    a->targets.count * sizeof(*a->targets.items)) == 0);
}

static bool may_be_parallel(const struct audit *a, const struct audit_unit *unit,
			    const struct audit_unit *other)
{
	array_each(const unsigned, x, &unit->targets)
		array_each(const unsigned, y, &other->targets)
			if (*x == *y ? !a->sequential[*x] : !targets_are_apart(a->program, *x, *y))
				return true;
	return false;
}

/* Joins kinds that may be parallel to the same kinds: a program's hundred modules are one. */
static void join_kinds(struct audit *a)
{
	unsigned *kept = base_alloc(a->kinds + 1, sizeof(*kept)), count = 0;
	const size_t row = a->kinds * sizeof(*a->parallel);

	for (unsigned k = 0; k < a->kinds; k++) {
		const bool *parallel = &a->parallel[k * a->kinds];
		unsigned is = 0;

		while (is < count && memcmp(&a->parallel[kept[is] * a->kinds], parallel, row) != 0)
			is++;
		if (is == count)
			kept[count++] = k;
		array_each(struct audit_unit, u, &a->program->sources)
			if (u->kind == k)
				u->kind = is;
	}
	for (unsigned x = 0; x < count; x++)
		for (unsigned y = 0; y < count; y++)
			a->parallel[x * count + y] = a->parallel[kept[x] * a->kinds + kept[y]];
	a->kinds = count;
	base_free(kept);
}

/* Groups units with equal targets into kinds: a thousand units have a few. Results are computed
   once for each pair of kinds. */
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
	a->parallel = base_alloc(kinds.count * kinds.count + 1, sizeof(*a->parallel));
	for (size_t x = 0; x < kinds.count; x++)
		for (size_t y = 0; y < kinds.count; y++)
			a->parallel[x * kinds.count + y] =
				may_be_parallel(a, kinds.items[x], kinds.items[y]);
	array_fini(&kinds);
	join_kinds(a);
}

/* A target with a main that makes no thread is sequential. */
void parallel_find(struct audit *a)
{
	const struct audit_program *p = a->program;
	bool *has_main = base_alloc(p->targets.count + 1, sizeof(*has_main)),
	     *has_threads = base_alloc(p->targets.count + 1, sizeof(*has_threads));

	for (unsigned i = 0; i < p->functions.count; i++) {
		const unsigned unit = p->functions.items[i].unit;

		if (!unit)
			continue;
		array_each(const unsigned, t, &p->sources.items[unit - 1].targets) {
			has_main[*t] |= strcmp(entries_name(a, i), "main") == 0;
			has_threads[*t] |= a->facts[i].makes_threads;
		}
	}
	a->sequential = base_alloc(p->targets.count + 1, sizeof(*a->sequential));
	for (unsigned t = 0; t < p->targets.count; t++)
		a->sequential[t] = targets_is_named(p, t) && has_main[t] && !has_threads[t];
	find_kinds(a);
	base_free(has_main);
	base_free(has_threads);
}

bool parallel_to_nothing(const struct audit *a, unsigned function)
{
	const unsigned unit = a->program->functions.items[function].unit;

	if (!unit)
		return false;
	array_each(const unsigned, t, &a->program->sources.items[unit - 1].targets)
		if (!a->sequential[*t])
			return false;
	return true;
}

/* Kind of the function's unit + 1; 0 for a header. */
static size_t kind_of(const struct audit *a, unsigned function)
{
	const unsigned unit = a->program->functions.items[function].unit;

	return unit ? 1 + a->program->sources.items[unit - 1].kind : 0;
}

size_t parallel_kind(const struct audit *a, const struct entry_access *e)
{
	return kind_of(a, e->entry) * (a->kinds + 1) + kind_of(a, e->function);
}

bool parallel_together(const struct audit *a, const struct entry_access *x,
		       const struct entry_access *y)
{
	const size_t kinds[] = {kind_of(a, x->function), kind_of(a, x->entry),
				kind_of(a, y->function), kind_of(a, y->entry)};

	for (int i = 0; i < 4; i++)
		for (int k = i + 1; k < 4; k++)
			if (kinds[i] && kinds[k] &&
			    !a->parallel[(kinds[i] - 1) * a->kinds + kinds[k] - 1])
				return false;
	return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* True if the object is reached from the thread's argument. */
static bool is_of_argument(const struct audit *a, const struct entry_access *e)
{
	const enum term_kind kind = term_kind(&a->terms, term_root(&a->terms, e->access->address));

	return kind == TERM_PARAMETER || kind == TERM_SITE || kind == TERM_JOIN;
}

/* True if one thread makes both accesses, to an object of its own if there are several. */
static bool are_of_one_thread(const struct audit *a, const struct entry_access *x,
			      const struct entry_access *y)
{
	const unsigned thread = a->roles[x->entry].thread;

	return thread && thread != (unsigned)ENTRY_SEVERAL && thread == a->roles[y->entry].thread &&
	       (graph_is_one_thread(a, thread - 1) ||
		(is_of_argument(a, x) && is_of_argument(a, y)));
}

/* True if both are of a program's main thread. */
static bool are_of_main(const struct audit *a, const struct entry_access *x,
			const struct entry_access *y)
{
	return x->entry == y->entry && strcmp(entries_name(a, x->entry), "main") == 0;
}

/* True if the access comes before its entry makes a thread or after it has joined all. */
static bool is_without_threads(const struct audit *a, const struct entry_access *e)
{
	const struct audit_facts *f = &a->facts[e->entry];
	const bool late = entry_is(e, ACCESS_LATE);

	return entry_is(e, ACCESS_ALONE) &&
	       ((f->makes_threads && !late) || (f->joins_threads && late));
}

bool parallel_is_of_creator(const struct audit *a, const struct entry_access *e)
{
	return entries_is_thread(a, e->entry) &&
	       term_kind(&a->terms, term_root(&a->terms, e->access->address)) == TERM_PARAMETER;
}

/* True if the access comes before the start of the thread that the object is passed to. */
static bool is_before_its_thread(const struct audit *a, const struct entry_access *e)
{
	if (parallel_is_of_creator(a, e))
		return false;
	if (entry_is(e, ACCESS_BEFORE))
		return true;
	if (entry_is(e, ACCESS_LATE) || !is_without_threads(a, e))
		return false;
	array_each(const struct audit_deed, d, &a->facts[e->entry].deeds)
		if (d->kind == DEED_GIVEN &&
		    term_contains(&a->terms, e->access->address, d->object))
			return true;
	return false;
}

bool parallel_may_be(const struct audit *a, const struct entry_access *x,
		     const struct entry_access *y)
{
	if (!parallel_together(a, x, y) || are_of_one_thread(a, x, y) || are_of_main(a, x, y) ||
	    is_before_its_thread(a, x) || is_before_its_thread(a, y))
		return false;
	return !(entries_is_thread(a, x->entry) && is_without_threads(a, y)) &&
	       !(entries_is_thread(a, y->entry) && is_without_threads(a, x));
}

bool parallel_after_join(const struct audit *a, const struct entry_access *e)
{
	const unsigned flags = ACCESS_LATE | ACCESS_ALONE;

	for (const struct audit_access *at = e->access; at; at = at->inner)
		if ((at->flags & flags) == flags && a->facts[at->function].joins_threads &&
		    !entries_is_thread(a, at->function))
			return true;
	return false;
}

bool parallel_before_threads(const struct audit *a, const struct entry_access *e)
{
	const unsigned flags = ACCESS_LATE | ACCESS_ALONE;

	if (parallel_is_of_creator(a, e) ||
	    (!entries_is_thread(a, e->entry) && !a->roles[e->entry].in_program))
		return false;
	for (const struct audit_access *at = e->access; at && at->flags & ACCESS_ALONE;
	     at = at->inner)
		if ((at->flags & flags) == ACCESS_ALONE && a->facts[at->function].makes_threads)
			return true;
	return false;
}

/* True if two threads are known to run the functions. */
static bool are_certain(const struct audit *a, unsigned x, unsigned y)
{
	const struct audit_role *of_x = &a->roles[x], *of_y = &a->roles[y];

	return (of_x->starter && of_y->from_main) || (of_y->starter && of_x->from_main) ||
	       (of_x->starter && of_y->starter &&
		(of_x->starter != of_y->starter || of_x->starter == (unsigned)ENTRY_SEVERAL ||
		 graph_is_of_many(a, of_x->starter - 1)));
}

bool parallel_is_certain(const struct audit *a, const struct entry_access *x,
			 const struct entry_access *y)
{
	return are_certain(a, x->entry, y->entry);
}

bool parallel_are_two(const struct audit *a, unsigned x, unsigned y)
{
	return are_certain(a, x, y) || !(a->roles[x].in_program || a->roles[y].in_program);
}

bool parallel_runs_beside(const struct audit *a, unsigned function, const struct entry_access *e)
{
	return graph_is_access_shared(a, e) && parallel_are_two(a, function, e->entry);
}

bool parallel_is_known(const struct audit *a, const struct entry_access *x,
		       const struct entry_access *y)
{
	return parallel_may_be(a, x, y) && parallel_runs_beside(a, x->entry, y);
}
