/* A map from numbers to numbers, open addressing. */
#ifndef GATECTL_SCHED_RACES_MAP_H
#define GATECTL_SCHED_RACES_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	uint32_t value; /* 0: nothing */
	uint32_t taken;
};

struct map {
	struct map_slot *slots;
	size_t size, count; /* size: a power of two */
};

/* The value of the key, 0 where it is new; valid until the next one is asked for. */
uint32_t *map_at(struct map *m, uint64_t key);
/* Visits the keys from first to last that there are, in no order. */
void map_each(struct map *m, uint64_t first, uint64_t last,
	      void (*each)(void *ctx, uint64_t key, uint32_t *value), void *ctx);
void map_clear(struct map *m);
void map_fini(struct map *m);

#endif
