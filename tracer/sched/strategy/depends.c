#include "tracer/sched/strategy/strategy.h"

static bool is_access(const struct strategy_point *p)
{
	return p->op == STRATEGY_READ || p->op == STRATEGY_WRITE || p->op == STRATEGY_ATOMIC;
}

static bool synchronises(const struct strategy_point *p)
{
	return p->op != STRATEGY_READ && p->op != STRATEGY_WRITE;
}

static bool starts_within(const struct strategy_point *a, const struct strategy_point *b)
{
	return b->object - a->object < (a->size ? a->size : 1);
}

/* Who is about nothing is at no memory. */
static bool overlap(const struct strategy_point *a, const struct strategy_point *b)
{
	if (a->object == STRATEGY_NO_OBJECT || b->object == STRATEGY_NO_OBJECT)
		return false;
	if (a->size == STRATEGY_ANY_SIZE || b->size == STRATEGY_ANY_SIZE)
		return a->object == b->object || (is_access(a) && is_access(b));
	return starts_within(a, b) || starts_within(b, a);
}

static bool matters(const struct strategy_point *a, const struct strategy_point *b, bool together)
{
	if (a->thread == b->thread)
		return true;
	if (a->object == STRATEGY_ANY_OBJECT || b->object == STRATEGY_ANY_OBJECT)
		return true;
	return together && (a->writes || b->writes || (synchronises(a) && synchronises(b)));
}

bool strategy_depends(const struct strategy_point *a, const struct strategy_point *b)
{
	return matters(a, b, overlap(a, b));
}

/* strategy_foresee() tells others by their beginnings, too. */
bool strategy_meets(const struct strategy_point *a, const struct strategy_point *b)
{
	return matters(a, b, a->object == b->object && a->object != STRATEGY_NO_OBJECT);
}
