/* Constants of C: integers, floats, characters, strings. */
#include "tracer/base/text/utf8.h"
#include "tracer/inspect/eval/eval.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 128 };

/* ---- characters ----------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

static bool read_digits(const char **at, const char *end, unsigned base, unsigned most,
			uint32_t *out)
{
	unsigned n = 0;

	*out = 0;
	for (; *at < end && n < most; n++, ++*at) {
		int digit = hex_digit(**at);

		if (digit < 0 || (unsigned)digit >= base)
			break;
		*out = *out * base + (unsigned)digit;
	}
	return n > 0;
}

static bool read_escape(const char **at, const char *end, uint32_t *out, bool *byte)
{
	static const char names[] = "abtnvfre\"'\\?", values[] = "\a\b\t\n\v\f\r\033\"'\\?";
	const char *name;

	if (*at == end)
		return false;
	*byte = true;
	if (**at >= '0' && **at <= '7')
		return read_digits(at, end, 8, 3, out);
	name = strchr(names, *(*at)++);
	if (name) {
		*out = (unsigned char)values[name - names];
		return true;
	}
	switch ((*at)[-1]) {
	case 'x':
		return read_digits(at, end, 16, 8, out);
	case 'u':
		*byte = false;
		return read_digits(at, end, 16, 4, out);
	case 'U':
		*byte = false;
		return read_digits(at, end, 16, 8, out);
	default:
		return false;
	}
}

/* Reads one character of a literal and moves *at. `byte`: one byte of a string, because of an
   octal or hex escape or because it is not UTF-8. Returns false for an invalid escape. */
static bool read_character(const char **at, const char *end, uint32_t *out, bool *byte)
{
	int length = utf8_length(*at);

	*byte = length == 0;
	if (**at != '\\') {
		*out = length ? utf8_code(*at, (size_t)length) : (unsigned char)**at;
		*at += length ? length : 1;
		return true;
	}
	++*at;
	return read_escape(at, end, out, byte);
}

/* Returns the text between the quotes. The prefix decides the width of a character. */
static const char *eval_constant_inside(const struct token *t, const char **end)
{
	const char *at = t->start;

	while (*at != '\'' && *at != '"')
		at++;
	*end = t->start + t->length - 1;
	return at + 1;
}

static int char_constant(const char *text, const struct token *t, struct eval_node *n,
			 struct error *err)
{
	const char *end, *at = eval_constant_inside(t, &end);
	bool wide = strchr("LuU", *t->start) && t->start[1] == '\'', byte;
	unsigned count = 0;
	uint32_t c;

	n->kind = EVAL_INTEGER;
	n->builtin = "int";
	for (; at < end; count++) {
		const char *from = at;

		if (!read_character(&at, end, &c, &byte))
			return eval_error(text, from, err, "an escape that C does not have");
		if (!wide && c >= 0x80 && !byte)
			return eval_error(text, from, err,
					  "this character has several bytes: write L'...'");
		/* One char is signed, several make an int, as in gcc. */
		n->number = wide ? c : n->number << 8 | (c & 0xff);
	}
	if (count == 0 || count > (wide ? 1u : 4u))
		return eval_error(text, t->start, err, "a character constant of %u characters",
				  count);
	if (count == 1 && !wide)
		n->number = (unsigned __int128)(__int128)(int8_t)n->number;
	else
		n->number = (unsigned __int128)(__int128)(int32_t)n->number;
	if (*t->start == 'U' || *t->start == 'u')
		n->number &= UINT32_MAX;
	return 0;
}

static int string_constant(const char *text, const struct token *t, struct eval_node *n,
			   struct error *err)
{
	const char *end, *at = eval_constant_inside(t, &end);
	STR(s);

	if (n->text)
		str_add_bytes(&s, n->text, n->length);
	while (at < end) {
		const char *from = at;
		uint32_t c;
		bool byte;

		if (!read_character(&at, end, &c, &byte)) {
			return eval_error(text, from, err, "an escape that C does not have");
		}
		if (byte)
			str_add_bytes(&s, &(char){(char)c}, 1);
		else
			str_add_code(&s, c > 0x10ffff ? 0xfffd : c);
	}
	base_free(n->text);
	n->kind = EVAL_STRING;
	n->length = s.length;
	n->text = s.text ? str_take(&s) : base_strdup("");
	return 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool take_suffix(char *word, const char *suffix)
{
	size_t length = strlen(word), n = strlen(suffix);

	if (length < n || strcasecmp(word + length - n, suffix) != 0)
		return false;
	word[length - n] = '\0';
	return true;
}

struct suffix {
	bool is_unsigned, is_long;
};

static void take_suffixes(char *word, struct suffix *s)
{
	for (int i = 0; i < 2; i++) {
		if (take_suffix(word, "ll") || take_suffix(word, "l") || take_suffix(word, "z"))
			s->is_long = true;
		else if (take_suffix(word, "u"))
			s->is_unsigned = true;
	}
}

/* Returns the first type of C's list that holds the value (C11 6.4.4.1). */
static const char *integer_type(uint64_t value, const struct suffix *s, bool decimal)
{
	if (!s->is_long && !s->is_unsigned && value <= INT_MAX)
		return "int";
	if (!s->is_long && (s->is_unsigned || !decimal) && value <= UINT_MAX)
		return "unsigned int";
	if (!s->is_unsigned && value <= LONG_MAX)
		return "long";
	return "unsigned long";
}

static int integer_constant(const char *text, const struct token *t, char *word,
			    struct eval_node *n, struct error *err)
{
	unsigned base = 10;
	struct suffix s = {0};
	uint64_t value = 0;

	take_suffixes(word, &s);
	if (word[0] == '0' && strchr("xXbB", word[1]) && word[1]) {
		base = word[1] == 'x' || word[1] == 'X' ? 16 : 2;
		word += 2;
	} else if (word[0] == '0') {
		base = 8;
	}
	if (!*word)
		return eval_error(text, t->start, err, "digits are missing");
	for (const char *at = word; *at; at++) {
		int digit = hex_digit(*at);

		if (digit < 0 || (unsigned)digit >= base)
			return eval_error(text, t->start, err, "'%.*s' is not a number",
					  (int)t->length, t->start);
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return eval_error(text, t->start, err, "a constant of more than 64 bits");
	}
	n->kind = EVAL_INTEGER;
	n->builtin = integer_type(value, &s, base == 10);
	n->number = value;
	return 0;
}

static int float_constant(const char *text, const struct token *t, char *word, bool hex,
			  struct eval_node *n, struct error *err)
{
	char *end;

	n->kind = EVAL_FLOAT;
	n->builtin = "double";
	if (take_suffix(word, "l"))
		n->builtin = "long double";
	else if (!(hex && !strpbrk(word, "pP")) && take_suffix(word, "f"))
		n->builtin = "float";
	n->real = strtold(word, &end);
	if (*end || end == word)
		return eval_error(text, t->start, err, "'%.*s' is not a number", (int)t->length,
				  t->start);
	if (n->builtin[0] == 'd')
		n->real = strtod(word, NULL);
	else if (n->builtin[0] == 'f')
		n->real = strtof(word, NULL);
	return 0;
}

static int number_constant(const char *text, const struct token *t, struct eval_node *n,
			   struct error *err)
{
	char word[NUMBER_MAX];
	size_t length = 0;
	bool hex;

	for (size_t i = 0; i < t->length; i++) {
		if (t->start[i] == '\'')
			continue;
		if (length + 1 >= sizeof(word))
			return eval_error(text, t->start, err, "a constant that is too long");
		word[length++] = t->start[i];
	}
	word[length] = '\0';
	hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	if (strpbrk(word, hex ? ".pP" : ".eE"))
		return float_constant(text, t, word, hex, n, err);
	return integer_constant(text, t, word, n, err);
}

int eval_constant(const char *text, const struct token *t, struct eval_node *n, struct error *err)
{
	if (t->kind == TOKEN_CHAR)
		return char_constant(text, t, n, err);
	if (t->kind == TOKEN_STRING)
		return string_constant(text, t, n, err);
	return number_constant(text, t, n, err);
}
