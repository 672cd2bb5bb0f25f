/*
 * One error: what kind, what is wrong, what to do about it.
 *
 * A function that can fail takes a `struct error *`, fills it where the fault happened and
 * returns -1 (or NULL); the callers hand it on. Only tracer/cli prints it and picks the status.
 */
#ifndef GATECTL_BASE_ERROR_H
#define GATECTL_BASE_ERROR_H

enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE,	    /* wrong options or values on the command line */
	ERROR_SCRIPT,	    /* a gate script: the text begins with FILE:LINE: */
	ERROR_FAILED,	    /* a gate script has said `fail`: the text is its own (status 119) */
	ERROR_LOCATION,	    /* a location that cannot be resolved, or matches twice */
	ERROR_OBJECT,	    /* an ELF file or its debug information is missing or broken */
	ERROR_STATE,	    /* the program's state: optimised out, unreadable, no such variable */
	ERROR_SYSTEM,	    /* a system call of gatectl's own failed */
	ERROR_CANNOT_TRACE, /* this place does not permit tracing (status 118) */
	ERROR_CANNOT_EXEC,  /* PROG is there but cannot be executed (status 126) */
	ERROR_NOT_FOUND,    /* PROG is not there (status 127) */
};

struct error {
	enum error_code code;
	char text[4096]; /* one or more lines, no newline at the end */
	char hint[1024]; /* what to do next, or empty */
};

/* A local error, empty. */
#define ERROR(name) struct error name = {0}

/* Fills in the error and returns -1, so that a function can `return error_set(...)`. */
int error_set(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Like error_set, with ": strerror(errno)" at the end of the text. */
int error_errno(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds the hint to an error that is already set; returns -1. */
int error_hint(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
