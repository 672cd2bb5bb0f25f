/*
 * Checks names and members of a condition before a thread arrives. Only types are followed: an
 * error that depends on values (a null pointer, an optimised-out variable) is reported at an
 * arrival.
 */
#include "tracer/inspect/eval/eval.h"

#include <string.h>

/* Address of objects that are made up to follow types. No page is mapped there: each read fails. */
enum { NOWHERE = 1 << 20 };

/* Returns 1 with the type of the node in *out, 0 if the type is unknown, or -1 with *s->err set. */
static int check_node(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out);

/* Returns the type of the operand, or of what a reference refers to. */
static const struct type *operand_type(const struct eval_scope *s, const struct inspect_value *v)
{
	const struct type *t = type_whole(v->type, s->program);

	while (t->kind == TYPE_REFERENCE)
		t = type_whole(t->of, s->program);
	return t;
}

static int refuse_name(const struct eval_scope *s, const struct eval_node *n)
{
	ERROR(what);

	error_move(&what, s->err);
	eval_error(s->text, n->at, s->err, "%s", error_text(&what));
	return -1;
}

/* Checks a name. A variable without a value at the place (dropped, thread-local) is a known
   name. */
static int check_name(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	ERROR(why);
	const struct eval_scope quiet = {s->call, s->program, s->text, &why};

	if (eval_value(&quiet, n, out) == 0)
		return 1;
	if (inspect_variable_known(s->call, n->text))
		return 0;
	error_fini(s->err);
	if (inspect_variable(s->call, n->text, out, s->err) < 0)
		return refuse_name(s, n);
	return 0;
}

static int check_field(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a, object;
	int answer = check_node(s, n->a, &a);
	const struct type *t;
	ERROR(ignored);

	if (answer <= 0)
		return answer;
	t = operand_type(s, &a);
	if (t->kind == TYPE_POINTER)
		t = type_whole(t->of, s->program);
	object = value_in_memory(s->program, t, NOWHERE);
	if (t->incomplete || !value_is_itself(&object))
		return 0;
	answer = value_member(&object, n->text, out, &ignored);
	if (answer)
		return answer > 0;
	inspect_field(&object, n->text, out, s->err);
	return refuse_name(s, n);
}

/* Checks *a and a[b]: *out is an object of the pointee's or the element's type. */
static int check_pointee(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a, index;
	int answer = check_node(s, n->a, &a);
	const struct type *t;

	if (answer < 0 || (n->b && check_node(s, n->b, &index) < 0))
		return -1;
	t = answer ? operand_type(s, &a) : NULL;
	if (!t || (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY) || !t->of)
		return 0;
	*out = value_in_memory(s->program, t->of, NOWHERE);
	return 1;
}

static int check_node(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value part;

	if (n->kind == EVAL_NAME)
		return check_name(s, n, out);
	if (n->kind == EVAL_FIELD)
		return check_field(s, n, out);
	if (n->kind == EVAL_ELEMENT || (n->kind == EVAL_UNARY && n->op == '*'))
		return check_pointee(s, n, out);
	if ((n->a && check_node(s, n->a, &part) < 0) || (n->b && check_node(s, n->b, &part) < 0) ||
	    (n->c && check_node(s, n->c, &part) < 0))
		return -1;
	if (n->kind != EVAL_CAST)
		return 0;
	if (!n->type)
		n->type = eval_type_find(s, &n->name, n->at);
	if (!n->type)
		return -1;
	*out = value_in_memory(s->program, n->type, NOWHERE);
	return 1;
}

static int check_root(const struct eval_scope *s, struct eval_node *root, void *ctx)
{
	struct inspect_value ignored;

	(void)ctx;
	return check_node(s, root, &ignored);
}

int inspect_condition_check(const struct inspect_call *call, const char *text, struct error *err)
{
	return eval_with_tree(call, text, check_root, NULL, err) < 0 ? -1 : 0;
}

/* A name in parentheses parses as a type: whether it is one depends on the place. */
static bool may_be_type(void *ctx, const char *name)
{
	(void)ctx, (void)name;
	return true;
}

int inspect_condition_parse(const char *text, struct error *err)
{
	const struct eval_parsing how = {.is_type = may_be_type};
	struct eval_tree *tree = eval_parse(text, &how, err);

	eval_tree_free(tree);
	return tree ? 0 : -1;
}

/*
 * Splits a condition into tests for the program itself: comparisons with constants, joined by &&,
 * || and !. They are added last to first, because a test needs the numbers of later ones.
 */

enum { STEPS = 16 };

struct condition_tests {
	const struct eval_scope *scope;
	struct inspect_test *items;
	size_t count;
	bool failed; /* a part of the condition is no such comparison */
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

/* Reads a constant of at most 64 bits: an integer or a pointer, extended by the sign of its
   type. */
static bool read_constant(const struct eval_scope *s, struct eval_node *n, struct eval_scalar *out)
{
	return is_constant(s, n) && eval_number(s, n, out) == 0 && !scalar_is_float(out) &&
	       out->type->size <= 8;
}

/* Finds the steps from a variable to the operand. Returns false if it is no such operand or more
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

/* The side of a test that is not constant. */
struct operand {
	struct inspect_spot spot;
	int64_t mask;
	struct eval_scalar scalar; /* only its type is set */
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

/* Finds a variable, or some bits of one. */
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

/* Adds a test. Returns its number. */
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

/* Adds the tests of a condition. Returns the number of the first one to make. */
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
