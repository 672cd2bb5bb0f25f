/* Decides whether a pointer comes from freed memory, by the two words that glibc writes to a freed
 * block: the scrambled link to the next block and the tcache key. README.md describes the
 * search. */
#include "tracer/features/crash/crash.h"

#include "tracer/arch/arch.h"
#include "tracer/tracee/threads/threads.h"

#include <string.h>

enum { REACH = 4096, ALIGNED = 16, SCRAMBLED = 12, WORDS = 8192, SEARCHED = 64 << 20 };

static bool find_heap(struct tracee_process *p, struct tracee_mapping *out)
{
	for (uint64_t at = 0; tracee_mapping_above(p, at, out) == 0; at = out->end)
		if (strcmp(out->path, "[heap]") == 0)
			return true;
	return false;
}

/* True if the address is `number`, or a member of a structure at `number`. */
static bool is_reached(uint64_t address, uint64_t number)
{
	return address >= number && address - number < REACH;
}

/* True if a block at `at` whose first two words are `words` can be a freed block of the tcache. */
static bool is_in_tcache(const struct tracee_mapping *heap, uint64_t at, const uint64_t words[2])
{
	uint64_t next = words[0] ^ at >> SCRAMBLED;
	bool links = next >= heap->start && next < heap->end && next % ALIGNED == 0;

	return (links || next == 0) && !arch_is_address(words[1]);
}

/* True if the address is that of a member of a structure at the key of a freed block. */
static bool is_from_key(struct tracee_process *p, const struct tracee_mapping *heap,
			uint64_t address)
{
	static uint64_t words[WORDS];
	const uint64_t size = heap->end - heap->start, most = size < SEARCHED ? size : SEARCHED;

	for (uint64_t from = 0; from < most; from += sizeof(words)) {
		const uint64_t n = most - from < sizeof(words) ? most - from : sizeof(words);

		if (tracee_read(p, heap->start + from, words, n) < 0)
			return false;
		for (size_t i = 0; i + 1 < n / sizeof(*words); i += 2)
			if (is_reached(address, words[i + 1]) &&
			    is_in_tcache(heap, heap->start + from + i * sizeof(*words), &words[i]))
				return true;
	}
	return false;
}

bool crash_is_freed(const struct crash *c)
{
	struct tracee_process *p = run_process_tracee(c->process);
	struct tracee_mapping heap;

	if (!find_heap(p, &heap))
		return false;
	if (is_from_key(p, &heap, c->address))
		return true;
	for (uint64_t page = heap.start >> SCRAMBLED; page < heap.end >> SCRAMBLED; page++)
		if (is_reached(c->address, page))
			return true;
	return false;
}
