/* Runs of a test without gatectl, before its search. */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/files/io.h"
#include "tracer/base/signame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A test that fails now and then has the failure that is searched for: it is tried again. */
enum { TRIES = 3, TRIES_OUT_OF_TIME = 2 };
/* The limit of a run is ten times that of the search, and at least this. */
enum { LIMIT_LEAST_S = 30, LIMIT_SEARCHES = 10 };

static double limit_of(const struct suite *s, const struct suite_test *test)
{
	double limit = s->seconds * LIMIT_SEARCHES;

	limit = limit < LIMIT_LEAST_S ? LIMIT_LEAST_S : limit;
	return test->limit > 0 && test->limit < limit ? test->limit : limit;
}

static void say_end(const struct suite_end *end, struct str *out)
{
	if (end->not_started)
		str_addf(out, "cannot be started: %s", strerror(end->status));
	else if (end->out_of_time)
		str_addf(out, "has not ended after %.0f s", end->seconds);
	else if (end->signal)
		str_addf(out, "SIG%s", signame_text(end->signal));
	else
		str_addf(out, "exit status %d", end->status);
}

static enum suite_judged judge(const struct suite_test *test, const struct suite_end *end, int log)
{
	STR(output);

	if (end->not_started || end->out_of_time || end->signal)
		return SUITE_NOT_AS_EXPECTED;
	io_read_at(log, &output);
	return suite_judge(&test->expects, end->status, str_text(&output));
}

/* Makes one run. Returns true if it is the last one. */
static bool run_once_bare(const struct suite *s, const struct suite_test *test, int log,
			  struct suite_shared *shared)
{
	const struct suite_end end = suite_process(test->argv.items, log, -1, limit_of(s, test));
	enum suite_judged judged = judge(test, &end, log);
	STR(text);

	if (end.interrupted) {
		shared->bare = SUITE_UNFINISHED;
		return true;
	}
	shared->bare_runs++;
	shared->bare_failed += judged == SUITE_NOT_AS_EXPECTED;
	shared->bare = judged == SUITE_AS_EXPECTED ? SUITE_PASSED
		       : judged == SUITE_SKIPS	   ? SUITE_SKIPPED
						   : SUITE_FAILS_BARE;
	if (judged == SUITE_AS_EXPECTED) {
		shared->bare_s = end.seconds;
		return true;
	}
	say_end(&end, &text);
	snprintf(shared->reason, sizeof(shared->reason), "%s%s",
		 judged == SUITE_SKIPS ? "skips itself: " : "fails without gatectl: ",
		 str_text(&text));
	return judged == SUITE_SKIPS || end.not_started ||
	       (end.out_of_time && shared->bare_runs == TRIES_OUT_OF_TIME);
}

void suite_bare(const struct suite *s, const struct suite_test *test, const char *log,
		struct suite_shared *shared)
{
	int fd = open(log, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
	bool is_last = false;

	for (int i = 0; i < TRIES && !is_last; i++) {
		if (ftruncate(fd, 0) < 0)
			shared->reason[0] = '\0';
		is_last = run_once_bare(s, test, fd, shared);
	}
	close(fd);
}
