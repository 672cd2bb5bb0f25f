/*
 * What a unit includes, before libclang reads it: of a pipe or a device it would read without end. Conditions are not
 * looked at, and folders of the system not searched.
 */
#ifndef GATECTL_AUDIT_FRONTEND_INCLUDED_H
#define GATECTL_AUDIT_FRONTEND_INCLUDED_H

#include "tracer/audit/frontend/program.h"

/* Files that were looked at already, for all units. */
struct included_known {
	struct interned files;
	struct number_map seen;
};

struct included {
	const char *folder; /* where the compiler was started; may be NULL */
	char *const *words; /* its arguments */
	size_t count;
	struct included_known *known;
};

/* NULL, or what of its text or arguments names something that is no file, owned. */
char *included_no_file(const struct included *i, const char *file);
void included_known_fini(struct included_known *k);

#endif
