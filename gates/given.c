#include "gates/given.h"

void given_fini(struct given *g)
{
	array_each(struct given_variable, v, &g->env) {
		base_free(v->name);
		base_free(v->value);
	}
	array_each(char *, arg, &g->args)
		base_free(*arg);
	array_fini(&g->env);
	array_fini(&g->args);
	base_free(g->input);
	base_free(g->source);
	*g = (struct given){0};
}
