/* Signs of values, and of the results of comparisons. */
#include "tracer/audit/flow/flow.h"

unsigned signs_of_number(long number)
{
	return number < 0 ? SIGN_NEGATIVE : number ? SIGN_POSITIVE : SIGN_ZERO;
}

unsigned signs_negated(unsigned signs)
{
	return (signs & SIGN_ZERO) | (signs & SIGN_NEGATIVE ? SIGN_POSITIVE : 0) |
	       (signs & SIGN_POSITIVE ? SIGN_NEGATIVE : 0);
}

/* Exchanges false and true, which are the signs of 0 and 1. */
static unsigned opposite(unsigned truth)
{
	return (truth & SIGN_ZERO ? SIGN_POSITIVE : 0) | (truth & SIGN_POSITIVE ? SIGN_ZERO : 0);
}

static unsigned is_less(unsigned sign, long than)
{
	if (sign == SIGN_NEGATIVE)
		return than >= 0 ? SIGN_POSITIVE : SIGN_TRUTH;
	if (sign == SIGN_ZERO)
		return than > 0 ? SIGN_POSITIVE : SIGN_ZERO;
	return than > 1 ? SIGN_TRUTH : SIGN_ZERO;
}

static unsigned compare_one(enum audit_expr_kind kind, unsigned sign, long with)
{
	const bool same = sign == signs_of_number(with);

	switch (kind) {
	case EXPR_LESS:
		return is_less(sign, with);
	case EXPR_LESS_EQUAL:
		return is_less(sign, with + 1);
	case EXPR_GREATER:
		return opposite(is_less(sign, with + 1));
	case EXPR_GREATER_EQUAL:
		return opposite(is_less(sign, with));
	case EXPR_UNEQUAL:
		return !same ? SIGN_POSITIVE : with ? SIGN_TRUTH : SIGN_ZERO;
	default:
		return !same ? SIGN_ZERO : with ? SIGN_TRUTH : SIGN_POSITIVE;
	}
}

unsigned signs_compared(enum audit_expr_kind kind, unsigned signs, long with)
{
	unsigned truth = 0;

	for (unsigned sign = SIGN_NEGATIVE; sign <= SIGN_POSITIVE; sign <<= 1)
		if (signs & sign)
			truth |= compare_one(kind, sign, with);
	return truth;
}

unsigned signs_where(enum audit_expr_kind kind, long with, bool holds)
{
	unsigned signs = 0;

	for (unsigned sign = SIGN_NEGATIVE; sign <= SIGN_POSITIVE; sign <<= 1)
		if (compare_one(kind, sign, with) & (holds ? SIGN_POSITIVE : SIGN_ZERO))
			signs |= sign;
	return signs;
}

bool signs_compare_numbers(enum audit_expr_kind kind, long a, long b)
{
	switch (kind) {
	case EXPR_LESS:
		return a < b;
	case EXPR_LESS_EQUAL:
		return a <= b;
	case EXPR_GREATER:
		return a > b;
	case EXPR_GREATER_EQUAL:
		return a >= b;
	case EXPR_UNEQUAL:
		return a != b;
	default:
		return a == b;
	}
}

enum audit_expr_kind signs_mirrored(enum audit_expr_kind kind)
{
	switch (kind) {
	case EXPR_LESS:
		return EXPR_GREATER;
	case EXPR_LESS_EQUAL:
		return EXPR_GREATER_EQUAL;
	case EXPR_GREATER:
		return EXPR_LESS;
	case EXPR_GREATER_EQUAL:
		return EXPR_LESS_EQUAL;
	default:
		return kind;
	}
}

/* ---- results of tries ------------------------------------------------------------------------ */

/* Term of the try with the signs of its result mapped by a comparison with a number. */
unsigned signs_tried_compared(struct terms *t, struct term tried, enum audit_expr_kind kind,
			      long with)
{
	return term_of(t, TERM_TRIED, tried.a,
		       tried_of(signs_compared(kind, tried_done(tried.b), with),
				signs_compared(kind, tried_failed(tried.b), with),
				tried.b & TRIED_FLAGS));
}

unsigned signs_tried_negated(struct terms *t, struct term tried)
{
	return term_of(t, TERM_TRIED, tried.a,
		       tried_of(signs_negated(tried_done(tried.b)),
				signs_negated(tried_failed(tried.b)), tried.b & TRIED_FLAGS));
}

unsigned signs_tried_chosen(struct terms *t, struct term tried, long yes, long no)
{
	unsigned mapped[2];
	const unsigned signs[] = {tried_done(tried.b), tried_failed(tried.b)};

	for (int i = 0; i < 2; i++)
		mapped[i] = (signs[i] & SIGN_NOT_ZERO ? signs_of_number(yes) : 0) |
			    (signs[i] & SIGN_ZERO ? signs_of_number(no) : 0);
	return term_of(t, TERM_TRIED, tried.a,
		       tried_of(mapped[0], mapped[1], tried.b & TRIED_FLAGS));
}
