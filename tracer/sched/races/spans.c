/* Locksets, each stored once, and spans of freed memory. */
#include "tracer/sched/races/races_internal.h"

#include <string.h>

/* ---- locksets ---------------------------------------------------------------------------- */

static const struct lock_set empty;

static int lock_by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static struct lock_set set_of(const struct lock_list *held)
{
	struct lock_set set = {.locks = base_alloc(held->count, sizeof(*held->items))};
	size_t n = 0;

	memcpy(set.locks, held->items, held->count * sizeof(*held->items));
	array_qsort(set.locks, held->count, sizeof(*set.locks), lock_by_address);
	for (size_t i = 0; i < held->count; i++)
		if (!n || set.locks[i] != set.locks[n - 1])
			set.locks[n++] = set.locks[i];
	set.count = n;
	return set;
}

static uint64_t lock_set_hash(const struct lock_set *set)
{
	uint64_t hash = set->count;

	for (size_t i = 0; i < set->count; i++)
		hash = (hash ^ set->locks[i]) * 0x9e3779b97f4a7c15;
	return hash;
}

uint32_t lock_sets_find(struct lock_sets *s, const struct lock_list *held)
{
	struct lock_set set;
	uint64_t *first;

	if (!held->count)
		return 0;
	set = set_of(held);
	first = table_at(&s->by_hash, lock_set_hash(&set));
	for (uint32_t i = (uint32_t)*first; i; i = s->sets.items[i - 1].next) {
		const struct lock_set *known = &s->sets.items[i - 1];

		if (known->count == set.count &&
		    memcmp(known->locks, set.locks, set.count * sizeof(*set.locks)) == 0) {
			base_free(set.locks);
			return i;
		}
	}
	set.next = (uint32_t)*first;
	*array_add(&s->sets) = set;
	return (uint32_t)(*first = s->sets.count);
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
	table_fini(&s->by_hash);
}

/* ---- freed spans ---------------------------------------------------------------------------- */

static size_t first_from(const struct freed_spans *g, uint64_t address)
{
	return array_below(g, last, address);
}

static void insert_span(struct freed_spans *g, size_t at, const struct freed_span *span)
{
	*array_add(g) = *span;
	for (size_t i = g->count - 1; i > at; i--)
		g->items[i] = g->items[i - 1];
	g->items[at] = *span;
}

/* Splits off the part of the span before `low`. */
static void keep_front(struct freed_spans *g, size_t at, uint64_t low)
{
	struct freed_span front = g->items[at];

	if (front.low >= low)
		return;
	front.last = low - 1;
	g->items[at].low = low;
	insert_span(g, at, &front);
}

void freed_spans_cut(struct freed_spans *g, uint64_t low, uint64_t last)
{
	size_t at = first_from(g, low);

	if (at == g->count || g->items[at].low > last)
		return;
	keep_front(g, at, low);
	at = first_from(g, low);
	while (at < g->count && g->items[at].last <= last)
		array_remove(g, at);
	if (at < g->count && g->items[at].low <= last)
		g->items[at].low = last + 1;
}

void freed_spans_add(struct freed_spans *g, const struct freed_span *span)
{
	freed_spans_cut(g, span->low, span->last);
	insert_span(g, first_from(g, span->low), span);
}

const struct freed_span *freed_spans_find(const struct freed_spans *g, uint64_t low, uint64_t last)
{
	size_t at = first_from(g, low);

	return at < g->count && g->items[at].low <= last ? &g->items[at] : NULL;
}
