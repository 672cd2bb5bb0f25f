/* Script inputs (`env`, `args`, `stdin`): free and compare them. */
#include "gates/given.h"
#include "tracer/base/text/str.h"

#include <string.h>

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

static bool has_variable(const struct given *g, const struct given_variable *wanted)
{
	array_each(const struct given_variable, v, &g->env)
		if (str_same(v->name, wanted->name) && str_same(v->value, wanted->value))
			return true;
	return false;
}

/* Each name occurs once; the order does not matter. */
static bool has_same_env(const struct given *a, const struct given *b)
{
	if (a->env.count != b->env.count)
		return false;
	array_each(const struct given_variable, v, &a->env)
		if (!has_variable(b, v))
			return false;
	return true;
}

static bool has_same_args(const struct given *a, const struct given *b)
{
	if (a->has_args != b->has_args || a->args.count != b->args.count)
		return false;
	for (size_t i = 0; i < a->args.count; i++)
		if (!str_same(a->args.items[i], b->args.items[i]))
			return false;
	return true;
}

static bool has_same_input(const struct given *a, const struct given *b)
{
	if (!a->input || !b->input)
		return a->input == b->input;
	return a->input_is_file == b->input_is_file && a->input_length == b->input_length &&
	       memcmp(a->input, b->input, a->input_length) == 0;
}

bool given_is_same(const struct given *a, const struct given *b)
{
	return has_same_env(a, b) && has_same_args(a, b) && has_same_input(a, b) &&
	       a->sleeps_till_rest == b->sleeps_till_rest;
}
