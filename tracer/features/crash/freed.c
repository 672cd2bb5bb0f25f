/*
 * Does a pointer come from freed memory? glibc (2.34 and later) writes two numbers to the start of
 * a block that is freed: a link, scrambled with the block's own address, and a key that is the same
 * in the whole process. A program that follows them as pointers gets to where nothing is mapped.
 * The key is read from a freed block of main's heap, found through the first block of that heap
 * (struct tcache_perthread_struct).
 */
#include "tracer/features/crash/crash.h"

#include <string.h>

enum { BINS = 64, REACH = 4096, HEADER = 16, TCACHE_CHUNK = 0x291, SCRAMBLED = 12 };

static bool find_heap(struct target_process *p, struct target_mapping *out)
{
	for (uint64_t at = 0; target_mapping_above(p, at, out) == 0; at = out->end)
		if (strcmp(out->path, "[heap]") == 0)
			return true;
	return false;
}

static bool read_key(struct target_process *p, const struct target_mapping *heap, uint64_t *key)
{
	struct {
		uint64_t before, size;
		uint16_t counts[BINS];
		uint64_t entries[BINS];
	} first;

	if (target_read(p, heap->start, &first, sizeof(first)) < 0 || first.size != TCACHE_CHUNK)
		return false;
	for (int i = 0; i < BINS; i++) {
		uint64_t at = first.entries[i];

		if (first.counts[i] && at >= heap->start + HEADER && at < heap->end - HEADER &&
		    target_read(p, at + 8, key, sizeof(*key)) == 0 && *key)
			return true;
	}
	return false;
}

/* Is the address the number itself, or that of a member at an offset? */
static bool is_reached(uint64_t address, uint64_t number)
{
	return address >= number && address - number < REACH;
}

bool crash_is_freed(const struct crash *c)
{
	struct target_process *p = c->process->target;
	struct target_mapping heap;
	uint64_t key;

	if (!find_heap(p, &heap))
		return false;
	if (read_key(p, &heap, &key) && is_reached(c->address, key))
		return true;
	for (uint64_t page = heap.start >> SCRAMBLED; page < heap.end >> SCRAMBLED; page++)
		if (is_reached(c->address, page))
			return true;
	return false;
}
