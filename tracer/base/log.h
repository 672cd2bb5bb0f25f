/* Messages on standard error, one write(2) for each line, so that lines of several processes do not
   mix. Only run and cli write here; library code returns a struct error. */
#ifndef GATECTL_BASE_LOG_H
#define GATECTL_BASE_LOG_H

#include <stddef.h>

/* Writes a line. Control characters except tabs are escaped; a long line is cut, and the number of
   missing bytes appended. */
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Writes a line of `length` bytes, the first `loud` of them in red. */
void log_text(const char *text, size_t length, size_t loud);

#endif
