/*
 * A hash table of numbers, open addressing. {0} is the empty one. A key is any number but
 * UINT64_MAX; a value that was not set is 0.
 */
#ifndef GATECTL_BASE_TABLE_H
#define GATECTL_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_slot {
	uint64_t key; /* + 1; 0: free */
	uint64_t value;
};

struct table {
	struct table_slot *slots;
	size_t count, capacity; /* a power of two */
};

/* The key's value; a new key is added. The address is valid until the next call. */
uint64_t *table_at(struct table *t, uint64_t key);
/* The same, 0 if the key is not there; adds nothing. */
uint64_t table_get(const struct table *t, uint64_t key);
void table_clear(struct table *t);
void table_fini(struct table *t);

/* The keys from `first` to `last`, in no order; values may be changed meanwhile, keys not added:
   for (struct table_walk w = {.table = t, ...}; table_next(&w);) */
struct table_walk {
	struct table *table;
	uint64_t first, last;
	size_t at;
	uint64_t key, *value; /* set by table_next() */
};
bool table_next(struct table_walk *w);

/* One number of two: as good as random, and not 0. */
uint64_t table_mix(uint64_t a, uint64_t b);

#endif
