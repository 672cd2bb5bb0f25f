/* Runs of the test, and whether their outcome is the one that it has as it is. */
#include "tracer/cli/convert.h"
#include "tracer/cli/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BASE_RUNS = 3,
	LIMIT_FACTOR = 8,
	LIMIT_LEAST_S = 5,
	WATCHED_FACTOR = 4,
	GATE_LIMIT_S = 3,
	GATE_LIMIT_FACTOR = 2
};

void convert_say(struct convert *c, const char *what)
{
	progress_set(&c->progress, c->number, 0, what);
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

/* The verdict's first line. Our script is gone when it is read. */
static void add_verdict(struct convert *c, const char *text)
{
	int n = (int)strcspn(text, "\n");
	const char *place = c->path ? strstr(text, c->path) : NULL;
	const char *end = place ? strchr(place, ')') : NULL;

	if (end && place > text + 2 && strncmp(place - 2, " (", 2) == 0 && end < text + n)
		str_addf(&c->differs, " (%.*s%.*s)", (int)(place - 2 - text), text,
			 (int)(text + n - (end + 1)), end + 1);
	else
		str_addf(&c->differs, " (%.*s)", n, text);
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
		add_verdict(c, str_text(&r->text));
	return false;
}

int convert_trial(struct convert *c, const struct session_trial *trial, struct session_result *r)
{
	struct convert_record record = {0};
	int failed = run_once(c, trial, c->in_turn ? &record : NULL, r);

	convert_record_fini(&record);
	return failed < 0 ? -1 : is_same(c, r, !trial->about);
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

/* A run that is stuck by a gate, or with a gate missing, shall not last for ever. */
static void set_limits(struct convert *c)
{
	struct session_options *o = &c->cli->session;
	double most = LIMIT_FACTOR * c->seconds;

	if (o->time_limit < 0)
		o->time_limit = most > LIMIT_LEAST_S ? most : LIMIT_LEAST_S;
	if (o->gate_limit < 0)
		o->gate_limit = GATE_LIMIT_S + GATE_LIMIT_FACTOR * c->seconds;
}

/* How a run without any gate came out. */
struct seen {
	char *came;
	uint64_t out_sum, err_sum;
};

/* `in_turn`: sleeps are as long as it takes. -1: it is all over. */
static int see_runs(struct convert *c, bool in_turn, struct seen seen[BASE_RUNS])
{
	const struct session_trial plain = {0};

	for (int i = 0; i < BASE_RUNS; i++) {
		struct convert_record record = {0};
		struct session_result r;

		convert_say(c, in_turn ? "with longer sleeps" : "as it is");
		if (run_once(c, &plain, in_turn ? &record : NULL, &r) < 0)
			return -1;
		seen[i] = (struct seen){base_strdup(str_text(&r.evidence.came)), r.evidence.out_sum,
					r.evidence.err_sum};
		if (!in_turn && r.seconds > c->seconds)
			c->seconds = r.seconds;
		session_result_fini(&r);
		convert_record_fini(&record);
	}
	return 0;
}

/* False: not all of them have come out alike. */
static bool take(struct convert *c, const struct seen seen[BASE_RUNS])
{
	bool same = true;

	str_clear(&c->came);
	str_add(&c->came, seen[0].came);
	c->out_sum = seen[0].out_sum;
	c->err_sum = seen[0].err_sum;
	c->same_out = c->same_err = true;
	for (int i = 1; i < BASE_RUNS; i++) {
		c->same_out &= seen[i].out_sum == c->out_sum;
		c->same_err &= seen[i].err_sum == c->err_sum;
		if (same && strcmp(seen[i].came, seen[0].came) != 0) {
			same = false;
			str_clear(&c->differs);
			str_add(&c->differs, seen[i].came);
		}
	}
	return same;
}

/* What is told from longer sleeps was seen without them, too. */
static bool has_been(const struct convert *c, const struct seen seen[BASE_RUNS])
{
	for (int i = 0; i < BASE_RUNS; i++)
		if (strcmp(seen[i].came, str_text(&c->came)) == 0 &&
		    (!c->same_out || seen[i].out_sum == c->out_sum) &&
		    (!c->same_err || seen[i].err_sum == c->err_sum))
			return true;
	return false;
}

/*
 * The runs were not alike: that may be how the program is, or its sleeps are too short for a machine
 * that is as busy as this one. In the second case they are alike when every sleep is as long as it takes.
 */
static int settle(struct convert *c, const struct seen plain[BASE_RUNS], struct error *err)
{
	struct seen longer[BASE_RUNS] = {0};
	bool same = false;
	int failed = see_runs(c, true, longer);

	if (!failed)
		same = take(c, longer) && has_been(c, plain);
	for (int i = 0; i < BASE_RUNS; i++)
		base_free(longer[i].came);
	c->unsteady = same;
	if (failed || same || take(c, plain))
		return failed;
	error_set(err, ERROR_STATE,
		  "the outcome of %s is not stable without a change: %s, and in another run %s",
		  c->cli->rest[0], str_text(&c->came), str_text(&c->differs));
	error_hint(err, "make the test end alike in every run first, with longer sleeps");
	return all_over(c, err);
}

int convert_baseline(struct convert *c, struct error *err)
{
	struct seen plain[BASE_RUNS] = {0};
	int failed = see_runs(c, false, plain);

	if (!failed) {
		set_limits(c);
		if (!take(c, plain) || !c->same_out || !c->same_err)
			failed = settle(c, plain, err);
	}
	for (int i = 0; i < BASE_RUNS; i++)
		base_free(plain[i].came);
	return failed;
}

struct convert_record *convert_watch_run(struct convert *c)
{
	const struct session_trial plain = {0};
	struct convert_record *record = *array_add(&c->records) = base_alloc(1, sizeof(*record));
	double limit = c->cli->session.time_limit;
	struct session_result r;
	int failed;
	bool same;

	record->lines = true;
	c->cli->session.time_limit *= WATCHED_FACTOR; /* every system call of it is slower */
	failed = run_once(c, &plain, record, &r);
	c->cli->session.time_limit = limit;
	if (failed < 0)
		return NULL;
	same = is_same(c, &r, true);
	session_result_fini(&r);
	return same ? record : NULL;
}

int convert_alone(struct convert *c, size_t site, unsigned long *arrivals, bool *sleeps)
{
	const struct session_trial plain = {0};
	struct convert_record record = {0};
	struct session_result r;
	int same = -1;

	if (run_once(c, &plain, &record, &r) == 0) {
		same = is_same(c, &r, true);
		*arrivals = record.arrivals.count ? record.arrivals.items[0] : 0;
		*sleeps = convert_still_sleeps(&c->plan, &record, site);
		session_result_fini(&r);
	}
	convert_record_fini(&record);
	return same;
}

/* ---- the script of the runs ------------------------------------------------------------------- */

int convert_use_script(struct convert *c, const char *text, struct error *err)
{
	struct session_options *o = &c->cli->session;

	if (!c->path) {
		c->path = file_temporary(NULL, "gatectl-", ".lua", err);
		if (!c->path)
			return all_over(c, err);
		*array_add(&o->scripts) = c->path;
	}
	return file_replace(c->path, text, err) < 0 ? all_over(c, err) : 0;
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
