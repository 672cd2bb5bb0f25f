/*
 * `env`, `args` and `stdin` of a script: PROG's environment, arguments and input, unless the
 * command line gives others; and PROG's clock.
 */
#ifndef GATECTL_GATES_GIVEN_H
#define GATECTL_GATES_GIVEN_H

#include "tracer/base/array.h"

#include <stdbool.h>
#include <stddef.h>

struct given_variable {
	char *name, *value; /* value NULL: the variable is unset */
};

struct given {
	ARRAY(struct given_variable) env;
	bool has_args;
	ARRAY(char *) args; /* arguments after the program's name */
	char *input; /* standard input: text, or a path if `input_is_file`; NULL: not given */
	size_t input_length;
	bool input_is_file;
	bool sleeps_till_rest; /* sleeps end when no thread can move; the clock is PROG's */
	char *source;	       /* FILE:LINE of the first of them; NULL: none is given */
};
/* Frees the members and zeroes *g. */
void given_fini(struct given *g);
/* True if both give PROG the same environment, arguments, standard input and clock. */
bool given_is_same(const struct given *a, const struct given *b);

#endif
