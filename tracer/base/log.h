/*
 * Lines for the user on standard error: one write(2) a line, so that lines of several processes
 * do not mix. Only session and cli write here; library code returns a struct error.
 */
#ifndef GATECTL_BASE_LOG_H
#define GATECTL_BASE_LOG_H

void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
