/*
 * Foreign text: a path, an argument, a name in debug information, a source line, what the program
 * wrote. Each writer here (and json.h, xml.h) makes one comment, one string or one line of it,
 * whatever its bytes are.
 *
 * No writer lets these through: control characters (C0, DEL, C1), bytes that are not UTF-8, and the
 * characters of Unicode that end lines or reorder them (U+2028, U+2029, U+061C, U+200E, U+200F,
 * U+202A to U+202E, U+2066 to U+2069). foreign_line() shows them as \n, \t, \r or \x1b, one \x for
 * each byte.
 */
#ifndef GATECTL_BASE_TEXT_FOREIGN_H
#define GATECTL_BASE_TEXT_FOREIGN_H

#include "tracer/base/text/str.h"

/* Length of the first character of a text, or of its first byte where that is not UTF-8; *plain is
   set if the character may stand in any text of UTF-8 as it is. The text ends with a NUL
   somewhere. */
size_t foreign_next(const char *text, bool *plain);
bool foreign_is_plain(const char *text); /* all characters are plain */

/* One line for a person. The characters of `kept` ("\t", "\n\t") stay as they are. */
void foreign_line(struct str *out, const char *text);
void foreign_lines(struct str *out, const char *text, const char *kept);

/* A comment of Lua, on a line of its own: "-- TEXT\n"; of no text "--\n". */
void foreign_lua_comment(struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "TEXT" with the bytes of the text as its value. A Lua string (also the form of messages and
   schedules). */
void foreign_lua_string(struct str *out, const char *text);

/* A comment of C: the text between its slashes and stars, without line breaks. */
void foreign_c_comment(struct str *out, const char *text);
/* The inside of a C string, without its quotes; and the same for printf(), where a % is doubled. */
void foreign_c_text(struct str *out, const char *text);
void foreign_c_format(struct str *out, const char *text);

/* A word of the shell, with the bytes of the text as its value. No slash stands beside a star, so
   that a command can also stand in a comment of C. */
void foreign_shell_word(struct str *out, const char *text);

/* Text of Markdown: a span of code, and a line inside a fence of three backticks. */
void foreign_code_span(struct str *out, const char *text);
void foreign_code_line(struct str *out, const char *text);

/* A path in a URI (RFC 3986); the slashes stay. */
void foreign_uri(struct str *out, const char *path);
/* A value of GitHub's workflow commands: of a property, or (`property` is false) the message. */
void foreign_workflow(struct str *out, const char *text, size_t length, bool property);

/* JSON for the inside of a script element of HTML: no character of it can end the element. */
void foreign_script_json(struct str *out, const char *json);

#endif
