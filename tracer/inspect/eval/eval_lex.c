/* Tokens of C expressions. */
#include "tracer/inspect/eval/eval.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

	if (strncmp(what, "hit:eval", 8) == 0)
		return -1;
	return eval_error(s->text, NULL, s->err, "%s", what);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

/* Bytes of UTF-8 are letters of names. */
static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool in_name(char c)
{
	return begins_name(c) || isdigit((unsigned char)c);
}

static const char *skip_name(const char *at)
{
	while (in_name(*at))
		at++;
	return at;
}

/* A number as the preprocessor takes it: 1e+5, 0x1p-3, 1'000. */
static const char *skip_number(const char *at)
{
	bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');

	for (;; at++) {
		char c = (char)tolower((unsigned char)*at);

		if (((!hex && c == 'e') || c == 'p') && (at[1] == '+' || at[1] == '-'))
			at++;
		else if (c == '\'' && isalnum((unsigned char)at[1]))
			at++;
		else if (!isalnum((unsigned char)c) && c != '.' && c != '_')
			return at;
	}
}

/* Behind the closing quote; NULL: there is none. */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	for (; *at && *at != quote; at++) {
		if (*at == '\\' && at[1])
			at++;
	}
	return *at ? at + 1 : NULL;
}

/* L, u, U, u8 directly before a quote. */
static size_t prefix_length(const char *at)
{
	size_t n = strncmp(at, "u8", 2) == 0 ? 2 : strchr("LuU", *at) && *at ? 1 : 0;

	return at[n] == '\'' || at[n] == '"' ? n : 0;
}

static bool take_quoted(const char *text, const char *at, size_t prefix, struct eval_token *out,
			struct error *err)
{
	const char *end;

	if (at[prefix] != '\'' && at[prefix] != '"')
		return false;
	out->kind = at[prefix] == '"' ? TOKEN_STRING : TOKEN_CHAR;
	end = skip_quoted(at + prefix);
	if (!end) {
		out->kind = TOKEN_BAD;
		eval_error(text, at, err, "the closing %c is missing", at[prefix]);
		end = at + strlen(at);
	}
	out->length = (size_t)(end - at);
	return true;
}

/* ---- operators ------------------------------------------------------------------------------ */

static const char *const operators[] = {
	"<<=", ">>=", "->*", "<=>", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
	"&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "::", ".*",
};

static bool take_operator(const char *at, struct eval_token *out)
{
	out->kind = TOKEN_OPERATOR;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		const char *name = operators[i];
		size_t length = strlen(name);

		if (strncmp(at, name, length) != 0)
			continue;
		out->length = length;
		for (size_t j = 0; j < length; j++)
			out->op = out->op << 8 | (unsigned char)name[j];
		return true;
	}
	out->length = 1;
	out->op = (unsigned char)*at;
	return strchr("+-*/%&|^~!<>=?:,.()[]", *at) != NULL;
}

void eval_token(const char *text, const char *at, struct eval_token *out, struct error *err)
{
	at += strspn(at, " \t\n\r\f\v");
	*out = (struct eval_token){.kind = TOKEN_END, .start = at};
	if (!*at || take_quoted(text, at, prefix_length(at), out, err))
		return;
	if (begins_name(*at)) {
		out->kind = TOKEN_NAME;
		out->length = (size_t)(skip_name(at) - at);
	} else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
		out->kind = TOKEN_NUMBER;
		out->length = (size_t)(skip_number(at) - at);
	} else if (!take_operator(at, out)) {
		out->kind = TOKEN_BAD;
		eval_error(text, at, err, "'%c' has no meaning in a C expression", *at);
	}
}

bool eval_token_is(const struct eval_token *t, const char *word)
{
	return t->kind == TOKEN_NAME && strlen(word) == t->length &&
	       memcmp(t->start, word, t->length) == 0;
}

static const struct {
	const char *word, *why;
} refused[] = {
	{"new", "an expression makes no objects"},
	{"delete", "an expression changes nothing"},
	{"throw", "an expression changes nothing"},
	{"dynamic_cast", "dynamic_cast would run code of the program: write static_cast"},
	{"alignof", "alignof is not understood"},
	{"_Alignof", "_Alignof is not understood"},
	{"typeof", "typeof is not understood"},
	{"decltype", "decltype is not understood"},
	{"_Generic", "_Generic is not understood"},
};

const char *eval_refused(const struct eval_token *t)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		if (eval_token_is(t, refused[i].word))
			return refused[i].why;
	}
	return NULL;
}
