/* `env`, `args` and `stdin` of a script: what PROG gets unless the command line says otherwise. */
#ifndef GATECTL_GATES_GIVEN_H
#define GATECTL_GATES_GIVEN_H

#include "tracer/base/array.h"

#include <stdbool.h>
#include <stddef.h>

struct given_variable {
	char *name, *value; /* value NULL: it is taken away */
};

struct given {
	ARRAY(struct given_variable) env;
	bool has_args;
	ARRAY(char *) args; /* those behind the program's name */
	char *input; /* standard input: a text, or with `input_is_file` a path; NULL: not given */
	size_t input_length;
	bool input_is_file;
	char *source; /* FILE:LINE of the first of them; NULL: there is none */
};
void given_fini(struct given *g);
/* Does PROG get the same? */
bool given_is_same(const struct given *a, const struct given *b);

#endif
