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
#ifndef GATECTL_RESIDENT_RESIDENT_H
#define GATECTL_RESIDENT_RESIDENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
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

/*
 * A comparison inside the program: of an integer variable, or one that pointers lead to, with a constant. Each is a piece of code of its
 * own, that goes on to one of two places: to the next one, or into the stub that takes from the count or executes the
 * trap (resident_make_for_others(), behind its comparison).
 *
 * The first of them saves what the stub saves; struct resident_point says how each is left.
 */

enum resident_compare { RESIDENT_EQ, RESIDENT_LT, RESIDENT_LE, RESIDENT_GT, RESIDENT_GE };

enum { RESIDENT_HOPS = 4 };

struct resident_comparison {
	enum { RESIDENT_AT_ADDRESS, RESIDENT_AT_REGISTER, RESIDENT_IN_REGISTER } kind;
	unsigned reg;  /* its DWARF number, 0 .. 15 */
	int64_t add;   /* AT_REGISTER: to what that holds; AT_ADDRESS: all of it */
	unsigned hops; /* so many times the pointer there is followed, and then so many bytes on: */
	int64_t hop[RESIDENT_HOPS];
	unsigned size; /* of what is there then: 1, 2, 4, 8 */
	bool is_signed;
	int64_t mask;		       /* these bits, -1: all */
	enum resident_compare compare; /* as 64 bits with a sign ... */
	bool is_unsigned;	       /* ... or without one */
	int64_t constant;
};

enum { RESIDENT_COMPARISON_ROOM = 64 };

/* The code that stands at `at`; its length, or -1: something is out of its reach. `first`: the site jumps to it. */
int resident_make_comparison(uint8_t code[RESIDENT_COMPARISON_ROOM], uint64_t at, bool first,
			     const struct resident_comparison *test, uint64_t yes, uint64_t no);
/* At an offset at which an instruction begins. */
void resident_point_comparison(uint64_t offset, bool first, struct resident_point *out);

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
