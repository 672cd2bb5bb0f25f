/* The process of one test: files, the run without gatectl, the search. */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPT "expect.lua"

/* ---- files ----------------------------------------------------------------------------------- */

static int make_folder(const char *path, struct error *err)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return 0;
	error_errno(err, ERROR_USAGE, "--output: %s: cannot be made", path);
	return error_hint(err, "a directory that exists and is yours");
}

static int write_file(const struct suite *s, const struct suite_test *test, const char *name,
		      const struct str *text, struct error *err)
{
	STR(path);

	suite_path(s, test, name, &path);
	if (text->length)
		return file_replace(str_text(&path), str_text(text), err);
	unlink(str_text(&path));
	return 0;
}

static void add_words(const struct suite_texts *words, struct str *out)
{
	array_each(char *const, word, words)
		if (*word) {
			str_add(out, " ");
			foreign_shell_word(out, *word);
		}
}

/* Appends a command of the shell that searches the test by itself. */
static void suite_add_command(const struct suite_test *test, const char *script, struct str *out)
{
	if (test->dir) {
		str_add(out, "cd ");
		foreign_shell_word(out, test->dir);
		str_add(out, " &&");
	}
	if (test->env.count)
		str_add(out, " env");
	array_each(char *const, item, &test->env)
		if (!strchr(*item, '=')) {
			str_add(out, " -u ");
			foreign_shell_word(out, *item);
		}
	array_each(char *const, item, &test->env)
		if (strchr(*item, '=')) {
			str_add(out, " ");
			foreign_shell_word(out, *item);
		}
	str_addf(out, "%sgatectl explore", out->length ? " " : "");
	if (script) {
		str_add(out, " -g ");
		foreign_shell_word(out, script);
	}
	str_add(out, " --");
	add_words(&test->argv, out);
	str_add(out, "\n");
}

int suite_prepare(const struct suite *s, const struct suite_test *test, struct error *err)
{
	STR(folder);
	STR(script);
	STR(path);
	STR(command);
	STR(none);

	suite_path(s, test, "", &folder);
	suite_path(s, test, SCRIPT, &path);
	suite_script(test, &script);
	suite_add_command(test, script.length ? str_text(&path) : NULL, &command);
	if (make_folder(s->output, err) < 0 || make_folder(str_text(&folder), err) < 0 ||
	    write_file(s, test, SCRIPT, &script, err) < 0 ||
	    write_file(s, test, "command", &command, err) < 0)
		return -1;
	return write_file(s, test, "report.json", &none, err);
}

/* ---- the process ----------------------------------------------------------------------------- */

static void set_streams(const char *log)
{
	int null = open("/dev/null", O_RDWR), fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	dup2(null, STDIN_FILENO);
	dup2(fd < 0 ? null : fd, STDOUT_FILENO);
	dup2(fd < 0 ? null : fd, STDERR_FILENO);
	close(null);
	close(fd);
}

/* After a failure: a test that fails without gatectl from its second run on keeps state between
   runs, so that the order of threads is not the reason. */
static void check_state(const struct suite *s, const struct suite_test *test, const char *bare,
			struct suite_shared *shared)
{
	struct suite_shared again = {0};

	suite_bare(s, test, bare, &again);
	if (again.bare != SUITE_FAILS_BARE)
		return;
	shared->bare = SUITE_FAILS_BARE;
	shared->bare_runs += again.bare_runs;
	shared->bare_failed += again.bare_failed;
	snprintf(
		shared->reason, sizeof(shared->reason),
		"fails without gatectl, too, once it has run: it keeps state between runs (files)");
}

void suite_child(const struct suite *s, const struct suite_test *test, struct suite_shared *shared)
{
	STR(folder);
	STR(log);
	STR(bare);
	STR(script);
	ERROR(err);
	int signal, status = 0;

	suite_path(s, test, "", &folder);
	suite_path(s, test, "log", &log);
	suite_path(s, test, "bare", &bare);
	suite_path(s, test, SCRIPT, &script);
	set_streams(str_text(&log));
	run_signals_hold();
	if (suite_enter(test, &err) < 0) {
		shared->bare = SUITE_NOT_RUN;
		snprintf(shared->reason, sizeof(shared->reason), "%s", error_text(&err));
	} else {
		suite_bare(s, test, str_text(&bare), shared);
	}
	signal = run_signals_release();
	if (signal)
		_exit(128 + signal);
	if (shared->bare == SUITE_PASSED && !suite_is_fixture(test)) {
		shared->search_begun = suite_now();
		status = s->search(s->ctx, test, str_text(&folder),
				   access(str_text(&script), F_OK) == 0 ? str_text(&script) : NULL);
		shared->is_searched = true;
		if (status == VERDICT_FOUND)
			check_state(s, test, str_text(&bare), shared);
	}
	fflush(NULL);
	_exit(status);
}
