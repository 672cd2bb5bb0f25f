#include "tracer/sched/strategy/table.h"

#include "tracer/base/array.h"

#include <string.h>

uint64_t table_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15 + b;

	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
	x ^= x >> 32;
	return x ? x : 1;
}

/* The key's slot, or the free one where it belongs. */
static size_t table_find(const struct table *t, uint64_t key)
{
	size_t i = (size_t)key & (t->capacity - 1);

	while (t->slots[i].key && t->slots[i].key != key)
		i = (i + 1) & (t->capacity - 1);
	return i;
}

static void table_grow(struct table *t)
{
	struct table old = *t;

	t->capacity = old.capacity ? 2 * old.capacity : 64;
	t->slots = base_alloc(t->capacity, sizeof(*t->slots));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].key)
			t->slots[table_find(t, old.slots[i].key)] = old.slots[i];
	base_free(old.slots);
}

uint64_t *table_at(struct table *t, uint64_t key)
{
	struct table_slot *slot;

	if (2 * t->count >= t->capacity)
		table_grow(t);
	slot = &t->slots[table_find(t, key)];
	t->count += !slot->key;
	slot->key = key;
	return &slot->value;
}

uint64_t table_get(const struct table *t, uint64_t key)
{
	return t->count ? t->slots[table_find(t, key)].value : 0;
}

void table_clear(struct table *t)
{
	if (t->count)
		memset(t->slots, 0, t->capacity * sizeof(*t->slots));
	t->count = 0;
}

void table_fini(struct table *t)
{
	base_free(t->slots);
	*t = (struct table){0};
}
