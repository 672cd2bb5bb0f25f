#include "tracer/dwarf/expressions/expression_internal.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { NUMBER_BITS = 128 };
#define ALL_BITS (~(unsigned __int128)0)

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
	unsigned above = NUMBER_BITS - 8u * type.size;

	if (above && type.kind == NUMBER_SIGNED) {
		unsigned __int128 sign = (unsigned __int128)1 << (NUMBER_BITS - 1 - above);

		bits &= (sign << 1) - 1;
		bits = (bits ^ sign) - sign;
	} else if (above) {
		bits &= ALL_BITS >> above;
	}
	return (struct number){.bits = bits, .type = type};
}

/* ---- floats --------------------------------------------------------------------------------- */

static double to_double(struct number n)
{
	uint32_t low = (uint32_t)n.bits;
	double d;
	float f;

	switch (n.type.kind) {
	case NUMBER_FLOAT:
		memcpy(&f, &low, sizeof(f));
		memcpy(&d, &n.bits, sizeof(d));
		return n.type.size == sizeof(f) ? (double)f : d;
	case NUMBER_SIGNED:
		return (double)(__int128)n.bits;
	default:
		return (double)n.bits;
	}
}

static struct number from_double(struct number_type type, double d)
{
	uint64_t bits = 0;
	float f = (float)d;

	if (type.size == sizeof(f))
		memcpy(&bits, &f, sizeof(f));
	else
		memcpy(&bits, &d, sizeof(d));
	return (struct number){.bits = bits, .type = type};
}

static __int128 as_signed(struct number n)
{
	const struct number_type type = {NUMBER_SIGNED, n.type.size};

	return (__int128)number_make(type, n.bits).bits;
}

static unsigned __int128 to_wide_integer(double d, bool is_signed)
{
	__int128 least = (__int128)((unsigned __int128)1 << (NUMBER_BITS - 1));

	if (d != d || (d < 0 && !is_signed))
		return 0;
	if (is_signed && (d <= -0x1p127 || d >= 0x1p127))
		return (unsigned __int128)(d < 0 ? least : ~least);
	if (is_signed)
		return (unsigned __int128)(__int128)d;
	return d >= 0x1p128 ? ALL_BITS : (unsigned __int128)d;
}

/* What does not fit goes to the nearest end: C leaves it open. */
static uint64_t to_integer(double d, bool is_signed)
{
	if (d != d)
		return 0;
	if (d < 0 && (is_signed || d > -0x1p63))
		return d <= -0x1p63 ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)d;
	if (d < 0)
		return 0;
	if (is_signed)
		return d >= 0x1p63 ? (uint64_t)INT64_MAX : (uint64_t)d;
	return d >= 0x1p64 ? UINT64_MAX : (uint64_t)d;
}

struct number number_convert(struct number from, struct number_type to)
{
	if (to.kind == NUMBER_FLOAT)
		return from_double(to, to_double(from));
	if (from.type.kind == NUMBER_FLOAT && to.size > 8)
		return number_make(to, to_wide_integer(to_double(from), to.kind == NUMBER_SIGNED));
	if (from.type.kind == NUMBER_FLOAT)
		return number_make(to, to_integer(to_double(from), to.kind == NUMBER_SIGNED));
	return number_make(to, from.bits);
}

bool number_is_zero(struct number n)
{
	return n.type.kind == NUMBER_FLOAT ? to_double(n) == 0 : n.bits == 0;
}

static int float_binary(unsigned op, double a, double b, double *out, struct error *err)
{
	switch (op) {
	case DW_OP_plus:
		*out = a + b;
		return 0;
	case DW_OP_minus:
		*out = a - b;
		return 0;
	case DW_OP_mul:
		*out = a * b;
		return 0;
	case DW_OP_div:
		if (b == 0)
			return undefined(err, "a division by zero");
		*out = a / b;
		return 0;
	default:
		return undefined(err, "an operation of integers on floating-point numbers");
	}
}

/* ---- integers ------------------------------------------------------------------------------- */

/* The generic type is signed where a division or a comparison asks. */
static bool takes_sign(struct number n)
{
	return n.type.kind != NUMBER_UNSIGNED;
}

static int divide(struct number *a, struct number b, struct error *err)
{
	if (b.bits == 0)
		return undefined(err, "a division by zero");
	if (!takes_sign(*a))
		a->bits /= b.bits;
	else if (as_signed(b) == -1)
		a->bits = 0 - a->bits; /* the least number / -1 has no answer in C */
	else
		a->bits = (unsigned __int128)(as_signed(*a) / as_signed(b));
	return 0;
}

static int modulo(struct number *a, struct number b, struct error *err)
{
	if (b.bits == 0)
		return undefined(err, "a division by zero");
	if (a->type.kind != NUMBER_SIGNED)
		a->bits %= b.bits;
	else if (as_signed(b) == -1)
		a->bits = 0;
	else
		a->bits = (unsigned __int128)(as_signed(*a) % as_signed(b));
	return 0;
}

static unsigned __int128 shift_right(struct number a, unsigned __int128 by, bool arithmetic)
{
	bool negative = arithmetic && as_signed(a) < 0;
	/* without what the sign was extended to, or with it whatever the type */
	unsigned __int128 bits = negative ? (unsigned __int128)as_signed(a)
					  : a.bits & ALL_BITS >> (NUMBER_BITS - 8u * a.type.size);

	if (by >= NUMBER_BITS)
		return negative ? ALL_BITS : 0;
	bits >>= by;
	return negative && by ? bits | ~(ALL_BITS >> by) : bits;
}

static int integer_binary(unsigned op, struct number *a, struct number b, struct error *err)
{
	switch (op) {
	case DW_OP_and:
		a->bits &= b.bits;
		return 0;
	case DW_OP_or:
		a->bits |= b.bits;
		return 0;
	case DW_OP_xor:
		a->bits ^= b.bits;
		return 0;
	case DW_OP_plus:
		a->bits += b.bits;
		return 0;
	case DW_OP_minus:
		a->bits -= b.bits;
		return 0;
	case DW_OP_mul:
		a->bits *= b.bits;
		return 0;
	case DW_OP_div:
		return divide(a, b, err);
	case DW_OP_mod:
		return modulo(a, b, err);
	case DW_OP_shl:
		a->bits = b.bits < NUMBER_BITS ? a->bits << b.bits : 0;
		return 0;
	case DW_OP_shr:
		a->bits = shift_right(*a, b.bits, false);
		return 0;
	case DW_OP_shra:
		a->bits = shift_right(*a, b.bits, true);
		return 0;
	default:
		return undefined(err, "an unknown operation");
	}
}

/* ---- both ----------------------------------------------------------------------------------- */

static int expression_number_compare(struct number a, struct number b)
{
	if (a.type.kind == NUMBER_FLOAT) {
		double x = to_double(a), y = to_double(b);

		return x < y ? -1 : x > y;
	}
	if (takes_sign(a))
		return as_signed(a) < as_signed(b) ? -1 : as_signed(a) > as_signed(b);
	return a.bits < b.bits ? -1 : a.bits > b.bits;
}

static bool is_true(unsigned op, int order)
{
	switch (op) {
	case DW_OP_eq:
		return order == 0;
	case DW_OP_ne:
		return order != 0;
	case DW_OP_lt:
		return order < 0;
	case DW_OP_le:
		return order <= 0;
	case DW_OP_gt:
		return order > 0;
	default:
		return order >= 0;
	}
}

static bool is_nan(struct number n)
{
	return n.type.kind == NUMBER_FLOAT && to_double(n) != to_double(n);
}

static bool is_shift(unsigned op)
{
	return op == DW_OP_shl || op == DW_OP_shr || op == DW_OP_shra;
}

int number_binary(unsigned op, struct number *a, struct number b, struct error *err)
{
	double d = 0;

	if (!is_shift(op) && (a->type.kind != b.type.kind || a->type.size != b.type.size))
		return undefined(err, "two numbers of different types");
	if (op >= DW_OP_eq && op <= DW_OP_ne) {
		bool none = is_nan(*a) || is_nan(b);

		*a = number_generic(none ? op == DW_OP_ne
					 : is_true(op, expression_number_compare(*a, b)));
		return 0;
	}
	if (a->type.kind == NUMBER_FLOAT) {
		if (float_binary(op, to_double(*a), to_double(b), &d, err) < 0)
			return -1;
		*a = from_double(a->type, d);
		return 0;
	}
	if (integer_binary(op, a, b, err) < 0)
		return -1;
	*a = number_make(a->type, a->bits);
	return 0;
}

int number_unary(unsigned op, struct number *n, struct error *err)
{
	bool is_float = n->type.kind == NUMBER_FLOAT;
	bool negative = is_float ? to_double(*n) < 0 : takes_sign(*n) && as_signed(*n) < 0;

	if (op == DW_OP_not && is_float)
		return undefined(err, "an operation of integers on floating-point numbers");
	if (op == DW_OP_not)
		n->bits = ~n->bits;
	else if (is_float && (op == DW_OP_neg || negative))
		*n = from_double(n->type, -to_double(*n));
	else if (!is_float && (op == DW_OP_neg || negative))
		n->bits = 0 - n->bits;
	if (!is_float)
		*n = number_make(n->type, n->bits);
	return 0;
}
