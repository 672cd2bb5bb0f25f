/* Decides whether a pointer comes from freed memory, by the two words that glibc writes to a freed
 * block: the scrambled link to the next block and the tcache key. README.md describes the
 * search. */
#include "tracer/features/crash/crash.h"

#include "tracer/arch/arch.h"
#include "tracer/sched/sched.h"
#include "tracer/tracee/threads/threads.h"

#include <string.h>

enum { REACH = 4096, ALIGNED = 16, SCRAMBLED = 12, WORDS = 8192, SEARCHED = 64 << 20 };
enum { MOST_BYTES = 4096, MOST_SLOTS = 512 };

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

/* ---- who freed it ------------------------------------------------------------------------ */

/* The search for the block that the address was read from. */
struct block_search {
	const struct crash *c;
	bool is_poison; /* the address is what malloc writes to freed blocks */
	const struct sched_freed *found;
	bool is_ambiguous; /* several blocks are possible */
};

/* True if a word of the block leads to the address: the program has read it there. */
static bool leads_there(const struct crash *c, const struct sched_freed *f)
{
	uint64_t words[MOST_BYTES / sizeof(uint64_t)];
	size_t n = f->size < sizeof(words) ? f->size : sizeof(words);

	if (tracee_read(run_process_tracee(c->process), f->block, words, n) < 0)
		return false;
	for (size_t i = 0; i < n / sizeof(*words); i++)
		if (words[i] && is_reached(c->address, words[i]))
			return true;
	return false;
}

static void try_pointer(struct block_search *x, uint64_t pointer)
{
	const struct sched_freed *f = sched_freed_at(run_of(x->c->process), x->c->process, pointer);

	/* a swap overwrites the word that it has read */
	if (!f || f == x->found || (!x->is_poison && !leads_there(x->c, f)))
		return;
	x->is_ambiguous |= x->found != NULL;
	x->found = f;
}

static void try_registers(struct block_search *x, const struct dwarf_frame *frame)
{
	for (unsigned r = 0; r < sizeof(frame->regs) / sizeof(*frame->regs); r++)
		if (frame->known >> r & 1)
			try_pointer(x, frame->regs[r]);
}

/* Tries the frame's local variables and saved registers. */
static void try_slots(struct block_search *x, const struct dwarf_frame *frame)
{
	uint64_t slots[MOST_SLOTS], cfa, sp = frame->regs[ARCH_DWARF_SP];
	size_t n;
	ERROR(ignored);

	if (dwarf_frame_cfa(frame, &cfa, &ignored) < 0 || cfa <= sp)
		return;
	n = (cfa - sp) / sizeof(*slots) < MOST_SLOTS ? (cfa - sp) / sizeof(*slots) : MOST_SLOTS;
	if (tracee_read(run_process_tracee(x->c->process), sp, slots, n * sizeof(*slots)) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		try_pointer(x, slots[i]);
}

/* A pointer to the block is in a register of the innermost frames, or in a variable of the
 * tester's own. */
void crash_add_freed(const struct crash *c, struct str *out)
{
	const struct run *s = run_of(c->process);
	struct block_search x = {.c = c, .is_poison = crash_is_freed(c)};

	for (size_t i = 0; !x.found && i < c->stack->count && i <= c->own; i++)
		try_registers(&x, &c->stack->items[i].frame);
	if (!x.found && c->own < c->stack->count)
		try_slots(&x, &c->stack->items[c->own].frame);
	if (x.found && !x.is_ambiguous)
		str_addf(out, "; %s", sched_who_freed(s, x.found));
}
