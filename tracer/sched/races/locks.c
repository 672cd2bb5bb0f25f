#include "tracer/sched/races/locks.h"

#include <string.h>

static const struct lock_set empty;

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static struct lock_set set_of(const struct lock_list *held)
{
	struct lock_set set = {.locks = base_alloc(held->count, sizeof(*held->items))};
	size_t n = 0;

	memcpy(set.locks, held->items, held->count * sizeof(*held->items));
	array_qsort(set.locks, held->count, sizeof(*set.locks), by_address);
	for (size_t i = 0; i < held->count; i++)
		if (!n || set.locks[i] != set.locks[n - 1])
			set.locks[n++] = set.locks[i];
	set.count = n;
	return set;
}

static uint64_t locks_hash_of(const struct lock_set *set)
{
	uint64_t hash = set->count;

	for (size_t i = 0; i < set->count; i++)
		hash = (hash ^ set->locks[i]) * 0x9e3779b97f4a7c15;
	return hash;
}

uint32_t lock_sets_find(struct lock_sets *s, const struct lock_list *held)
{
	struct lock_set set;
	uint32_t *first;

	if (!held->count)
		return 0;
	set = set_of(held);
	first = map_at(&s->by_hash, locks_hash_of(&set));
	for (uint32_t i = *first; i; i = s->sets.items[i - 1].next) {
		const struct lock_set *known = &s->sets.items[i - 1];

		if (known->count == set.count &&
		    memcmp(known->locks, set.locks, set.count * sizeof(*set.locks)) == 0) {
			base_free(set.locks);
			return i;
		}
	}
	set.next = *first;
	*array_add(&s->sets) = set;
	return *first = (uint32_t)s->sets.count;
}

const struct lock_set *lock_sets_get(const struct lock_sets *s, uint32_t number)
{
	return number ? &s->sets.items[number - 1] : &empty;
}

void lock_sets_fini(struct lock_sets *s)
{
	array_each(struct lock_set, set, &s->sets)
		base_free(set->locks);
	array_fini(&s->sets);
	map_fini(&s->by_hash);
}
