/* Finds words in source text. */
#include "tracer/base/text/word.h"

#include <string.h>

bool word_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

size_t word_length(const char *at)
{
	size_t length = 0;

	while (word_char(at[length]))
		length++;
	return length;
}

const char *word_before(const char *start, const char *end)
{
	while (end > start && word_char(end[-1]))
		end--;
	return end;
}

const char *word_find(const char *text, const char *word, size_t length)
{
	const char *end = text + strlen(text);

	for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, length)); at++)
		if ((at == text || !word_char(at[-1])) && !word_char(at[length]))
			return at;
	return NULL;
}
