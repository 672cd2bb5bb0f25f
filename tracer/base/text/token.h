/* Tokens of C and C++ text (C11 6.4): names, numbers, literals, comments, punctuation. */
#ifndef GATECTL_BASE_TEXT_TOKEN_H
#define GATECTL_BASE_TEXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* bytes above 0x7f count as letters */
	TOKEN_NUMBER, /* preprocessing number: 1e+5, 0x1p-3, 1'000 */
	TOKEN_CHAR,   /* 'x', including its prefix */
	TOKEN_STRING, /* "x", including its prefix */
	TOKEN_COMMENT,
	TOKEN_OPERATOR, /* also any character that begins no other token */
	TOKEN_BAD,	/* set by readers that refuse a token */
};

/* Number of an operator of two or three characters; one of a single character is that character. */
#define OP2(a, b) ((a) << 8 | (b))

struct token {
	enum token_kind kind;
	bool open; /* a literal or comment without end: extends to the end of the line or text */
	const char *start;
	size_t length;
	unsigned op; /* TOKEN_OPERATOR: its number */
};

/* Returns the token at or after `at`, skipping blanks and newlines. The next one
   begins at start + length. */
struct token token_at(const char *at);
#define each_token(t, text)                                                                        \
	for (struct token t = token_at(text); (t).kind != TOKEN_END;                               \
	     t = token_at((t).start + (t).length))
/* True for a name equal to `word`. */
bool token_is(const struct token *t, const char *word);
/* True for the operator `op`. */
bool token_is_op(const struct token *t, unsigned op);

#endif
