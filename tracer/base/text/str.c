/* Strings that are built piece by piece. */
#include "tracer/base/text/str.h"

#include "tracer/base/array.h"
#include "tracer/base/text/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct str *s, size_t more)
{
	size_t need = s->length + more + 1;
	char *bigger;

	if (need <= s->capacity)
		return;
	s->capacity = need * 2;
	bigger = base_alloc(1, s->capacity);
	if (s->text)
		memcpy(bigger, s->text, s->length);
	base_free(s->text);
	s->text = bigger;
}

void str_add_bytes(struct str *s, const char *bytes, size_t length)
{
	reserve(s, length);
	memcpy(s->text + s->length, bytes, length);
	s->length += length;
	s->text[s->length] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_add_bytes(s, text, strlen(text));
}

void str_add_code(struct str *s, uint32_t code)
{
	unsigned n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	char b[4];

	for (unsigned i = n; i-- > 1; code >>= 6)
		b[i] = (char)(0x80 | (code & 0x3f));
	b[0] = (char)(n == 1 ? code : (0xf00u >> n & 0xf0) | code);
	str_add_bytes(s, b, n);
}

void str_add_short(struct str *out, const char *text, size_t most)
{
	size_t n = strlen(text);

	if (n > most)
		for (n = most; n > most / 2 && text[n] != ' ';)
			n--;
	if (text[n] && text[n] != ' ') /* no blank is near */
		n = utf8_cut(text, most);
	str_add_bytes(out, text, n);
	str_add(out, text[n] ? " ..." : "");
}

void str_vaddf(struct str *s, const char *fmt, va_list ap)
{
	va_list again;
	int length;

	va_copy(again, ap);
	length = vsnprintf(NULL, 0, fmt, ap);
	if (length > 0) {
		reserve(s, (size_t)length);
		vsnprintf(s->text + s->length, (size_t)length + 1, fmt, again);
		s->length += (size_t)length;
	}
	va_end(again);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(s, fmt, ap);
	va_end(ap);
}

const char *str_text(const struct str *s)
{
	return s->text ? s->text : "";
}

char *str_take(struct str *s)
{
	char *text = s->text ? s->text : base_strdup("");

	*s = (struct str){0};
	return text;
}

void str_clear(struct str *s)
{
	s->length = 0;
	if (s->text)
		s->text[0] = '\0';
}

void str_fini(struct str *s)
{
	base_free(s->text);
	*s = (struct str){0};
}

void str_free_owned(char **text)
{
	base_free(*text);
}

const char *str_base_name(const char *path)
{
	const char *name = path ? path : "?", *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

bool str_wildcard(const char *pattern, const char *text)
{
	const char *star = NULL, *mark = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			mark = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++mark;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

const char *str_plural(unsigned long n)
{
	return n == 1 ? "" : "s";
}

bool str_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}
