#include "tracer/base/log.h"

#include "tracer/base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static void write_all(const char *bytes, size_t length)
{
	while (length) {
		ssize_t n = write(STDERR_FILENO, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* nobody left to tell */
		bytes += n;
		length -= (size_t)n;
	}
}

void log_line(const char *fmt, ...)
{
	struct str line = {0};
	char buffer[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buffer, sizeof(buffer), fmt, ap);
	va_end(ap);
	str_addf(&line, "%s\n", buffer);
	write_all(str_text(&line), line.length);
	str_fini(&line);
}
