/*
 * What features keep with a place, a thread, a process or a run: one piece of memory each, found by
 * its keeper. It is zeroed when it is first asked for, and freed with what it is kept with.
 */
#ifndef GATECTL_RUN_KEPT_H
#define GATECTL_RUN_KEPT_H

#include "tracer/base/array.h"

struct keeper {
	size_t size;
	void (*fini)(void *what); /* frees what it owns; NULL: nothing */
};

struct kept {
	const struct keeper *keeper;
	void *what;
};

struct kept_list {
	struct kept *items;
	size_t count, capacity;
};

void *kept_of(const struct kept_list *list, const struct keeper *k); /* NULL: nothing yet */
/* Never NULL. Whatever it is kept with may be const: its owner does not know of it. */
void *kept_make(const struct kept_list *list, const struct keeper *k);
void kept_fini(struct kept_list *list);

#endif
