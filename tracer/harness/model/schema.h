/* Which calls each thread makes: { push(1); pop() } || { size() } */
#ifndef GATECTL_HARNESS_MODEL_SCHEMA_H
#define GATECTL_HARNESS_MODEL_SCHEMA_H

#include "tracer/harness/model/object.h"

enum { SCHEMA_THREADS = 4, SCHEMA_CALLS = 8, SCHEMA_SIZE = 16 }; /* SIZE: calls of all threads */

struct schema {
	unsigned threads, counts[SCHEMA_THREADS];
	unsigned calls[SCHEMA_THREADS][SCHEMA_CALLS]; /* indexes of object->calls */
};

/* Calls with new values are added to the object. 0, or -1 with ERROR_USAGE. */
int schema_parse(struct harness_object *o, const char *text, struct schema *out, struct error *err);
void schema_print(const struct harness_object *o, const struct schema *s, struct str *out);
unsigned schema_size(const struct schema *s); /* calls of all threads */
/* Is each thread of `part` there among those of `whole`, its operations in their order, values aside? */
bool schema_contains(const struct harness_object *o, const struct schema *whole,
		     const struct schema *part);

#endif
