/* Makes runs of the test, and compares their outcomes with that of the unchanged test. */
#include "tracer/synth/sleeps/convert_internal.h"

#include "tracer/search/explore.h"

#include <string.h>

enum {
	BASE_RUNS = 3,
	LEAST_RUNS = 4,
	USUAL_RUNS = 10,
	LIMIT_FACTOR = 8,
	LIMIT_LEAST_S = 5,
	WATCHED_FACTOR = 4, /* system calls of a watched run are slower */
	GATE_LIMIT_S = 3,
	DECIDE_S = 25,
	STAGE_LEAST_S = 4,
	ALONE_LEAST_S = 2,
	ALONE_FACTOR = 2
};

static const double hasten_from = 0.4;	/* seconds; sleeps of shorter tests are not hastened */
static const double rest_least_s = 0.1; /* sleeps that take less together are left alone */
/* Estimate: three unchanged runs, some watched ones with shorter sleeps, some without sleeps. */
static const double estimate_factor = 4.5, estimate_more_s = 10;

static const struct run_trial plain;

/* Appends the verdict's first line, without the position in the script, a temporary file. */
static void add_verdict(struct convert *c, const char *text)
{
	int n = (int)strcspn(text, "\n");
	const char *place = c->oracle.path ? strstr(text, c->oracle.path) : NULL;
	const char *end = place ? strchr(place, ')') : NULL;

	if (end && place > text + 2 && strncmp(place - 2, " (", 2) == 0 && end < text + n)
		str_addf(&c->differs, " (%.*s%.*s)", (int)(place - 2 - text), text,
			 (int)(text + n - (end + 1)), end + 1);
	else
		str_addf(&c->differs, " (%.*s)", n, text);
}

/* Lines of unordered threads come in any sequence. With --needed their sequence counts, too. */
static bool wrote_same(const struct convert *c, const struct run_evidence *e)
{
	return c->needed ? experiment_wrote(&c->outcome, e)
			 : experiment_wrote_lines(&c->outcome, e);
}

static bool always_wrote_same(const struct convert *c)
{
	const struct experiment_outcome *o = &c->outcome;

	return c->needed ? o->same_out && o->same_err : o->same_out_lines && o->same_err_lines;
}

/* Compares the end and output of the run. Places may be missed if a gate is left out or a thread is
   held back: the script's verdict counts only if `strict`. */
static bool is_same(struct convert *c, const struct run_result *r, bool strict)
{
	const struct run_evidence *e = &r->evidence;
	bool same = (!strict || r->verdict == VERDICT_OK || r->verdict == VERDICT_DEADLOCK ||
		     r->verdict == VERDICT_CRASHED) &&
		    experiment_came(&c->outcome, e);

	if (same && wrote_same(c, e))
		return true;
	c->endless = r->verdict == VERDICT_TIME_LIMIT;
	str_clear(&c->differs);
	if (same)
		experiment_other_line(&c->outcome, e, &c->differs);
	else
		str_add(&c->differs, str_text(&e->came));
	if (!same && r->text.length)
		add_verdict(c, str_text(&r->text));
	return false;
}

/* ---- under a script ---- */

int convert_judge(const struct oracle_question *q, struct run_result *r)
{
	return is_same(q->ctx, r, !q->trial->about);
}

struct oracle_question convert_question(struct convert *c, unsigned long runs)
{
	return (struct oracle_question){.most = runs,
					.trial = &plain,
					.in_turn = c->in_turn,
					.before = c->records.count ? c->records.items[0] : NULL,
					.ctx = c,
					.judge = convert_judge};
}

int convert_ask(struct convert *c, const struct oracle_question *q)
{
	double limit = c->x.options->time_limit;
	int same;

	if (q->in_turn || c->plan.till_rest)
		c->x.options->time_limit = c->watched_limit;
	same = oracle_ask(&c->oracle, q);
	c->x.options->time_limit = limit;
	return same;
}

int convert_use_script(struct convert *c, const char *text)
{
	bool is_first = !c->oracle.path;

	if (oracle_script(&c->oracle, text) < 0)
		return -1;
	if (is_first)
		*array_add(&c->x.options->scripts) = c->oracle.path;
	return 0;
}

int convert_try(struct convert *c, const char *script, unsigned long runs)
{
	const struct oracle_question q = convert_question(c, runs);

	return convert_use_script(c, script) < 0 ? -1 : convert_ask(c, &q);
}

/* Returns the seconds of the sleeps without gates in the first watched run: in one run under the
   script, chance may pass them. */
static double left_s(const struct convert *c)
{
	const struct convert_plan *p = &c->plan;
	double left = 0;

	array_each(const struct convert_sleep, s, &c->records.items[0]->sleeps) {
		const size_t site = own_counts(s) ? orders_site(p, s) : p->sites.count;

		if (site < p->sites.count && p->sites.items[site].left)
			left += (double)s->ns / 1e9;
	}
	return left;
}

int convert_till_rest(struct convert *c)
{
	struct convert_record record = {.only_turns = true};
	unsigned hasten = c->x.hasten;
	double computed = explore_computed_s(), slept;
	struct run_result r;
	int failed;

	c->plan.till_rest = false;
	if (c->needed || c->plan.no_rest || !convert_is_long(c))
		return 0;
	c->x.hasten = CONVERT_HASTEN;
	failed = experiment_run(&c->x, &plain, &record, &r);
	c->x.hasten = hasten;
	if (!failed) {
		computed = explore_computed_s() - computed;
		slept = (double)record.slept_ns / 1e9;
		slept = slept > left_s(c) ? slept : left_s(c);
		c->plan.till_rest = is_same(c, &r, true) && slept > computed + rest_least_s;
		run_result_fini(&r);
	}
	convert_record_fini(&record);
	return failed;
}

/* Makes one watched run. Returns 1, 0 or -1 as oracle_ask(). */
static int run_watched(struct convert *c, struct convert_record *record)
{
	double limit = c->x.options->time_limit;
	struct run_result r;
	int same = -1;

	if (record->lines)
		c->x.options->time_limit = c->watched_limit;
	if (experiment_run(&c->x, &plain, record, &r) == 0) {
		own_settle(record);
		same = is_same(c, &r, true);
		run_result_fini(&r);
	}
	c->x.options->time_limit = limit;
	return same;
}

static int watch_lines(struct convert *c)
{
	struct convert_record *record = *array_add(&c->records) = base_alloc(1, sizeof(*record));

	record->lines = true;
	record->before = c->records.count > 1 ? c->records.items[0] : NULL;
	return run_watched(c, record);
}

/* Gives sleeps their full length from here on: hastening may have changed other timing of the test.
   Returns false if they had it already. */
static bool convert_as_long(struct convert *c)
{
	bool was = c->x.hasten != 0;

	c->x.hasten = 0;
	return was;
}

bool convert_is_long(const struct convert *c)
{
	return c->seconds > hasten_from;
}

struct convert_record *convert_watch_run(struct convert *c)
{
	int same;

	str_clear(&c->differs);
	same = watch_lines(c);
	if (same == 0 && convert_as_long(c))
		same = watch_lines(c);
	return same > 0 ? c->records.items[c->records.count - 1] : NULL;
}

void convert_forget_runs(struct convert *c)
{
	array_each(struct convert_record *, r, &c->records) {
		convert_record_fini(*r);
		base_free(*r);
	}
	c->records.count = 0;
}

/* The time limit is short: a test that hangs without a sleep shows it early. */
int convert_alone(struct convert *c, const char *script, struct convert_record *record)
{
	double limit = c->x.options->time_limit, most = ALONE_LEAST_S + ALONE_FACTOR * c->seconds;
	int same;

	record->before = c->records.items[0];
	if (most < limit)
		c->x.options->time_limit = most;
	same = convert_use_script(c, script) < 0 ? -1 : run_watched(c, record);
	c->x.options->time_limit = limit;
	return same;
}

/* ---- the unchanged test ---- */

/* Limits runs that hang at a gate, or because a gate is missing. */
static void set_limits(struct convert *c)
{
	struct run_options *o = c->x.options;
	double most = LIMIT_FACTOR * c->seconds;

	if (o->time_limit < 0)
		o->time_limit = most > LIMIT_LEAST_S ? most : LIMIT_LEAST_S;
	c->watched_limit = WATCHED_FACTOR * most;
	if (c->watched_limit < o->time_limit)
		c->watched_limit = o->time_limit;
	if (o->gate_limit < 0)
		o->gate_limit = GATE_LIMIT_S + c->seconds;
}

/* Returns the seconds within which most tests are decided; 0 if the caller gave a time. */
static double goal_s(const struct convert *c)
{
	return c->given_time ? 0 : BASE_RUNS * c->seconds + DECIDE_S;
}

double convert_spent(const struct convert *c)
{
	double goal = goal_s(c);

	return goal > 0 && goal < c->x.most ? goal : c->x.most;
}

bool convert_is_late(const struct convert *c)
{
	return goal_s(c) > 0 && explore_now_s() > c->x.begun + goal_s(c);
}

void convert_grant(struct convert *c, double part)
{
	double most = c->x.most, goal = goal_s(c), least = explore_now_s() + STAGE_LEAST_S;
	bool has_goal = c->seconds > 0 && goal > 0 && goal < most;

	if (has_goal)
		c->x.most = goal;
	experiment_grant(&c->x, part);
	c->x.most = most;
	if (has_goal && c->x.until < least)
		c->x.until = least;
}

/* Returns the seconds that a test with runs of `run_s` may take; 0 means no limit. */
static double longest(const struct convert *c, double run_s)
{
	double usual = USUAL_RUNS * run_s;

	return c->given_time || usual < c->x.most ? c->x.most : usual;
}

double convert_estimate(const struct convert *c, double first_s, double *most)
{
	double about = estimate_factor * first_s + estimate_more_s;

	*most = longest(c, first_s);
	return *most > 0 && about > *most ? *most : about;
}

/* Evidence of the first runs, which have no gates. */
struct first_runs {
	struct convert *c;
	bool in_turn; /* sleeps last until no other thread has work left */
	size_t count;
	struct run_evidence seen[BASE_RUNS];
};

static int judge_first(const struct oracle_question *q, struct run_result *r)
{
	struct first_runs *runs = q->ctx;
	struct convert *c = runs->c;

	runs->seen[runs->count++] = r->evidence;
	r->evidence = (struct run_evidence){0};
	if (!runs->in_turn && r->seconds > c->seconds)
		c->seconds = r->seconds;
	if (!runs->in_turn && (runs->count == 1 || r->seconds < c->shortest))
		c->shortest = r->seconds;
	if (c->x.most < longest(c, c->seconds)) {
		c->x.most = longest(c, c->seconds);
		convert_grant(c, CONVERT_CHOOSE_PART);
	}
	/* The runs that follow would have no time. */
	c->x.expired |= c->x.most > 0 && LEAST_RUNS * c->seconds > c->x.most;
	return c->x.expired ? ORACLE_STOP : ORACLE_YES;
}

/* Returns 0, or -1 to stop. */
static int see_runs(struct first_runs *runs)
{
	struct oracle oracle = {.x = &runs->c->x};
	const struct oracle_question q = {
		.most = BASE_RUNS,
		.trial = &plain,
		.in_turn = runs->in_turn,
		.ctx = runs,
		.judge = judge_first,
	};

	experiment_say(&runs->c->x, runs->in_turn ? "with longer sleeps" : "unchanged");
	return oracle_ask(&oracle, &q) == ORACLE_STOP ? -1 : 0;
}

static void first_runs_fini(struct first_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		run_evidence_fini(&runs->seen[i]);
}

/* Records the outcome. Returns false if the runs ended differently. */
static bool take_outcome(struct convert *c, const struct first_runs *runs)
{
	bool same = true;

	experiment_first(&c->outcome, &runs->seen[0]);
	for (int i = 1; i < BASE_RUNS; i++) {
		experiment_another(&c->outcome, &runs->seen[i]);
		if (same && !experiment_came(&c->outcome, &runs->seen[i])) {
			same = false;
			str_clear(&c->differs);
			str_add(&c->differs, str_text(&runs->seen[i].came));
		}
	}
	return same;
}

/* True if the outcome with longer sleeps also occurred without them. */
static bool has_been(const struct convert *c, const struct first_runs *runs)
{
	for (int i = 0; i < BASE_RUNS; i++)
		if (experiment_came(&c->outcome, &runs->seen[i]) && wrote_same(c, &runs->seen[i]))
			return true;
	return false;
}

/* Unequal runs mean an unstable program, or sleeps that are too short for a machine as busy as this
   one. In the second case runs agree when every sleep lasts as long as needed. */
static int settle_outcome(struct convert *c, const struct first_runs *first)
{
	int failed = 0;

	do {
		struct first_runs longer = {.c = c, .in_turn = true};

		failed = see_runs(&longer);
		c->unsteady = !failed && take_outcome(c, &longer) && has_been(c, first);
		first_runs_fini(&longer);
	} while (!failed && !c->unsteady && convert_as_long(c));
	if (failed || c->unsteady || take_outcome(c, first))
		return failed;
	error_set(c->x.err, ERROR_STATE,
		  "the outcome of %s is not stable: the unchanged test gives %s, and in another "
		  "run %s",
		  c->x.options->argv[0], str_text(&c->outcome.came), str_text(&c->differs));
	return error_hint(
		c->x.err,
		"make the outcome the same in every run first, for example with longer sleeps");
}

int convert_baseline(struct convert *c)
{
	struct first_runs runs = {.c = c};
	int failed = see_runs(&runs);

	if (!failed) {
		set_limits(c);
		c->x.hasten = convert_is_long(c) ? CONVERT_HASTEN : 0;
		if (!take_outcome(c, &runs) || !always_wrote_same(c))
			failed = settle_outcome(c, &runs);
	}
	first_runs_fini(&runs);
	return failed;
}
