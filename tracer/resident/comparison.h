/*
 * A comparison inside the program: of an integer variable, or one that pointers lead to, with a constant. Each is a piece of code of its
 * own, that goes on to one of two places: to the next one, or into the stub that takes from the count or executes the
 * trap (resident_make_for_others(), behind its comparison).
 *
 * The first of them saves what the stub saves; struct resident_point says how each is left.
 */
#ifndef GATECTL_RESIDENT_COMPARISON_H
#define GATECTL_RESIDENT_COMPARISON_H

#include "tracer/resident/stub.h"

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

#endif
