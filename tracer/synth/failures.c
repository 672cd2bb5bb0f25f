/* Handles the failures of a search, or of a schedule file: minimizes, describes and makes
   scripts. */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"
#include "tracer/sched/schedule/schedule.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one failure ---- */

/* Sets the failure's deadline: its part of the time, `left` failures having no script. */
static void grant_time(const struct explore *e, size_t left, struct explore_failure *f)
{
	const struct explore_options *o = &e->options;
	double now = explore_now_s(), part = (e->ends - now) / (double)(left ? left : 1);

	f->until = o->gates_s > 0 ? now + o->gates_s : 0;
	if (e->ends > 0 && (f->until <= 0 || now + part < f->until))
		f->until = now + part;
}

/* Minimizes the schedule. The strategy is unused: all runs follow schedules. */
static int shrink(struct explore *e, struct explore_failure *f)
{
	const struct strategy_options options = {.seed = e->options.seed, .depth = 1};
	const struct schedule_names none = {0};
	ERROR(fault);
	struct explore_worker w = {.e = e,
				   .strategy = strategy_new("random", &options),
				   .fault = &fault,
				   .points = f->points};
	int answer = explore_worker_begin(&w, 0, &none);

	if (answer == 0)
		answer = explore_shrink(e, &w.runs, f);
	explore_worker_end(&w);
	strategy_free(w.strategy);
	error_fini(&fault);
	return answer;
}

/* True if there is time to minimize: one run must take less than all candidates together may. The
   result of a hang is run for --hang seconds once more. */
static bool has_time_to_shrink(const struct explore_failure *f)
{
	enum { LONG = 10000, LOOKED = 2 };
	double most = explore_shrink_s(f);

	return f->until <= 0 || f->seconds < (f->schedule.steps.count >= LONG ? 1 : LOOKED) * most;
}

/* Minimizes the schedule and reruns it; if it does not fail again, keeps the one that was found and
   did. */
static int make_small(struct explore *e, struct explore_failure *f)
{
	struct schedule found = f->schedule;
	bool again = f->rerun == RERUN_SAME, same;
	int answer;

	if (!has_time_to_shrink(f))
		return again || f->progress >= FAILURE_REPORTED ? 0 : explore_examine(e, f);
	f->schedule = (struct schedule){0};
	schedule_copy(&f->schedule, &found);
	answer = shrink(e, f);
	same = again && schedule_digest(&f->schedule) == schedule_digest(&found);
	if (answer == 0 && !same)
		answer = explore_examine(e, f);
	if (same || (again && (answer < 0 || f->rerun != RERUN_SAME))) {
		schedule_fini(&f->schedule);
		f->schedule = found;
		f->rerun = RERUN_SAME;
	} else {
		schedule_fini(&found);
	}
	return answer;
}

/* Gives up: effects of the threads' order and of earlier runs cannot be distinguished. */
static int leave_without(struct explore *e, struct explore_failure *f)
{
	base_free(f->no_script);
	f->no_script = base_strdup("the program now fails without any gates");
	return f->rerun != RERUN_NONE ? 0 : explore_examine(e, f);
}

static int script_of(struct explore *e, size_t left, struct explore_failure *f)
{
	int answer;

	grant_time(e, left, f);
	answer = e->keeps_state ? leave_without(e, f) : make_small(e, f);
	if (answer == 0 && !e->keeps_state)
		answer = synth_pauses(e, f);
	if (answer == 0 && !e->keeps_state) {
		explore_keep_failure(e, f);
		answer = synth_gates(e, f);
	}
	if (answer < 0 && explore_no_script(e, f) < 0)
		return -1;
	f->progress = FAILURE_DONE;
	explore_keep_failure(e, f);
	return 0;
}

/* ---- failures of a search ---- */

static size_t count_left(const struct explore *e)
{
	size_t left = 0;

	array_each(const struct explore_failure, f, &e->failures)
		left += f->progress != FAILURE_DONE;
	return left;
}

int synth_explore(struct explore *e)
{
	int answer = explore_search(e);

	for (size_t i = 0; answer == 0 && !e->options.only_finds && i < e->failures.count; i++)
		if (e->failures.items[i].progress != FAILURE_DONE)
			answer = script_of(e, count_left(e), &e->failures.items[i]);
	e->over = e->over && answer == 0;
	return answer;
}

/* ---- failure of a schedule file ---- */

static unsigned long later_number_of(const struct schedule_head *h, const char *key)
{
	const char *value = schedule_option(h, key, 0);

	return value ? strtoul(value, NULL, 10) : 0;
}

static char *later_text_of(const struct schedule_head *h, const char *key)
{
	const char *value = schedule_option(h, key, 0);

	return base_strdup(value ? value : "");
}

/* Restores the failure of the search; missing values are those of a first schedule. */
static void take_kept(struct explore_later *l, struct explore *e)
{
	const struct schedule_head *h = &l->replay.head;
	struct explore_failure *f = array_add(&e->failures);
	const char *strategy = schedule_option(h, "strategy", 0), *text;

	*f = (struct explore_failure){.kind = later_text_of(h, "failure"),
				      .where = later_text_of(h, "where"),
				      .text = base_strdup(""),
				      .status = (int)later_number_of(h, "status"),
				      .run = later_number_of(h, "run"),
				      .strategy = strategy ? strategy : e->options.strategy,
				      .times = 1,
				      .schedule = l->replay.schedule};
	l->replay.schedule = (struct schedule){0};
	f->run = f->run ? f->run : 1;
	f->steps = (unsigned)f->schedule.steps.count;
	f->preemptions = (unsigned)schedule_preemptions(&f->schedule);
	for (size_t k = 0; (text = schedule_option(h, "path", k)); k++)
		*array_add(&f->paths) = base_strdup(text);
	if (e->options.steps && e->options.steps <= f->steps)
		e->options.steps = f->steps + 1ul; /* the search had another --steps */
	e->runs = e->distinct = f->run;
	text = schedule_option(h, "seed", 0);
	if (text)
		e->options.seed = strtoull(text, NULL, 10);
	text = schedule_option(h, "hang", 0);
	if (text)
		e->options.hang = strtod(text, NULL);
	e->options.flags = strcmp(f->kind, "leak") == 0 ? SCHED_LEAKS : 0;
	e->forked = !schedule_option(h, "begins", 0);
	replay_points(h, &e->points_at);
}

int explore_later_read(struct explore_later *l, struct explore *e)
{
	l->replay.options = e->x.options;
	if (replay_load(&l->replay, l->path, e->x.err) < 0)
		return -1;
	if (!schedule_option(&l->replay.head, "failure", 0)) {
		error_set(e->x.err, ERROR_USAGE, "%s does not record a failure", l->path);
		return error_hint(e->x.err, "give the file `schedule` of a folder that "
					    "`gatectl explore` has written");
	}
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (replay_stream(&l->replay, fd) != STREAM_INHERITED)
			e->x.options->kinds[fd] = replay_stream(&l->replay, fd);
	take_kept(l, e);
	return 0;
}

int explore_later_make(struct explore_later *l, struct explore *e)
{
	struct explore_failure *f = &e->failures.items[0];
	double now = explore_now_s();
	int answer;

	e->ends = e->options.whole_s > 0 ? now + e->options.whole_s : 0;
	sched_settle();
	if (explore_examine(e, f) < 0)
		return -1;
	if (f->rerun != RERUN_SAME) {
		error_set(e->x.err, ERROR_STATE,
			  "%s: the program does not follow it, or does not fail like that any more",
			  l->path);
		return error_hint(e->x.err, "gatectl replay %s shows where it diverges", l->path);
	}
	answer = script_of(e, 1, f);
	e->seconds = explore_now_s() - now;
	return answer;
}

void explore_later_fini(struct explore_later *l)
{
	replay_fini(&l->replay);
}
