/* Splits C and C++ text into tokens. */
#include "tracer/base/text/token.h"

#include <ctype.h>
#include <string.h>

static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t name_length(const char *at)
{
	size_t n = 0;

	while (begins_name(at[n]) || isdigit((unsigned char)at[n]))
		n++;
	return n;
}

static size_t number_length(const char *start)
{
	bool hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');

	for (const char *at = start;; at++) {
		char c = (char)tolower((unsigned char)*at);

		if (((!hex && c == 'e') || c == 'p') && (at[1] == '+' || at[1] == '-'))
			at++;
		else if (c == '\'' && isalnum((unsigned char)at[1]))
			at++;
		else if (!isalnum((unsigned char)c) && c != '.' && c != '_')
			return (size_t)(at - start);
	}
}

/* Returns the length of a prefix L, u, U or u8 directly before a quote, or 0. */
static size_t prefix_length(const char *at)
{
	size_t n = strncmp(at, "u8", 2) == 0 ? 2 : strchr("LuU", *at) && *at ? 1 : 0;

	return at[n] == '\'' || at[n] == '"' ? n : 0;
}

static bool take_quoted(struct token *t)
{
	const char *at = t->start + prefix_length(t->start);
	char quote = *at++;

	if (quote != '\'' && quote != '"')
		return false;
	t->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHAR;
	while (*at && *at != '\n' && *at != quote)
		at += *at == '\\' && at[1] ? 2 : 1;
	t->open = *at != quote;
	t->length = (size_t)(at - t->start) + !t->open;
	return true;
}

static bool take_comment(struct token *t)
{
	const char *end;

	if (t->start[0] != '/' || (t->start[1] != '/' && t->start[1] != '*'))
		return false;
	t->kind = TOKEN_COMMENT;
	end = t->start[1] == '*' ? strstr(t->start + 2, "*/") : NULL;
	t->open = !end;
	if (end)
		t->length = (size_t)(end - t->start) + 2;
	else
		t->length = strcspn(t->start, t->start[1] == '/' ? "\n" : "");
	return true;
}

static void take_operator(struct token *t)
{
	static const char *const operators[] = {
		"<<=", ">>=", "->*", "<=>", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
		"&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "::", ".*",
	};

	t->kind = TOKEN_OPERATOR;
	t->length = 1;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators) && t->length == 1; i++)
		if (strncmp(t->start, operators[i], strlen(operators[i])) == 0)
			t->length = strlen(operators[i]);
	for (size_t i = 0; i < t->length; i++)
		t->op = t->op << 8 | (unsigned char)t->start[i];
}

struct token token_at(const char *at)
{
	struct token t = {.start = at + strspn(at, " \t\n\r\f\v")};
	char c = *t.start;

	if (!c || take_quoted(&t) || take_comment(&t))
		return t;
	if (begins_name(c)) {
		t.kind = TOKEN_NAME;
		t.length = name_length(t.start);
	} else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)t.start[1]))) {
		t.kind = TOKEN_NUMBER;
		t.length = number_length(t.start);
	} else {
		take_operator(&t);
	}
	return t;
}

bool token_is(const struct token *t, const char *word)
{
	return t->kind == TOKEN_NAME && strlen(word) == t->length &&
	       memcmp(t->start, word, t->length) == 0;
}

bool token_is_op(const struct token *t, unsigned op)
{
	return t->kind == TOKEN_OPERATOR && t->op == op;
}
