/* gatectl attach: a gate script on a program that runs already. */
#include "tracer/base/text/number.h"
#include "tracer/cli/report/report.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_MAX = 4096, MOST_WORDS = 256 };

static int usage(struct error *err)
{
	return error_hint(err, "gatectl attach [-g FILE.lua] PID");
}

static int attach_parse(struct cli *cli, struct error *err)
{
	const char *text = cli->rest[0];
	uint64_t pid = 0;

	if (cli->rest_count > 1) {
		error_set(err, ERROR_USAGE, "attach: '%s' is one argument too many", cli->rest[1]);
		return usage(err);
	}
	if (!number_read(text, INT_MAX, &pid) || !pid) {
		error_set(err, ERROR_USAGE, "attach: '%s' is not the number of a process", text);
		return usage(err);
	}
	if (cli->run.leftover == LEFTOVER_KILL) {
		error_set(err, ERROR_USAGE, "attach: --leftover=kill: attach never ends a process");
		return error_hint(err, "leave or wait");
	}
	cli->run.pid = (int)pid;
	return 0;
}

/* What the process was started with, for reports; its number, where that cannot be read. */
static void read_command(struct cli *cli, char *text, char **words)
{
	ssize_t length = 0;
	char path[64];
	size_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", cli->run.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, text, COMMAND_MAX - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	for (ssize_t at = 0; at < length && n < MOST_WORDS; at += (ssize_t)strlen(text + at) + 1)
		words[n++] = text + at;
	if (!n)
		words[n++] = cli->rest[0];
	words[n] = NULL;
	cli->run.argv = words;
}

static int trace(struct cli *cli)
{
	char text[COMMAND_MAX], *words[MOST_WORDS + 1];

	read_command(cli, text, words);
	return run_once(cli);
}

int command_attach(struct cli *cli)
{
	ERROR(err);
	int status = 0, started;

	if (attach_parse(cli, &err) < 0 || reports_check(cli, REPORTS_RUN, &err) < 0)
		return output_error(cli, &err);
	started = run_guard(&cli->run, &status, &err);
	if (started < 0)
		return output_error(cli, &err);
	return started ? status : trace(cli);
}
