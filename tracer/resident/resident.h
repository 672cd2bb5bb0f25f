/*
 * Code inside the program: a stub for each resident site, to which a jump in place of the site's
 * instruction leads. A stub decides an arrival without the tracer, or executes a trap. README.md
 * describes the three kinds.
 */
#ifndef GATECTL_RESIDENT_RESIDENT_H
#define GATECTL_RESIDENT_RESIDENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RESIDENT_JUMP = 5, /* bytes of the jump to a stub */
	RESIDENT_STUB = 48,
	RESIDENT_STUB_FOR_OTHERS = 63,
	RESIDENT_COUNT_ROOM = 64, /* bytes of a count: a cache line */
};

/*
 * A count in memory shared by gatectl, the program and its forked children. `left` is negative
 * while a thread has not put back what it took in vain; no arrival is left then. Giving only while
 * it is not negative keeps: arrivals taken = given - left.
 */
struct resident_count {
	_Atomic int64_t left;
	/* low half of the pointer of the thread that is always reported; 0: no thread */
	uint64_t only;
};
/* Returns how many arrivals are left. */
int64_t resident_left(const struct resident_count *c);
/* Takes all arrivals that are left. Returns how many. */
int64_t resident_reclaim(struct resident_count *c);
/* Adds n arrivals. Returns false, with nothing added, while `left` is negative. */
bool resident_give(struct resident_count *c, int64_t n);
/* Puts back what a thread took in vain and will not put back itself. */
void resident_put_back(struct resident_count *c);

/* Makes the stub for address `at`, with the addresses of its count and of the instruction's copy.
   Returns 0, or -1 if one is out of reach. */
int resident_make(uint8_t code[RESIDENT_STUB], uint64_t at, uint64_t count, uint64_t copy);
/*
 * Makes a stub that always traps for one thread, `only` of its count. Threads are told apart by the
 * low half of the pointer at %fs:0 (psABI of x86-64). A thread with the same half traps as well; a
 * thread without FS has a fault. Returns 0, or -1 if an address is out of reach.
 */
int resident_make_for_others(uint8_t code[RESIDENT_STUB_FOR_OTHERS], uint64_t at, uint64_t count,
			     uint64_t copy);
/* Offsets in that stub, after the comparison: taking from the count, and going to the trap. */
enum { RESIDENT_TAKES = 20, RESIDENT_TRAPS = 52 };
/* Makes the jump from `at` to a stub. Returns 0, or -1 if it is out of reach. */
int resident_jump(uint8_t code[RESIDENT_JUMP], uint64_t at, uint64_t stub);
/* Stores the distance from the end of an instruction to a target in four bytes. Returns
   0, or -1 if it is too far. */
int resident_distance(uint8_t *where, uint64_t end, uint64_t tracee);

/* State of a thread before an instruction of a stub. */
enum resident_where {
	RESIDENT_BEFORE, /* nothing is done: before the site's instruction */
	RESIDENT_TAKEN,	 /* the arrival is counted: before the copy of the instruction */
	RESIDENT_VAIN,	 /* one was taken that was not there: put it back, then as BEFORE */
	RESIDENT_TRAP,	 /* before the trap, as BEFORE */
};
struct resident_point {
	uint8_t at; /* offset of the instruction */
	/* the stack pointer is lower by that; from RESIDENT_PUSHED on the flags are saved */
	uint8_t pushed;
	enum resident_where where;
};
/* Bytes pushed: the red zone and the flags. */
enum { RESIDENT_PUSHED = 136 };
/* Finds the state before the instruction at `offset` of a stub; `negative` is the sign flag.
   Returns false if no instruction begins there. */
bool resident_point(uint64_t offset, bool negative, struct resident_point *out);
/* Variant of resident_point() for a stub of resident_make_for_others(). */
bool resident_point_for_others(uint64_t offset, bool negative, struct resident_point *out);
/* Offsets of the trap in the two stubs. */
enum { RESIDENT_AT_TRAP = 47, RESIDENT_AT_TRAP_FOR_OTHERS = 62 };

/*
 * Comparisons of a variable with a constant, inside the program. Each is code of its own that goes
 * on to one of two addresses: another comparison, or a stub of resident_make_for_others(), at
 * RESIDENT_TAKES or RESIDENT_TRAPS. The first one saves what the stub saves.
 */

enum resident_compare { RESIDENT_EQ, RESIDENT_LT, RESIDENT_LE, RESIDENT_GT, RESIDENT_GE };

enum { RESIDENT_HOPS = 4 };

struct resident_comparison {
	enum { RESIDENT_AT_ADDRESS, RESIDENT_AT_REGISTER, RESIDENT_IN_REGISTER } kind;
	unsigned reg;  /* DWARF number, 0 to 15 */
	int64_t add;   /* AT_REGISTER: added to the register; AT_ADDRESS: the address */
	unsigned hops; /* pointers to follow; each plus its `hop` is the next address */
	int64_t hop[RESIDENT_HOPS];
	unsigned size;		       /* bytes of the variable: 1, 2, 4 or 8 */
	bool is_signed;		       /* the variable is sign-extended */
	int64_t mask;		       /* bits that are compared, -1: all */
	enum resident_compare compare; /* how 64-bit values are compared */
	bool is_unsigned;	       /* as unsigned values, else as signed ones */
	int64_t constant;
};

enum { RESIDENT_COMPARISON_ROOM = 64 };

/* Makes the comparison for address `at`; `first`: the site jumps to it. Returns its length, or -1
   if it is too long, an address is out of reach, or a register cannot be used. */
int resident_make_comparison(uint8_t code[RESIDENT_COMPARISON_ROOM], uint64_t at, bool first,
			     const struct resident_comparison *test, uint64_t yes, uint64_t no);
/* Finds the state before the instruction at `offset` of a comparison. */
void resident_point_comparison(uint64_t offset, bool first, struct resident_point *out);

/*
 * Leases: one thread runs at a time, and passes arrivals at which it is known to go on. The stub of
 * such a site finds the object that the thread is about to touch, and calls the code that all
 * share, which records the arrival or refuses it. README.md has the rules.
 */

enum {
	GRANTED_MOST = 256, /* arrivals of one lease */
	GRANTED_OTHERS = 8, /* objects that end a lease */
	GRANTED_MAPS = 4,   /* mappings of struct granted: a stub reaches it only from near */
	GRANTED_LEA = 8,    /* bytes of the instruction that finds the object */
	GRANTED_STUB = RESIDENT_STUB,
	GRANTED_PUSHED = 144,	  /* the stack pointer is lower by that at the instruction */
	GRANTED_SIZE = 64 * 1024, /* bytes of shared memory */
};

/* The registers of a thread that has passed an arrival, before the instruction. `returns` is in
   the stub, after its call. */
struct granted_arrival {
	uint64_t returns, object, flags, rsp;
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t top; /* word at rsp: at a function's entry the return address */
};

/*
 * The memory that the program shares with gatectl. While the thread with the lease runs,
 * only its stubs write to it.
 */
struct granted {
	uint8_t code[1024];		 /* filled by granted_code() */
	uint32_t granted, taken;	 /* arrivals of the lease, arrivals passed */
	uint64_t others[GRANTED_OTHERS]; /* objects whose touch ends the lease; 0: none */
	uint64_t elsewhere;		 /* passes left at places that are not own ones */
	struct resident_count none;	 /* count of sites whose stub counts nothing */
	struct granted_arrival arrivals[GRANTED_MOST];
};
_Static_assert(sizeof(struct granted) <= GRANTED_SIZE, "it is one mapping");

/* Fills g->code. The code works at any address. */
void granted_code(struct granted *g);
/* Offset of the instruction that finds the object. */
enum { GRANTED_AT_LEA = 7 };
/* Makes the stub for address `at`. `base`: struct granted in the program; `lea`:
   `length` bytes that load rax with the object; `own`: an own place. Returns 0, or -1 if
   an address is out of reach. */
int granted_make(uint8_t code[GRANTED_STUB], uint64_t at, uint64_t base, uint64_t copy,
		 const uint8_t *lea, size_t length, bool own);
/* Offset in the stub to which the shared code returns. */
enum { GRANTED_RETURNS = 20 };

/*
 * Finds the state before the instruction at `offset` of a stub; `zero` is the zero flag. Returns
 * false if no instruction begins there.
 */
bool granted_stub_point(uint64_t offset, bool zero, struct resident_point *out);
/* Finds the state at `offset` of the shared code. Returns false if that is outside of it. */
bool granted_code_point(uint64_t offset, struct resident_point *out);

#endif
