#include "tracer/base/log.h"

#include "tracer/base/io.h"
#include "tracer/base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void log_line(const char *fmt, ...)
{
	struct str line = {0};
	char buffer[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buffer, sizeof(buffer), fmt, ap);
	va_end(ap);
	str_addf(&line, "%s\n", buffer);
	io_write(STDERR_FILENO, str_text(&line), line.length); /* else nobody is left to tell */
	str_fini(&line);
}
