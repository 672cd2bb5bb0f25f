/*
 * Names and members of a condition, checked at a place before a thread arrives. Only types are
 * followed, from the variables on: an error that depends on values (a null pointer, a variable that
 * is optimised out) is reported at an arrival.
 */
#include "tracer/inspect/eval/eval.h"

#include <string.h>

/* Address of objects that are made up to follow types. No page is mapped there, so no read
   succeeds. */
enum { NOWHERE = 1 << 20 };

/* 1: *out has the type of the node; 0: that cannot be told; -1: an error. */
static int check_node(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out);

/* References are followed. */
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

/* A variable without a value at the place (dropped, thread-local) is a known name. */
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

/* *a, a[b] */
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
