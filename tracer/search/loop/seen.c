#include "tracer/search/loop/seen.h"

#include "tracer/base/array.h"

enum { FIRST_SIZE = 1024 };

static bool seen_put(uint64_t *items, size_t size, uint64_t digest)
{
	size_t at = digest & (size - 1);

	while (items[at] && items[at] != digest)
		at = (at + 1) & (size - 1);
	if (items[at])
		return false;
	items[at] = digest;
	return true;
}

static void seen_grow(struct seen *s)
{
	size_t size = s->size ? 2 * s->size : FIRST_SIZE;
	uint64_t *items = base_alloc(size, sizeof(*items));

	for (size_t i = 0; i < s->size; i++)
		if (s->items[i])
			seen_put(items, size, s->items[i]);
	base_free(s->items);
	s->items = items;
	s->size = size;
}

bool seen_add(struct seen *s, uint64_t digest)
{
	if (2 * s->count >= s->size)
		seen_grow(s);
	if (!seen_put(s->items, s->size, digest ? digest : 1))
		return false;
	s->count++;
	return true;
}

void seen_fini(struct seen *s)
{
	base_free(s->items);
	*s = (struct seen){0};
}
