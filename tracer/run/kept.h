/* Per-feature data of a place, a thread, a process or a run: one block of memory for each keeper.
   The block is zeroed when it is made, and freed with the object that it belongs to. */
#ifndef GATECTL_RUN_KEPT_H
#define GATECTL_RUN_KEPT_H

#include "tracer/base/array.h"

struct keeper {
	size_t size;
	void (*fini)(void *what); /* frees what the block owns; NULL: nothing */
};

struct kept {
	const struct keeper *keeper;
	void *what;
};

struct kept_list {
	struct kept *items;
	size_t count, capacity;
};

/* Returns the keeper's block, or NULL if none was made. */
void *kept_of(const struct kept_list *list, const struct keeper *k);
/* Returns the keeper's block, made if needed; never NULL. The list may belong to a const object. */
void *kept_make(const struct kept_list *list, const struct keeper *k);
void kept_fini(struct kept_list *list); /* frees all blocks */

#endif
