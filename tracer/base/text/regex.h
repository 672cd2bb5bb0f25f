/* Regular expressions of CMake and CTest: POSIX extended ones in which braces are characters. */
#ifndef GATECTL_BASE_TEXT_REGEX_H
#define GATECTL_BASE_TEXT_REGEX_H

#include <stdbool.h>

/* Returns why the expression is not valid, a static text, or NULL if it is. Back-references are
   not: they take exponential time. */
const char *regex_wrong(const char *expression);
/* True if a part of the text matches the expression, which is valid. */
bool regex_matches(const char *expression, const char *text);

#endif
