/* FNV-1a (Fowler, Noll, Vo). For tables and for telling things apart, not against somebody who wants two to be alike. */
#ifndef GATECTL_BASE_HASH_H
#define GATECTL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

/* One piece more: a byte, as the authors have it, or a word. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * 0x100000001b3u;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = hash_word(hash, ((const uint8_t *)bytes)[i]);
	return hash;
}

static inline uint64_t hash_text(uint64_t hash, const char *text) /* NULL is like "" */
{
	for (; text && *text; text++)
		hash = hash_word(hash, (uint8_t)*text);
	return hash;
}

/* For a table of 2^n slots, whose last bits count: the first ones have their part in those. */
static inline size_t hash_slot(uint64_t hash)
{
	return (size_t)(hash ^ hash >> 32);
}

/* The same in 32 bits, for tables that are kept. */
#define HASH_NARROW_START 2166136261u

static inline uint32_t hash_narrow(uint32_t hash, char c)
{
	return (hash ^ (uint8_t)c) * 16777619u;
}

#endif
