/* Writes foreign text as lines, comments, strings, words, Markdown, URIs and JSON. */
#include "tracer/base/text/foreign.h"

#include "tracer/base/text/utf8.h"

#include <stdarg.h>
#include <string.h>

/* ---- characters ------------------------------------------------------------------------------ */

/* True for control characters, Bidi_Control and separators of lines and paragraphs (Unicode 15). */
static bool is_hidden(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

size_t foreign_next(const char *text, bool *plain)
{
	int length = utf8_length(text);

	*plain = length && !is_hidden(utf8_code(text, (size_t)length));
	return length ? (size_t)length : 1;
}

bool foreign_is_plain(const char *text)
{
	bool plain = true;

	while (*text && plain)
		text += foreign_next(text, &plain);
	return plain;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Returns the letter of the escape sequence that C and Lua have for the character, or '\0'. */
static char letter_of(char c)
{
	return c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : '\0';
}

static void add_bytes_in_hex(struct str *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		str_addf(out, "\\x%02x", (unsigned char)text[i]);
}

/* Appends the character itself if it is plain, else escaped. */
static void add_shown(struct str *out, const char *text, size_t length, bool plain)
{
	char letter = letter_of(*text);

	if (plain)
		str_add_bytes(out, text, length);
	else if (letter)
		str_addf(out, "\\%c", letter);
	else
		add_bytes_in_hex(out, text, length);
}

void foreign_lines(struct str *out, const char *text, const char *kept)
{
	bool plain;

	for (size_t n; *text; text += n) {
		n = foreign_next(text, &plain);
		add_shown(out, text, n, plain || strchr(kept, *text));
	}
}

void foreign_line(struct str *out, const char *text)
{
	foreign_lines(out, text, "");
}

/* ---- Lua ------------------------------------------------------------------------------------- */

void foreign_lua_comment(struct str *out, const char *fmt, ...)
{
	STR(text);
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	/* without the blank, "[[" would begin a long comment */
	str_add(out, text.length ? "-- " : "--");
	foreign_line(out, str_text(&text));
	str_add(out, "\n");
}

void foreign_lua_string(struct str *out, const char *text)
{
	bool plain;

	str_add(out, "\"");
	for (size_t n; *text; text += n) {
		n = foreign_next(text, &plain);
		if (*text == '"' || *text == '\\')
			str_add(out, "\\");
		add_shown(out, text, n, plain);
	}
	str_add(out, "\"");
}

/* ---- C --------------------------------------------------------------------------------------- */

void foreign_c_comment(struct str *out, const char *text)
{
	bool plain;

	str_add(out, "/* ");
	for (size_t n; *text; text += n) {
		n = foreign_next(text, &plain);
		add_shown(out, text, n, plain);
		if ((text[0] == '*' && text[1] == '/') || (text[0] == '/' && text[1] == '*'))
			str_add(out, "\\"); /* ends the comment, or causes -Wcomment */
	}
	str_add(out, " */");
}

static void add_c(struct str *out, const char *text, bool format)
{
	char last = '\0';
	bool plain;

	for (size_t n; *text; last = *text, text += n) {
		n = foreign_next(text, &plain);
		if (!plain) /* octal: a digit that follows would continue a hexadecimal escape */
			for (size_t i = 0; i < n; i++)
				str_addf(out, "\\%03o", (unsigned char)text[i]);
		else if (strchr("\"\\", *text) || (*text == '?' && last == '?')) /* trigraphs */
			str_addf(out, "\\%c", *text);
		else
			str_add_bytes(out, text, n);
		if (format && *text == '%')
			str_add(out, "%");
	}
}

void foreign_c_text(struct str *out, const char *text)
{
	add_c(out, text, false);
}

void foreign_c_format(struct str *out, const char *text)
{
	add_c(out, text, true);
}

/* ---- the shell ------------------------------------------------------------------------------- */

void foreign_shell_word(struct str *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./,:@%";

	if (*text && !text[strspn(text, plain)]) {
		str_add(out, text);
		return;
	}
	str_add(out, "'");
	for (; *text; text++) {
		if (*text == '\'')
			str_add(out, "'\\''");
		else
			str_add_bytes(out, text, 1);
		if ((text[0] == '*' && text[1] == '/') || (text[0] == '/' && text[1] == '*'))
			str_add(out, "''");
	}
	str_add(out, "'");
}

/* ---- Markdown -------------------------------------------------------------------------------- */

void foreign_code_span(struct str *out, const char *text)
{
	size_t longest = 0;

	for (const char *at = text; *at; at++) {
		size_t run = strspn(at, "`");

		longest = run > longest ? run : longest;
		at += run ? run - 1 : 0;
	}
	for (size_t i = 0; i <= longest; i++)
		str_add(out, "`");
	str_add(out, longest ? " " : "");
	foreign_line(out, text);
	str_add(out, longest ? " " : "");
	for (size_t i = 0; i <= longest; i++)
		str_add(out, "`");
}

void foreign_code_line(struct str *out, const char *text)
{
	size_t blanks = strspn(text, " ");

	if (strncmp(text + blanks, "```", 3) == 0) {
		str_add_bytes(out, text, blanks);
		str_add(out, "\\");
		text += blanks;
	}
	foreign_lines(out, text, "\t");
}

/* ---- percent encoding ------------------------------------------------------------------------ */

static bool is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void foreign_uri(struct str *out, const char *path)
{
	for (; *path; path++)
		if (is_letter_or_digit(*path) || strchr("-._~/+", *path))
			str_add_bytes(out, path, 1);
		else
			str_addf(out, "%%%02X", (unsigned char)*path);
}

void foreign_workflow(struct str *out, const char *text, size_t length, bool property)
{
	const char *special = property ? "%\r\n:," : "%\r\n";

	for (size_t i = 0; i < length && text[i]; i++)
		if (strchr(special, text[i]))
			str_addf(out, "%%%02X", (unsigned char)text[i]);
		else
			str_add_bytes(out, text + i, 1);
}

/* ---- HTML ------------------------------------------------------------------------------------ */

void foreign_script_json(struct str *out, const char *json)
{
	while (*json) {
		size_t plain = strcspn(json, "<>&");

		str_add_bytes(out, json, plain);
		json += plain;
		if (*json)
			str_addf(out, "\\u%04x", (unsigned char)*json++);
	}
}
