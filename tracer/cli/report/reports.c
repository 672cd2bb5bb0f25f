/* --report: refused before the start where it cannot be written, written after each run; JUnit's, which tells of all
   runs, after the last. */
#include "tracer/features/report/suite.h"
#include "tracer/cli/cli.h"

#include "tracer/base/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int reports_may_write(const char *path, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0) {
		error_errno(err, ERROR_USAGE, "--report: %s: cannot be written", path);
		return error_hint(err, "a directory that exists and is yours");
	}
	close(fd);
	return 0;
}

int reports_check(const struct cli *cli, struct error *err)
{
	array_each(const char *, path, &cli->run.reports) {
		if (report_kind_of(*path) == REPORT_KINDS) {
			error_set(err, ERROR_USAGE,
				  "--report: %s: the name has to end in .json, .trace.json, .html "
				  "or .xml",
				  *path);
			return error_hint(err, "gatectl run --report run.html ...");
		}
		if (reports_may_write(*path, err) < 0)
			return -1;
	}
	return 0;
}

/* A report is written as a whole or not at all. */
int reports_put(const char *path, const struct str *text, struct error *err)
{
	struct stat now;

	if (file_replace(path, str_text(text), err) == 0)
		return 0;
	if (lstat(path, &now) == 0 && S_ISREG(now.st_mode) && !now.st_size)
		unlink(path); /* what reports_check() has left */
	return -1;
}

int reports_write(struct cli *cli, const struct run_result *r, struct error *err)
{
	cli->suite.count[r->testcase]++;
	cli->suite.seconds += r->seconds;
	str_add(&cli->suite.cases, str_text(&r->reports[REPORT_JUNIT]));
	array_each(const char *, path, &cli->run.reports) {
		enum report_kind kind = report_kind_of(*path);

		if (kind != REPORT_JUNIT && reports_put(*path, &r->reports[kind], err) < 0)
			return -1;
	}
	return 0;
}

int reports_finish(struct cli *cli, struct error *err)
{
	int failed = 0;

	array_each(const char *, path, &cli->run.reports) {
		struct str text = {0};

		if (failed || report_kind_of(*path) != REPORT_JUNIT)
			continue;
		report_suite_text(&cli->suite, &cli->run, &text);
		failed = reports_put(*path, &text, err);
		str_fini(&text);
	}
	str_fini(&cli->suite.cases);
	return failed;
}
