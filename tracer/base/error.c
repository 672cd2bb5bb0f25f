/* Errors with formatted texts and hints. */
#include "tracer/base/error.h"

#include "tracer/base/array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Formats into a local buffer first: most texts are short, are formatted once and get exactly
   the memory they need. */
static char *format(const char *fmt, va_list ap)
{
	char room[512], *text;
	va_list again;
	size_t size;
	int length;

	va_copy(again, ap);
	length = vsnprintf(room, sizeof(room), fmt, ap);
	size = length < 0 ? 1 : (size_t)length + 1;
	if (size > ERROR_TEXT_MOST)
		size = ERROR_TEXT_MOST;
	text = base_alloc(1, size);
	if (size <= sizeof(room))
		memcpy(text, room, size - 1);
	else
		vsnprintf(text, size, fmt, again);
	va_end(again);
	return text;
}

void error_vset(struct error *err, enum error_code code, const char *fmt, va_list ap)
{
	char *text = format(fmt, ap); /* before error_fini(): arguments may be in the old text */

	error_fini(err);
	err->code = code;
	err->text = text;
}

int error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_vset(err, code, fmt, ap);
	va_end(ap);
	return -1;
}

int error_errno(struct error *err, enum error_code code, const char *fmt, ...)
{
	bool files = errno == EMFILE;
	const char *why = strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	error_vset(err, code, fmt, ap);
	va_end(ap);
	error_set(err, code, "%s: %s", err->text, why);
	return files ? error_hint(err,
				  "raise the number of files that gatectl may open: `ulimit -n`")
		     : -1;
}

int error_hint(struct error *err, const char *fmt, ...)
{
	char *hint;
	va_list ap;

	va_start(ap, fmt);
	hint = format(fmt, ap);
	va_end(ap);
	if (!err->text)
		err->text = base_strdup("");
	base_free(err->hint);
	err->hint = hint;
	return -1;
}

int error_prefix(struct error *err, const char *fmt, ...)
{
	ERROR(whole);
	char *prefix;
	va_list ap;

	va_start(ap, fmt);
	prefix = format(fmt, ap);
	va_end(ap);
	error_set(&whole, err->code, "%s%s", prefix, error_text(err));
	base_free(prefix);
	whole.hint = err->hint;
	err->hint = NULL;
	return error_move(err, &whole);
}

int error_move(struct error *to, struct error *from)
{
	if (to == from)
		return -1;
	error_fini(to);
	*to = *from;
	*from = (struct error){0};
	return -1;
}

int error_copy(struct error *to, const struct error *from)
{
	if (to == from)
		return -1;
	error_fini(to);
	to->code = from->code;
	to->text = from->text ? base_strdup(from->text) : NULL;
	to->hint = from->hint ? base_strdup(from->hint) : NULL;
	return -1;
}

void error_free_texts(struct error *err)
{
	base_free(err->text);
	base_free(err->hint);
	err->text = err->hint = NULL;
}
