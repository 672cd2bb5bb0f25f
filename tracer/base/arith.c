/* Integer and float operators, conversions and comparisons. */
#include "tracer/base/arith.h"

#include "tracer/base/text/token.h"

#include <math.h>

enum { BITS = 128 };

unsigned __int128 arith_fit(unsigned __int128 bits, uint64_t size, bool with_sign)
{
	unsigned away = size < BITS / 8 ? BITS - 8 * (unsigned)size : 0;

	bits <<= away;
	return with_sign ? (unsigned __int128)((__int128)bits >> away) : bits >> away;
}

/* ---- operators ------------------------------------------------------------------------------ */

static unsigned __int128 divided(bool rest, bool with_sign, unsigned __int128 a,
				 unsigned __int128 b)
{
	bool minus_a = with_sign && (__int128)a < 0, minus_b = with_sign && (__int128)b < 0;
	unsigned __int128 x = minus_a ? -a : a, y = minus_b ? -b : b;

	if (rest)
		return minus_a ? -(x % y) : x % y;
	return minus_a != minus_b ? -(x / y) : x / y;
}

static unsigned __int128 moved_right(bool with_sign, unsigned __int128 a, unsigned __int128 by)
{
	if (with_sign)
		return (unsigned __int128)((__int128)a >> (by < BITS ? (int)by : BITS - 1));
	return by < BITS ? a >> by : 0;
}

enum arith_result arith_integer(unsigned op, bool with_sign, unsigned __int128 a,
				unsigned __int128 b, unsigned __int128 *out)
{
	switch (op) {
	case '+':
		*out = a + b;
		return ARITH_DONE;
	case '-':
		*out = a - b;
		return ARITH_DONE;
	case '*':
		*out = a * b;
		return ARITH_DONE;
	case '&':
		*out = a & b;
		return ARITH_DONE;
	case '|':
		*out = a | b;
		return ARITH_DONE;
	case '^':
		*out = a ^ b;
		return ARITH_DONE;
	case OP2('<', '<'):
		*out = b < BITS ? a << b : 0;
		return ARITH_DONE;
	case OP2('>', '>'):
		*out = moved_right(with_sign, a, b);
		return ARITH_DONE;
	case '/':
	case '%':
		if (b == 0)
			return ARITH_BY_ZERO;
		*out = divided(op == '%', with_sign, a, b);
		return ARITH_DONE;
	default:
		return ARITH_NO_OPERATOR;
	}
}

enum arith_result arith_real(unsigned op, uint64_t size, long double a, long double b,
			     long double *out)
{
	switch (op) {
	case '+':
		*out = size == 4 ? (float)a + (float)b : size == 8 ? (double)a + (double)b : a + b;
		return ARITH_DONE;
	case '-':
		*out = size == 4 ? (float)a - (float)b : size == 8 ? (double)a - (double)b : a - b;
		return ARITH_DONE;
	case '*':
		*out = size == 4 ? (float)a * (float)b : size == 8 ? (double)a * (double)b : a * b;
		return ARITH_DONE;
	case '/':
		if (b == 0)
			return ARITH_BY_ZERO;
		*out = size == 4 ? (float)a / (float)b : size == 8 ? (double)a / (double)b : a / b;
		return ARITH_DONE;
	default:
		return ARITH_NO_OPERATOR;
	}
}

/* ---- conversions ---------------------------------------------------------------------------- */

long double arith_round(long double real, uint64_t size)
{
	return size == 4 ? (float)real : size == 8 ? (double)real : real;
}

long double arith_real_of(unsigned __int128 bits, bool with_sign, uint64_t size)
{
	bool negative = with_sign && (__int128)bits < 0;
	unsigned __int128 n = negative ? -bits : bits;
	long double real = size == 4 ? (float)n : size == 8 ? (double)n : (long double)n;

	return negative ? -real : real;
}

bool arith_integer_of(long double real, uint64_t size, bool with_sign, unsigned __int128 *out)
{
	long double whole = truncl(real);
	long double limit = ldexpl(1, 8 * (int)size - with_sign);

	if (!(whole < limit && whole >= (with_sign ? -limit : 0)))
		return false;
	*out = whole < 0 ? -(unsigned __int128)-whole : (unsigned __int128)whole;
	return true;
}

/* ---- comparisons ---------------------------------------------------------------------------- */

int arith_order(bool with_sign, unsigned __int128 a, unsigned __int128 b)
{
	if (with_sign)
		return ((__int128)a > (__int128)b) - ((__int128)a < (__int128)b);
	return (a > b) - (a < b);
}

int arith_real_order(long double a, long double b)
{
	return isnan(a) || isnan(b) ? 2 : (a > b) - (a < b);
}

int arith_compared(unsigned op, int order)
{
	switch (op) {
	case OP2('=', '='):
		return order == 0;
	case OP2('!', '='):
		return order != 0;
	case '<':
		return order == -1;
	case '>':
		return order == 1;
	case OP2('<', '='):
		return order == -1 || order == 0;
	case OP2('>', '='):
		return order == 1 || order == 0;
	default:
		return -1;
	}
}
