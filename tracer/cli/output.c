#include "tracer/cli/cli.h"

#include "tracer/base/log.h"

#include <string.h>

#define RED   "\033[1;31m"
#define PLAIN "\033[0m"

/* "gatectl: word:" stands out on a terminal; the rest is as it is. */
static void write_line(const struct cli *cli, const char *line, size_t length)
{
	const char *rest = NULL;

	if (cli->color && strncmp(line, "gatectl: ", 9) == 0)
		rest = memchr(line + 9, ':', length - 9);
	if (rest)
		log_line(RED "%.*s" PLAIN "%.*s", (int)(rest + 1 - line), line,
			 (int)(length - (size_t)(rest + 1 - line)), rest + 1);
	else
		log_line("%.*s", (int)length, line);
}

static void output_text(const struct cli *cli, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		write_line(cli, text, length);
		text += length + (text[length] == '\n');
	}
}

void output_verdict(const struct cli *cli, const char *text, const char *file, unsigned line)
{
	output_text(cli, text);
	annotate(text, file, line);
}

int output_error(const struct cli *cli, const struct error *err)
{
	int status = session_error_status(&cli->session, err->code);
	struct str text = {0};

	if (status == SESSION_SKIPPED) {
		log_line("gatectl: skipped: %s", err->text);
		return status;
	}
	str_addf(&text, "gatectl: %s: %s\n",
		 err->code == ERROR_CANNOT_TRACE ? "cannot-trace" : "error", err->text);
	if (err->hint[0])
		str_addf(&text, "try: %s\n", err->hint);
	else if (err->code == ERROR_SCRIPT)
		str_add(&text, "try: correct the script there; gatectl-gates(5) says what it can "
			       "use\n");
	output_verdict(cli, str_text(&text), NULL, 0);
	str_fini(&text);
	return status;
}
