#include "tracer/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void set_text(struct error *err, enum error_code code, const char *fmt, va_list ap)
{
	err->code = code;
	err->hint[0] = '\0';
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_text(err, code, fmt, ap);
	va_end(ap);
	return -1;
}

int error_errno(struct error *err, enum error_code code, const char *fmt, ...)
{
	const char *why = strerror(errno);
	va_list ap;
	size_t used;

	va_start(ap, fmt);
	set_text(err, code, fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", why);
	return -1;
}

int error_hint(struct error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return -1;
}
