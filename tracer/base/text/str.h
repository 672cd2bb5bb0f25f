/* A string that is built piece by piece. {0} is empty; its `text` may be NULL. */
#ifndef GATECTL_BASE_TEXT_STR_H
#define GATECTL_BASE_TEXT_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	char *text;
	size_t length, capacity;
};

/* STR() declares a local string, OWNED() a local text of base_strdup() and its like. Both are freed
   at the end of their scope, but not by a longjmp. */
#define STR(name)   struct str name __attribute__((cleanup(str_fini))) = {0}
#define OWNED(name) char *name __attribute__((cleanup(str_free_owned)))

/* Appends a text. */
void str_add(struct str *s, const char *text);
/* Appends a character in UTF-8. */
void str_add_code(struct str *s, uint32_t code);
/* Appends `length` bytes. */
void str_add_bytes(struct str *s, const char *bytes, size_t length);
/* Appends at most `most` bytes, cut at a blank if possible, and " ..." if the text is longer. */
void str_add_short(struct str *s, const char *text, size_t most);
/* Appends formatted text. */
void str_vaddf(struct str *s, const char *fmt, va_list ap);
/* Appends formatted text. */
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns the text, never NULL. Valid until the string changes. */
const char *str_text(const struct str *s);
/* Returns the text, which the caller frees (base_free()), and empties the string. Never NULL. */
char *str_take(struct str *s);
/* Empties the string and keeps its memory. */
void str_clear(struct str *s);
/* Frees the string and empties it. */
void str_fini(struct str *s);
/* Frees a text of OWNED(). */
void str_free_owned(char **text);

/* True if the text matches the pattern: * matches any characters, ? one. */
bool str_wildcard(const char *pattern, const char *text);

/* Returns the part after the last slash, which points into `path`; "?" for NULL, the file of code
   without debug information. */
const char *str_base_name(const char *path);
/* Returns "s", or "" for 1. The string is static. */
const char *str_plural(unsigned long n);
/* True if the texts are equal, or both NULL. */
bool str_same(const char *a, const char *b);

#endif
