/* Tokens of C and C++ text (C11 6.4): names, numbers, literals, comments, punctuation. */
#ifndef GATECTL_BASE_TEXT_TOKEN_H
#define GATECTL_BASE_TEXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* bytes of UTF-8 are letters */
	TOKEN_NUMBER, /* as the preprocessor takes it: 1e+5, 0x1p-3, 1'000 */
	TOKEN_CHAR,   /* 'x', with its prefix */
	TOKEN_STRING, /* "x", with its prefix */
	TOKEN_COMMENT,
	TOKEN_OPERATOR, /* also any character that begins no token */
	TOKEN_BAD,	/* set by readers that refuse a token */
};

/* Operators: the character, or two or three of them as one number. */
#define OP2(a, b) ((a) << 8 | (b))

struct token {
	enum token_kind kind;
	bool open; /* a literal or comment without its end: it goes to the end of the line or text */
	const char *start;
	size_t length;
	unsigned op; /* of an OPERATOR */
};

/* The token at `at`, blanks and line ends skipped; the next one begins at start + length. */
struct token token_at(const char *at);
#define each_token(t, text)                                                                        \
	for (struct token t = token_at(text); (t).kind != TOKEN_END;                               \
	     t = token_at((t).start + (t).length))
bool token_is(const struct token *t, const char *word);
bool token_is_op(const struct token *t, unsigned op);

#endif
