/* Makes runs of the test, and compares their outcomes with that of the unchanged test. */
#include "tracer/search/convert/convert_internal.h"

#include "tracer/base/files/file.h"

#include <string.h>
#include <unistd.h>

enum {
	BASE_RUNS = 3,
	LEAST_RUNS = 4,
	LIMIT_FACTOR = 8,
	LIMIT_LEAST_S = 5,
	WATCHED_FACTOR = 4,
	GATE_LIMIT_S = 3,
	GATE_LIMIT_FACTOR = 2
};

static const struct run_trial plain;

/* Adds the verdict's first line, without the position in our script: that file will be gone. */
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

/* If a gate is missing, or some thread is held back, places may be missed: only how the program
   ends counts. */
static bool convert_runs_is_same(struct convert *c, const struct run_result *r, bool strict)
{
	const struct run_evidence *e = &r->evidence;
	bool same = (!strict || r->verdict == VERDICT_OK || r->verdict == VERDICT_DEADLOCK ||
		     r->verdict == VERDICT_CRASHED) &&
		    experiment_came(&c->outcome, e);

	if (same && experiment_wrote(&c->outcome, e))
		return true;
	c->endless = r->verdict == VERDICT_TIME_LIMIT;
	str_clear(&c->differs);
	str_add(&c->differs, same ? "it writes something else" : str_text(&e->came));
	if (!same && r->text.length)
		add_verdict(c, str_text(&r->text));
	return false;
}

int convert_judge(const struct experiment_series *s, struct run_result *r)
{
	return convert_runs_is_same(s->ctx, r, !s->trial->about);
}

int convert_series(struct convert *c, struct experiment_series s)
{
	double limit = c->x.options->time_limit;
	int same;

	s.in_turn = c->in_turn;
	s.trial = s.trial ? s.trial : &plain;
	if (c->in_turn)
		c->x.options->time_limit *= WATCHED_FACTOR;
	same = experiment_series(&c->x, &s);
	c->x.options->time_limit = limit;
	return same;
}

int convert_same(struct convert *c, unsigned long runs)
{
	return convert_series(
		c, (struct experiment_series){.most = runs, .ctx = c, .judge = convert_judge});
}

/* ---- the test as it is ------------------------------------------------------------------------ */

/* A run that gets stuck at a gate, or because a gate is missing, must not last for ever. */
static void set_limits(struct convert *c)
{
	struct run_options *o = c->x.options;
	double most = LIMIT_FACTOR * c->seconds;

	if (o->time_limit < 0)
		o->time_limit = most > LIMIT_LEAST_S ? most : LIMIT_LEAST_S;
	if (o->gate_limit < 0)
		o->gate_limit = GATE_LIMIT_S + GATE_LIMIT_FACTOR * c->seconds;
}

/* The first runs, without any gate. */
struct first_runs {
	struct convert *c;
	size_t count;
	struct run_evidence seen[BASE_RUNS];
};

static int judge_first(const struct experiment_series *s, struct run_result *r)
{
	struct first_runs *runs = s->ctx;
	struct convert *c = runs->c;

	runs->seen[runs->count++] = r->evidence;
	r->evidence = (struct run_evidence){0};
	if (!s->in_turn && r->seconds > c->seconds)
		c->seconds = r->seconds;
	/* there would be no time for the runs to follow */
	c->x.expired |= c->x.most > 0 && LEAST_RUNS * c->seconds > c->x.most;
	return c->x.expired ? -1 : 1;
}

/* `in_turn`: sleeps last until nobody has work left. 0, or -1 stop. */
static int see_runs(struct first_runs *runs, bool in_turn)
{
	const struct experiment_series s = {
		.most = BASE_RUNS,
		.trial = &plain,
		.in_turn = in_turn,
		.ctx = runs,
		.judge = judge_first,
	};

	experiment_say(&runs->c->x, in_turn ? "with longer sleeps" : "as it is");
	return experiment_series(&runs->c->x, &s) < 0 ? -1 : 0;
}

static void first_runs_fini(struct first_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		run_evidence_fini(&runs->seen[i]);
}

/* False: they did not all come out alike. */
static bool convert_runs_take(struct convert *c, const struct run_evidence seen[BASE_RUNS])
{
	bool same = true;

	experiment_first(&c->outcome, &seen[0]);
	for (int i = 1; i < BASE_RUNS; i++) {
		experiment_another(&c->outcome, &seen[i]);
		if (same && !experiment_came(&c->outcome, &seen[i])) {
			same = false;
			str_clear(&c->differs);
			str_add(&c->differs, str_text(&seen[i].came));
		}
	}
	return same;
}

/* The outcome with longer sleeps must have occurred without them, too. */
static bool has_been(const struct convert *c, const struct run_evidence seen[BASE_RUNS])
{
	for (int i = 0; i < BASE_RUNS; i++)
		if (experiment_came(&c->outcome, &seen[i]) &&
		    experiment_wrote(&c->outcome, &seen[i]))
			return true;
	return false;
}

/*
 * The runs differed: either the program is like that, or its sleeps are too short for a machine as
 * busy as this one. In the second case runs come out alike when every sleep lasts as long as
 * needed.
 */
static int convert_runs_settle(struct convert *c, const struct run_evidence first[BASE_RUNS])
{
	struct first_runs longer = {.c = c};
	int failed = see_runs(&longer, true);

	c->unsteady = !failed && convert_runs_take(c, longer.seen) && has_been(c, first);
	first_runs_fini(&longer);
	if (failed || c->unsteady || convert_runs_take(c, first))
		return failed;
	error_set(c->x.err, ERROR_STATE,
		  "the outcome of %s is not stable without a change: %s, and in another run %s",
		  c->x.options->argv[0], str_text(&c->outcome.came), str_text(&c->differs));
	return error_hint(c->x.err,
			  "make the test end alike in every run first, with longer sleeps");
}

int convert_baseline(struct convert *c)
{
	struct first_runs runs = {.c = c};
	int failed = see_runs(&runs, false);

	if (!failed) {
		set_limits(c);
		if (!convert_runs_take(c, runs.seen) || !c->outcome.same_out ||
		    !c->outcome.same_err)
			failed = convert_runs_settle(c, runs.seen);
	}
	first_runs_fini(&runs);
	return failed;
}

/* Makes one run that is watched. 1 its outcome is the test's own, 0 it is not, or -1. */
static int convert_runs_watch(struct convert *c)
{
	struct convert_record *record = *array_add(&c->records) = base_alloc(1, sizeof(*record));
	double limit = c->x.options->time_limit;
	struct run_result r;
	int same;

	record->lines = true;
	c->x.options->time_limit *= WATCHED_FACTOR; /* every system call is slower then */
	same = experiment_run(&c->x, &plain, record, &r);
	c->x.options->time_limit = limit;
	if (same < 0)
		return -1;
	same = convert_runs_is_same(c, &r, true);
	run_result_fini(&r);
	return same;
}

struct convert_record *convert_watch_run(struct convert *c)
{
	int same = convert_runs_watch(c);

	if (same == 0 && c->x.hasten) { /* hastened sleeps upset some other timing of the test */
		c->x.hasten = 0;
		same = convert_runs_watch(c);
	}
	return same > 0 ? c->records.items[c->records.count - 1] : NULL;
}

int convert_alone(struct convert *c, size_t site, struct convert_without *out)
{
	struct convert_record record = {0};
	struct run_result r;
	int same = -1;

	if (experiment_run(&c->x, &plain, &record, &r) == 0) {
		same = convert_runs_is_same(c, &r, true);
		out->times = record.arrivals.count ? record.arrivals.items[0] : 0;
		out->clock_reads = record.clock_reads;
		out->sleeps = convert_still_sleeps(&c->plan, &record, site);
		run_result_fini(&r);
	}
	convert_record_fini(&record);
	return same;
}

/* ---- the script of the runs ------------------------------------------------------------------- */

int convert_use_script(struct convert *c, const char *text)
{
	if (!c->path) {
		c->path = file_temporary(NULL, "gatectl-", ".lua", c->x.err);
		if (!c->path)
			return -1;
		run_signals_unlink(c->path);
		*array_add(&c->x.options->scripts) = c->path;
	}
	return file_replace(c->path, text, c->x.err);
}

void convert_runs_fini(struct convert *c)
{
	if (c->path)
		unlink(c->path);
	run_signals_unlink(NULL);
	base_free(c->path);
	array_each(struct convert_record *, r, &c->records) {
		convert_record_fini(*r);
		base_free(*r);
	}
	array_fini(&c->records);
	str_fini(&c->outcome.came);
	str_fini(&c->differs);
}
