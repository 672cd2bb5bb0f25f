/* Numbers on the stack of an expression: of the generic type (an address and its arithmetic),
   or of a base type of the program. */
#ifndef GATECTL_DWARF_EXPRESSIONS_EXPRESSION_NUMBER_H
#define GATECTL_DWARF_EXPRESSIONS_EXPRESSION_NUMBER_H

#include "tracer/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum number_kind { NUMBER_GENERIC, NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT };

struct number_type {
	enum number_kind kind;
	uint8_t size; /* 1 to 16; of floats 4 or 8, of the generic type 8 */
};

/* Signed ones are sign-extended to 128 bits, all others have zeros above `size`. */
struct number {
	unsigned __int128 bits;
	struct number_type type;
};

struct number number_generic(uint64_t bits);
/* The lowest bytes of `bits`, taken as this type. */
struct number number_make(struct number_type type, unsigned __int128 bits);
/* The value, as far as the other type can hold it. */
struct number number_convert(struct number from, struct number_type to);
bool number_is_zero(struct number n);

/* DW_OP_abs, neg, not. 0, or -1: that is not defined for it. */
int number_unary(unsigned op, struct number *n, struct error *err);
/* DW_OP_and .. xor but for those above, and the comparisons: a OP b, into *a. */
int number_binary(unsigned op, struct number *a, struct number b, struct error *err);

#endif
