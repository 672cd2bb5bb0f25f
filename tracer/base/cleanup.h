/*
 * What is to be freed together with something else, by those who made it: whoever is freed names none of
 * them. The last one added goes first, as with atexit(3). {0} is the empty list.
 */
#ifndef GATECTL_BASE_CLEANUP_H
#define GATECTL_BASE_CLEANUP_H

#include "tracer/base/array.h"

struct cleanup {
	void (*run)(void *data);
	void *data;
};

struct cleanups {
	ARRAY(struct cleanup) all;
};

/* Memory of `size` zeroed bytes that `run` is to free when the list is run. */
void *cleanup_alloc(struct cleanups *c, size_t size, void (*run)(void *data));
void cleanup_add(struct cleanups *c, void (*run)(void *data), void *data);
void cleanups_run(struct cleanups *c); /* it is empty then */

#endif
