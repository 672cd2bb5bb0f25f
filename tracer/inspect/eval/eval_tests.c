/*
 * A condition as tests that the program can make without gatectl: comparisons with constants,
 * joined by &&, || and !. Tests are added from the last one to the first, so that the number of the
 * next one is known, and reversed at the end.
 */
#include "tracer/inspect/eval/eval.h"

enum { STEPS = 16 };

struct condition_tests {
	const struct eval_scope *scope;
	struct inspect_test *items;
	size_t count;
	bool failed; /* the condition has a part that is no such comparison */
};

/* ---- operands ------------------------------------------------------------------------------- */

static bool is_constant(const struct eval_scope *s, struct eval_node *n)
{
	struct eval_scalar ignored;

	switch (n->kind) {
	case EVAL_INTEGER:
	case EVAL_NULLPTR:
		return true;
	case EVAL_NAME:
		return eval_number(s, n, &ignored) == 0 && n->is_enumerator;
	case EVAL_UNARY:
		return n->op != '&' && n->op != '*' && is_constant(s, n->a);
	case EVAL_BINARY:
		return is_constant(s, n->a) && is_constant(s, n->b);
	case EVAL_CAST:
		return is_constant(s, n->a);
	case EVAL_SIZEOF:
		return !n->a;
	default:
		return false;
	}
}

/* 64 bits of an integer or a pointer, extended as its type has it. */
static bool read_constant(const struct eval_scope *s, struct eval_node *n, struct eval_scalar *out)
{
	return is_constant(s, n) && eval_number(s, n, out) == 0 && !scalar_is_float(out) &&
	       out->type->size <= 8;
}

/* The steps from a variable to the operand. Returns false if the node is no such operand, or is more
   than STEPS away. */
static bool find_steps(const struct eval_scope *s, struct eval_node *n,
		       struct inspect_step steps[STEPS], size_t *count)
{
	struct inspect_step step = {n->text, 0};
	struct eval_scalar index;

	if (n->kind == EVAL_ELEMENT) {
		if (!read_constant(s, n->b, &index) || scalar_is_pointer(&index) ||
		    index.bits > INSPECT_HOP_MOST)
			return false;
		step = (struct inspect_step){NULL, (size_t)index.bits};
	} else if (n->kind == EVAL_UNARY && n->op == '*') {
		step = (struct inspect_step){NULL, 0};
	} else if (n->kind != EVAL_NAME && n->kind != EVAL_FIELD) {
		return false;
	}
	if (n->kind == EVAL_NAME)
		*count = 0;
	else if (!find_steps(s, n->a, steps, count))
		return false;
	if (*count == (size_t)STEPS)
		return false;
	steps[(*count)++] = step;
	return true;
}

/* The side of a test that is no constant. */
struct operand {
	struct inspect_spot spot;
	int64_t mask;
	struct eval_scalar scalar; /* only the type */
};

static bool find_variable(const struct eval_scope *s, struct eval_node *n, struct operand *out)
{
	struct inspect_step steps[STEPS];
	const struct type *t;
	size_t count;

	out->mask = -1;
	if (!find_steps(s, n, steps, &count) || inspect_spot(s->call, steps, count, &out->spot) < 0)
		return false;
	if (out->spot.holds == INSPECT_SPOT_OTHER)
		return false;
	t = out->spot.size < 4 ? type_builtin("int")
			       : scalar_integer_type(out->spot.size, out->spot.is_signed);
	if (out->spot.holds == INSPECT_SPOT_POINTER)
		t = type_pointer_to(type_builtin("void"));
	out->scalar = (struct eval_scalar){.type = t};
	return true;
}

/* The conversion of C11 6.3.1.3. From int to unsigned int it clears the upper 32 bits of the
   extended value. */
static void convert_operand(struct operand *o, const struct type *t)
{
	if (t->size == 4 && !value_signed(t) && value_signed(o->scalar.type))
		o->mask &= UINT32_MAX;
	o->scalar.type = t;
}

/* A variable, or some bits of one. */
static bool find_operand(const struct eval_scope *s, struct eval_node *n, struct operand *out)
{
	struct eval_scalar mask;
	const struct type *t;

	if (n->kind != EVAL_BINARY || n->op != '&')
		return find_variable(s, n, out);
	if (!(read_constant(s, n->b, &mask) && find_operand(s, n->a, out)) &&
	    !(read_constant(s, n->a, &mask) && find_operand(s, n->b, out)))
		return false;
	t = scalar_common(&out->scalar, &mask);
	if (!t)
		return false;
	convert_operand(out, t);
	out->mask &= (int64_t)scalar_fit(mask.bits, t);
	return true;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Returns the number of the test. */
static int add_test(struct condition_tests *all, const struct operand *o, unsigned op, int64_t with,
		    int yes, int no)
{
	bool other = op == OP2('!', '=');

	if (all->count == INSPECT_TESTS) {
		all->failed = true;
		return INSPECT_FALSE;
	}
	all->items[all->count] = (struct inspect_test){
		.spot = o->spot,
		.mask = o->mask,
		.compare = op == '<'		 ? INSPECT_LT
			   : op == OP2('<', '=') ? INSPECT_LE
			   : op == '>'		 ? INSPECT_GT
			   : op == OP2('>', '=') ? INSPECT_GE
						 : INSPECT_EQ,
		.is_unsigned = !value_signed(o->scalar.type),
		.constant = with,
		.yes = other ? no : yes,
		.no = other ? yes : no,
	};
	return (int)all->count++;
}

static unsigned mirrored_operator(unsigned op)
{
	switch (op) {
	case '<':
		return '>';
	case '>':
		return '<';
	case OP2('<', '='):
		return OP2('>', '=');
	case OP2('>', '='):
		return OP2('<', '=');
	default:
		return op;
	}
}

static int add_comparison(struct condition_tests *all, const struct eval_node *n, int yes, int no)
{
	const struct eval_scope *s = all->scope;
	struct eval_scalar with;
	struct operand o;
	unsigned op = n->op;
	const struct type *t;

	if (read_constant(s, n->a, &with) && find_operand(s, n->b, &o)) {
		op = mirrored_operator(op);
	} else if (!read_constant(s, n->b, &with) || !find_operand(s, n->a, &o)) {
		all->failed = true;
		return INSPECT_FALSE;
	}
	if (scalar_is_pointer(&o.scalar) || scalar_is_pointer(&with))
		t = type_builtin("unsigned long");
	else
		t = scalar_common(&o.scalar, &with);
	if (!t) {
		all->failed = true;
		return INSPECT_FALSE;
	}
	convert_operand(&o, t);
	return add_test(all, &o, op, (int64_t)scalar_fit(with.bits, t), yes, no);
}

/* Returns the number of the first test of the condition. */
static int add_condition(struct condition_tests *all, struct eval_node *n, int yes, int no)
{
	struct operand o;

	if (n->kind == EVAL_UNARY && n->op == '!')
		return add_condition(all, n->a, no, yes);
	if (n->kind == EVAL_BINARY && n->op == OP2('&', '&'))
		return add_condition(all, n->a, add_condition(all, n->b, yes, no), no);
	if (n->kind == EVAL_BINARY && n->op == OP2('|', '|'))
		return add_condition(all, n->a, yes, add_condition(all, n->b, yes, no));
	if (n->kind == EVAL_BINARY && eval_compares(n->op))
		return add_comparison(all, n, yes, no);
	if (find_operand(all->scope, n, &o))
		return add_test(all, &o, OP2('!', '='), 0, yes, no);
	all->failed = true;
	return INSPECT_FALSE;
}

static int from_first(int next, size_t count)
{
	return next < 0 ? next : (int)count - 1 - next;
}

static void reverse_tests(struct inspect_test *items, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct inspect_test other = items[i];

		items[i] = items[count - 1 - i];
		items[count - 1 - i] = other;
	}
	for (size_t i = 0; i < count; i++) {
		items[i].yes = from_first(items[i].yes, count);
		items[i].no = from_first(items[i].no, count);
	}
}

static int take_to_pieces(const struct eval_scope *s, struct eval_node *root, void *ctx)
{
	struct condition_tests *all = ctx;

	all->scope = s;
	add_condition(all, root, INSPECT_TRUE, INSPECT_FALSE);
	return all->failed ? -1 : 0;
}

size_t inspect_tests(const struct inspect_call *call, const char *text,
		     struct inspect_test out[INSPECT_TESTS])
{
	struct condition_tests all = {.items = out};
	ERROR(ignored);

	if (eval_with_tree(call, text, take_to_pieces, &all, &ignored) < 0)
		return 0;
	reverse_tests(out, all.count);
	return all.count;
}
