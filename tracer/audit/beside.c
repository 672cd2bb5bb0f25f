/* Which accesses may be beside each other at all: those of one program, if it has threads. */
#include "tracer/audit/entries.h"
#include "tracer/audit/targets.h"

#include <string.h>

enum { OF_SEVERAL = -1 };

static bool is_own_thread(const struct audit *a, unsigned function)
{
	return number_map_get(&a->own_threads, a->program->functions.items[function].usr) ==
	       THREAD_OWNS;
}

/* Which thread alone comes to each function: index + 1 of its first one; 0: none that is known. */
static void find_threads(struct audit *a)
{
	bool changes = true;

	a->thread_of = base_alloc(a->program->functions.count + 1, sizeof(*a->thread_of));
	for (unsigned i = 0; i < a->program->functions.count; i++)
		if (entries_is(a, i))
			a->thread_of[i] = is_own_thread(a, i) ? i + 1 : (unsigned)OF_SEVERAL;
	while (changes) {
		changes = false;
		array_each(const struct audit_edge, e, &a->calls) {
			const unsigned from = a->thread_of[e->from], is = a->thread_of[e->to];

			if (!from || from == is || is == (unsigned)OF_SEVERAL)
				continue;
			a->thread_of[e->to] = is ? (unsigned)OF_SEVERAL : from;
			changes = true;
		}
	}
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
	find_threads(a);
	a->sequential = base_alloc(p->targets.count + 1, sizeof(*a->sequential));
	for (unsigned t = 0; t < p->targets.count; t++)
		a->sequential[t] = targets_is_named(p, t) && has_main[t] && !has_threads[t];
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
	const struct audit_program *p = a->program;

	if (!unit || !other)
		return true;
	array_each(const unsigned, x, &p->sources.items[unit - 1].targets)
		array_each(const unsigned, y, &p->sources.items[other - 1].targets)
			if (*x == *y ? !a->sequential[*x] : !targets_are_apart(p, *x, *y))
				return true;
	return false;
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

bool entries_beside(const struct audit *a, const struct entry_access *x,
		    const struct entry_access *y)
{
	return entries_together(a, x, y) && !are_of_one_thread(a, x, y);
}
