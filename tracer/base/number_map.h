/* Hash tables of numbers: a map, which may also index an array by content (README.md),
   and interned strings. */
#ifndef GATECTL_BASE_NUMBER_MAP_H
#define GATECTL_BASE_NUMBER_MAP_H

#include "tracer/base/array.h"

struct number_slot {
	unsigned key, value; /* both are 0 in a free slot */
};

struct number_map {
	struct number_slot *slots;
	size_t count, size; /* size: 0 or a power of two */
};

/* Returns the value of the key, or 0. Key 0 has no value. */
unsigned number_map_get(const struct number_map *m, unsigned key);
/* Replaces the value of the key. Does nothing for key 0. */
void number_map_set(struct number_map *m, unsigned key, unsigned value);
/* Returns the next value of the key, or 0 after the last. `*at` is 0 before the first call. */
unsigned number_map_next(const struct number_map *m, unsigned key, size_t *at);
/* Adds one more value to the key. */
void number_map_add(struct number_map *m, unsigned key, unsigned value);
/* Frees the map and empties it. */
void number_map_fini(struct number_map *m);

/* Returns a hash as a key, which is never 0. */
static inline unsigned number_map_key(uint64_t hash)
{
	const unsigned key = (unsigned)(hash ^ hash >> 32);

	return key ? key : 1;
}

/* Numbers for strings: equal strings have the same number. 0 is the empty string. */
struct interned {
	ARRAY(char *) texts;
	struct number_map index;
};

/* Returns the number of the text, adding a copy if it is new. */
unsigned interned_add(struct interned *n, const char *text);
/* Returns the text of a number, never NULL; "" for an unknown one. Owned by *n. */
const char *interned_text(const struct interned *n, unsigned number);
/* Frees the strings. */
void interned_fini(struct interned *n);

#endif
