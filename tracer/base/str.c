#include "tracer/base/str.h"

#include "tracer/base/array.h"
#include "tracer/base/utf8.h"

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

void str_add_on_line(struct str *s, const char *text)
{
	size_t from = s->length;

	str_add(s, text);
	for (; from < s->length; from++)
		if ((unsigned char)s->text[from] < ' ' || s->text[from] == 0x7f)
			s->text[from] = ' ';
}

/* C1 controls in UTF-8 (c2 80 to c2 9f) are what ESC and a letter are. */
static size_t control_length(const char *text)
{
	unsigned char c = (unsigned char)text[0], next = c ? (unsigned char)text[1] : 0;

	if ((c && c < ' ') || c == 0x7f)
		return 1;
	return c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 : 0;
}

bool str_is_plain(const char *text)
{
	for (; *text; text++)
		if (control_length(text))
			return false;
	return true;
}

static void add_control(struct str *s, const char *text, size_t length)
{
	static const char known[] = "\n\t\r", names[] = "ntr";
	const char *letter = strchr(known, *text);

	if (letter)
		str_addf(s, "\\%c", names[letter - known]);
	for (size_t i = 0; !letter && i < length; i++)
		str_addf(s, "\\x%02x", (unsigned char)text[i]);
}

void str_add_shown(struct str *s, const char *text)
{
	while (*text) {
		size_t length = control_length(text);

		if (length)
			add_control(s, text, length);
		else
			str_add_bytes(s, text, length = 1);
		text += length;
	}
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

const char *str_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
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

void str_add_quoted(struct str *out, const char *text)
{
	str_add(out, "\"");
	for (; *text; text++) {
		if (*text == '\n')
			str_add(out, "\\n");
		else if (*text == '\t')
			str_add(out, "\\t");
		else if (*text == '"' || *text == '\\')
			str_addf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20 || *text == 0x7f)
			str_addf(out, "\\x%02x", (unsigned char)*text);
		else
			str_add_bytes(out, text, 1);
	}
	str_add(out, "\"");
}

bool str_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}
