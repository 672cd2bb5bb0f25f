/* What libclang writes to standard error, in many lines that nobody wants to read: it is caught meanwhile. */
#ifndef GATECTL_AUDIT_FRONTEND_CAUGHT_H
#define GATECTL_AUDIT_FRONTEND_CAUGHT_H

#include "tracer/base/text/str.h"

struct caught {
	int own, said; /* descriptors; -1: nothing is caught */
};

void caught_begin(struct caught *c);
/* Standard error is as it was. `out`: the first thousand bytes of what was written; may be NULL. */
void caught_end(struct caught *c, struct str *out);

#endif
