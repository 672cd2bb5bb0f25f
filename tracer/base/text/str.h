/* A string that is built piece by piece. {0} is the empty one; `text` may be NULL until then. */
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

/* A local string, and a local text of base_strdup() and the like, that are freed where their scope
   ends; not by a longjmp. */
#define STR(name)   struct str name __attribute__((cleanup(str_fini))) = {0}
#define OWNED(name) char *name __attribute__((cleanup(str_free_owned)))

void str_add(struct str *s, const char *text);
/* A character, in UTF-8. */
void str_add_code(struct str *s, uint32_t code);
void str_add_bytes(struct str *s, const char *bytes, size_t length);
/* At most so many bytes, cut at a blank, with " ..." after them. */
void str_add_short(struct str *s, const char *text, size_t most);
void str_vaddf(struct str *s, const char *fmt, va_list ap);
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *str_text(const struct str *s); /* never NULL */
char *str_take(struct str *s);		   /* the caller owns it (base_free); s is empty again */
void str_clear(struct str *s);
void str_fini(struct str *s);
void str_free_owned(char **text); /* of OWNED() */

/* Does `text` match the pattern, in which * stands for any run and ? for one character? */
bool str_wildcard(const char *pattern, const char *text);

/* Behind the last slash. */
const char *str_base_name(const char *path);
const char *str_plural(unsigned long n);     /* "s", or "" of 1 */
bool str_same(const char *a, const char *b); /* NULL is like NULL alone */

#endif
