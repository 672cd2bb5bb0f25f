/* What the compiler is asked for. */
#ifndef GATECTL_HARNESS_BUILD_BUILD_H
#define GATECTL_HARNESS_BUILD_BUILD_H

#include "tracer/harness/harness.h"

/* A folder for a while, and how the library is linked with; h->module: where its debug information is. */
int harness_library(struct harness_hunt *h);
/* h->program, of the object as it is now. */
int harness_compile(struct harness_hunt *h);
/* The command that makes the program `to` of the file `from`, both named as given. */
void harness_command(const struct harness_hunt *h, const char *to, const char *from,
		     struct str *out);
/* Runs a command of the shell. Its output goes to *out; 0, or -1 where it says no. */
int harness_shell(const char *command, struct str *out);
char *harness_path(const struct harness_hunt *h, const char *name); /* in the folder */
void harness_remove(struct harness_hunt *h);

#endif
