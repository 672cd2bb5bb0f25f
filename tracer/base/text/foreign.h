/* Writers for foreign text: paths, arguments, names, source lines, output. Each makes exactly one
   comment, string or line of it, whatever its bytes; README.md lists the escaped characters. */
#ifndef GATECTL_BASE_TEXT_FOREIGN_H
#define GATECTL_BASE_TEXT_FOREIGN_H

#include "tracer/base/text/str.h"

/* Returns the length of the first character, or 1 if it is not UTF-8. *plain is true if the
   character may be part of any UTF-8 text. The text ends with a NUL. */
size_t foreign_next(const char *text, bool *plain);
/* True if all characters are plain. */
bool foreign_is_plain(const char *text);

/* Appends the text on one line: \n, \t, \r, or \x1b for each byte of a
   character that is not plain. */
void foreign_line(struct str *out, const char *text);
/* Appends the text like foreign_line(), but leaves the characters of `kept`
   ("\t", "\n\t") as they are. */
void foreign_lines(struct str *out, const char *text, const char *kept);

/* Appends a Lua comment on a line of its own: "-- TEXT\n", or "--\n" for an empty text. */
void foreign_lua_comment(struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends a Lua string, "TEXT", with the bytes of the text as its value. Messages and
   schedules use the same form. */
void foreign_lua_string(struct str *out, const char *text);

/* Appends a C comment without line breaks. */
void foreign_c_comment(struct str *out, const char *text);
/* Appends the contents of a C string literal, without its quotes. */
void foreign_c_text(struct str *out, const char *text);
/* Appends the contents of a C string literal for printf(3): each % is doubled. */
void foreign_c_format(struct str *out, const char *text);

/* Appends a word of the shell with the bytes of the text as its value. Slash and star are never
   adjacent, so that a command can be part of a C comment. */
void foreign_shell_word(struct str *out, const char *text);

/* Appends a Markdown code span. */
void foreign_code_span(struct str *out, const char *text);
/* Appends a line for a Markdown code fence of three backticks. */
void foreign_code_line(struct str *out, const char *text);

/* Appends a path in a URI (RFC 3986); slashes stay. */
void foreign_uri(struct str *out, const char *path);
/* Appends a value of GitHub's workflow commands: of a property, or else the message. */
void foreign_workflow(struct str *out, const char *text, size_t length, bool property);

/* Appends JSON for an HTML script element: no character can end the element. */
void foreign_script_json(struct str *out, const char *json);

#endif
