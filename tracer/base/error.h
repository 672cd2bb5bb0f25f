/* An error: its kind, its text, and a hint what to do. It owns both strings. A function fills it
   where the fault happened and returns -1 or NULL; only tracer/cli prints it (README.md). */
#ifndef GATECTL_BASE_ERROR_H
#define GATECTL_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE,	    /* wrong options or values on the command line */
	ERROR_SCRIPT,	    /* a gate script; the text begins with FILE:LINE: */
	ERROR_FAILED,	    /* a gate script called `fail` with this text (status 119) */
	ERROR_LOCATION,	    /* a location that cannot be resolved, or matches twice */
	ERROR_OBJECT,	    /* an ELF file or its debug information is missing or broken */
	ERROR_STATE,	    /* the program's state: optimised out, unreadable, no such variable */
	ERROR_CHANGING,	    /* an object of the program is not valid, as during a change */
	ERROR_SYSTEM,	    /* a system call of gatectl failed */
	ERROR_CANNOT_TRACE, /* tracing is not permitted here (status 118) */
	ERROR_CANNOT_EXEC,  /* PROG exists but cannot be executed (status 126) */
	ERROR_NOT_FOUND,    /* PROG does not exist (status 127) */
};

/* Maximum length in bytes of a text or hint, with its NUL; longer ones are cut. */
#define ERROR_TEXT_MOST ((size_t)64 * 1024)

struct error {
	enum error_code code;
	char *text; /* one or more lines without a final newline; NULL if not set */
	char *hint; /* what to do next; NULL if none. Never without a text */
};

/* Declares a local error, empty, which is freed at the end of its scope. */
#define ERROR(name) struct error name __attribute__((cleanup(error_fini))) = {0}

/* Sets code and text, without a hint, and returns -1 for `return error_set(...)`. Arguments may
   point into the error itself, as in the functions below. */
int error_set(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Sets code and text, without a hint. */
void error_vset(struct error *err, enum error_code code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/* Like error_set(), with ": " and strerror(errno) appended, and a hint if
   too many files are open. */
int error_errno(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the hint of an error that is set. Returns -1. */
int error_hint(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts the prefix before the text of an error that is set, keeping its hint. Returns -1. */
int error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Frees *to and moves *from to it; *from is empty afterwards. Returns -1. */
int error_move(struct error *to, struct error *from);
/* Frees *to and copies *from to it. Returns -1. */
int error_copy(struct error *to, const struct error *from);

/* Frees text and hint. For error_fini(). */
void error_free_texts(struct error *err);

/* Frees the error. It is empty afterwards and may be set again. */
static inline void error_fini(struct error *err)
{
	if (err->text)
		error_free_texts(err);
	err->code = ERROR_NONE;
}

/* Returns the text, "" if not set. */
static inline const char *error_text(const struct error *err)
{
	return err->text ? err->text : "";
}

#endif
