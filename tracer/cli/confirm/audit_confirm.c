/* audit --confirm: searches schedules in which findings happen. */
#include "tracer/cli/confirm/confirm.h"

#include "tracer/cli/progress.h"
#include "tracer/search/explore.h"
#include "tracer/synth/synth.h"
#include "tracer/features/features.h"

#include <string.h>
#include <unistd.h>

enum { RUNS = 2000, SECONDS = 20 };

/* Least time for each kind of search, within the finding's time. */
static const double LEAST_S = 0.5;

struct confirming {
	struct cli *cli;
	const struct audit *audit;
	struct experiment x;
	struct confirm_words {
		char **items;
		size_t count, capacity;
	} argv;
	unsigned number;	  /* number of the current finding */
	enum explore_fails fails; /* failures that the search looks for */
	double until;		  /* deadline of the finding, by explore_now_s(); 0: none */
	/* the last search ended with a deadlock of locks, which the finding is not about */
	bool is_masked;
};

/* ---- program --------------------------------------------------------------------------------- */

/* Splits the text into words, unless a file has that name. */
static void split(const char *text, struct confirm_words *out)
{
	if (access(text, F_OK) == 0) {
		*array_add(out) = base_strdup(text);
		text = "";
	}
	while (*text) {
		size_t length = strcspn(text, " ");

		if (length)
			*array_add(out) = base_strndup(text, length);
		text += length;
		text += strspn(text, " ");
	}
	(void)array_add(out);
}

static void confirm_words_fini(struct confirm_words *w)
{
	array_each(char *, word, w)
		base_free(*word);
	array_fini(w);
}

/* ---- attribution of a failure ---------------------------------------------------------------- */

static bool is_about_locks(const struct finding *f)
{
	return f->tag == FINDING_LOCK_ORDER || f->tag == FINDING_DOUBLE_LOCK ||
	       f->tag == FINDING_RETURN_WITH_LOCK;
}

/* True if a gate of the script is in the function. Each gate left in a script is necessary. */
static bool names(const struct explore_failure *failure, const char *function)
{
	return function && failure->gates.length && !failure->gates_cut &&
	       strstr(str_text(&failure->gates), function) != NULL;
}

static bool does(const struct schedule_step *step, unsigned thread, const char *what)
{
	return step->thread == thread && step->where.call && strstr(step->where.call, what);
}

static bool has_steps(const struct schedule_step *from, const struct schedule_step *end,
		      unsigned thread)
{
	for (; from < end; from++)
		if (from->thread == thread)
			return true;
	return false;
}

/* True if the thread of `one` created that of `other` before its first step, or was joined by it
   after its last. */
static bool are_in_order(const struct schedule *s, const struct schedule_step *one,
			 const struct schedule_step *other)
{
	const struct schedule_step *begin = s->steps.items, *end = begin + s->steps.count;

	for (const struct schedule_step *step = one; step < other; step++)
		if ((does(step, one->thread, "create") && !has_steps(begin, step, other->thread)) ||
		    (does(step, other->thread, "join") && !has_steps(step, end, one->thread)))
			return true;
	return false;
}

/* True if another thread came to one of the places later, and could have come earlier. */
static bool is_met(const struct confirming *c, const struct schedule *s,
		   const struct schedule_step *here, const struct finding *f)
{
	const struct schedule_step *end = s->steps.items + s->steps.count;
	const struct audit_program *p = c->audit->program;

	for (const struct schedule_step *step = here + 1; step < end; step++)
		if (step->thread != here->thread && audit_step_is_of(p, step, f) &&
		    (audit_step_is_at(p, here, f->at) || audit_step_is_at(p, step, f->at)) &&
		    !are_in_order(s, here, step))
			return true;
	return false;
}

static bool is_of_locks(const struct confirming *c, const struct explore_failure *failure)
{
	return strcmp(failure->kind, "deadlock") == 0 &&
	       audit_deadlock_is_of_locks(c->audit, &failure->schedule);
}

/* True if the finding's place was reached, and another thread reached its other place meanwhile,
   or a gate in their functions is necessary. A deadlock of locks is due to findings about locks
   only. */
static bool comes_of(const struct confirming *c, const struct explore_failure *failure,
		     const struct finding *f)
{
	const struct audit_program *p = c->audit->program;
	bool is_reached = false, is_its = names(failure, program_text(p, f->function));

	if (is_about_locks(f))
		return audit_deadlock_is_of(c->audit, &failure->schedule, f);
	if (is_of_locks(c, failure))
		return false;
	array_each(const struct schedule_step, step, &failure->schedule.steps) {
		is_reached |= audit_step_is_at(p, step, f->at);
		is_its |= audit_step_is_of(p, step, f) && (names(failure, step->where.func) ||
							   is_met(c, &failure->schedule, step, f));
	}
	return is_reached && is_its;
}

/* ---- one finding ----------------------------------------------------------------------------- */

/* PROG may have been compiled in another directory: `briefly` uses the file's name alone. */
static const char *audit_confirm_file_of(const struct confirming *c, struct audit_place at,
					 bool briefly)
{
	const char *path = program_text(c->audit->program, at.file);

	return briefly ? str_base_name(path) : path;
}

static char *points_of(const struct confirming *c, const struct finding *f, bool briefly)
{
	struct str text = {0};

	str_addf(&text, "%s:%u", audit_confirm_file_of(c, f->at, briefly), f->at.line);
	if (f->other.file && (f->other.line != f->at.line || f->other.file != f->at.file))
		str_addf(&text, ",%s:%u", audit_confirm_file_of(c, f->other, briefly),
			 f->other.line);
	return str_take(&text);
}

static void tell_confirmed(struct finding *f, const struct explore_failure *failure,
			   const struct explore *e)
{
	struct str runs = {0};

	f->script = failure->script ? base_strdup(failure->script) : NULL;
	explore_gates_runs(failure->forced, failure->asked, failure->forced_s, &runs);
	if (failure->script)
		finding_note(f, f->at, "confirmed: %s; %s forces it (%s)", failure->where,
			     failure->script, str_text(&runs));
	else
		finding_note(f, f->at,
			     "confirmed: %s, in schedule %lu of %lu; no script of gates: %s; "
			     "%s/schedule",
			     failure->where, failure->run, e->runs,
			     failure->no_script ? failure->no_script : "none was found",
			     failure->folder);
	str_fini(&runs);
}

static void tell_unconfirmed(struct finding *f, const struct explore *e, bool other)
{
	if (other)
		finding_note(f, f->at,
			     "not confirmed: the failures in %lu schedules have other causes",
			     e->runs);
	else
		finding_note(
			f, f->at, "not confirmed: nothing failed in %lu schedules%s%s", e->runs,
			e->options.fails == FAILS_OTHERWISE ? " except by deadlocks of locks" : "",
			e->complete ? ", and these are all schedules" : "");
}

/* `points`: places of the finding; NULL: all accesses that race, as the failure may be
   elsewhere. */
static void audit_confirm_set_options(const struct confirming *c, const char *points,
				      struct explore_options *o)
{
	const struct cli *cli = c->cli;
	const double left = c->until - explore_now_s();

	*o = cli->explore;
	o->points = points ? POINTS_LOCATION : POINTS_RACES;
	o->location = points;
	o->output = cli->output ? cli->output : "gatectl-found";
	o->strategy = o->strategy ? o->strategy : "auto";
	o->fails = c->fails;
	o->runs = cli->runs ? cli->runs : RUNS;
	o->seconds = c->until <= 0 ? 0 : left > LEAST_S ? left : LEAST_S;
	explore_settle_gates(cli, cli->most_seconds > 0 ? cli->most_seconds : 0, o);
	if (o->whole_s > 0) /* of all searches for the finding */
		o->whole_s += left - cli->most_seconds;
	if (o->whole_s > 0 && o->seconds > o->whole_s)
		o->seconds = o->whole_s;
}

/* Writes the folder DIR/N of the N-th finding. */
static int write_found(struct confirming *c, struct explore *e, struct explore_failure *failure)
{
	struct str folder = {0};

	str_addf(&folder, "%s/%u", e->options.output, c->number);
	base_free(failure->folder);
	failure->folder = str_take(&folder);
	return found_write(e, failure, e->options.output, e->x.err);
}

/* Returns 1 if the failure is due to the finding, 0 if not, or -1. */
static int search_points(struct confirming *c, struct finding *f, const char *points)
{
	struct explore e = {.quick = &search_features,
			    .full = &sched_features,
			    .plain = &all_features,
			    .x = c->x};
	struct explore_failure *failure;
	int answer;

	audit_confirm_set_options(c, points, &e.options);
	answer = synth_explore(&e);
	failure = e.failures.count ? &e.failures.items[0] : NULL;
	f->is_confirmed = failure && comes_of(c, failure, f);
	c->is_masked = failure && !is_about_locks(f) && is_of_locks(c, failure);
	if (f->is_confirmed && write_found(c, &e, failure) < 0)
		answer = -1;
	else if (f->is_confirmed)
		tell_confirmed(f, failure, &e);
	else if (!e.x.over && !points && !e.x.err->code && !c->is_masked)
		tell_unconfirmed(f, &e, failure);
	c->x = e.x;
	explore_fini(&e);
	return answer < 0 ? -1 : f->is_confirmed;
}

/* A deadlock of locks may mask the finding: the search is repeated without such deadlocks. */
static int try_points(struct confirming *c, struct finding *f, const char *points)
{
	int answer = search_points(c, f, points);

	if (answer != 0 || !c->is_masked)
		return answer;
	c->fails = FAILS_OTHERWISE;
	return search_points(c, f, points);
}

static bool is_elsewhere(const struct confirming *c, const struct finding *f, int answer)
{
	return answer < 0 && !f->is_confirmed && !c->x.over && c->x.err->code == ERROR_LOCATION;
}

static int try_lines(struct confirming *c, struct finding *f, bool briefly)
{
	char *points = points_of(c, f, briefly);
	int answer = try_points(c, f, points);

	base_free(points);
	return answer;
}

static int confirm_one(struct confirming *c, struct finding *f)
{
	const double given = c->cli->most_seconds, seconds = given < 0 ? SECONDS : given;
	int answer;

	c->fails = is_about_locks(f) ? FAILS_BY_DEADLOCK : FAILS_ANYHOW;
	c->until = seconds > 0 ? explore_now_s() + seconds : 0;
	answer = try_lines(c, f, false);
	f->is_tried = true;
	if (is_elsewhere(c, f, answer)) {
		error_fini(c->x.err);
		answer = try_lines(c, f, true);
	}
	if (answer == 0)
		answer = try_points(c, f, NULL);
	/* PROG lacks the place, but may have that of the next finding */
	if (is_elsewhere(c, f, answer)) {
		finding_note(f, f->at, "not confirmed: %s", error_text(c->x.err));
		error_fini(c->x.err);
		answer = 0;
	}
	return answer < 0 ? -1 : 0;
}

/* ---- all findings ---------------------------------------------------------------------------- */

int audit_confirm(struct cli *cli, struct audit *a)
{
	struct confirming c = {.cli = cli, .audit = a};
	struct progress bar;
	ERROR(err);
	int answer = 0, status;

	split(cli->audit.confirm, &c.argv);
	cli->run.argv = c.argv.items;
	experiment_begin(&c.x, &cli->run, &err);
	progress_begin(&bar, cli, &c.x.view);
	bar.noun = "schedule";
	array_each(struct finding, f, &a->findings.items) {
		if (!audit_is_reported(cli, f))
			continue;
		c.number++;
		if (answer == 0)
			answer = confirm_one(&c, f);
	}
	progress_end(&bar);
	status = answer < 0 ? output_over(cli, &c.x) : 0;
	status = experiment_end(&c.x, status);
	confirm_words_fini(&c.argv);
	return status;
}
