/*
 * Arithmetic as C defines it for the program: widths, wrap-around, conversions (C11 6.3). Integers
 * are computed in 128 unsigned bits and cut to their type, so nothing is undefined here. What is
 * undefined in the program, such as too wide a shift, is an error.
 */
#include "tracer/inspect/eval/eval.h"

#include "tracer/base/arith.h"

#include <string.h>

/* ---- facts about types ---------------------------------------------------------------------- */

bool scalar_is_float(const struct eval_scalar *s)
{
	return s->type->kind == TYPE_FLOAT;
}

bool scalar_is_pointer(const struct eval_scalar *s)
{
	return s->type->kind == TYPE_POINTER;
}

bool scalar_true(const struct eval_scalar *s)
{
	return scalar_is_float(s) ? s->real != 0 : s->bits != 0;
}

const struct type *scalar_integer_type(uint64_t size, bool with_sign)
{
	if (size > 8)
		return type_builtin(with_sign ? "__int128" : "unsigned __int128");
	if (size > 4)
		return type_builtin(with_sign ? "long" : "unsigned long");
	return type_builtin(with_sign ? "int" : "unsigned int");
}

unsigned __int128 scalar_fit(unsigned __int128 bits, const struct type *t)
{
	return arith_fit(bits, t->size, value_signed(t));
}

static bool negative(const struct eval_scalar *s)
{
	return value_signed(s->type) && (__int128)s->bits < 0;
}

struct eval_scalar scalar_int(int64_t value, const char *builtin)
{
	struct eval_scalar s = {.type = type_builtin(builtin)};

	s.bits = (unsigned __int128)(__int128)value;
	return s;
}

int eval_refuse(const struct eval_scope *s, const char *at, const char *what, const struct type *t)
{
	STR(name);

	type_spell(t, &name);
	return eval_error(s->text, at, s->err, "%s %s", str_text(&name), what);
}

static bool is_plain_integer(const struct type *t)
{
	return t->kind == TYPE_BOOL || t->kind == TYPE_INTEGER || t->kind == TYPE_CHAR ||
	       t->kind == TYPE_ENUM;
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* A float that does not fit is undefined in C, and an error here. */
static int float_to_integer(const struct eval_scope *s, const char *at,
			    const struct eval_scalar *from, struct eval_scalar *out)
{
	if (!arith_integer_of(from->real, out->type->size, value_signed(out->type), &out->bits))
		return eval_refuse(s, at, "does not hold a number of that size", out->type);
	out->bits = scalar_fit(out->bits, out->type);
	return 0;
}

int scalar_convert(const struct eval_scope *s, const char *at, const struct eval_scalar *from,
		   const struct type *to, struct eval_scalar *out)
{
	struct eval_scalar result = {.type = to};

	if (to->kind == TYPE_BOOL) {
		result.bits = scalar_true(from);
	} else if (to->kind == TYPE_FLOAT) {
		if (scalar_is_pointer(from))
			return eval_refuse(s, at, "is not a number", from->type);
		result.real =
			scalar_is_float(from)
				? arith_round(from->real, to->size)
				: arith_real_of(from->bits, value_signed(from->type), to->size);
	} else if (to->kind == TYPE_POINTER) {
		if (scalar_is_float(from))
			return eval_refuse(s, at, "is not a pointer", from->type);
		result.bits = (uint64_t)from->bits;
	} else if (!is_plain_integer(to) || !to->size || to->size > 16) {
		return eval_refuse(s, at, "is not a type that a value can be cast to", to);
	} else if (scalar_is_float(from)) {
		if (float_to_integer(s, at, from, &result) < 0)
			return -1;
	} else {
		result.bits = scalar_fit(from->bits, to);
	}
	*out = result;
	return 0;
}

/* Applies the integer promotions. */
static struct eval_scalar promoted(const struct eval_scalar *a)
{
	struct eval_scalar out = *a;

	if (is_plain_integer(a->type))
		out.type = a->type->size < 4
				   ? type_builtin("int")
				   : scalar_integer_type(a->type->size, value_signed(a->type));
	return out;
}

/* Returns the type to which both operands are converted (C11 6.3.1.8). */
static const struct type *common_type(const struct eval_scalar *a, const struct eval_scalar *b)
{
	const struct type *x = a->type, *y = b->type;

	if (scalar_is_float(a) || scalar_is_float(b)) {
		uint64_t size = 0;

		if (scalar_is_float(a))
			size = x->size;
		if (scalar_is_float(b) && y->size > size)
			size = y->size;
		return type_builtin(size == 4 ? "float" : size == 8 ? "double" : "long double");
	}
	if (x->size != y->size)
		return x->size > y->size ? x : y;
	return value_signed(x) ? y : x;
}

const struct type *scalar_common(const struct eval_scalar *a, const struct eval_scalar *b)
{
	const struct eval_scalar x = promoted(a), y = promoted(b);
	const struct type *t = common_type(&x, &y);

	return is_plain_integer(x.type) && is_plain_integer(y.type) && t->size <= 8 ? t : NULL;
}

/* ---- operators ------------------------------------------------------------------------------ */

int scalar_unary(const struct eval_scope *s, const char *at, unsigned op,
		 const struct eval_scalar *a, struct eval_scalar *out)
{
	if (op == '!') {
		*out = scalar_int(!scalar_true(a), "int");
		return 0;
	}
	if (scalar_is_pointer(a))
		return eval_refuse(s, at, "is a pointer, not a number", a->type);
	if (op == '~' && scalar_is_float(a))
		return eval_refuse(s, at, "has no bits to complement", a->type);
	*out = promoted(a);
	if (op == '-' && scalar_is_float(a))
		out->real = -a->real;
	else if (op == '-')
		out->bits = scalar_fit(-out->bits, out->type);
	else if (op == '~')
		out->bits = scalar_fit(~out->bits, out->type);
	return 0;
}

static int shifted(const struct eval_scope *s, const char *at, unsigned op,
		   const struct eval_scalar *a, const struct eval_scalar *b,
		   struct eval_scalar *out)
{
	struct eval_scalar x = promoted(a);

	if (scalar_is_float(a) || scalar_is_float(b))
		return eval_refuse(s, at, "cannot be an operand of a shift",
				   scalar_is_float(a) ? a->type : b->type);
	if (negative(b) || b->bits >= 8 * x.type->size)
		return eval_error(s->text, at, s->err, "a shift of a number of %llu bits by %s%llu",
				  (unsigned long long)(8 * x.type->size), negative(b) ? "-" : "",
				  (unsigned long long)(negative(b) ? -b->bits : b->bits));
	*out = x;
	arith_integer(op, value_signed(x.type), x.bits, b->bits, &out->bits);
	out->bits = scalar_fit(out->bits, x.type);
	return 0;
}

/* ---- pointers ------------------------------------------------------------------------------- */

/* Size of the pointee in bytes; 1 for void and functions, as in gcc. */
static int pointee_size(const struct eval_scope *s, const char *at, const struct type *pointer,
			uint64_t *out)
{
	const struct type *of = pointer->of;

	if (of && of->incomplete)
		of = type_whole(of, s->program);
	*out = 1;
	if (!of || of->kind == TYPE_VOID || of->kind == TYPE_FUNCTION)
		return 0;
	*out = of->size;
	return of->size ? 0 : eval_refuse(s, at, "is of unknown size", of);
}

static int pointer_difference(const struct eval_scope *s, const char *at,
			      const struct eval_scalar *a, const struct eval_scalar *b,
			      struct eval_scalar *out)
{
	uint64_t size, other;

	if (pointee_size(s, at, a->type, &size) < 0 || pointee_size(s, at, b->type, &other) < 0)
		return -1;
	if (size != other)
		return eval_error(s->text, at, s->err,
				  "the pointers point to objects of %llu and of %llu bytes",
				  (unsigned long long)size, (unsigned long long)other);
	*out = scalar_int((int64_t)((uint64_t)a->bits - (uint64_t)b->bits), "long");
	if (size <= INT64_MAX)
		out->bits = (unsigned __int128)((__int128)out->bits / (__int128)size);
	return 0;
}

static int pointer_moved(const struct eval_scope *s, const char *at, unsigned op,
			 const struct eval_scalar *p, const struct eval_scalar *by,
			 struct eval_scalar *out)
{
	uint64_t size, add;

	if (scalar_is_float(by))
		return eval_refuse(s, at, "cannot be added to a pointer", by->type);
	if (pointee_size(s, at, p->type, &size) < 0)
		return -1;
	add = (uint64_t)by->bits * size;
	*out = *p;
	out->bits = (uint64_t)(op == '-' ? (uint64_t)p->bits - add : (uint64_t)p->bits + add);
	return 0;
}

static int pointer_binary(const struct eval_scope *s, const char *at, unsigned op,
			  const struct eval_scalar *a, const struct eval_scalar *b,
			  struct eval_scalar *out)
{
	uint64_t x = (uint64_t)a->bits, y = (uint64_t)b->bits;
	int answer = arith_compared(op, (x > y) - (x < y));

	if (answer >= 0 && !scalar_is_float(a) && !scalar_is_float(b)) {
		*out = scalar_int(answer, "int");
		return 0;
	}
	if (op == '-' && scalar_is_pointer(a) && scalar_is_pointer(b))
		return pointer_difference(s, at, a, b, out);
	if ((op == '+' || op == '-') && scalar_is_pointer(a) && !scalar_is_pointer(b))
		return pointer_moved(s, at, op, a, b, out);
	if (op == '+' && scalar_is_pointer(b) && !scalar_is_pointer(a))
		return pointer_moved(s, at, op, b, a, out);
	return eval_refuse(s, at, "is a pointer: cast it to a number for this",
			   scalar_is_pointer(a) ? a->type : b->type);
}

int scalar_binary(const struct eval_scope *s, const char *at, unsigned op,
		  const struct eval_scalar *a, const struct eval_scalar *b, struct eval_scalar *out)
{
	struct eval_scalar x, y;
	const struct type *common;
	enum arith_result result;
	bool is_float;
	int answer;

	if (scalar_is_pointer(a) || scalar_is_pointer(b))
		return pointer_binary(s, at, op, a, b, out);
	if (op == OP2('<', '<') || op == OP2('>', '>'))
		return shifted(s, at, op, a, b, out);
	x = promoted(a);
	y = promoted(b);
	common = common_type(&x, &y);
	if (scalar_convert(s, at, &x, common, &x) < 0 || scalar_convert(s, at, &y, common, &y) < 0)
		return -1;
	is_float = common->kind == TYPE_FLOAT;
	answer = arith_compared(op, is_float ? arith_real_order(x.real, y.real)
					     : arith_order(value_signed(common), x.bits, y.bits));
	if (answer >= 0) {
		*out = scalar_int(answer, "int");
		return 0;
	}
	*out = (struct eval_scalar){.type = common};
	result = is_float ? arith_real(op, common->size, x.real, y.real, &out->real)
			  : arith_integer(op, value_signed(common), x.bits, y.bits, &out->bits);
	if (result == ARITH_BY_ZERO)
		return eval_error(s->text, at, s->err, "division by zero");
	if (result == ARITH_NO_OPERATOR)
		return eval_refuse(s, at, "has no such operator", common);
	out->bits = scalar_fit(out->bits, common);
	return 0;
}
