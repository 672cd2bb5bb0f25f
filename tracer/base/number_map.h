/*
 * Hash tables of numbers: a map, the index of an array by content, and interned texts.
 *
 * The index of an array is a map of hashes (32 bits, not 0) to items. Several items may have one
 * hash, and the caller compares them:
 *
 *	for (size_t at = 0; (item = number_map_next(&map, hash, &at));)
 *		if (items[item - 1] is what is looked for)
 *			return item - 1;
 *	number_map_add(&map, hash, count of items);
 */
#ifndef GATECTL_BASE_NUMBER_MAP_H
#define GATECTL_BASE_NUMBER_MAP_H

#include "tracer/base/array.h"

struct number_slot {
	unsigned key, value; /* neither is 0 in a slot that is used */
};

struct number_map {
	struct number_slot *slots;
	size_t count, size; /* size: 0 or a power of two */
};

/* Returns the value of the key, or 0. Key 0 has none. */
unsigned number_map_get(const struct number_map *m, unsigned key);
/* Replaces the value of the key. Does nothing for key 0. */
void number_map_set(struct number_map *m, unsigned key, unsigned value);
/* Returns the next value of the key, or 0. `*at` is 0 before the first one. */
unsigned number_map_next(const struct number_map *m, unsigned key, size_t *at);
/* Adds one more value of the key. */
void number_map_add(struct number_map *m, unsigned key, unsigned value);
void number_map_fini(struct number_map *m);

/* A hash as a key. */
static inline unsigned number_map_key(uint64_t hash)
{
	const unsigned key = (unsigned)(hash ^ hash >> 32);

	return key ? key : 1;
}

/* Texts as numbers: equal texts have the same number. 0 is the empty text. */
struct interned {
	ARRAY(char *) texts;
	struct number_map index;
};

unsigned interned_add(struct interned *n, const char *text);
const char *interned_text(const struct interned *n, unsigned number); /* never NULL */
void interned_fini(struct interned *n);

#endif
