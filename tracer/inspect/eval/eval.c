/*
 * Evaluates the tree of an expression. A C lvalue keeps its place in the program; a computed value
 * is bytes. Comparisons with a string literal, or of std::strings, compare the texts instead of
 * addresses.
 */
#include "tracer/inspect/eval/eval.h"

#include "tracer/base/arith.h"
#include "tracer/inspect/calls/calls.h"
#include "tracer/source/names/names.h"

#include <string.h>

int eval_number(const struct eval_scope *s, struct eval_node *n, struct eval_scalar *out)
{
	struct inspect_value v;

	if (eval_value(s, n, &v) < 0)
		return -1;
	return scalar_of(s, &v, n->at, out);
}

static int truth(const struct eval_scope *s, struct eval_node *n, bool *out)
{
	struct eval_scalar x;

	if (eval_number(s, n, &x) < 0)
		return -1;
	*out = scalar_true(&x);
	return 0;
}

/* ---- names and constants -------------------------------------------------------------------- */

static int enumerator_value(const struct eval_scope *s, const struct eval_node *n,
			    struct inspect_value *out)
{
	struct eval_scalar x = {.type = n->type, .bits = n->number};

	if (!n->type->size || n->type->size > 8)
		x.type = type_builtin("int");
	return scalar_value(s, &x, out);
}

/* A name that is no variable may be an enumerator, 'FILE'::NAME, or a function. */
static int other_name(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	ERROR(ignored);
	int64_t value;

	if (!n->no_enumerator && eval_enumerator(s, n->text, &n->type, &value)) {
		n->is_enumerator = true;
		n->number = (unsigned __int128)(__int128)value;
		return enumerator_value(s, n, out);
	}
	n->no_enumerator = true;
	if (*n->text == '\'')
		return inspect_global(s->program, s->call->frame.thread, n->text, out, &ignored);
	return call_function_value(s->call, n->text, out);
}

static int name_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	if (n->is_enumerator)
		return enumerator_value(s, n, out);
	if (inspect_variable(s->call, n->text, out, s->err) == 0)
		return 0;
	if (!inspect_variable_known(s->call, n->text) && other_name(s, n, out) == 0)
		return 0;
	return eval_inside(s);
}

static int constant_value(const struct eval_scope *s, const struct eval_node *n,
			  struct inspect_value *out)
{
	struct eval_scalar x = {.bits = n->number, .real = n->real};

	x.type = n->kind == EVAL_NULLPTR ? type_pointer_to(type_builtin("void"))
					 : type_builtin(n->builtin);
	return scalar_value(s, &x, out);
}

static int string_value(const struct eval_scope *s, const struct eval_node *n,
			struct inspect_value *out)
{
	const struct type *t = type_array_of(type_builtin("char"), n->length + 1);

	if (n->length + 1 > INSPECT_BYTES)
		return eval_error(s->text, n->at, s->err,
				  "a text of more than %d characters can only be compared with",
				  INSPECT_BYTES - 1);
	*out = value_of_bytes(s->program, t, n->text, n->length + 1);
	return 0;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Applies -> to a class: v becomes the object that a smart pointer or an iterator points to. */
static void see_through_arrow(struct inspect_value *v)
{
	struct inspect_value whole = *v, object;
	ERROR(ignored);

	if (value_whole(&whole, &ignored) == 0 && whole.type->kind == TYPE_STRUCT &&
	    inspect_deref(&whole, &object, &ignored) == 0)
		*v = object;
}

static int field_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a;

	if (eval_value(s, n->a, &a) < 0)
		return -1;
	if (n->op != '.')
		see_through_arrow(&a);
	return inspect_field(&a, n->text, out, s->err) == 0 ? 0 : eval_inside(s);
}

static int length_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a;
	struct eval_scalar x;
	int64_t length;

	if (eval_value(s, n->a, &a) < 0)
		return -1;
	if (n->op != '.') {
		struct inspect_value whole = a, object;

		see_through_arrow(&a);
		/* p->size() of a pointer to a container */
		if (value_whole(&whole, s->err) == 0 && whole.type->kind == TYPE_POINTER &&
		    inspect_deref(&whole, &object, s->err) == 0)
			a = object;
	}
	if (inspect_length(&a, &length, s->err) < 0)
		return s->err->code == ERROR_CHANGING
			       ? eval_inside(s)
			       : eval_error(s->text, n->at, s->err,
					    "an expression cannot call %s(), which is code of the "
					    "program: use hit:call",
					    n->text);
	if (*n->text == 'e')
		x = scalar_int(length == 0, "bool");
	else
		x = scalar_int(length, "unsigned long");
	return scalar_value(s, &x, out);
}

static bool is_index(const struct inspect_value *v)
{
	enum type_kind k = v->type->kind;

	return k == TYPE_INTEGER || k == TYPE_CHAR || k == TYPE_ENUM || k == TYPE_BOOL;
}

/* True for std::string and other strings. `out` may be NULL. */
static bool holds_text(const struct inspect_value *v, struct str *out)
{
	ERROR(ignored);
	struct inspect_plain p;
	bool text;

	if (v->type->kind != TYPE_STRUCT && v->type->kind != TYPE_REFERENCE)
		return false;
	if (inspect_plain(v, &p, &ignored) != 0)
		return false;
	text = p.kind == INSPECT_TEXT;
	if (text && out)
		str_add_bytes(out, str_text(&p.text), p.text.length);
	inspect_plain_fini(&p);
	return text;
}

/* Evaluates m["text"]. Returns 1, 0 if the index is no text or `a` is no map with such keys, or
   -1. */
static int keyed_value(const struct eval_scope *s, const struct eval_node *n,
		       const struct inspect_value *a, const struct inspect_value *b,
		       struct inspect_value *out)
{
	STR(key);
	int answer = 0;

	if (n->b->kind == EVAL_STRING)
		answer = inspect_key(a, n->b->text, n->b->length, out, s->err);
	else if (holds_text(b, &key))
		answer = inspect_key(a, str_text(&key), key.length, out, s->err);
	return answer < 0 ? eval_inside(s) : answer;
}

static int element_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a, b;
	struct eval_scalar x;
	bool swapped;
	int answer;

	if (eval_value(s, n->a, &a) < 0 || eval_value(s, n->b, &b) < 0)
		return -1;
	answer = keyed_value(s, n, &a, &b, out);
	if (answer)
		return answer < 0 ? -1 : 0;
	swapped = is_index(&a) && !is_index(&b); /* C accepts 2[a] for a[2] */
	if (scalar_of(s, swapped ? &a : &b, n->b->at, &x) < 0)
		return -1;
	if (scalar_is_float(&x) || scalar_is_pointer(&x) || (__int128)x.bits > INT64_MAX ||
	    (__int128)x.bits < INT64_MIN)
		return eval_error(s->text, n->b->at, s->err, "this is not an index");
	if (inspect_element(swapped ? &b : &a, (int64_t)x.bits, out, s->err) < 0)
		return eval_inside(s);
	return 0;
}

/* ---- unary ---------------------------------------------------------------------------------- */

static int address_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct eval_scalar x = {0};
	struct inspect_value a;

	if (eval_value(s, n->a, &a) < 0)
		return -1;
	if (value_whole(&a, s->err) < 0)
		return eval_inside(s);
	if (a.bit_size)
		return eval_error(s->text, n->at, s->err, "a bit-field has no address");
	if (a.place != INSPECT_IN_MEMORY)
		return eval_error(s->text, n->at, s->err,
				  a.reg != INSPECT_NO_REGISTER
					  ? "this is in a register here: it has no address"
					  : "this is not in memory here: it has no address");
	x.type = type_pointer_to(a.type);
	x.bits = a.address;
	return scalar_value(s, &x, out);
}

static int deref_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a;
	int answer;

	if (eval_value(s, n->a, &a) < 0)
		return -1;
	if (value_whole(&a, s->err) < 0)
		return eval_inside(s);
	if (a.type->kind == TYPE_FUNCTION) {
		*out = a;
		return 0;
	}
	answer = a.type->kind == TYPE_ARRAY ? inspect_element(&a, 0, out, s->err)
					    : inspect_deref(&a, out, s->err);
	return answer < 0 ? eval_inside(s) : 0;
}

static int unary_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct eval_scalar a, x;

	if (n->op == '&')
		return address_value(s, n, out);
	if (n->op == '*')
		return deref_value(s, n, out);
	if (eval_number(s, n->a, &a) < 0 || scalar_unary(s, n->at, n->op, &a, &x) < 0)
		return -1;
	return scalar_value(s, &x, out);
}

static int sizeof_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a = {0};
	struct eval_scalar x;

	if (!n->a) {
		a.type = n->type ? n->type : eval_type_find(s, &n->name, n->at);
		n->type = a.type;
	} else if (n->a->kind == EVAL_STRING) {
		a.type = type_array_of(type_builtin("char"), n->a->length + 1);
	} else if (eval_value(s, n->a, &a) < 0 || value_whole(&a, s->err) < 0) {
		return eval_inside(s);
	}
	if (!a.type)
		return -1;
	if (a.bit_size)
		return eval_error(s->text, n->at, s->err, "sizeof of a bit-field");
	a.type = type_whole(a.type, s->program);
	if (!a.type->size)
		return eval_error(s->text, n->at, s->err, "the size is not known");
	x = scalar_int((int64_t)a.type->size, "unsigned long");
	return scalar_value(s, &x, out);
}

static int cast_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a;

	if (eval_value(s, n->a, &a) < 0)
		return -1;
	if (!n->type)
		n->type = eval_type_find(s, &n->name, n->at);
	if (!n->type)
		return -1;
	return eval_cast(s, n->at, &a, n->type, n->name.reference, out);
}

/* ---- binary --------------------------------------------------------------------------------- */

bool eval_compares(unsigned op)
{
	return op == OP2('=', '=') || op == OP2('!', '=') || op == '<' || op == '>' ||
	       op == OP2('<', '=') || op == OP2('>', '=');
}

/* Reads the text of an operand. Returns 1, 0 for a null pointer, or -1. */
static int text_of(const struct eval_scope *s, const struct eval_node *n,
		   const struct inspect_value *v, struct str *out)
{
	struct inspect_value whole;
	uint64_t address;

	if (n->kind == EVAL_STRING) {
		str_add_bytes(out, n->text, n->length);
		return 1;
	}
	if (holds_text(v, out))
		return 1;
	whole = *v;
	if (value_whole(&whole, s->err) < 0)
		return eval_inside(s);
	if (whole.type->kind == TYPE_POINTER && value_address(&whole, &address, s->err) == 0 &&
	    address == 0)
		return 0;
	return inspect_string(&whole, out, s->err) < 0 ? eval_inside(s) : 1;
}

static int order_of_texts(const struct str *a, const struct str *b)
{
	size_t n = a->length < b->length ? a->length : b->length;
	int order = memcmp(str_text(a), str_text(b), n);

	if (order)
		return order < 0 ? -1 : 1;
	return (a->length > b->length) - (a->length < b->length);
}

static int compare_texts(const struct eval_scope *s, const struct eval_node *n,
			 const struct inspect_value *a, const struct inspect_value *b,
			 struct inspect_value *out)
{
	STR(x);
	STR(y);
	int has_x = text_of(s, n->a, a, &x), has_y = has_x < 0 ? -1 : text_of(s, n->b, b, &y);
	struct eval_scalar result;

	/* NULL equals no text. */
	if (has_x > 0 && has_y > 0)
		result = scalar_int(arith_compared(n->op, order_of_texts(&x, &y)), "int");
	else
		result = scalar_int(arith_compared(n->op, has_x - has_y), "int");
	if (has_x < 0 || has_y < 0)
		return -1;
	return scalar_value(s, &result, out);
}

/* A literal that is only compared need not be a value, for which it may be too long. */
static int operand(const struct eval_scope *s, const struct eval_node *n, struct eval_node *side,
		   struct inspect_value *out)
{
	if (side->kind != EVAL_STRING || !eval_compares(n->op))
		return eval_value(s, side, out);
	memset(out, 0, sizeof(*out));
	out->type = type_builtin("char");
	return 0;
}

static int logic_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	bool a, b = false;
	struct eval_scalar x;

	if (truth(s, n->a, &a) < 0)
		return -1;
	if (a == (n->op == OP2('&', '&')) && truth(s, n->b, &b) < 0)
		return -1;
	x = scalar_int(n->op == OP2('&', '&') ? a && b : a || b, "int");
	return scalar_value(s, &x, out);
}

static int binary_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	struct inspect_value a, b;
	struct eval_scalar x, y;

	if (operand(s, n, n->a, &a) < 0 || operand(s, n, n->b, &b) < 0)
		return -1;
	if (n->op == ',') {
		*out = b;
		return 0;
	}
	if (eval_compares(n->op) && (n->a->kind == EVAL_STRING || n->b->kind == EVAL_STRING ||
				     holds_text(&a, NULL) || holds_text(&b, NULL)))
		return compare_texts(s, n, &a, &b, out);
	if (scalar_of(s, &a, n->a->at, &x) < 0 || scalar_of(s, &b, n->b->at, &y) < 0 ||
	    scalar_binary(s, n->at, n->op, &x, &y, &x) < 0)
		return -1;
	return scalar_value(s, &x, out);
}

static int choice_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	bool yes;

	if (truth(s, n->a, &yes) < 0)
		return -1;
	return eval_value(s, yes ? n->b : n->c, out);
}

/* ---- entry points --------------------------------------------------------------------------- */

int eval_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out)
{
	switch (n->kind) {
	case EVAL_NAME:
		return name_value(s, n, out);
	case EVAL_INTEGER:
	case EVAL_FLOAT:
	case EVAL_NULLPTR:
		return constant_value(s, n, out);
	case EVAL_STRING:
		return string_value(s, n, out);
	case EVAL_FIELD:
		return field_value(s, n, out);
	case EVAL_ELEMENT:
		return element_value(s, n, out);
	case EVAL_LENGTH:
		return length_value(s, n, out);
	case EVAL_UNARY:
		return unary_value(s, n, out);
	case EVAL_BINARY:
		if (n->op == OP2('&', '&') || n->op == OP2('|', '|'))
			return logic_value(s, n, out);
		return binary_value(s, n, out);
	case EVAL_CHOICE:
		return choice_value(s, n, out);
	case EVAL_CAST:
		return cast_value(s, n, out);
	case EVAL_SIZEOF:
		return sizeof_value(s, n, out);
	}
	return -1;
}

/* True if the value of the expression is a truth value. */
static bool is_question(const struct eval_node *n)
{
	switch (n->kind) {
	case EVAL_UNARY:
		return n->op == '!';
	case EVAL_BINARY:
		return eval_compares(n->op) || n->op == OP2('&', '&') || n->op == OP2('|', '|') ||
		       (n->op == ',' && is_question(n->b));
	case EVAL_CHOICE:
		return is_question(n->b) && is_question(n->c);
	default:
		return false;
	}
}

/* Turns C's int into a bool, because scripts take 0 for true. */
static int answer_question(const struct eval_scope *s, struct inspect_value *v)
{
	struct inspect_plain plain;
	uint8_t yes;

	if (inspect_plain(v, &plain, s->err) < 0)
		return -1;
	yes = plain.integer != 0;
	inspect_plain_fini(&plain);
	*v = value_of_bytes(s->program, type_builtin("bool"), &yes, 1);
	return 0;
}

static int value_and_answer(const struct eval_scope *s, struct eval_node *root, void *out)
{
	return eval_value(s, root, out) < 0 ? -1 : is_question(root) ? answer_question(s, out) : 0;
}

int inspect_eval(const struct inspect_call *call, const char *text, struct inspect_value *out,
		 struct error *err)
{
	return eval_with_tree(call, text, value_and_answer, out, err);
}

static int truth_of_root(const struct eval_scope *s, struct eval_node *root, void *out)
{
	return truth(s, root, out);
}

int inspect_condition(const struct inspect_call *call, const char *text, bool *out,
		      struct error *err)
{
	return eval_with_tree(call, text, truth_of_root, out, err);
}
