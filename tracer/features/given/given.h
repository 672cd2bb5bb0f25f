/* given.c: what a script says about the program's environment, arguments and standard input. */
#ifndef GATECTL_FEATURES_GIVEN_GIVEN_H
#define GATECTL_FEATURES_GIVEN_GIVEN_H

#include "tracer/run/state.h"

/* The program and its arguments: those of the command line; where it has none, the script's. */
char *const *given_argv(struct session *s);
/* gatectl's own environment with what the script changes; NULL: it changes nothing. */
char *const *given_env(struct session *s);

#endif
