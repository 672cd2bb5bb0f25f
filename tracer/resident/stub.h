/*
 * What lies inside the program: a stub for each resident site, and the count that it takes from.
 *
 * The instruction of a resident site is replaced by a jump to its stub. That takes one from a count of
 * arrivals which are certain to have no consequence, and goes on to the copy of the instruction, all
 * without the tracer. Where the count is used up it executes a trap, and the tracer decides.
 *
 * Nothing of the program is used but 16 bytes of stack below its red zone; all registers and flags are
 * as before behind it. It may be left at any instruction: struct resident_point says how.
 */
#ifndef GATECTL_RESIDENT_STUB_H
#define GATECTL_RESIDENT_STUB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	RESIDENT_JUMP = 5, /* bytes of the jump to a stub: the instruction there has as many */
	RESIDENT_STUB = 48,
	RESIDENT_STUB_FOR_OTHERS = 63,
	RESIDENT_COUNT_ROOM = 64, /* a cache line for each */
};

/*
 * In memory that is shared by gatectl, the program, and children that the program has forked. `left`
 * is negative while a thread that came in vain has not put back yet what it took. Then no arrival is
 * left; so whoever gives only where it is not negative always knows: arrivals taken = given - left.
 */
struct resident_count {
	_Atomic int64_t left;
	uint64_t
		only; /* resident_make_for_others(): the low half of that thread's pointer; 0: it is not there */
};
/* How many are left; they stay. */
int64_t resident_left(const struct resident_count *c);
/* Takes all away that are left, and says how many. */
int64_t resident_reclaim(struct resident_count *c);
/* So many more. False: not now. */
bool resident_give(struct resident_count *c, int64_t n);
/* What a thread took in vain, and will not put back itself. */
void resident_put_back(struct resident_count *c);

/* The stub that stands at `at`; 0, or -1: something is out of its reach. */
int resident_make(uint8_t code[RESIDENT_STUB], uint64_t at, uint64_t count, uint64_t copy);
/*
 * One that takes nothing for one thread, who always finds a trap: who it is, `only` of the count says (at count + 8). Threads
 * are told apart by the pointer to itself that each has at %fs:0 (psABI of x86-64, and "ELF Handling For Thread-Local Storage").
 * A thread whose pointer has the same low half finds a trap as well; one without FS has a fault there.
 */
int resident_make_for_others(uint8_t code[RESIDENT_STUB_FOR_OTHERS], uint64_t at, uint64_t count,
			     uint64_t copy);
/* In it, behind the comparison: where one is taken from the count, and where it goes to the trap. */
enum { RESIDENT_TAKES = 20, RESIDENT_TRAPS = 52 };
int resident_jump(uint8_t code[RESIDENT_JUMP], uint64_t at, uint64_t stub);
/* From the end of an instruction to `target`, into the four bytes at `where`. */
int resident_distance(uint8_t *where, uint64_t end, uint64_t tracee);

/* Where a thread is that stands before the instruction at this offset. */
enum resident_where {
	RESIDENT_BEFORE, /* nothing is done: before the site's instruction */
	RESIDENT_TAKEN,	 /* it has arrived: before the copy of the instruction */
	RESIDENT_VAIN,	 /* it took what was not there: put it back; then as BEFORE */
	RESIDENT_TRAP,	 /* before the trap, as BEFORE */
};
struct resident_point {
	uint8_t at;
	uint8_t pushed; /* the stack pointer is lower by that; with all the flags stand there */
	enum resident_where where;
};
/* `negative`: the sign flag. False: no instruction begins there. */
enum { RESIDENT_PUSHED = 136 };
bool resident_point(uint64_t offset, bool negative, struct resident_point *out);
bool resident_point_for_others(uint64_t offset, bool negative, struct resident_point *out);
enum { RESIDENT_AT_TRAP = 47, RESIDENT_AT_TRAP_FOR_OTHERS = 62 };

#endif
