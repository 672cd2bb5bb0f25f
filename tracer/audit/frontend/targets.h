/*
 * What units are compiled for: programs and libraries, told by where their objects go. One file of commands names often
 * several programs; what happens in one of them is never beside what happens in another.
 */
#ifndef GATECTL_AUDIT_FRONTEND_TARGETS_H
#define GATECTL_AUDIT_FRONTEND_TARGETS_H

#include "tracer/audit/frontend/program.h"

/* What the object belongs to, by the ways of CMake (x.dir/), Meson (x.p/) and Automake (x-source.o); owned. NULL: nobody
   knows. `object` is as the command names it. */
char *targets_of_object(const char *folder, const char *object, const char *source);
/* The unit (index + 1) is compiled for it, too. */
void targets_add(struct audit_program *p, unsigned unit, const char *target);
/* A unit of which nobody knows what for is one of its own. */
unsigned targets_add_unit(struct audit_program *p);
/* Once, when all units are read: two that define the same function are not linked together. */
void targets_settle(struct audit_program *p);
/* The function (index + 1; 0: none) that a unit's call comes to: the one of its own program, where there are several. */
unsigned targets_function(const struct audit_program *p, unsigned usr, unsigned from);
/* Are they never linked together? */
bool targets_are_apart(const struct audit_program *p, unsigned target, unsigned other);
/* Did the commands tell of it? */
bool targets_is_named(const struct audit_program *p, unsigned target);
void targets_fini(struct audit_program *p);

#endif
