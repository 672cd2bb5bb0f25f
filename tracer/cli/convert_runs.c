/* Runs of the test, and whether their outcome is the one that it has as it is. */
#include "tracer/cli/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BASE_RUNS = 3, LIMIT_FACTOR = 8, LIMIT_LEAST_S = 10, WATCHED_FACTOR = 4, GATE_LIMIT_S = 3 };

void convert_say(struct convert *c, const char *what)
{
	progress_set(&c->progress, c->number, c->number + 1, what);
}

static int all_over(struct convert *c, const struct error *err)
{
	progress_erase(&c->progress);
	c->status = output_error(c->cli, err);
	return -1;
}

/* 0, or -1 where it is all over. */
static int run_once(struct convert *c, const struct session_trial *trial,
		    struct convert_record *record, struct session_result *r)
{
	struct session_options *o = &c->cli->session;
	struct error err = {0};
	int failed;

	o->trial = trial;
	o->record = record;
	failed = session_run(o, c->symbols, ++c->number, r, &err);
	o->trial = NULL;
	o->record = NULL;
	if (failed < 0) {
		session_result_fini(r);
		return all_over(c, &err);
	}
	if (!r->interrupted)
		return 0;
	progress_erase(&c->progress);
	c->status = r->status;
	session_result_fini(r);
	return -1;
}

/* Where a gate is missing, or somebody is held back, places may be passed by: what counts is how the
   program ends. */
static bool is_same(struct convert *c, const struct session_result *r, bool strict)
{
	const struct session_evidence *e = &r->evidence;
	bool same = (!strict || r->verdict == VERDICT_OK || r->verdict == VERDICT_DEADLOCK) &&
		    strcmp(str_text(&e->came), str_text(&c->came)) == 0;
	bool written = (!c->same_out || e->out_sum == c->out_sum) &&
		       (!c->same_err || e->err_sum == c->err_sum);

	if (same && written)
		return true;
	str_clear(&c->differs);
	str_add(&c->differs, same ? "it writes something else" : str_text(&e->came));
	if (!same && r->text.length)
		str_addf(&c->differs, " (%.*s)", (int)strcspn(str_text(&r->text), "\n"),
			 str_text(&r->text));
	return false;
}

int convert_trial(struct convert *c, const struct session_trial *trial, struct session_result *r)
{
	if (run_once(c, trial, NULL, r) < 0)
		return -1;
	return is_same(c, r, !trial->about);
}

int convert_same(struct convert *c, unsigned long runs)
{
	const struct session_trial plain = {0};
	int same = 1;

	for (unsigned long i = 0; same > 0 && i < runs; i++) {
		struct session_result r;

		same = convert_trial(c, &plain, &r);
		if (same >= 0)
			session_result_fini(&r);
	}
	return same;
}

/* ---- the test as it is ------------------------------------------------------------------------ */

static void take_first(struct convert *c, const struct session_result *r)
{
	str_add(&c->came, str_text(&r->evidence.came));
	c->same_out = c->same_err = true;
	c->out_sum = r->evidence.out_sum;
	c->err_sum = r->evidence.err_sum;
}

/* A run that is stuck by a gate, or with a gate missing, shall not last for ever. */
static void set_limits(struct convert *c)
{
	struct session_options *o = &c->cli->session;
	double most = LIMIT_FACTOR * c->seconds;

	if (o->time_limit < 0)
		o->time_limit = most > LIMIT_LEAST_S ? most : LIMIT_LEAST_S;
	if (o->gate_limit < 0)
		o->gate_limit = GATE_LIMIT_S + c->seconds;
}

int convert_baseline(struct convert *c, struct error *err)
{
	const struct session_trial plain = {0};

	for (int i = 0; i < BASE_RUNS; i++) {
		struct session_result r;
		bool same;

		convert_say(c, "as it is");
		if (run_once(c, &plain, NULL, &r) < 0)
			return -1;
		if (i == 0)
			take_first(c, &r);
		c->same_out &= r.evidence.out_sum == c->out_sum;
		c->same_err &= r.evidence.err_sum == c->err_sum;
		c->seconds = r.seconds > c->seconds ? r.seconds : c->seconds;
		same = is_same(c, &r, true);
		session_result_fini(&r);
		if (same)
			continue;
		error_set(
			err, ERROR_STATE,
			"the outcome of %s is not stable without a change: %s, and in another run "
			"%s",
			c->cli->rest[0], str_text(&c->came), str_text(&c->differs));
		error_hint(err, "make the test end alike in every run first, with longer sleeps");
		return all_over(c, err);
	}
	set_limits(c);
	return 0;
}

struct convert_record *convert_watch_run(struct convert *c, unsigned scale, bool lines)
{
	const struct session_trial plain = {0};
	struct convert_record *record = *array_add(&c->records) = base_alloc(1, sizeof(*record));
	double limit = c->cli->session.time_limit;
	struct session_result r;
	int failed;
	bool same;

	record->scale = scale;
	record->lines = lines;
	c->cli->session.time_limit *= WATCHED_FACTOR; /* every system call of it is slower */
	failed = run_once(c, &plain, record, &r);
	c->cli->session.time_limit = limit;
	if (failed < 0)
		return NULL;
	same = is_same(c, &r, true);
	session_result_fini(&r);
	return same ? record : NULL;
}

int convert_alone(struct convert *c, unsigned long *arrivals)
{
	const struct session_trial plain = {0};
	struct convert_record record = {.scale = 1};
	struct session_result r;
	int same = -1;

	if (run_once(c, &plain, &record, &r) == 0) {
		same = is_same(c, &r, true);
		*arrivals = record.arrivals.count ? record.arrivals.items[0] : 0;
		session_result_fini(&r);
	}
	convert_record_fini(&record);
	return same;
}

/* ---- the script of the runs ------------------------------------------------------------------- */

int convert_use_script(struct convert *c, const char *text, struct error *err)
{
	struct session_options *o = &c->cli->session;
	const char *dir = getenv("TMPDIR");
	FILE *f = NULL;
	int fd;

	if (!c->path) {
		struct str name = {0};

		str_addf(&name, "%s/gatectl-XXXXXX.lua", dir && *dir ? dir : "/tmp");
		c->path = str_take(&name);
		fd = mkstemps(c->path, 4);
		if (fd >= 0)
			close(fd);
		*array_add(&o->scripts) = c->path;
	}
	f = fopen(c->path, "we");
	if (f && fputs(text, f) >= 0 && fclose(f) == 0)
		return 0;
	error_errno(err, ERROR_SYSTEM, "%s", c->path);
	return all_over(c, err);
}

void convert_runs_fini(struct convert *c)
{
	if (c->path)
		unlink(c->path);
	base_free(c->path);
	array_each(struct convert_record *, r, &c->records) {
		convert_record_fini(*r);
		base_free(*r);
	}
	array_fini(&c->records);
	str_fini(&c->came);
	str_fini(&c->differs);
}
