/* Open-addressing hash table of 64-bit numbers. */
#include "tracer/base/table.h"

#include "tracer/base/array.h"

#include <string.h>

enum { FIRST_SIZE = 64, SPARSE = 16 };

uint64_t table_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15 + b;

	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
	x ^= x >> 32;
	return x ? x : 1;
}

/* Returns the key's slot, or the free slot for it. */
static struct table_slot *table_find(const struct table *t, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15;
	size_t i = (hash ^ hash >> 32) & (t->capacity - 1);

	while (t->slots[i].key && t->slots[i].key != key + 1)
		i = (i + 1) & (t->capacity - 1);
	return &t->slots[i];
}

static void table_grow(struct table *t)
{
	struct table old = *t;

	t->capacity = old.capacity ? 2 * old.capacity : FIRST_SIZE;
	t->slots = base_alloc(t->capacity, sizeof(*t->slots));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].key)
			*table_find(t, old.slots[i].key - 1) = old.slots[i];
	base_free(old.slots);
}

uint64_t *table_at(struct table *t, uint64_t key)
{
	struct table_slot *slot;

	if (2 * t->count >= t->capacity)
		table_grow(t);
	slot = table_find(t, key);
	t->count += !slot->key;
	slot->key = key + 1;
	return &slot->value;
}

uint64_t table_get(const struct table *t, uint64_t key)
{
	return t->count ? table_find(t, key)->value : 0;
}

/* Visits the slots if there are fewer of them than keys in the span. */
bool table_next(struct table_walk *w)
{
	const struct table *t = w->table;
	uint64_t span = w->last - w->first;

	while (t->capacity && w->at < t->capacity && w->at <= span) {
		struct table_slot *slot =
			span >= t->capacity ? &t->slots[w->at] : table_find(t, w->first + w->at);

		w->at++;
		w->key = slot->key - 1;
		w->value = &slot->value;
		if (slot->key && w->key - w->first <= span)
			return true;
	}
	return false;
}

/* Frees a sparse table: one large run must not make all later runs slow. */
void table_clear(struct table *t)
{
	if (t->capacity / SPARSE > t->count)
		table_fini(t);
	else if (t->count)
		memset(t->slots, 0, t->capacity * sizeof(*t->slots));
	t->count = 0;
}

void table_fini(struct table *t)
{
	base_free(t->slots);
	*t = (struct table){0};
}
