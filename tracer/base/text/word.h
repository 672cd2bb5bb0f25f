/* Words of C, C++ and Lua texts: identifiers (C11 6.4.2), ASCII alone. */
#ifndef GATECTL_BASE_TEXT_WORD_H
#define GATECTL_BASE_TEXT_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* True for a letter, a digit and '_'. */
bool word_char(char c);
/* Returns the length of the word that begins at `at`; 0 if none begins there. */
size_t word_length(const char *at);
/* Returns the beginning, at or after `start`, of the word that ends at `end`; `end` if no word ends
   there. */
const char *word_before(const char *start, const char *end);
/* Returns the first place in the text where the word stands by itself, or NULL. */
const char *word_find(const char *text, const char *word, size_t length);

#endif
