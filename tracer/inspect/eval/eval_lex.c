/* Tokens of C expressions. */
#include "tracer/inspect/eval/eval.h"

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

void eval_token(const char *text, const char *at, struct token *out, struct error *err)
{
	do {
		*out = token_at(at);
		at = out->start + out->length;
	} while (out->kind == TOKEN_COMMENT && !out->open);
	if (out->kind == TOKEN_COMMENT)
		eval_error(text, out->start, err, "a comment stands here");
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

const char *eval_refused(const struct token *t)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		if (token_is(t, refused[i].word))
			return refused[i].why;
	}
	return NULL;
}
