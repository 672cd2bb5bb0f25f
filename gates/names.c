/* Hash table of the names in orders. */
#include "gates/names.h"

#include "tracer/base/hash.h"

#include <string.h>

static uint64_t names_hash_of(const char *text, const char *thread)
{
	uint64_t hash = hash_text(HASH_START, text);

	for (; thread && *thread; thread++)
		hash = hash_word(hash, (uint8_t)*thread ^ 0x100);
	return hash_slot(hash);
}

static bool names_is_same(const struct known_name *k, const char *text, const char *thread)
{
	return strcmp(k->text, text) == 0 && !k->thread == !thread &&
	       (!thread || strcmp(k->thread, thread) == 0);
}

/* Slot of the name, or the free slot where it belongs. */
static uint32_t *names_slot_of(const struct order_names *n, const char *text, const char *thread)
{
	size_t at = names_hash_of(text, thread) & (n->slot_count - 1);

	while (n->slots[at] && !names_is_same(&n->known.items[n->slots[at] - 1], text, thread))
		at = (at + 1) & (n->slot_count - 1);
	return &n->slots[at];
}

static void names_grow(struct order_names *n)
{
	base_free(n->slots);
	n->slot_count = n->slot_count ? n->slot_count * 4 : 64;
	n->slots = base_alloc(n->slot_count, sizeof(*n->slots));
	for (size_t i = 0; i < n->known.count; i++)
		*names_slot_of(n, n->known.items[i].text, n->known.items[i].thread) =
			(uint32_t)i + 1;
}

size_t order_names_number(struct order_names *n, const char *text, const char *thread)
{
	struct known_name *k;
	uint32_t *slot;

	if (n->known.count * 2 >= n->slot_count)
		names_grow(n);
	slot = names_slot_of(n, text, thread);
	if (!*slot) {
		k = array_add(&n->known);
		k->text = text;
		k->thread = thread;
		*slot = (uint32_t)n->known.count;
	}
	return *slot - 1;
}

struct known_name *order_names_find(struct order_names *n, const char *text, const char *thread)
{
	uint32_t *slot = n->slot_count ? names_slot_of(n, text, thread) : NULL;

	return slot && *slot ? &n->known.items[*slot - 1] : NULL;
}

void order_names_fini(struct order_names *n)
{
	array_each(struct known_name, k, &n->known) {
		array_fini(&k->places);
		array_fini(&k->edges);
	}
	array_fini(&n->known);
	base_free(n->slots);
}
