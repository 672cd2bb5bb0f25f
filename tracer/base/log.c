/* Writes messages to standard error, line by line. */
#include "tracer/base/log.h"

#include "tracer/base/array.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/files/io.h"
#include "tracer/base/text/str.h"
#include "tracer/base/text/utf8.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define RED   "\033[1;31m"
#define PLAIN "\033[0m"

enum { LONGEST = 2000 - 60 }; /* maximum length in bytes; leaves room for the note and colours */

static void add_shown(struct str *out, const char *text, size_t length)
{
	char *copy = base_strndup(text, length);

	foreign_lines(out, copy, "\t");
	base_free(copy);
}

/* Cuts and writes one line. */
static void write_shown(struct str *line)
{
	if (line->length > LONGEST) {
		size_t at = utf8_cut(line->text, LONGEST), more = line->length - at;

		line->length = at;
		str_addf(line, "... (%zu more bytes are not shown)", more);
	}
	str_add(line, "\n");
	io_write(STDERR_FILENO, line->text, line->length); /* a failure cannot be reported */
}

void log_line(const char *fmt, ...)
{
	STR(text);
	STR(line);
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	add_shown(&line, str_text(&text), text.length);
	write_shown(&line);
}

void log_text(const char *text, size_t length, size_t loud)
{
	STR(line);

	if (loud) {
		str_add(&line, RED);
		add_shown(&line, text, loud);
		str_add(&line, PLAIN);
	}
	add_shown(&line, text + loud, length - loud);
	write_shown(&line);
}
