/*
 * Lines for the user on standard error: one write(2) a line, so that lines of several processes
 * do not mix. Only run and cli write here; library code returns a struct error.
 */
#ifndef GATECTL_BASE_LOG_H
#define GATECTL_BASE_LOG_H

#include <stddef.h>

/* Control characters are shown, but for tabs; what is longer than a person reads is cut, with a mark. */
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same of a text, of which the first `loud` bytes stand out in red on a terminal. */
void log_text(const char *text, size_t length, size_t loud);

#endif
