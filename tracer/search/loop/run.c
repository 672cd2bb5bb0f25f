/* Runs of a search: a snapshot where schedules begin, copies of it, and their streams. */
#include "tracer/search/search_internal.h"

#include "tracer/run/run.h"
#include "tracer/tracee/events/events.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/snapshot/snapshot.h"
#include "tracer/tracee/attach/attach.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- snapshot -------------------------------------------------------------------------------- */

static void drop_kept(struct explore_runs *r)
{
	if (r->kept)
		run_free(r->kept);
	r->kept = NULL;
}

static bool run_is_there(const struct run *s)
{
	return scheduler_arrived(s) || run_is_over(s);
}

/* Runs the program until its first thread is where schedules begin, or until it ends. */
static bool bring_there(struct run *s)
{
	struct tracee_event ev = {.kind = TRACEE_TICK};

	while (!run_is_there(s) && ev.kind != TRACEE_EMPTY) {
		tracee_wait(run_tracee(s), &ev);
		run_turn(s, &ev);
	}
	if (run_is_over(s) && ev.kind != TRACEE_EMPTY)
		run_loop(s);
	return scheduler_arrived(s);
}

/* Waits for exiting threads. pthread_join() returns when the kernel clears the thread ID, before
   the thread has ended. */
static void let_others_end(struct run *s)
{
	enum { TICK_MS = 5, TICKS = 20 };
	const struct tracee_process *p = run_thread_tracee(scheduler_arrived(s))->process;
	struct tracee_event ev;

	if (p->threads > 1)
		tracee_tick(run_tracee(s), TICK_MS);
	for (int ticks = 0; p->threads > 1 && ticks < TICKS; ticks += ev.kind == TRACEE_TICK) {
		tracee_wait(run_tracee(s), &ev);
		run_turn(s, &ev);
	}
}

/* Takes the snapshot if the program has a single thread. A thread of a constructor ends at an
   uncertain time, so any earlier thread prevents the snapshot at main; at a place that --from
   names, only threads that still exist do. */
static bool keeps_alone(struct run *s)
{
	const struct sched *c = run_options(s)->sched;

	if ((c->seen & SCHED_HAD_THREADS) && !c->starts.count)
		return false;
	let_others_end(s);
	return !run_is_over(s) &&
	       tracee_keep(run_tracee(s), run_thread_tracee(scheduler_arrived(s))) == 0;
}

static void cannot_keep(struct explore_runs *r, const char *why)
{
	int signal = run_interrupted(r->kept);

	base_free(r->not_kept);
	r->not_kept = signal ? NULL : base_strdup(why);
	if (signal) /* the signal ends the first run instead: this is none */
		run_signals_put_back(signal);
	r->sched.flags |= SCHED_EARLY;
	drop_kept(r);
}

static bool has_places(const struct run *s)
{
	return engine_place_at(run_engine(s), 0) != NULL;
}

/* Runs the program to where schedules begin and takes a snapshot. Returns 0 also if that is
   impossible. */
static int run_keep(struct explore_runs *r, struct error *err)
{
	struct run *s = r->kept = run_new(&r->options, r->symbols, 1);

	r->sched.flags |= SCHED_KEEPS;
	r->sched.seen &= ~(unsigned)SCHED_HAD_THREADS;
	if (run_prepare(s, err) < 0 || run_launch(s, err) < 0) {
		drop_kept(r);
		return -1;
	}
	r->has_gates = has_places(s);
	if (r->has_gates)
		cannot_keep(r, "the gates hold from the program's start on");
	else if (!(r->came = bring_there(s)))
		cannot_keep(r, "the program does not reach main");
	else if (!keeps_alone(s))
		cannot_keep(r, "it has threads before main");
	if (r->kept) {
		bound_keep(&r->sched, run_root(r->kept));
		r->sched.in_at = lseek(r->sched.in, 0, SEEK_CUR);
	}
	r->sched.flags &= ~(unsigned)SCHED_KEEPS;
	return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void rewind_files(struct explore_runs *r)
{
	struct sched *c = &r->sched;

	if (c->in >= 0)
		lseek(c->in, c->in_at, SEEK_SET);
	stream_begin(&c->out);
	stream_begin(&c->err);
}

/* A stream without a kind of its own is a file. */
static int open_output(struct stream *s, enum stream_kind kind, const char *name, struct error *err)
{
	if (kind == STREAM_INHERITED || kind == STREAM_NULL)
		kind = STREAM_FILE;
	return stream_open(s, kind, name, -1, err);
}

/* A pipe or a terminal cannot be read twice: the program gets an empty input instead. */
static void open_input(struct sched *c, const struct run_options *o)
{
	c->in = o->kinds[STDIN_FILENO] == STREAM_CLOSED ? TRACEE_CLOSED
		: o->input_at >= 0			? dup(STDIN_FILENO)
							: open("/dev/null", O_RDONLY | O_CLOEXEC);
	c->in_at = o->input_at >= 0 ? o->input_at : 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

int explore_runs_begin(struct explore *e, struct explore_runs *r, const struct run_options *o,
		       const struct features *features, bool keeps)
{
	struct sched *c = &r->sched;
	int failed;

	sched_pin(r->worker);
	r->options = *o;
	r->options.features = features;
	r->options.sched = c;
	r->options.leftover = LEFTOVER_KILL;
	r->options.quiet = true;
	r->options.time_limit = -1; /* a script's limit applies to each schedule */
	r->options.until_us = (uint64_t)(e->until * 1e6);
	r->symbols = e->x.symbols;
	open_input(c, o);
	if (open_output(&c->out, o->kinds[STDOUT_FILENO], "stdout", e->x.err) < 0 ||
	    open_output(&c->err, o->kinds[STDERR_FILENO], "stderr", e->x.err) < 0)
		return -1;
	failed = keeps ? run_keep(r, e->x.err) : 0;
	r->options.until_us = 0; /* explore_runs_until() sets each run's limit */
	return failed;
}

void explore_points_set(struct sched *c, const struct explore_points_at *points)
{
	c->points = points->kind;
	c->tested = points->tested;
	sched_places_copy(&c->starts, &points->starts);
	array_each(const struct sched_chosen, chosen, &points->chosen)
		sched_choose(c, chosen);
}

static int loop_run_start(struct explore_runs *r, struct run *s, struct error *err)
{
	struct run_thread *t;

	if (run_prepare(s, err) < 0)
		return -1;
	if (!r->kept)
		return run_launch(s, err);
	t = run_copy(s, r->kept, err);
	if (!t)
		return -1;
	scheduler_begin(s, t);
	run_go(s, t);
	return 0;
}

static void note_modules(struct explore_runs *r, const struct run *s)
{
	r->modules.count = 0;
	if (!run_root(s))
		return;
	array_each(const struct image, image, run_process_images(run_root(s)))
		*array_add(&r->modules) = image->module;
}

void explore_runs_grant(struct explore_runs *r)
{
	if (r->kept)
		grants_take(&r->sched, run_root(r->kept));
}

static int explore_runs_one(struct explore_runs *r, struct run_result *out, struct error *err)
{
	struct run *s = run_new(&r->options, r->symbols, ++r->made);
	int answer = -1;

	*out = (struct run_result){0};
	run_more_follow(s);
	rewind_files(r);
	if (loop_run_start(r, s, err) == 0) {
		run_loop(s);
		if ((r->sched.flags & SCHED_DESCRIBES))
			note_modules(r, s);
		run_judge(s, out);
		answer = out->verdict == VERDICT_ERROR ? error_move(err, run_error(s)) : 0;
	}
	if (answer < 0) { /* an error in a script is no outcome of the schedule */
		run_result_fini(out);
		*out = (struct run_result){0};
	}
	if (r->kept)
		bound_take(&r->sched, run_root(r->kept));
	run_free(s);
	return answer;
}

int explore_runs_until(struct explore *e, struct explore_runs *r, double until,
		       struct run_result *out)
{
	static const double least_s = 0.5;
	double least = explore_now_s() + least_s;
	int failed;

	if (until > 0)
		r->options.until_us = (uint64_t)((until > least ? until : least) * 1e6);
	failed = explore_runs_one(r, out, e->x.err);
	r->options.until_us = 0;
	return failed;
}

int explore_runs_alone(struct explore *e, struct explore_runs *r, const struct run_options *o,
		       const struct features *features, const struct explore_points_at *points,
		       struct run_result *out)
{
	explore_points_set(&r->sched, points ? points : &e->points_at);
	if (explore_runs_begin(e, r, o, features, false) < 0)
		return -1;
	strategy_begin(r->sched.strategy, 0);
	return explore_runs_until(e, r, e->ends, out);
}

void explore_runs_let_hot_go(struct explore_runs *r)
{
	struct tracee_process *kept = r->kept ? run_process_tracee(run_root(r->kept)) : NULL;

	array_each(const struct sched_access, a, &r->sched.accesses) {
		struct tracee_site *site =
			kept && a->is_hot ? tracee_site_find(kept, a->address) : NULL;

		if (site)
			tracee_site_remove(kept, site);
	}
}

void explore_runs_end(struct explore_runs *r)
{
	drop_kept(r);
	sched_fini(&r->sched);
	if (r->sched.in > 0)
		close(r->sched.in);
	stream_close(&r->sched.out);
	stream_close(&r->sched.err);
	base_free(r->not_kept);
	array_fini(&r->modules);
	sched_unpin();
}
