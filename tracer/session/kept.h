/*
 * What features keep with a place, a thread or a run: one pointer each, found by its owner, which is the
 * address of anything of the feature's (its table of functions). The owner frees what it has put.
 */
#ifndef GATECTL_SESSION_KEPT_H
#define GATECTL_SESSION_KEPT_H

#include "tracer/base/array.h"

struct kept {
	const void *owner;
	void *what;
};

struct kept_list {
	struct kept *items;
	size_t count, capacity;
};

void *kept_of(const struct kept_list *list, const void *owner); /* NULL: nothing */
/* The same, made of zeros with base_alloc where there is nothing yet. */
void *kept_make(struct kept_list *list, const void *owner, size_t size);
void kept_fini(struct kept_list *list);

#endif
