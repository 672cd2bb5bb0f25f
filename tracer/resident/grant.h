/*
 * Arrivals that are granted: where one thread runs at a time, and is known to go on at its next points whatever
 * they are, it does not stop there. It writes down where it was, with all its registers; the tracer
 * looks at that at its next stop.
 *
 * The instruction of such a site is replaced by a jump to a stub of its own. That finds out which object the thread
 * is about to touch (the instruction's memory, by lea, or the first argument of the function that begins there), and
 * calls the code that all have in common, which decides by the memory behind it: is one left of those granted, and is
 * it none that another thread is about to touch? Places are own ones or not, as the tracer says; of arrivals elsewhere
 * fewer may be granted.
 * Then the stub goes on to the copy of the instruction, else it executes a trap, and the tracer decides.
 *
 * 40 bytes of the stack below its red zone are used; all registers and flags are as before behind it. It may be
 * left at any instruction: granted_stub_point() and granted_code_point() say how.
 */
#ifndef GATECTL_RESIDENT_GRANT_H
#define GATECTL_RESIDENT_GRANT_H

#include "tracer/resident/stub.h"

#include <stddef.h>

enum {
	GRANTED_MOST = 256, /* at one time */
	GRANTED_OTHERS = 8,
	GRANTED_MAPS = 4, /* the memory is mapped there so often: stubs reach it from near only */
	GRANTED_LEA = 8,  /* bytes of the instruction that finds out the object */
	GRANTED_STUB = RESIDENT_STUB,
	GRANTED_PUSHED = 144, /* the stack pointer is lower by that when it does */
	GRANTED_SIZE = 64 * 1024,
};

/* A thread came by: before the instruction it had these. `returns` is in the stub, behind its call. */
struct granted_arrival {
	uint64_t returns, object, flags, rsp;
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t top; /* of its stack: at the entry of a function where that returns to */
};

/*
 * The memory that the program shares with gatectl. While a thread runs that was granted something, `taken` is
 * its own, and the rest nobody's.
 */
struct granted {
	uint8_t code[1024]; /* of granted_code() */
	uint32_t granted, taken;
	uint64_t others[GRANTED_OTHERS]; /* who is about to touch one of them stops; 0: none */
	uint64_t elsewhere;		 /* so many more may be at places that are not own */
	struct resident_count none;	 /* what a site has that counts nothing */
	struct granted_arrival arrivals[GRANTED_MOST];
};
_Static_assert(sizeof(struct granted) <= GRANTED_SIZE, "it is one mapping");

/* Into g->code: the program has `g` at any address. */
void granted_code(struct granted *g);
/*
 * The stub that stands at `at`; `base`: where the program has struct granted; `lea` (length of it, at offset
 * GRANTED_AT_LEA) loads rax; `own`: the place is one. 0, or -1: something is out of its reach.
 */
enum { GRANTED_AT_LEA = 7 };
int granted_make(uint8_t code[GRANTED_STUB], uint64_t at, uint64_t base, uint64_t copy,
		 const uint8_t *lea, size_t length, bool own);
/* Where in the stub an arrival returns to. */
enum { GRANTED_RETURNS = 20 };

/*
 * Where a thread is that stands before the instruction at this offset of a stub, or of the code they have in common.
 * False: no instruction begins there.
 */
bool granted_stub_point(uint64_t offset, bool zero, struct resident_point *out);
bool granted_code_point(uint64_t offset, struct resident_point *out);

#endif
