/* The verdict on a test whose process has ended. */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/files/file.h"
#include "tracer/base/signame.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { SIGNALS = 128, SIGNALS_MOST = 128 + 64 };

static void set_reason(struct suite_result *r, const char *text)
{
	base_free(r->reason);
	r->reason = *text ? base_strdup(text) : NULL;
}

/* Appends the first line that the search has printed. */
static void add_log(const struct suite *s, const struct suite_test *test, struct str *out)
{
	ERROR(err);
	STR(path);

	suite_path(s, test, "log", &path);
	OWNED(text) = file_read(str_text(&path), &err);
	if (text)
		str_add_bytes(out, text, strcspn(text, "\n"));
}

static void set_error(const struct suite *s, const struct suite_test *test, int status, bool hung,
		      struct suite_result *r)
{
	STR(text);

	r->verdict = SUITE_ERROR;
	if (hung)
		str_add(&text, "gatectl did not end in time and was killed");
	else if (status > SIGNALS)
		str_addf(&text, "gatectl was ended by SIG%s", signame_text(status - SIGNALS));
	else
		add_log(s, test, &text);
	if (!text.length)
		str_addf(&text, "gatectl's exit status is %d", status);
	set_reason(r, str_text(&text));
}

/* The order of threads cannot be the reason of a failure of the only thread. */
static void judge_alone(struct suite_result *r)
{
	STR(text);

	r->verdict = SUITE_ERROR;
	str_addf(&text,
		 "passes without gatectl and fails under it (%s), with one thread: the order of "
		 "threads is not the reason",
		 r->where ? r->where : r->kind);
	set_reason(r, str_text(&text));
}

/* Returns the interpreter that starts the test's program, NULL if the program is started itself. */
static const char *script_of(const struct suite_test *test, struct str *line)
{
	char *const *argv = test->argv.items;
	char bytes[128] = "";
	int fd = open(argv[0], O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes) - 1);

	close(fd);
	if (argv[1] && strcmp(argv[1], "-c") == 0) {
		str_addf(line, "%s -c", argv[0]);
		return str_text(line);
	}
	if (got < 2 || strncmp(bytes, "#!", 2) != 0)
		return NULL;
	str_add_bytes(line, bytes, strcspn(bytes, "\n"));
	return str_text(line);
}

/* Sets what a reader has to know besides the verdict. */
static void add_remarks(const struct suite_test *test, struct suite_result *r)
{
	STR(line);
	STR(text);

	if (r->needs)
		str_add(&text, r->needs);
	if (r->bare_failed)
		str_addf(&text, "%sfails in %u of %u runs without gatectl", text.length ? "; " : "",
			 r->bare_failed, r->bare_runs);
	if (test->argv.items[0] && script_of(test, &line))
		str_addf(&text, "%sstarted by a script (%s): its processes are searched, too",
			 text.length ? "; " : "", str_text(&line));
	if (text.length)
		set_reason(r, str_text(&text));
}

static void judge_search(const struct suite *s, const struct suite_test *test, int status,
			 bool hung, struct suite_result *r)
{
	bool has_report = suite_result_search(s, test, r);

	if (has_report && r->failures && r->threads < 2) {
		judge_alone(r);
		return;
	}
	if (has_report && r->failures) {
		r->verdict = SUITE_FAILED;
	} else if (hung || status || !has_report) {
		set_error(s, test, status, hung, r);
		return;
	} else if (r->unended >= r->schedules) {
		r->verdict = SUITE_NO_RESULT;
		set_reason(r, "no schedule came to its end in the time: longer --for, or --points "
			      "sync");
		return;
	} else {
		r->verdict = r->threads < 2 ? SUITE_NO_THREADS : SUITE_PASSED;
	}
	add_remarks(test, r);
}

static void judge_fixture(const struct suite_test *test, struct suite_result *r)
{
	r->verdict = SUITE_NOT_RUN;
	set_reason(r, test->sets_up.count ? "sets up a fixture: run once, not searched"
					  : "clears a fixture: run once, not searched");
}

bool suite_finish(const struct suite *s, const struct suite_test *test,
		  const struct suite_shared *shared, int status, bool hung, struct suite_result *r)
{
	bool interrupted = s->signal && status > SIGNALS && status < SIGNALS_MOST;

	suite_result_fini(r);
	r->bare_runs = shared->bare_runs;
	r->bare_failed = shared->bare_failed;
	r->bare_s = shared->bare_s;
	if (shared->search_begun > 0 && shared->bare != SUITE_FAILS_BARE) {
		judge_search(s, test, status, hung, r);
	} else if (interrupted || shared->bare == SUITE_UNFINISHED) {
		r->verdict = SUITE_UNFINISHED;
		interrupted = true;
	} else if (!shared->bare_runs && shared->bare == SUITE_PASSED) {
		set_error(s, test, status, hung, r);
	} else if (shared->bare == SUITE_PASSED) {
		judge_fixture(test, r);
	} else {
		r->verdict = shared->bare;
		set_reason(r, shared->reason);
	}
	if (interrupted && r->verdict != SUITE_FAILED)
		r->verdict = SUITE_UNFINISHED, set_reason(r, "");
	r->status = status;
	return !interrupted;
}
