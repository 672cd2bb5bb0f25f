/* List of data to free together with an object, by functions of the modules that made them; the
   owner need not know them. Runs last added first, as atexit(3). {0} is the empty list. */
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

/* Returns `size` zeroed bytes, which `run` frees when the list is run. */
void *cleanup_alloc(struct cleanups *c, size_t size, void (*run)(void *data));
/* Adds a function to call with `data` when the list is run. */
void cleanup_add(struct cleanups *c, void (*run)(void *data), void *data);
/* Runs and empties the list. */
void cleanups_run(struct cleanups *c);

#endif
