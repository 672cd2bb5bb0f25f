/* A hash table of 64-bit numbers, open addressing. {0} is empty. Keys are any number but
   UINT64_MAX; a value that was not set is 0. */
#ifndef GATECTL_BASE_TABLE_H
#define GATECTL_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_slot {
	uint64_t key; /* the key + 1; 0 if free */
	uint64_t value;
};

struct table {
	struct table_slot *slots;
	size_t count, capacity; /* capacity: 0 or a power of two */
};

/* Returns the address of the key's value, valid until the next call; adds the key if needed. */
uint64_t *table_at(struct table *t, uint64_t key);
/* Returns the key's value, 0 if it is not in the table. */
uint64_t table_get(const struct table *t, uint64_t key);
/* Removes all keys. A table that is far too large is freed. */
void table_clear(struct table *t);
/* Frees the table and empties it. */
void table_fini(struct table *t);

/* A walk over the keys from `first` to `last`, in no order: for (struct table_walk w = {.table = t,
   ...}; table_next(&w);) Values may be changed during it, keys not added. */
struct table_walk {
	struct table *table;
	uint64_t first, last;
	size_t at;
	uint64_t key, *value; /* set by table_next() */
};
/* Moves to the next key. Returns false at the end. */
bool table_next(struct table_walk *w);

/* Returns a hash of two numbers, never 0. */
uint64_t table_mix(uint64_t a, uint64_t b);

#endif
