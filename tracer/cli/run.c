/* gatectl run: the main job, once or several times. */
#include "tracer/cli/cli.h"

#include "tracer/base/log.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A report that cannot be written is refused before the program starts. */
static int check_reports(const struct cli *cli, struct error *err)
{
	array_each(const char *, path, &cli->session.reports) {
		const char *ending = strrchr(*path, '.');
		int fd;

		if (!ending || strcmp(ending, ".json") != 0) {
			error_set(err, ERROR_USAGE, "--report: %s: the name has to end in .json",
				  *path);
			return error_hint(err, "gatectl run --report run.json ...");
		}
		fd = open(*path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0) {
			error_errno(err, ERROR_USAGE, "--report: %s: cannot be written", *path);
			return error_hint(err, "a directory that exists and is yours");
		}
		close(fd);
	}
	return 0;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t n = write(fd, text, length);

		if (n <= 0)
			return -1;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

static int write_reports(const struct cli *cli, const struct session_result *r, struct error *err)
{
	array_each(const char *, path, &cli->session.reports) {
		int fd = open(*path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		int failed = fd < 0 || write_all(fd, str_text(&r->json), r->json.length) < 0;

		if (fd >= 0)
			failed |= close(fd) < 0;
		if (failed)
			return error_errno(err, ERROR_SYSTEM, "%s: cannot be written", *path);
	}
	return 0;
}

struct first_run {
	enum verdict verdict;
	int status;
};

/* Is this run as the first one was, and as a test wants it? */
static bool agrees(const struct session_result *r, const struct first_run *first)
{
	return r->verdict == VERDICT_OK && r->verdict == first->verdict &&
	       r->status == first->status && !r->interrupted;
}

static void say_agreed(const struct cli *cli, unsigned long agreed, unsigned long done)
{
	if (cli->session.repeat < 2 || (cli->session.quiet && agreed == done))
		return;
	log_line("gatectl: %lu of %lu runs agreed%s", agreed, done,
		 done < cli->session.repeat ? "; the last one did not" : "");
}

/* -1: there was a run, and *r says how it went. Else the status of an error before it. */
static int one_run(struct cli *cli, struct symbols *symbols, unsigned long number,
		   struct session_result *r)
{
	struct error err = {0};

	if (session_run(&cli->session, symbols, number, r, &err) < 0) {
		struct error ignored;

		write_reports(cli, r, &ignored);
		return output_error(cli, &err);
	}
	output_text(cli, str_text(&r->text));
	if (write_reports(cli, r, &err) < 0)
		return output_error(cli, &err);
	return -1;
}

static int all_runs(struct cli *cli, struct symbols *symbols)
{
	struct first_run first = {0};
	unsigned long agreed = 0, done = 0;
	int status = 0;
	bool same = true;

	while (same && done < cli->session.repeat) {
		struct session_result r;
		int failed = one_run(cli, symbols, done + 1, &r);

		if (done++ == 0)
			first = (struct first_run){r.verdict, r.status};
		status = failed >= 0 ? failed : r.status;
		same = failed < 0 && agrees(&r, &first);
		agreed += same;
		session_result_fini(&r);
		if (failed >= 0)
			return status;
	}
	say_agreed(cli, agreed, done);
	return status;
}

int command_run(struct cli *cli)
{
	struct symbols *symbols;
	struct error err = {0};
	int status;

	if (check_reports(cli, &err) < 0)
		return output_error(cli, &err);
	symbols = symbols_new();
	status = all_runs(cli, symbols);
	symbols_free(symbols);
	return status;
}
