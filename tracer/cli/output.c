/* Output for the user: errors, verdicts and lines, with control characters escaped. */
#include "tracer/cli/report/report.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/log.h"
#include "tracer/elf/module.h"
#include "tracer/run/modules/images.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "gatectl: word:" is highlighted on a terminal. */
static void write_line(const struct cli *cli, const char *line, size_t length)
{
	const char *rest = NULL;

	if (cli->color && strncmp(line, "gatectl: ", 9) == 0)
		rest = memchr(line + 9, ':', length - 9);
	log_text(line, length, rest ? (size_t)(rest + 1 - line) : 0);
}

void output_lines(const struct cli *cli, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		write_line(cli, text, length);
		text += length + (text[length] == '\n');
	}
}

void output_verdict(const struct cli *cli, const char *text, const char *file, unsigned line)
{
	output_lines(cli, text);
	annotate(text, file, line);
}

int output_error(const struct cli *cli, const struct error *err)
{
	int status = run_error_status(&cli->run, err->code);
	struct str text = {0};

	if (status == RUN_SKIPPED) {
		log_line("gatectl: skipped: %s", error_text(err));
		return status;
	}
	str_addf(&text, "gatectl: %s: %s\n", run_error_word(err->code), error_text(err));
	if (err->hint)
		str_addf(&text, "try: %s\n", err->hint);
	else if (err->code == ERROR_SCRIPT)
		str_add(&text,
			"try: correct the script there; gatectl-gates(5) describes gate scripts\n");
	output_verdict(cli, str_text(&text), NULL, 0);
	str_fini(&text);
	return status;
}

void output_no_debug(const struct experiment *x, struct str *out)
{
	const char *program = x->options && x->options->argv ? x->options->argv[0] : NULL;
	char path[PATH_MAX];
	struct module *m;
	ERROR(ignored);

	if (!program || !x->symbols || !images_find_program(program, path, sizeof(path)))
		return;
	m = modules_open(x->symbols, path, &ignored);
	if (m && !module_find_debug(m))
		str_addf(out,
			 "%s has no debug information, so places are functions, not lines: "
			 "compile it with -g\n",
			 str_base_name(program));
}

int output_over(const struct cli *cli, const struct experiment *x)
{
	const struct run_result *r = &x->last;

	if (x->err->code)
		return output_error(cli, x->err);
	if (!r->interrupted)
		output_verdict(cli, str_text(&r->text), r->line ? str_text(&r->file) : NULL,
			       r->line);
	return r->status;
}

void output_line(const struct str *line)
{
	struct str shown = {0};

	foreign_line(&shown, str_text(line));
	puts(str_text(&shown));
	str_fini(&shown);
}

void output_print(const char *fmt, ...)
{
	struct str text = {0}, shown = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	foreign_lines(&shown, str_text(&text), "\n\t");
	fputs(str_text(&shown), stdout);
	str_fini(&text);
	str_fini(&shown);
}

static int flush_errno;

int output_flush(void)
{
	errno = 0;
	if (fflush(stdout) == EOF && !flush_errno)
		flush_errno = errno;
	return flush_errno || ferror(stdout) ? -1 : 0;
}

void output_lost(int error)
{
	flush_errno = flush_errno ? flush_errno : error;
}

int output_end(int status)
{
	ERROR(err);

	if (output_flush() == 0)
		return status;
	error_set(&err, ERROR_SYSTEM, "standard output cannot be written: %s",
		  flush_errno ? strerror(flush_errno) : "not all of it was taken");
	error_hint(&err,
		   "redirect it to a pipe with a reader, or to a file on a disk with free space");
	output_error(&(struct cli){0}, &err);
	return VERDICT_ERROR;
}
