/* UTF-8 (RFC 3629). */
#ifndef GATECTL_BASE_TEXT_UTF8_H
#define GATECTL_BASE_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of the valid sequence at `text`, or 0 for a stray byte. The
   text ends with a NUL. */
int utf8_length(const char *text);
/* Returns the code point of a valid sequence of this length. */
uint32_t utf8_code(const char *text, size_t length);
/* Returns the largest length, up to `most`, at which the text can be cut between characters. The
   text has at least `most` bytes. */
size_t utf8_cut(const char *text, size_t most);

#endif
