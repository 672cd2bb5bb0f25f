/*
 * C arithmetic (C11 6.3, 6.5) on values of another program: integers of 1 to 16 bytes, held in 128
 * bits and extended; floats of 4, 8 or 16 bytes, held in a long double. No operation is undefined.
 */
#ifndef GATECTL_BASE_ARITH_H
#define GATECTL_BASE_ARITH_H

#include <stdbool.h>
#include <stdint.h>

/* Operators are those of tracer/base/text/token.h. */
/* Result of an operation: done, division by zero, or an operator that the type lacks. */
enum arith_result { ARITH_DONE, ARITH_BY_ZERO, ARITH_NO_OPERATOR };

/* Returns the lowest `size` bytes, extended by sign or zeros to 128 bits. */
unsigned __int128 arith_fit(unsigned __int128 bits, uint64_t size, bool with_sign);
/* Sets *out to a OP b in 128 bits. A shift by 128 or more leaves copies of the sign, or 0. */
enum arith_result arith_integer(unsigned op, bool with_sign, unsigned __int128 a,
				unsigned __int128 b, unsigned __int128 *out);
/* Sets *out to a OP b, computed in the precision of a float of `size` bytes. */
enum arith_result arith_real(unsigned op, uint64_t size, long double a, long double b,
			     long double *out);

/* Returns the number rounded to a float of `size` bytes. */
long double arith_round(long double real, uint64_t size);
/* Returns the integer as a float of `size` bytes, rounded once. */
long double arith_real_of(unsigned __int128 bits, bool with_sign, uint64_t size);
/* Sets *out to the integer part. Returns false if an integer of `size` bytes cannot hold it. */
bool arith_integer_of(long double real, uint64_t size, bool with_sign, unsigned __int128 *out);

/* Returns -1, 0 or 1 for a < b, a == b or a > b. */
int arith_order(bool with_sign, unsigned __int128 a, unsigned __int128 b);
/* Returns -1, 0 or 1 for a < b, a == b or a > b; 2 if one is not a number (unordered). */
int arith_real_order(long double a, long double b);
/* Returns the result, 0 or 1, of a comparison operator for such an order;
   -1 for other operators. */
int arith_compared(unsigned op, int order);

#endif
