/* A number for each key: a hash table. {0} is the empty one. Keys are not 0, and as good as random in
   their lower bits where speed matters (table_mix()). */
#ifndef GATECTL_SCHED_STRATEGY_TABLE_H
#define GATECTL_SCHED_STRATEGY_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_slot {
	uint64_t key, value; /* key 0: free */
};

struct table {
	struct table_slot *slots;
	size_t count, capacity; /* a power of two */
};

/* The key's number, 0 if it is new. The address is good until the next call. */
uint64_t *table_at(struct table *t, uint64_t key);
/* The same, 0 if it is not there; adds nothing. */
uint64_t table_get(const struct table *t, uint64_t key);
void table_clear(struct table *t);
void table_fini(struct table *t);

/* One number of two: as good as random, and not 0. */
uint64_t table_mix(uint64_t a, uint64_t b);

#endif
