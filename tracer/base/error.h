/*
 * One error: what kind, what is wrong, what to do about it.
 *
 * A function that can fail takes a `struct error *`, fills it where the fault happened and
 * returns -1 (or NULL); the callers hand it on. Only tracer/cli prints it and picks the status.
 *
 * An error owns its text and its hint. {0} is the empty one, and costs nothing; whoever declares
 * one ends it with error_fini(), a local one is declared with ERROR(), which sees to that. It can be
 * set any number of times. Never assign one to another: error_move() or error_copy().
 *
 * A longjmp leaves out what ERROR() sees to: in a C function of Lua's nothing that may raise comes
 * while a local error is set.
 */
#ifndef GATECTL_BASE_ERROR_H
#define GATECTL_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE,	    /* wrong options or values on the command line */
	ERROR_SCRIPT,	    /* a gate script: the text begins with FILE:LINE: */
	ERROR_FAILED,	    /* a gate script has said `fail`: the text is its own (status 119) */
	ERROR_LOCATION,	    /* a location that cannot be resolved, or matches twice */
	ERROR_OBJECT,	    /* an ELF file or its debug information is missing or broken */
	ERROR_STATE,	    /* the program's state: optimised out, unreadable, no such variable */
	ERROR_CHANGING,	    /* an object of the program is not valid, as in the midst of a change */
	ERROR_SYSTEM,	    /* a system call of gatectl's own failed */
	ERROR_CANNOT_TRACE, /* this place does not permit tracing (status 118) */
	ERROR_CANNOT_EXEC,  /* PROG is there but cannot be executed (status 126) */
	ERROR_NOT_FOUND,    /* PROG is not there (status 127) */
};

/* Longer texts and hints are cut there. */
#define ERROR_TEXT_MOST ((size_t)64 * 1024)

struct error {
	enum error_code code;
	char *text; /* one or more lines, no newline at the end; NULL: it was not set */
	char *hint; /* what to do next; NULL: none. Never without a text */
};

/* A local error, empty, that is freed where its scope ends. */
#define ERROR(name) struct error name __attribute__((cleanup(error_fini))) = {0}

/* Fills in the error and returns -1, so that a function can `return error_set(...)`. It has no hint
   then. What is given may be a part of the error itself, here and in those below. */
int error_set(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void error_vset(struct error *err, enum error_code code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/* Like error_set, with ": strerror(errno)" at the end of the text, and a hint for too many open files. */
int error_errno(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds the hint to an error that is already set; returns -1. */
int error_hint(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts this before the text of an error that is already set, and leaves its hint; returns -1. */
int error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What `to` was is freed; both return -1. Of a moved one nothing is left in `from`. */
int error_move(struct error *to, struct error *from);
int error_copy(struct error *to, const struct error *from);

void error_free_texts(struct error *err); /* error_fini's */

/* The error is empty then, and may be set again. */
static inline void error_fini(struct error *err)
{
	if (err->text)
		error_free_texts(err);
	err->code = ERROR_NONE;
}

/* Never NULL. */
static inline const char *error_text(const struct error *err)
{
	return err->text ? err->text : "";
}

#endif
