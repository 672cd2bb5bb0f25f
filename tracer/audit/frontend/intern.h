/* Texts as numbers: the same text is the same number. 0 is the empty one. */
#ifndef GATECTL_AUDIT_FRONTEND_INTERN_H
#define GATECTL_AUDIT_FRONTEND_INTERN_H

#include "tracer/base/array.h"

struct interned {
	ARRAY(char *) texts;
	struct slots {
		unsigned *slots;
		size_t size;
	} index;
};

unsigned interned_add(struct interned *n, const char *text);
const char *interned_text(const struct interned *n, unsigned name); /* never NULL */
void interned_fini(struct interned *n);

#endif
