/* UTF-8 (RFC 3629), for writers that have to pass on what a program's bytes are. */
#ifndef GATECTL_BASE_TEXT_UTF8_H
#define GATECTL_BASE_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the valid sequence at `text`, which ends with a NUL somewhere; 0: a stray byte. */
int utf8_length(const char *text);
/* The character that a valid sequence of this length is. */
uint32_t utf8_code(const char *text, size_t length);
/* Where a text may be cut that is to have so many bytes at most: not inside of a character. */
size_t utf8_cut(const char *text, size_t most);

#endif
