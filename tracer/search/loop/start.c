#include "tracer/search/loop/start.h"
#include "tracer/search/loop/account.h"

#include "tracer/search/loop/run.h"
#include "tracer/scripts/query.h"

static void start_look(void *ctx, const struct run_query *q)
{
	struct explore *e = ctx;

	if (!q->sites) {
		error_copy(e->x.err, q->error);
		error_prefix(e->x.err, "--from: ");
		return;
	}
	array_each(const struct source_site, site, q->sites)
		*array_add(&e->points_at.starts) = (struct sched_chosen){
			.module = base_strdup(module_name(site->module)), .offset = site->offset};
}

static void start_forget(struct explore *e)
{
	array_each(struct sched_chosen, start, &e->points_at.starts)
		base_free(start->module);
	array_fini(&e->points_at.starts);
}

static int start_begin(struct explore *e, const struct run_options *o, struct explore_runs *runs)
{
	*runs = (struct explore_runs){0};
	explore_runs_points(runs, &e->points_at);
	return explore_runs_begin(e, runs, o, e->quick, true);
}

/* Reports that the program ended, or that the time did, before the program came to --from. */
static int not_come(struct explore *e)
{
	if (e->until > 0 && explore_now_s() >= e->until) {
		error_set(e->x.err, ERROR_LOCATION,
			  "--from: the program has not come to %s in %g s (--for)", e->options.from,
			  e->options.seconds);
		return error_hint(e->x.err, "a longer --for, or a place that comes earlier");
	}
	return error_set(e->x.err, ERROR_LOCATION,
			 "--from: the program has ended, and had not come to %s", e->options.from);
}

/* With what its scripts give it, but without gates: they hold nobody before there is a second thread. */
static int try(struct explore *e, const struct run_options *program)
{
	struct explore_runs runs;
	int answer = start_begin(e, e->x.options, &runs);

	if (answer == 0 && runs.has_gates) {
		explore_runs_end(&runs);
		answer = start_begin(e, program, &runs);
	}
	if (answer == 0 && run_signals_came()) {
		e->x.over = true;
		answer = -1;
	} else if (answer == 0 && !runs.kept && !runs.came) {
		answer = not_come(e);
	} else if (answer == 0 && !runs.kept) {
		e->not_from = true;
		start_forget(e);
	}
	explore_runs_end(&runs);
	return answer;
}

int explore_start(struct explore *e)
{
	struct run_options program = *e->x.options;

	if (!e->options.from)
		return 0;
	program.scripts.count = program.orders.count = 0;
	if (run_query(&program, e->x.symbols, &e->options.from, 1, start_look, e, e->x.err) < 0 ||
	    e->x.err->code)
		return -1;
	return try(e, &program);
}
