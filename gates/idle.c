#include "gates/idle.h"

#include "tracer/base/array.h"

bool idle_has_outer(const struct idle *idle)
{
	for (size_t i = 0; i < idle->count; i++)
		if (idle->tests[i].outer)
			return true;
	return false;
}

void idle_free(struct idle *idle)
{
	if (!idle)
		return;
	for (size_t i = 0; i < idle->variable_count; i++)
		base_free(idle->variables[i].name);
	base_free(idle);
}
