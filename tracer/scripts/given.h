/* What a script says about the program's environment, arguments and standard input. */
#ifndef GATECTL_SCRIPTS_GIVEN_H
#define GATECTL_SCRIPTS_GIVEN_H

#include "tracer/run/state.h"

/* The program and its arguments: from the command line, or if it has none, from the script. Owned
   by the run. */
char *const *given_argv(struct run *s);
/* gatectl's own environment with the script's changes; NULL: there are none. Owned by the run. */
char *const *given_env(struct run *s);

#endif
