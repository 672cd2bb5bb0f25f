/* Fairness of systematic strategies (Musuvathi, Qadeer: Fair stateless model checking, 2008). */
#include "tracer/sched/strategy/strategy_internal.h"

void fairness_begin(struct fairness *f)
{
	f->step = 0;
	f->threads.count = 0;
}

void fairness_meet(struct fairness *f, const struct strategy_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void)array_at(&f->threads, points[i].thread);
}

/* A thread that would only wait for a lock cannot go on. */
bool fairness_is_behind(const struct fairness *f, const struct strategy_point *points, size_t count,
			size_t i)
{
	const struct fairness_thread *t = f->threads.items;
	unsigned long behind = t[points[i].thread].behind;

	for (size_t k = 0; behind && k < count; k++)
		if (k != i && points[k].acquires != STRATEGY_ACQUIRE_HELD &&
		    points[k].op != STRATEGY_SPURIOUS && t[points[k].thread].moved_at <= behind)
			return true;
	return false;
}

void fairness_step(struct fairness *f, const struct strategy_point *moved)
{
	struct fairness_thread *t = &f->threads.items[moved->thread];

	t->moved_at = ++f->step;
	t->behind = 0;
	if (!spin_step(&t->spin, moved) && moved->op != STRATEGY_YIELD)
		return;
	t->behind = t->yielded_at;
	t->yielded_at = f->step;
}

void fairness_fini(struct fairness *f)
{
	array_fini(&f->threads);
}
