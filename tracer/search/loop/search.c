/* The search: makes runs until one fails, no schedule is left or the time is over. */
#include "tracer/search/search_internal.h"

#include "tracer/sched/scripted/scripted.h"

#include <sched.h>
#include <string.h>

struct search {
	struct explore *e;
	struct explore_statistics statistics;
	double begun; /* by explore_now_s(); when this process began */
	struct strategy *strategy;
	struct error fault;	      /* error of a strategy in Lua */
	struct schedule_names paths;  /* threads in runs before the search */
	struct explore_worker worker; /* used with one job */
	struct explore_jobs jobs;     /* used with several jobs */
	uint64_t run;		      /* next run of this shard */
	unsigned long before;	      /* runs of all shards that find races */
	unsigned long early;	      /* runs of `before` that the journal has */
	unsigned long shown;	      /* runs of `before` that were not pruned */
};

/* ---- the runs -------------------------------------------------------------------------------- */

/* True if the search is complete: runs used up, first failure found, or strategy done. */
static bool has_ended(const struct search *s)
{
	const struct explore *e = s->e;
	const struct explore_options *o = &e->options;

	return (o->runs && (o->shards > 1 ? s->before + s->run : e->runs) >= o->runs) ||
	       (e->failures.count && !o->all) || strategy_is_done(s->strategy) ||
	       (e->ends_alone && e->threads == 1);
}

static bool is_late(const struct explore *e)
{
	return e->until > 0 && explore_now_s() >= e->until;
}

static bool search_is_over(const struct search *s)
{
	return (is_late(s->e) && s->e->runs > s->e->earlier) || has_ended(s);
}

static void search_tell(struct explore *e)
{
	if (e->x.view.progress)
		e->x.view.progress(e->x.view.ctx, e->runs, e->options.runs, "");
}

/* Counts a run of this process and writes it to the journal. */
static void count_run(struct search *s, struct explore_outcome *o)
{
	o->at_us = (uint64_t)((explore_now_s() - s->statistics.begun) * 1e6);
	explore_journal_add(s->e, o);
	explore_count(&s->statistics, o);
}

/* Writes the schedule of a new failure at once, so that a signal does not lose it. */
static void keep_new(struct search *s, size_t known)
{
	struct explore *e = s->e;

	if (e->failures.count > known && !e->options.only_finds)
		explore_keep_failure(e, &e->failures.items[known]);
}

static int begin_worker(struct search *s, const struct explore_worker *before)
{
	struct explore_worker *w = &s->worker;

	*w = (struct explore_worker){.e = s->e, .strategy = s->strategy, .fault = &s->fault};
	if (explore_worker_begin(w, s->e->options.shard - 1, &s->paths) < 0)
		return -1;
	if (before) {
		w->paths = before->paths;
		w->counted = before->counted;
		w->runs.made = before->runs.made;
	}
	return 0;
}

static void end_worker(struct search *s)
{
	if (s->worker.e)
		explore_worker_end(&s->worker);
	s->worker.e = NULL;
}

/* Only one program is traced at a time: the search's is ended and started again afterwards. */
static int describe_between(struct search *s)
{
	struct explore_worker before = s->worker;
	struct schedule_names paths = {0};
	int answer;

	schedule_names_copy(&paths, &before.runs.sched.paths);
	end_worker(s);
	answer = explore_reports(s->e);
	if (answer == 0)
		answer = begin_worker(s, &before);
	if (answer == 0)
		schedule_names_copy(&s->worker.runs.sched.paths, &paths);
	schedule_names_fini(&paths);
	return answer;
}

static int make_reports(void *ctx)
{
	return explore_reports(ctx);
}

/* Making a script begins with the same run, so the child's report need not be passed back. */
static int describe_apart(struct search *s, struct explore_failure *f)
{
	int answer = explore_jobs_apart(&s->jobs, make_reports, s->e);

	if (f->progress == FAILURE_FOUND)
		f->progress = FAILURE_REPORTED_APART;
	return answer;
}

/* Makes the report of a new failure at once, or at the end of the search if that is over. */
static int describe_new(struct search *s, size_t known)
{
	if (s->e->failures.count == known || !s->e->found)
		return 0;
	if (s->jobs.items.count)
		return describe_apart(s, &s->e->failures.items[known]);
	return search_is_over(s) ? 0 : describe_between(s);
}

static int one(struct search *s)
{
	struct explore_outcome o = {0};
	size_t known = s->e->failures.count;
	int answer;

	search_tell(s->e);
	answer = s->jobs.items.count ? explore_jobs_run(&s->jobs, s->run, &o)
				     : explore_worker_run(&s->worker, s->run, &o);
	if (answer == 0)
		count_run(s, &o);
	explore_outcome_fini(&o);
	s->run += s->e->options.shards;
	if (answer < 0)
		return -1;
	keep_new(s, known);
	return describe_new(s, known);
}

static void note_complete(struct search *s)
{
	struct explore *e = s->e;

	e->left_out = strategy_left_out(s->strategy);
	if (strategy_asks_acquires(s->strategy) && e->points_at.kind != SCHED_MEMORY)
		e->left_out |= STRATEGY_LEFT_POINTS;
	if (!strategy_is_done(s->strategy) || strategy_strayed(s->strategy) ||
	    (e->left_out & ~(unsigned)STRATEGY_LEFT_STORES))
		return;
	e->complete = strategy_was_fair(s->strategy) ? EXPLORE_COMPLETE_IF_FAIR : EXPLORE_COMPLETE;
}

static int search_search(struct search *s)
{
	while (!search_is_over(s))
		if (one(s) < 0)
			return -1;
	note_complete(s);
	return 0;
}

static struct explore_points_at *points_now(const struct search *s,
					    const struct explore_race_runs *x)
{
	struct explore_points_at *points = base_alloc(1, sizeof(*points));

	explore_races_points(x, points);
	points->tested = s->e->points_at.tested;
	sched_places_copy(&points->starts, &s->e->points_at.starts);
	return points;
}

/* A schedule can only be followed with the points that it was made with. */
static void note_points(struct search *s, const struct explore_race_runs *x)
{
	struct explore_passed *p = &s->e->passed;

	array_each(struct explore_failure, f, &s->e->failures)
		if (f->run == s->shown && !f->points)
			f->points = points_now(s, x);
	if ((p->run == s->shown || !p->run) && p->schedule.steps.count && !p->points)
		p->points = points_now(s, x);
}

/* A run that the search does not count can also be the first that passed. */
static void note_uncounted(struct search *s, struct explore_outcome *o)
{
	struct explore_passed *p = &s->e->passed;
	bool was_known = p->is_known;

	explore_state_first(s->e, o);
	if (!was_known && p->is_known)
		p->run = 0;
}

static int one_for_races(struct search *s, struct explore_race_runs *x, bool counts)
{
	struct explore_outcome o = {0};
	size_t known = s->e->failures.count;
	int answer;

	search_tell(s->e);
	answer = explore_make(s->e, &x->runs, x->made, &o);
	o.early = true;
	if (answer == 0 && counts && s->e->options.shard == 1 && s->before >= s->early)
		count_run(s, &o);
	else if (answer == 0)
		note_uncounted(s, &o);
	s->before += counts;
	s->shown += !o.none;
	if (answer == 0)
		note_points(s, x);
	explore_outcome_fini(&o);
	if (answer == 0)
		keep_new(s, known);
	return answer;
}

/* Runs that an earlier search counted are made again to find the races; all of them if it went past
   them. */
static bool is_enough_for_races(const struct search *s)
{
	return s->before >= s->early && s->e->earlier <= s->early && search_is_over(s);
}

/* Finds the racing accesses, which become the search's points. With `auto` these runs count as
   schedules; with another strategy they do not, since they are not its own. */
static int find_races(struct search *s)
{
	struct explore *e = s->e;
	bool counts = strcmp(e->options.strategy, "auto") == 0;
	struct explore_race_runs x = {.extremes = counts};
	int answer = explore_races_begin(&x, e);

	while (answer == 0 && !is_enough_for_races(s)) {
		answer = one_for_races(s, &x, counts);
		e->costly = (x.runs.sched.seen & SCHED_COSTLY);
		if (e->costly || !explore_races_more(&x) || is_late(e))
			break;
	}
	sched_places_clear(&e->points_at.chosen);
	if (e->costly)
		e->points_at.kind = SCHED_SYNC;
	else
		explore_races_choose(&x, &e->points_at);
	schedule_names_copy(&s->paths, &x.runs.sched.paths);
	explore_races_end(&x);
	return answer < 0 ? -1 : explore_reports(e);
}

/* ---- the strategy ---------------------------------------------------------------------------- */

static void search_print(void *ctx, const char *line)
{
	const struct experiment_view *view = &((struct search *)ctx)->e->x.view;

	if (view->print)
		view->print(view->ctx, line);
}

static void search_describe(void *ctx, const struct strategy_point *point,
			    struct schedule_where *where)
{
	sched_describe(&((struct search *)ctx)->worker.runs.sched, point, where);
}

static const char *thread(void *ctx, const struct strategy_point *point)
{
	return sched_thread_id(&((struct search *)ctx)->worker.runs.sched, point);
}

static const char *name(void *ctx, const struct strategy_point *point)
{
	return sched_name(&((struct search *)ctx)->worker.runs.sched, point);
}

static int make_strategy(struct search *s)
{
	const struct explore_options *o = &s->e->options;
	const struct strategy_options options = {.seed = o->seed,
						 .depth = o->depth,
						 .bound = o->bound,
						 .fair_from = sched_fair_from(o->steps)};
	const struct scripted_host host = {s,	   search_print, search_describe,
					   thread, name,	 &s->fault};
	struct error *err = s->e->x.err;

	if (!scripted_is_file(o->strategy)) {
		s->strategy = strategy_new(o->strategy, &options);
		return s->strategy
			       ? 0
			       : error_set(err, ERROR_USAGE,
					   "--strategy: there is none called '%s'", o->strategy);
	}
	s->strategy = scripted_new(o->strategy, o->seed, &host);
	return s->strategy ? 0 : error_move(err, &s->fault);
}

/* ---- the search ------------------------------------------------------------------------------ */

static int find_points(struct search *s)
{
	struct explore *e = s->e;

	if (explore_places(e) < 0)
		return -1;
	if (e->points_at.chosen.count)
		e->points_at.kind = SCHED_CHOSEN;
	return e->options.points == POINTS_RACES && !e->options.races_known ? find_races(s) : 0;
}

/* Continues an earlier search from its journal: counts its runs and lets the strategy learn from
   them. Races are searched for again. */
static void take_up(struct search *s)
{
	struct explore *e = s->e;
	struct explore_outcome o = {0};

	while (e->journal && explore_journal_next(e->journal, e, &o)) {
		s->statistics.begun = s->begun - (double)o.at_us / 1e6;
		if (o.early) {
			s->early++;
		} else {
			strategy_learn(s->strategy, o.run, o.lesson.items, o.lesson.count);
			s->run = o.run + e->options.shards;
		}
		explore_count(&s->statistics, &o);
		explore_outcome_fini(&o);
	}
	e->earlier = e->runs;
}

/* Number of workers: one a processor, or one if the strategy needs all earlier runs. */
static unsigned count_jobs(const struct search *s)
{
	const struct explore_options *o = &s->e->options;
	cpu_set_t all;
	unsigned jobs = o->jobs;

	if (strategy_memory(s->strategy) == STRATEGY_MEMORY_ALL)
		return 1;
	if (!jobs)
		jobs = sched_getaffinity(0, sizeof(all), &all) < 0 ? 1 : (unsigned)CPU_COUNT(&all);
	return o->runs && jobs > o->runs ? (unsigned)o->runs : jobs;
}

static int begin_alone(struct search *s)
{
	struct explore *e = s->e;

	if (begin_worker(s, NULL) < 0)
		return -1;
	e->forked = s->worker.runs.kept != NULL;
	e->not_forked = s->worker.runs.not_kept ? base_strdup(s->worker.runs.not_kept) : NULL;
	return 0;
}

static int no_parts(const struct explore *e)
{
	error_set(e->x.err, ERROR_USAGE,
		  "--shard: the strategy %s derives each schedule from the one before: it cannot "
		  "be divided into parts",
		  e->options.strategy);
	return error_hint(e->x.err, "gatectl explore --strategy auto --shard K/N ...");
}

static bool has_new_failures(const struct explore *e)
{
	array_each(const struct explore_failure, f, &e->failures)
		if (f->progress != FAILURE_DONE)
			return true;
	return false;
}

static int search_begin(struct search *s)
{
	unsigned jobs;
	const struct explore_options *o = &s->e->options;

	if (make_strategy(s) < 0)
		return -1;
	if (o->shards > 1 && strategy_memory(s->strategy) == STRATEGY_MEMORY_ALL)
		return no_parts(s->e);
	s->run = o->shard - 1;
	if (strategy_memory(s->strategy) != STRATEGY_MEMORY_ALL)
		explore_journal_open(s->e);
	take_up(s);
	if ((!search_is_over(s) || has_new_failures(s->e)) && find_points(s) < 0)
		return -1;
	if (search_is_over(s))
		return 0;
	jobs = count_jobs(s);
	if (jobs == 1)
		return begin_alone(s);
	s->jobs = (struct explore_jobs){.e = s->e,
					.strategy = s->strategy,
					.fault = &s->fault,
					.paths = &s->paths,
					.first = (o->shard - 1) * jobs,
					.run = s->run,
					.step = o->shards};
	return explore_jobs_begin(&s->jobs, jobs);
}

/* Keeps failures that workers had sent, not yet read, when a signal came. */
static void take_rest(struct search *s)
{
	struct explore_outcome o;

	while (explore_jobs_left(&s->jobs, &o)) {
		size_t known = s->e->failures.count;

		if (o.ended == EXPLORE_FAILED && o.kind && !explore_known(s->e, o.key)) {
			explore_count(&s->statistics, &o);
			keep_new(s, known);
		}
		explore_outcome_fini(&o);
	}
}

/* If the first schedule failed, another worker's run may have passed and left the state that caused
   the failure. */
static int ask_other_jobs(struct search *s)
{
	struct explore_outcome o = {0};
	int answer = 0;

	for (size_t i = 1; answer == 0 && i < s->jobs.items.count; i++) {
		if (s->e->passed.is_known || !has_new_failures(s->e))
			break;
		answer = explore_jobs_run(&s->jobs, s->run, &o);
		if (answer == 0)
			note_uncounted(s, &o);
		explore_outcome_fini(&o);
		s->run += s->e->options.shards;
	}
	return answer;
}

int explore_search(struct explore *e)
{
	double now = explore_now_s();
	struct search s = {.e = e, .statistics = {.e = e, .begun = now}, .begun = now};
	int answer;

	e->until = e->options.seconds > 0 ? now + e->options.seconds : 0;
	e->ends = e->options.whole_s > 0 ? now + e->options.whole_s : 0;
	if (e->options.shards == 1) /* parts of a search run at the same time */
		sched_settle();
	answer = search_begin(&s);
	if (answer == 0)
		answer = search_search(&s);
	if (answer < 0)
		take_rest(&s);
	e->seconds = explore_now_s() - s.statistics.begun;
	e->over = answer == 0 && has_ended(&s);
	if (answer == 0)
		answer = ask_other_jobs(&s);
	explore_jobs_end(&s.jobs);
	end_worker(&s);
	if (answer == 0 && has_new_failures(e) && !e->options.only_finds)
		answer = explore_state_check(e);
	if (answer == 0)
		answer = explore_reports(e);
	strategy_free(s.strategy);
	error_fini(&s.fault);
	schedule_names_fini(&s.paths);
	table_fini(&s.statistics.seen);
	e->over = e->over && answer == 0;
	return answer;
}

void explore_fini(struct explore *e)
{
	explore_points_fini(&e->points_at);
	explore_state_fini(e);
	array_each(struct explore_failure, f, &e->failures)
		explore_failure_fini(f);
	array_fini(&e->failures);
	array_each(struct explore_cut, cut, &e->cuts) {
		base_free(cut->steps);
		base_free(cut->threads);
		base_free(cut->words);
		base_free(cut->folder);
	}
	array_fini(&e->cuts);
	array_fini(&e->samples);
	array_fini(&e->modules);
	base_free(e->differs);
	base_free(e->left);
	base_free(e->not_forked);
	if (e->journal)
		explore_journal_fini(e->journal);
	base_free(e->journal);
	base_free(e->no_journal);
	array_each(char *, text, &e->lacks)
		base_free(*text);
	array_fini(&e->lacks);
}
