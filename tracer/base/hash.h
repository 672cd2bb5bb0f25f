/* FNV-1a (Fowler, Noll, Vo), for tables and comparisons. Not for input that is made to collide. */
#ifndef GATECTL_BASE_HASH_H
#define GATECTL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

/* Adds a word to the hash; FNV-1a itself adds bytes. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * 0x100000001b3u;
}

/* Adds n bytes to the hash. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = hash_word(hash, ((const uint8_t *)bytes)[i]);
	return hash;
}

/* Adds a text to the hash; NULL counts as "". */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = hash_word(hash, (uint8_t)*text);
	return hash;
}

/* Returns an index for a table of 2^n slots, of which the lowest n bits are used; folds the
   upper bits into them. */
static inline size_t hash_slot(uint64_t hash)
{
	return (size_t)(hash ^ hash >> 32);
}

/* FNV-1a in 32 bits, for tables that store their hashes. */
#define HASH_NARROW_START 2166136261u

/* Adds a character to a 32-bit hash. */
static inline uint32_t hash_narrow(uint32_t hash, char c)
{
	return (hash ^ (uint8_t)c) * 16777619u;
}

#endif
