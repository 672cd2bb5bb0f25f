/*
 * Arithmetic of C (C11 6.3, 6.5) on another program's numbers: integers of 1 to 16 bytes, held in 128 bits and extended
 * by their sign or by zeros; floats of 4, 8 or 16 bytes, held in a long double. No operation is undefined.
 */
#ifndef GATECTL_BASE_ARITH_H
#define GATECTL_BASE_ARITH_H

#include <stdbool.h>
#include <stdint.h>

/* Operators are those of tracer/base/text/token.h. */
enum arith_result { ARITH_DONE, ARITH_BY_ZERO, ARITH_NO_OPERATOR };

/* The lowest `size` bytes, extended. */
unsigned __int128 arith_fit(unsigned __int128 bits, uint64_t size, bool with_sign);
/* a OP b, in 128 bits. A shift by 128 or more leaves copies of the sign, or 0. */
enum arith_result arith_integer(unsigned op, bool with_sign, unsigned __int128 a,
				unsigned __int128 b, unsigned __int128 *out);
/* The same in the precision of a float of that size. */
enum arith_result arith_real(unsigned op, uint64_t size, long double a, long double b,
			     long double *out);

long double arith_round(long double real, uint64_t size);
/* The integer in that precision, rounded once. */
long double arith_real_of(unsigned __int128 bits, bool with_sign, uint64_t size);
/* Without its fraction. False: an integer of that size does not hold it. */
bool arith_integer_of(long double real, uint64_t size, bool with_sign, unsigned __int128 *out);

/* -1, 0 or 1; of reals also 2: unordered. */
int arith_order(bool with_sign, unsigned __int128 a, unsigned __int128 b);
int arith_real_order(long double a, long double b);
/* What a comparison says of such an order. -1: the operator does not compare. */
int arith_compared(unsigned op, int order);

#endif
