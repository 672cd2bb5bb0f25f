/* Parser of C expressions: tokens to trees, by recursive descent. */
#include "tracer/inspect/eval/eval.h"

#include <stdlib.h>
#include <string.h>

struct eval_parser {
	const char *text;
	const struct eval_parsing *how;
	struct token token;
	struct eval_tree *tree;
	unsigned depth; /* of the parser's recursion */
	struct error *err;
};

static struct eval_node *parse_comma(struct eval_parser *p);
static struct eval_node *parse_assignment(struct eval_parser *p);
static struct eval_node *parse_unary(struct eval_parser *p);

/* ---- tokens --------------------------------------------------------------------------------- */

static void eval_parse_next(struct eval_parser *p)
{
	eval_token(p->text, p->token.start + p->token.length, &p->token, p->err);
}

static void go_to(struct eval_parser *p, const char *at)
{
	eval_token(p->text, at, &p->token, p->err);
}

static bool is_op(const struct eval_parser *p, unsigned op)
{
	return p->token.kind == TOKEN_OPERATOR && p->token.op == op;
}

static bool take_op(struct eval_parser *p, unsigned op)
{
	if (!is_op(p, op))
		return false;
	eval_parse_next(p);
	return true;
}

static void *eval_parse_fail(struct eval_parser *p, const char *what)
{
	const struct token *t = &p->token;

	if (t->kind == TOKEN_BAD)
		return NULL; /* the lexer has set the error */
	if (t->kind == TOKEN_END)
		eval_error(p->text, t->start, p->err, "%s, but the expression ends", what);
	else
		eval_error(p->text, t->start, p->err, "%s, not '%.*s'", what, (int)t->length,
			   t->start);
	return NULL;
}

static bool expect(struct eval_parser *p, unsigned op)
{
	char what[] = "' ' is expected";

	if (take_op(p, op))
		return true;
	what[1] = (char)op;
	eval_parse_fail(p, what);
	return false;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static unsigned depth_of(const struct eval_node *n)
{
	return n ? n->depth : 0;
}

static struct eval_node *node_new(struct eval_parser *p, enum eval_kind kind, const char *at)
{
	struct eval_node *n = base_alloc(1, sizeof(*n));

	n->kind = kind;
	n->at = p->tree->text + (at - p->text);
	*array_add(&p->tree->nodes) = n;
	return n;
}

/* Sets the children. Returns NULL if the tree becomes too deep. */
static struct eval_node *node_of(struct eval_parser *p, struct eval_node *n, struct eval_node *a,
				 struct eval_node *b)
{
	n->a = a;
	n->b = b;
	n->depth = 1 + (depth_of(a) > depth_of(b) ? depth_of(a) : depth_of(b));
	if (n->depth <= EVAL_DEEP)
		return n;
	eval_error(p->text, p->token.start, p->err, "nested too deeply");
	return NULL;
}

static struct eval_node *node_op(struct eval_parser *p, enum eval_kind kind, unsigned op,
				 const char *at, struct eval_node *a, struct eval_node *b)
{
	struct eval_node *n;

	if (!a)
		return NULL;
	n = node_new(p, kind, at);
	n->op = op;
	return node_of(p, n, a, b);
}

/* ---- types ---------------------------------------------------------------------------------- */

static bool begins_operand(const struct token *t)
{
	if (t->kind == TOKEN_OPERATOR)
		return t->op == '!' || t->op == '~';
	return t->kind != TOKEN_END && t->kind != TOKEN_BAD;
}

static bool is_ambiguous(const struct token *t)
{
	return t->kind == TOKEN_OPERATOR && strchr("*&+-(", (int)t->op) && t->op < 128;
}

/* True if the name in "(T) x" or "(x) - y" is a type. Only an ambiguous next token needs a
   look-up. */
static bool means_type(struct eval_parser *p, const struct eval_type_name *n, const char *behind)
{
	struct token t;
	ERROR(ignored);

	if (n->builtin || n->pointers || n->reference || strchr(n->name, ' ') ||
	    strchr(n->name, '<'))
		return true;
	eval_token(p->text, behind, &t, &ignored);
	return begins_operand(&t) ||
	       (is_ambiguous(&t) && p->how && p->how->is_type(p->how->ctx, n->name));
}

/* Reads a type in parentheses; the current token is the opening one. */
static bool take_type(struct eval_parser *p, bool in_sizeof, struct eval_type_name *out)
{
	const char *end;

	if (!eval_type_name(p->token.start + 1, ')', out, &end))
		return false;
	if (!means_type(p, out, end) &&
	    !(in_sizeof && p->how && p->how->is_type(p->how->ctx, out->name))) {
		eval_type_name_fini(out);
		return false;
	}
	go_to(p, end);
	return true;
}

/* ---- primary -------------------------------------------------------------------------------- */

/* Returns the end of a name like ns::Class<int>::name. Template arguments count only before another
   ::, and elsewhere '<' compares. */
static const char *name_end(struct eval_parser *p)
{
	const char *end = p->token.start;

	for (;;) {
		const char *args;

		if (is_op(p, OP2(':', ':')))
			eval_parse_next(p);
		if (p->token.kind != TOKEN_NAME)
			return NULL;
		end = p->token.start + p->token.length;
		eval_parse_next(p);
		args = is_op(p, '<') ? eval_skip_template(p->token.start) : NULL;
		if (args && strncmp(args + strspn(args, " "), "::", 2) == 0)
			go_to(p, args);
		if (!is_op(p, OP2(':', ':')))
			return end;
	}
}

static struct eval_node *parse_name(struct eval_parser *p, const char *start)
{
	struct eval_node *n = node_new(p, EVAL_NAME, start);
	const char *end = name_end(p);

	if (!end)
		return eval_parse_fail(p, "a name is expected");
	n->text = base_strndup(start, (size_t)(end - start));
	n->depth = 1;
	if (is_op(p, '(')) {
		eval_error(p->text, start, p->err,
			   "an expression cannot call functions: use hit:call(\"%s\", ...)",
			   n->text);
		return NULL;
	}
	return n;
}

static struct eval_node *parse_constant(struct eval_parser *p)
{
	struct eval_node *n = node_new(p, EVAL_INTEGER, p->token.start);
	enum token_kind kind = p->token.kind;

	n->depth = 1;
	do {
		if (eval_constant(p->text, &p->token, n, p->err) < 0)
			return NULL;
		eval_parse_next(p);
	} while (kind == TOKEN_STRING && p->token.kind == TOKEN_STRING);
	return n;
}

static struct eval_node *parse_word(struct eval_parser *p, enum eval_kind kind, const char *builtin,
				    unsigned value)
{
	struct eval_node *n = node_new(p, kind, p->token.start);

	n->builtin = builtin;
	n->number = value;
	n->depth = 1;
	eval_parse_next(p);
	return n;
}

/* Reads (expression), after a type's name. */
static struct eval_node *parse_cast_of(struct eval_parser *p, struct eval_node *n)
{
	struct eval_node *a;

	if (!expect(p, '('))
		return NULL;
	a = parse_comma(p);
	return a && expect(p, ')') ? node_of(p, n, a, NULL) : NULL;
}

/* static_cast<T>(x) */
static struct eval_node *parse_named_cast(struct eval_parser *p)
{
	struct eval_node *n = node_new(p, EVAL_CAST, p->token.start);
	const char *end;

	eval_parse_next(p);
	if (!is_op(p, '<'))
		return eval_parse_fail(p, "'<' is expected");
	if (!eval_type_name(p->token.start + 1, '>', &n->name, &end))
		return eval_parse_fail(
			p, "the name of a type is expected in place of what begins here");
	go_to(p, end);
	return parse_cast_of(p, n);
}

/* int(x) */
static struct eval_node *parse_functional_cast(struct eval_parser *p)
{
	struct eval_node *n = node_new(p, EVAL_CAST, p->token.start);
	const char *start = p->token.start, *end;
	char *word = base_strndup(start, p->token.length);
	bool is_type = eval_type_name(word, 0, &n->name, &end);

	base_free(word);
	if (!is_type)
		return eval_parse_fail(p, "a value is expected");
	eval_parse_next(p);
	if (!is_op(p, '('))
		return eval_parse_fail(p, "a type needs parentheses around it: '(' is expected");
	return parse_cast_of(p, n);
}

static struct eval_node *parse_parenthesis(struct eval_parser *p)
{
	struct eval_node *n;

	eval_parse_next(p);
	n = parse_comma(p);
	return n && expect(p, ')') ? n : NULL;
}

static bool is_file_scope(struct eval_parser *p)
{
	const char *behind = p->token.start + p->token.length;

	return p->token.kind == TOKEN_CHAR && strncmp(behind, "::", 2) == 0;
}

static struct eval_node *parse_primary(struct eval_parser *p)
{
	const struct token *t = &p->token;

	if (is_op(p, '('))
		return parse_parenthesis(p);
	if (is_file_scope(p)) {
		const char *start = t->start;

		eval_parse_next(p);
		return parse_name(p, start);
	}
	if (t->kind == TOKEN_NUMBER || t->kind == TOKEN_CHAR || t->kind == TOKEN_STRING)
		return parse_constant(p);
	if (t->kind != TOKEN_NAME && !is_op(p, OP2(':', ':')))
		return eval_parse_fail(p, "a value is expected");
	if (eval_refused(t)) {
		eval_error(p->text, t->start, p->err, "%s", eval_refused(t));
		return NULL;
	}
	if (token_is(t, "true") || token_is(t, "false"))
		return parse_word(p, EVAL_INTEGER, "bool", *t->start == 't');
	if (token_is(t, "nullptr") || token_is(t, "NULL"))
		return parse_word(p, EVAL_NULLPTR, NULL, 0);
	if (token_is(t, "static_cast") || token_is(t, "reinterpret_cast") ||
	    token_is(t, "const_cast"))
		return parse_named_cast(p);
	return eval_is_type_word(t) ? parse_functional_cast(p) : parse_name(p, t->start);
}

/* ---- postfix -------------------------------------------------------------------------------- */

/* size(), empty() and length() of containers are answered without running any code. */
static struct eval_node *parse_method(struct eval_parser *p, struct eval_node *n)
{
	if (strcmp(n->text, "size") != 0 && strcmp(n->text, "length") != 0 &&
	    strcmp(n->text, "empty") != 0) {
		eval_error(p->tree->text, n->at, p->err,
			   "an expression cannot call functions: '%s' needs hit:call", n->text);
		return NULL;
	}
	n->kind = EVAL_LENGTH;
	eval_parse_next(p);
	return expect(p, ')') ? n : NULL;
}

static struct eval_node *parse_field(struct eval_parser *p, struct eval_node *a)
{
	unsigned op = p->token.op;
	struct eval_node *n;

	eval_parse_next(p);
	n = node_op(p, EVAL_FIELD, op, p->token.start, a, NULL);
	if (!n)
		return NULL;
	/* A member of a Rust tuple is a number; the lexer reads 0.1 as one number, so "t.0.1"
	   fails. */
	if (p->token.kind != TOKEN_NAME && p->token.kind != TOKEN_NUMBER)
		return eval_parse_fail(p, "a member's name is expected");
	n->text = base_strndup(p->token.start, p->token.length);
	eval_parse_next(p);
	/* Base::member */
	while (is_op(p, OP2(':', ':'))) {
		struct str text = {0};

		eval_parse_next(p);
		if (p->token.kind != TOKEN_NAME)
			return eval_parse_fail(p, "a member's name is expected");
		str_addf(&text, "%s::%.*s", n->text, (int)p->token.length, p->token.start);
		base_free(n->text);
		n->text = str_take(&text);
		eval_parse_next(p);
	}
	return is_op(p, '(') ? parse_method(p, n) : n;
}

static struct eval_node *parse_index(struct eval_parser *p, struct eval_node *a)
{
	const char *at = p->token.start;
	struct eval_node *b;

	eval_parse_next(p);
	b = parse_comma(p);
	if (!b || !expect(p, ']'))
		return NULL;
	return node_op(p, EVAL_ELEMENT, '[', at, a, b);
}

static struct eval_node *parse_postfix(struct eval_parser *p)
{
	struct eval_node *n = parse_primary(p);

	while (n) {
		if (is_op(p, '[')) {
			n = parse_index(p, n);
		} else if (is_op(p, '.') || is_op(p, OP2('-', '>'))) {
			n = parse_field(p, n);
		} else if (is_op(p, '(')) {
			eval_error(p->text, p->token.start, p->err,
				   "an expression cannot call functions: use hit:call");
			return NULL;
		} else {
			break;
		}
	}
	return n;
}

/* ---- unary ---------------------------------------------------------------------------------- */

static struct eval_node *parse_sizeof(struct eval_parser *p)
{
	struct eval_node *n = node_new(p, EVAL_SIZEOF, p->token.start), *a;

	eval_parse_next(p);
	n->depth = 1;
	if (is_op(p, '(') && take_type(p, true, &n->name))
		return n;
	a = parse_unary(p);
	return a ? node_of(p, n, a, NULL) : NULL;
}

static struct eval_node *parse_operator(struct eval_parser *p)
{
	const char *at = p->token.start;
	unsigned op = p->token.op;

	eval_parse_next(p);
	return node_op(p, EVAL_UNARY, op, at, parse_unary(p), NULL);
}

static struct eval_node *parse_unary_inside(struct eval_parser *p)
{
	const char *at = p->token.start;
	struct eval_type_name name;
	struct eval_node *n, *a;

	if (is_op(p, OP2('+', '+')) || is_op(p, OP2('-', '-'))) {
		eval_error(p->text, at, p->err,
			   "an expression cannot change anything: no ++ and --");
		return NULL;
	}
	if (p->token.kind == TOKEN_OPERATOR && strchr("*&+-!~", (int)p->token.op) &&
	    p->token.op < 128)
		return parse_operator(p);
	if (token_is(&p->token, "sizeof"))
		return parse_sizeof(p);
	if (!is_op(p, '(') || !take_type(p, false, &name))
		return parse_postfix(p);
	n = node_new(p, EVAL_CAST, at);
	n->name = name;
	a = parse_unary(p);
	return a ? node_of(p, n, a, NULL) : NULL;
}

/* All recursion of the parser goes through here. */
static struct eval_node *parse_deeper(struct eval_parser *p,
				      struct eval_node *(*parse)(struct eval_parser *p))
{
	struct eval_node *n;

	if (++p->depth > EVAL_DEEP) {
		eval_error(p->text, p->token.start, p->err, "nested too deeply");
		return NULL;
	}
	n = parse(p);
	p->depth--;
	return n;
}

static struct eval_node *parse_unary(struct eval_parser *p)
{
	return parse_deeper(p, parse_unary_inside);
}

/* ---- binary --------------------------------------------------------------------------------- */

static const struct {
	unsigned op, level; /* a higher level binds more tightly */
} levels[] = {
	{OP2('|', '|'), 1}, {OP2('&', '&'), 2}, {'|', 3},	    {'^', 4}, {'&', 5},
	{OP2('=', '='), 6}, {OP2('!', '='), 6}, {'<', 7},	    {'>', 7}, {OP2('<', '='), 7},
	{OP2('>', '='), 7}, {OP2('<', '<'), 8}, {OP2('>', '>'), 8}, {'+', 9}, {'-', 9},
	{'*', 10},	    {'/', 10},		{'%', 10},
};

static unsigned level_of(const struct eval_parser *p)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		if (is_op(p, levels[i].op))
			return levels[i].level;
	}
	return 0;
}

/* Reads an operand and the operators of at least this level after it. */
static struct eval_node *parse_binary(struct eval_parser *p, unsigned least)
{
	struct eval_node *n = parse_unary(p);

	while (n && level_of(p) >= least) {
		unsigned op = p->token.op, level = level_of(p);
		const char *at = p->token.start;
		struct eval_node *b;

		eval_parse_next(p);
		b = parse_binary(p, level + 1);
		n = b ? node_op(p, EVAL_BINARY, op, at, n, b) : NULL;
	}
	return n;
}

static struct eval_node *parse_choice(struct eval_parser *p)
{
	struct eval_node *n = parse_binary(p, 1), *b, *c;
	const char *at = p->token.start;

	if (!n || !take_op(p, '?'))
		return n;
	b = parse_comma(p);
	if (!b || !expect(p, ':'))
		return NULL;
	c = parse_assignment(p);
	n = c ? node_op(p, EVAL_CHOICE, '?', at, n, depth_of(b) > depth_of(c) ? b : c) : NULL;
	if (!n)
		return NULL;
	n->b = b;
	n->c = c;
	return n;
}

static bool assigns(const struct token *t)
{
	unsigned last = t->op & 0xff;

	return t->kind == TOKEN_OPERATOR && last == '=' && t->op != OP2('=', '=') &&
	       t->op != OP2('!', '=') && t->op != OP2('<', '=') && t->op != OP2('>', '=');
}

static struct eval_node *parse_assignment(struct eval_parser *p)
{
	struct eval_node *n = parse_deeper(p, parse_choice);

	if (n && assigns(&p->token)) {
		eval_error(p->text, p->token.start, p->err,
			   "an expression cannot change anything: assign to hit.var, or write == "
			   "to compare");
		return NULL;
	}
	if (n && (is_op(p, OP2('+', '+')) || is_op(p, OP2('-', '-')))) {
		eval_error(p->text, p->token.start, p->err,
			   "an expression cannot change anything: no ++ and --");
		return NULL;
	}
	return n;
}

static struct eval_node *parse_comma(struct eval_parser *p)
{
	struct eval_node *n = parse_assignment(p);

	while (n && is_op(p, ',')) {
		const char *at = p->token.start;
		struct eval_node *b;

		eval_parse_next(p);
		b = parse_assignment(p);
		n = b ? node_op(p, EVAL_BINARY, ',', at, n, b) : NULL;
	}
	return n;
}

/* ---- entry points --------------------------------------------------------------------------- */

struct eval_tree *eval_parse(const char *text, const struct eval_parsing *how, struct error *err)
{
	struct eval_parser p = {.text = text, .how = how, .err = err};

	if (strlen(text) > EVAL_TEXT) {
		error_set(err, ERROR_STATE, "hit:eval: an expression of more than %d characters",
			  EVAL_TEXT);
		return NULL;
	}
	p.tree = base_alloc(1, sizeof(*p.tree));
	p.tree->text = base_strdup(text);
	go_to(&p, text);
	p.tree->root = parse_comma(&p);
	if (p.tree->root && p.token.kind != TOKEN_END)
		p.tree->root = eval_parse_fail(&p, "an operator or the end is expected");
	if (p.tree->root)
		return p.tree;
	eval_tree_free(p.tree);
	return NULL;
}

void eval_tree_free(struct eval_tree *t)
{
	if (!t)
		return;
	array_each(struct eval_node *, n, &t->nodes) {
		base_free((*n)->text);
		eval_type_name_fini(&(*n)->name);
		base_free(*n);
	}
	array_fini(&t->nodes);
	base_free(t->text);
	base_free(t);
}
