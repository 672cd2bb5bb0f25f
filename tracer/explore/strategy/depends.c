#include "tracer/explore/strategy/strategy.h"

static bool synchronises(const struct strategy_point *p)
{
	return p->op != STRATEGY_READ && p->op != STRATEGY_WRITE;
}

bool strategy_depends(const struct strategy_point *a, const struct strategy_point *b)
{
	if (a->thread == b->thread)
		return true;
	if (a->object == STRATEGY_ANY_OBJECT || b->object == STRATEGY_ANY_OBJECT)
		return true;
	if (a->object != b->object || a->object == STRATEGY_NO_OBJECT)
		return false;
	return a->writes || b->writes || (synchronises(a) && synchronises(b));
}
