#include "tracer/sched/races/map.h"

#include "tracer/base/array.h"

#include <string.h>

enum { FIRST_SIZE = 64, SPARSE = 16 };

static struct map_slot *map_find(const struct map *m, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15;
	size_t i = (hash ^ hash >> 32) & (m->size - 1);

	while (m->slots[i].taken && m->slots[i].key != key)
		i = (i + 1) & (m->size - 1);
	return &m->slots[i];
}

static void map_grow(struct map *m)
{
	struct map old = *m;

	m->size = old.size ? 2 * old.size : FIRST_SIZE;
	m->slots = base_alloc(m->size, sizeof(*m->slots));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].taken)
			*map_find(m, old.slots[i].key) = old.slots[i];
	base_free(old.slots);
}

uint32_t *map_at(struct map *m, uint64_t key)
{
	struct map_slot *slot;

	if (2 * m->count >= m->size)
		map_grow(m);
	slot = map_find(m, key);
	m->count += !slot->taken;
	slot->key = key;
	slot->taken = true;
	return &slot->value;
}

void map_each(struct map *m, uint64_t first, uint64_t last,
	      void (*each)(void *ctx, uint64_t key, uint32_t *value), void *ctx)
{
	if (!m->size)
		return;
	if (last - first >= m->size) { /* fewer slots than keys */
		for (size_t i = 0; i < m->size; i++)
			if (m->slots[i].taken && m->slots[i].key - first <= last - first)
				each(ctx, m->slots[i].key, &m->slots[i].value);
		return;
	}
	for (uint64_t n = 0; n <= last - first; n++) {
		struct map_slot *slot = map_find(m, first + n);

		if (slot->taken)
			each(ctx, slot->key, &slot->value);
	}
}

void map_clear(struct map *m)
{
	if (m->size / SPARSE > m->count) /* or one large run makes all later ones slow */
		map_fini(m);
	else if (m->count)
		memset(m->slots, 0, m->size * sizeof(*m->slots));
	m->count = 0;
}

void map_fini(struct map *m)
{
	base_free(m->slots);
	*m = (struct map){0};
}
