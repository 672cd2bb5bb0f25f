/* Commands on a running process. gatectl attach: a gate script on it. */
#include "tracer/cli/report/report.h"

#include <fcntl.h>
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
	if (cli->rest_count > 1) {
		error_set(err, ERROR_USAGE, "attach: unexpected argument '%s'", cli->rest[1]);
		return usage(err);
	}
	if (options_read_pid(cli->rest[0], &cli->run.pid))
		return 0;
	error_set(err, ERROR_USAGE, "attach: '%s' is not the number of a process", cli->rest[0]);
	return usage(err);
}

/* Reads the command line of the process, for reports; "?" if it cannot be read. */
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
		words[n++] = "?";
	words[n] = NULL;
	cli->run.argv = words;
}

int attach_guarded(struct cli *cli, bool steered, int (*run)(struct cli *cli))
{
	char text[COMMAND_MAX], *words[MOST_WORDS + 1];
	ERROR(err);
	int status = 0, started;

	if (cli->run.leftover == LEFTOVER_KILL) {
		error_set(&err, ERROR_USAGE,
			  "--leftover=kill: gatectl never ends a process that it has attached to");
		error_hint(&err, "--leftover=leave, or --leftover=wait");
		return output_error(cli, &err);
	}
	started = run_guard(&cli->run, steered, &status, &err);
	if (started < 0)
		return output_error(cli, &err);
	if (started)
		return status;
	read_command(cli, text, words);
	return run(cli);
}

int command_attach(struct cli *cli)
{
	ERROR(err);

	if (attach_parse(cli, &err) < 0 || reports_check(cli, REPORTS_RUN, &err) < 0)
		return output_error(cli, &err);
	return attach_guarded(cli, false, run_once);
}
