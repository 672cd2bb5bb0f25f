/*
 * Which values decide where a thread goes from here? Read from the code, without running it: registers
 * and words in memory that a branch behind this point depends on, as they are now.
 *
 * A loop that gets on has one among them which is never the same twice (its counter, the element it has
 * come to); one that goes round for ever has not, though it may count its rounds.
 */
#ifndef GATECTL_ARCH_DECIDES_H
#define GATECTL_ARCH_DECIDES_H

#include "tracer/arch/arch.h"

enum { ARCH_DECIDES_WORDS = 40, ARCH_FROM_WORD = 32, ARCH_FROM_NOTHING = 0xff };

/* In memory: at base + index * scale + offset. Base and index are registers as they are at the point (by
   DWARF number), words that stand before this one (ARCH_FROM_WORD + i), or ARCH_FROM_NOTHING. */
struct arch_word {
	uint8_t base, index;
	uint8_t scale, size;
	int64_t offset;
};

struct arch_decides {
	uint32_t registers; /* a bit for each, by DWARF number (0 to 15) */
	uint64_t words;	    /* a bit for each of `word` */
	/* What the function's result is made of: the same bits. */
	uint32_t result_registers;
	uint64_t result_words;
	struct arch_word word[ARCH_DECIDES_WORDS];
	bool loops;    /* the function comes back to the point without having returned ... */
	bool branches; /* the loop has a branch: something decides its way */
	uint64_t loop_low, loop_high; /* first and last instruction of the loop */
};

/*
 * The code at `addr`, along all ways that it may take inside its function and those that it calls. Calls
 * by a pointer, and so those of other libraries, are passed over. `known`: the registers whose values are known here, by
 * bits. `read` gives the bytes of the code: how many there are, up to n.
 */
void arch_decides(uint64_t addr, uint32_t known,
		  size_t (*read)(void *ctx, uint64_t addr, void *buf, size_t n), void *ctx,
		  struct arch_decides *out);

#endif
