/* Reruns a failure with all features that explain it, and keeps its report. */
#include "tracer/search/search_internal.h"

#include "tracer/base/files/io.h"

#include <string.h>
#include <unistd.h>

/* Replaces "a deadlock" by "a deadlock at FILE:LINE" if the verdict names a line. */
static void take_where(struct explore_failure *f, const struct run_result *r)
{
	struct str where = {0};
	char *what;

	if (!r->line)
		return;
	what = explore_where(r, f->kind);
	str_addf(&where, "%s at %s:%u", what, str_base_name(str_text(&r->file)), r->line);
	base_free(what);
	base_free(f->where);
	f->where = str_take(&where);
	base_free(f->crash_file);
	f->crash_file = strcmp(f->kind, "signal") == 0 ? base_strdup(str_text(&r->file)) : NULL;
	f->crash_line = r->line;
}

/* Returns the run's text, with those lines after its first one. */
static char *text_of(const struct sched *c, const struct run_result *r, const char *kind)
{
	OWNED(text) = explore_text(c, r, kind);
	size_t first = strcspn(text, "\n");
	struct str out = {0};

	first += text[first] == '\n';
	str_add_bytes(&out, text, first);
	schedule_add_spurious(&c->schedule, c->schedule.steps.count, &out);
	str_add(&out, text + first);
	return str_take(&out);
}

/* Moves the texts and the schedule to the failure. */
static void examine_take(struct explore_failure *f, struct sched *c, struct run_result *r)
{
	base_free(f->text);
	f->text = text_of(c, r, f->kind);
	f->status = r->status;
	f->seconds = r->seconds;
	f->ended = r->ended;
	f->only_expects = r->only_expects;
	f->expects_output = r->expects_output;
	take_where(f, r);
	base_free(f->who_freed);
	f->who_freed = c->callers.who_freed;
	c->callers.who_freed = NULL;
	explore_pause_take(&f->pause, c);
	str_clear(&f->out);
	str_clear(&f->err);
	io_read_at(c->out.kept, &f->out);
	io_read_at(c->err.kept, &f->err);
	for (int kind = 0; kind < REPORT_KINDS; kind++) {
		str_fini(&f->reports[kind]);
		f->reports[kind] = r->reports[kind];
		r->reports[kind] = (struct str){0};
	}
	schedule_fini(&f->schedule);
	f->schedule = c->schedule;
	c->schedule = (struct schedule){0};
}

/* True if the run followed the schedule to its end and failed in the same way. */
static bool is_again(const struct explore_failure *f, const struct sched *c,
		     const struct run_result *r)
{
	const char *kind;
	uint64_t key;

	if (strategy_guide_differs(c->strategy) ||
	    c->schedule.steps.count != f->schedule.steps.count)
		return false;
	if (explore_judge(c, r, &kind, &key) == EXPLORE_FAILED)
		return strcmp(kind, f->kind) == 0;
	/* A hang that ended at the script's time limit ends at its last step here. */
	return c->end == SCHED_STEPS && strcmp(f->kind, "hang") == 0;
}

static void shrink_examine_look(struct explore *e, struct explore_failure *f,
				struct explore_runs *runs, struct run_result *r)
{
	struct sched *c = &runs->sched;

	strategy_end(c->strategy, c->end == SCHED_STOPPED ? STRATEGY_CUT : STRATEGY_FAILED);
	f->rerun = is_again(f, c, r)		      ? RERUN_SAME
		   : r->interrupted || r->out_of_time ? RERUN_NONE
						      : RERUN_DIFFERS;
	if (f->rerun == RERUN_SAME && !f->key) { /* read from a schedule file */
		const char *kind;

		explore_judge(c, r, &kind, &f->key);
	}
	if (f->rerun != RERUN_SAME)
		return;
	examine_take(f, c, r);
	e->modules.count = 0;
	array_each(struct module *, m, &runs->modules)
		*array_add(&e->modules) = *m;
}

/* Seconds without a step that prove a known hang: less than --hang if little time is left. */
static double hang_s(const struct explore *e)
{
	static const double least_s = 1, part = 1.0 / 3;
	double most = e->options.hang > 0 ? e->options.hang : SCHED_HANG_S;
	double left = (e->ends - explore_now_s()) * part;

	if (e->ends <= 0 || left >= most)
		return most;
	left = left > least_s ? left : least_s;
	return left < most ? left : most;
}

static void examine_prepare(struct explore *e, const struct explore_failure *f, struct sched *c)
{
	bool is_endless = strcmp(f->kind, "livelock") == 0 || strcmp(f->kind, "hang") == 0;

	c->steps = is_endless ? f->schedule.steps.count : e->options.steps;
	c->hang_s = hang_s(e);
	c->spurious = SCHED_ALL_SPURIOUS;
	c->flags = SCHED_JUDGES | SCHED_DESCRIBES | (e->forked ? 0 : SCHED_EARLY) |
		   (strcmp(f->kind, "leak") == 0 ? SCHED_LEAKS : 0);
	c->strategy = schedule_guide(&f->schedule);
	schedule_names_copy(&c->paths, &f->paths);
}

int explore_examine(struct explore *e, struct explore_failure *f)
{
	static const char *reports[] = {"report.json", "report.html"};
	struct run_options options = *e->x.options;
	struct explore_runs runs = {0};
	struct run_result r = {0};
	int answer;

	options.reports.items = reports;
	options.reports.count = sizeof(reports) / sizeof(*reports);
	examine_prepare(e, f, &runs.sched);
	answer = explore_runs_alone(e, &runs, &options, e->full, f->points, &r);
	if (answer == 0)
		shrink_examine_look(e, f, &runs, &r);
	if (answer == 0 && r.interrupted)
		answer = experiment_over(&e->x, &r);
	run_result_fini(&r);
	strategy_free(runs.sched.strategy);
	explore_runs_end(&runs);
	return answer;
}

void explore_keep_failure(struct explore *e, struct explore_failure *f)
{
	if (e->found)
		e->found(e->found_ctx, e, f);
	explore_journal_found(e, f);
}

int explore_no_script(struct explore *e, struct explore_failure *f)
{
	struct str reason = {0};

	if (!e->x.err->code || run_signals_came() || e->x.last.interrupted)
		return -1;
	str_addf(&reason, "the search for one was ended: %s", error_text(e->x.err));
	base_free(f->no_script);
	f->no_script = str_take(&reason);
	str_clear(&f->gates);
	error_fini(e->x.err);
	run_result_fini(&e->x.last);
	e->x.last = (struct run_result){0};
	e->x.over = false;
	return 0;
}

int explore_reports(struct explore *e)
{
	for (size_t i = 0; e->found && i < e->failures.count; i++) {
		struct explore_failure *f = &e->failures.items[i];

		if (f->progress != FAILURE_FOUND || run_signals_came())
			continue;
		if (explore_examine(e, f) < 0 && explore_no_script(e, f) < 0)
			return -1;
		f->progress = FAILURE_REPORTED;
		explore_keep_failure(e, f);
	}
	return 0;
}
