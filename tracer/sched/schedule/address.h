/*
 * Addresses as a schedule has them: a module's name and an offset in it, in one number that is the
 * same in every process and on every machine. 24 bits are the name's, 40 the offset's.
 */
#ifndef GATECTL_SCHED_SCHEDULE_ADDRESS_H
#define GATECTL_SCHED_SCHEDULE_ADDRESS_H

#include "tracer/base/hash.h"

#include <stdbool.h>

enum { ADDRESS_OFFSET_BITS = 40 };

/* The number of the module's offset 0; itself never 0, which means no address. */
static inline uint64_t address_of_module(const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);

	hash ^= hash >> 29 ^ hash >> 47;
	return (hash << ADDRESS_OFFSET_BITS) | (uint64_t)1 << 63;
}

static inline uint64_t address_offset(uint64_t address)
{
	return address & (((uint64_t)1 << ADDRESS_OFFSET_BITS) - 1);
}

static inline uint64_t address_of(const char *module, uint64_t offset)
{
	return address_of_module(module) | address_offset(offset);
}

static inline bool address_is_in(uint64_t address, const char *module)
{
	return address_of_module(module) == address - address_offset(address);
}

#endif
