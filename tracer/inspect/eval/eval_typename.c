/*
 * Names of types in casts and sizeof ("const struct node *", "unsigned long", "int[4]"), and
 * tokens.
 */
#include "tracer/inspect/eval/eval.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEMPLATE_DEEP = 64, POINTERS_MAX = 16 };

/* Words of built-in types; type_reader.seen counts them. */
enum word {
	WORD_VOID,
	WORD_BOOL,
	WORD_CHAR,
	WORD_SHORT,
	WORD_INT,
	WORD_LONG,
	WORD_FLOAT,
	WORD_DOUBLE,
	WORD_SIGNED,
	WORD_UNSIGNED,
	WORD_INT128,
	WORD_WCHAR,
	WORD_CHAR8,
	WORD_CHAR16,
	WORD_CHAR32,
	WORD_COUNT,
};

static const struct {
	const char *text;
	enum word word;
} words[] = {
	{"void", WORD_VOID},	   {"bool", WORD_BOOL},		{"_Bool", WORD_BOOL},
	{"char", WORD_CHAR},	   {"short", WORD_SHORT},	{"int", WORD_INT},
	{"long", WORD_LONG},	   {"float", WORD_FLOAT},	{"double", WORD_DOUBLE},
	{"signed", WORD_SIGNED},   {"__signed__", WORD_SIGNED}, {"unsigned", WORD_UNSIGNED},
	{"__int128", WORD_INT128}, {"wchar_t", WORD_WCHAR},	{"char8_t", WORD_CHAR8},
	{"char16_t", WORD_CHAR16}, {"char32_t", WORD_CHAR32},
};

static const char *const qualifiers[] = {"const",   "volatile", "restrict", "__restrict",
					 "_Atomic", "register", "typename"};
static const char *const tags[] = {"struct", "union", "enum", "class"};

static int word_of(const struct token *t)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (token_is(t, words[i].text))
			return (int)words[i].word;
	}
	return -1;
}

static bool is_one_of(const struct token *t, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (token_is(t, list[i]))
			return true;
	}
	return false;
}

static bool is_qualifier(const struct token *t)
{
	return is_one_of(t, qualifiers, sizeof(qualifiers) / sizeof(*qualifiers));
}

static bool is_tag(const struct token *t)
{
	return is_one_of(t, tags, sizeof(tags) / sizeof(*tags));
}

bool eval_is_type_word(const struct token *t)
{
	return word_of(t) >= 0 || is_qualifier(t) || is_tag(t);
}

/* ---- the text ------------------------------------------------------------------------------- */

struct type_reader {
	const char *text; /* beginning of the name; for errors of tokens, which are ignored */
	struct token token;
	struct error ignored;
	unsigned seen[WORD_COUNT];
	bool any_word;
	struct eval_type_name *out;
};

static void eval_typename_next(struct type_reader *r)
{
	eval_token(r->text, r->token.start + r->token.length, &r->token, &r->ignored);
}

static bool is_op(const struct type_reader *r, unsigned op)
{
	return r->token.kind == TOKEN_OPERATOR && r->token.op == op;
}

const char *eval_skip_template(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		if (*at == '<' || *at == '(' || *at == '[')
			depth++;
		else if (*at == '>' || *at == ')' || *at == ']')
			depth--;
		else if (!isalnum((unsigned char)*at) && !strchr("_$:,*& ", *at))
			return NULL;
		if (depth == 0)
			return *at == '>' ? at + 1 : NULL;
		if (depth < 0 || depth > TEMPLATE_DEEP)
			return NULL;
	}
	return NULL;
}

/* Reads a qualified name like ns::Queue<int>::node from the token on, and keeps its spelling. */
static bool take_name(struct type_reader *r, const char *before)
{
	const char *start = r->token.start, *end = start;
	struct str name = {0};

	if (is_op(r, OP2(':', ':')))
		eval_typename_next(r);
	while (r->token.kind == TOKEN_NAME) {
		const char *behind = r->token.start + r->token.length, *args;

		args = behind + strspn(behind, " ");
		args = *args == '<' ? eval_skip_template(args) : NULL;
		end = args ? args : behind;
		r->token.length = (size_t)(end - r->token.start);
		eval_typename_next(r);
		if (!is_op(r, OP2(':', ':')))
			break;
		eval_typename_next(r);
		end = start; /* another part must follow */
	}
	if (end == start)
		return false;
	str_add(&name, before);
	str_add_bytes(&name, start, (size_t)(end - start));
	r->out->name = str_take(&name);
	return true;
}

static bool take_tag(struct type_reader *r)
{
	const char *before = "";

	/* A C++ class is found by its name alone. */
	if (token_is(&r->token, "struct"))
		before = "struct ";
	else if (token_is(&r->token, "union"))
		before = "union ";
	else if (token_is(&r->token, "enum"))
		before = "enum ";
	eval_typename_next(r);
	return take_name(r, before);
}

static bool take_specifiers(struct type_reader *r)
{
	while (r->token.kind == TOKEN_NAME || is_op(r, OP2(':', ':'))) {
		int word = word_of(&r->token);

		if (word >= 0 && !r->out->name) {
			r->seen[word]++;
			r->any_word = true;
			eval_typename_next(r);
		} else if (is_qualifier(&r->token)) {
			eval_typename_next(r);
		} else if (r->any_word || r->out->name) {
			return false;
		} else if (!(is_tag(&r->token) ? take_tag(r) : take_name(r, ""))) {
			return false;
		}
	}
	return r->any_word || r->out->name;
}

/* ---- built-in types ------------------------------------------------------------------------- */

static const char *sized(const struct type_reader *r, const char *plain, const char *with_unsigned)
{
	return r->seen[WORD_UNSIGNED] ? with_unsigned : plain;
}

static const char *builtin_name(const struct type_reader *r)
{
	const unsigned *seen = r->seen;

	if (seen[WORD_CHAR] && seen[WORD_SIGNED])
		return "signed char";
	if (seen[WORD_CHAR])
		return sized(r, "char", "unsigned char");
	if (seen[WORD_SHORT])
		return sized(r, "short", "unsigned short");
	if (seen[WORD_DOUBLE])
		return seen[WORD_LONG] ? "long double" : "double";
	if (seen[WORD_LONG] > 1)
		return sized(r, "long long", "unsigned long long");
	if (seen[WORD_LONG])
		return sized(r, "long", "unsigned long");
	if (seen[WORD_INT128])
		return sized(r, "__int128", "unsigned __int128");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		enum word w = words[i].word;

		if (seen[w] && w != WORD_SIGNED && w != WORD_UNSIGNED && w != WORD_INT)
			return w == WORD_BOOL ? "bool" : words[i].text;
	}
	return sized(r, "int", "unsigned int");
}

/* ---- declarators ---------------------------------------------------------------------------- */

static bool take_pointers(struct type_reader *r)
{
	while (is_op(r, '*') || is_op(r, '&') || is_op(r, OP2('&', '&')) ||
	       is_qualifier(&r->token)) {
		if (r->out->reference && !is_qualifier(&r->token))
			return false;
		if (is_op(r, '*') && ++r->out->pointers > POINTERS_MAX)
			return false;
		r->out->reference = is_op(r, '&') || is_op(r, OP2('&', '&'));
		eval_typename_next(r);
	}
	return true;
}

static bool take_bounds(struct type_reader *r)
{
	while (is_op(r, '[')) {
		struct eval_node n = {0};

		eval_typename_next(r);
		if (r->token.kind != TOKEN_NUMBER || r->out->bounds == EVAL_BOUNDS ||
		    eval_constant(r->text, &r->token, &n, &r->ignored) < 0 ||
		    n.kind != EVAL_INTEGER)
			return false;
		r->out->bound[r->out->bounds++] = (uint64_t)n.number;
		eval_typename_next(r);
		if (!is_op(r, ']'))
			return false;
		eval_typename_next(r);
	}
	return true;
}

static bool read_name(struct type_reader *r, unsigned closing)
{
	if (!take_specifiers(r))
		return false;
	if (r->any_word)
		r->out->builtin = builtin_name(r);
	if (!take_pointers(r) || !take_bounds(r))
		return false;
	return closing ? is_op(r, closing) : r->token.kind == TOKEN_END;
}

bool eval_type_name(const char *at, unsigned closing, struct eval_type_name *out, const char **end)
{
	struct type_reader r = {.text = at, .out = out};
	bool answer;

	*out = (struct eval_type_name){0};
	r.token.start = at;
	eval_typename_next(&r);
	answer = read_name(&r, closing);
	*end = r.token.start + r.token.length;
	error_fini(&r.ignored);
	if (!answer)
		eval_type_name_fini(out);
	return answer;
}

void eval_type_name_fini(struct eval_type_name *n)
{
	base_free(n->name);
	*n = (struct eval_type_name){0};
}

/* ---- tokens of C expressions ---------------------------------------------------------------- */

int eval_error(const char *text, const char *at, struct error *err, const char *fmt, ...)
{
	char what[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (!at)
		return error_set(err, ERROR_STATE, "hit:eval \"%.1024s\": %s", text, what);
	return error_set(err, ERROR_STATE, "hit:eval \"%.1024s\": column %zu: %s", text,
			 (size_t)(at - text) + 1, what);
}

int eval_inside(const struct eval_scope *s)
{
	const char *what = error_text(s->err);
	enum error_code code = s->err->code;

	if (strncmp(what, "hit:eval", 8) == 0)
		return -1;
	eval_error(s->text, NULL, s->err, "%s", what);
	s->err->code = code;
	return -1;
}

void eval_token(const char *text, const char *at, struct token *out, struct error *err)
{
	do {
		*out = token_at(at);
		at = out->start + out->length;
	} while (out->kind == TOKEN_COMMENT && !out->open);
	if (out->kind == TOKEN_COMMENT)
		eval_error(text, out->start, err, "an expression cannot contain a comment");
	else if (out->open)
		eval_error(text, out->start, err, "the closing %c is missing",
			   out->kind == TOKEN_STRING ? '"' : '\'');
	else if (out->kind != TOKEN_OPERATOR || out->length > 1 ||
		 strchr("+-*/%&|^~!<>=?:,.()[]", *out->start))
		return;
	else
		eval_error(text, out->start, err, "'%c' has no meaning in a C expression",
			   *out->start);
	out->kind = TOKEN_BAD;
}

static const struct {
	const char *word, *why;
} refused[] = {
	{"new", "an expression cannot create objects"},
	{"delete", "an expression cannot change anything"},
	{"throw", "an expression cannot change anything"},
	{"dynamic_cast", "dynamic_cast would run code of the program: write static_cast"},
	{"alignof", "alignof is not supported"},
	{"_Alignof", "_Alignof is not supported"},
	{"typeof", "typeof is not supported"},
	{"decltype", "decltype is not supported"},
	{"_Generic", "_Generic is not supported"},
};

const char *eval_refused(const struct token *t)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		if (token_is(t, refused[i].word))
			return refused[i].why;
	}
	return NULL;
}
