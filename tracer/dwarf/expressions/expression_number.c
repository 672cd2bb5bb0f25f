/*
 * Typed numbers on the stack of a DWARF expression: arithmetic and conversions (DWARF 5, 2.5.1.4).
 */
#include "tracer/dwarf/expressions/expression_internal.h"

#include "tracer/base/arith.h"
#include "tracer/base/text/token.h"

#include <libdwarf/dwarf.h>

#include <string.h>

static int undefined(struct error *err, const char *what)
{
	return error_set(err, ERROR_STATE, "a broken DWARF expression: %s", what);
}

struct number number_generic(uint64_t bits)
{
	return (struct number){.bits = bits, .type = {NUMBER_GENERIC, 8}};
}

struct number number_make(struct number_type type, unsigned __int128 bits)
{
	return (struct number){.bits = arith_fit(bits, type.size, type.kind == NUMBER_SIGNED),
			       .type = type};
}

/* ---- floats --------------------------------------------------------------------------------- */

static long double to_real(struct number n)
{
	double d;
	float f;

	memcpy(&f, &n.bits, sizeof(f));
	memcpy(&d, &n.bits, sizeof(d));
	return n.type.size == sizeof(f) ? (long double)f : (long double)d;
}

static struct number from_real(struct number_type type, long double real)
{
	struct number n = {.type = type};
	double d = (double)real;
	float f = (float)real;

	if (type.size == sizeof(f))
		memcpy(&n.bits, &f, sizeof(f));
	else
		memcpy(&n.bits, &d, sizeof(d));
	return n;
}

/* A float outside the range of 8 or 16 bytes becomes the nearest limit; C leaves it undefined. */
static unsigned __int128 to_integer(long double real, struct number_type to)
{
	uint64_t size = to.size > 8 ? 16 : 8;
	bool wraps = size == 8 && real < 0 && real > -0x1p63L;
	bool with_sign = to.kind == NUMBER_SIGNED || wraps;
	unsigned __int128 bits, least = (unsigned __int128)1 << (8 * size - 1);

	if (arith_integer_of(real, size, with_sign, &bits))
		return bits;
	if (real != real || (real < 0 && !with_sign))
		return 0;
	return with_sign ? least - (real > 0) : arith_fit(-1, size, false);
}

struct number number_convert(struct number from, struct number_type to)
{
	bool is_float = from.type.kind == NUMBER_FLOAT;

	if (to.kind != NUMBER_FLOAT)
		return number_make(to, is_float ? to_integer(to_real(from), to) : from.bits);
	return from_real(
		to, is_float ? to_real(from)
			     : arith_real_of(from.bits, from.type.kind == NUMBER_SIGNED, to.size));
}

bool number_is_zero(struct number n)
{
	return n.type.kind == NUMBER_FLOAT ? to_real(n) == 0 : n.bits == 0;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* The generic type is signed in divisions and comparisons, but not in DW_OP_mod. */
static bool takes_sign(unsigned op, enum number_kind kind)
{
	if (op == DW_OP_shr || op == DW_OP_shra)
		return op == DW_OP_shra;
	return kind == NUMBER_SIGNED || (kind == NUMBER_GENERIC && op != DW_OP_mod);
}

int number_binary(unsigned op, struct number *a, struct number b, struct error *err)
{
	static const unsigned operators[DW_OP_ne + 1] = {[DW_OP_and] = '&',
							 [DW_OP_or] = '|',
							 [DW_OP_xor] = '^',
							 [DW_OP_plus] = '+',
							 [DW_OP_minus] = '-',
							 [DW_OP_mul] = '*',
							 [DW_OP_div] = '/',
							 [DW_OP_mod] = '%',
							 [DW_OP_shl] = OP2('<', '<'),
							 [DW_OP_shr] = OP2('>', '>'),
							 [DW_OP_eq] = OP2('=', '='),
							 [DW_OP_ne] = OP2('!', '='),
							 [DW_OP_le] = OP2('<', '='),
							 [DW_OP_ge] = OP2('>', '='),
							 [DW_OP_lt] = '<',
							 [DW_OP_gt] = '>',
							 [DW_OP_shra] = OP2('>', '>')};
	const struct number_type type = a->type;
	bool is_float = type.kind == NUMBER_FLOAT, with_sign = takes_sign(op, type.kind);
	bool is_shift = op == DW_OP_shl || op == DW_OP_shr || op == DW_OP_shra;
	unsigned c = op <= DW_OP_ne ? operators[op] : 0;
	unsigned __int128 x = arith_fit(a->bits, type.size, with_sign), y = b.bits;
	long double real = is_float ? to_real(*a) : 0;
	enum arith_result result;
	int answer;

	if (!is_shift && (type.kind != b.type.kind || type.size != b.type.size))
		return undefined(err, "two numbers of different types");
	if (!is_shift)
		y = arith_fit(y, type.size, with_sign);
	answer = arith_compared(c, is_float ? arith_real_order(real, to_real(b))
					    : arith_order(with_sign, x, y));
	if (answer >= 0) {
		*a = number_generic((uint64_t)answer);
		return 0;
	}
	result = is_float ? arith_real(c, type.size, real, to_real(b), &real)
			  : arith_integer(c, with_sign, x, y, &x);
	if (result == ARITH_BY_ZERO)
		return undefined(err, "a division by zero");
	if (result == ARITH_NO_OPERATOR)
		return undefined(err, is_float
					      ? "an operation of integers on floating-point numbers"
					      : "an unknown operation");
	*a = is_float ? from_real(type, real) : number_make(type, x);
	return 0;
}

int number_unary(unsigned op, struct number *n, struct error *err)
{
	bool is_float = n->type.kind == NUMBER_FLOAT;
	bool with_sign = takes_sign(op, n->type.kind);
	bool negative = is_float
				? to_real(*n) < 0
				: with_sign && (__int128)arith_fit(n->bits, n->type.size, true) < 0;

	if (op == DW_OP_not && is_float)
		return undefined(err, "an operation of integers on floating-point numbers");
	if (op == DW_OP_not)
		*n = number_make(n->type, ~n->bits);
	else if (op == DW_OP_neg || negative)
		*n = is_float ? from_real(n->type, -to_real(*n)) : number_make(n->type, -n->bits);
	return 0;
}
