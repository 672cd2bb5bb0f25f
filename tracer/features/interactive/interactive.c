/* Runs the program between two stops: start, run until there is something to inspect, stop all
 * threads. */
#include "tracer/run/places/places.h"
#include "tracer/run/run.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/features/crash/crash.h"
#include "tracer/sched/sched.h"
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/tracee/events/events.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/signals/signals.h"
#include "tracer/tracee/attach/attach.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUIET_TICKS = 12 }; /* in slow ticks of 20 ms */

struct interactive *interactive_new(const struct run_options *o, struct modules *symbols,
				    const struct interactive_ui *ui)
{
	struct interactive *l = base_alloc(1, sizeof(*l));

	l->options = *o;
	memset(&l->options.scripts, 0, sizeof(l->options.scripts));
	memset(&l->options.orders, 0, sizeof(l->options.orders));
	l->symbols = symbols;
	l->ui = ui;
	l->run = run_new(&l->options, symbols, 1);
	l->state = INTERACTIVE_ENDED;
	return l;
}

static void end_run(struct interactive *l)
{
	if (!l->began)
		return;
	interactive_forget_stops(l->run);
	steps_forget(&l->taken);
	run_result_fini(&l->result);
	run_free(l->run);
	l->run = run_new(&l->options, l->symbols, 1);
	l->result = (struct run_result){0};
	l->only = l->came = l->roused = NULL; /* threads of that run */
	l->crash = NULL;
	l->is_asked = false;
	l->began = false;
}

void interactive_free(struct interactive *l)
{
	if (!l)
		return;
	end_run(l);
	run_free(l->run);
	given_fini(&l->given);
	steps_fini(&l->taken);
	base_free(l);
}

enum interactive_state interactive_state(const struct interactive *l)
{
	return l->state;
}

/* ---- stopping and resuming all threads --------------------------------------------------- */

static void release_halted(struct run *s)
{
	const struct interactive *l = interactive_of(s);

	run_set_halted(s, false);
	run_each_thread(t, s) {
		if (!run_thread_is_paused(t) || run_thread_parked(t) || !run_thread_lives(t) ||
		    (l->only && l->only != t))
			continue;
		run_thread_unpause(s, t);
	}
}

/* Records what each thread does before all are stopped: reports describe that. */
static void note_what_they_do(struct run *s)
{
	run_each_thread(t, s) {
		struct judged *judged = judged_of(t);

		judged->on =
			run_thread_lives(t) && !run_thread_is_held(t) && !run_thread_is_paused(t);
		if (judged->on)
			tracee_look(run_thread_tracee(t), &judged->look);
	}
}

/* Stops all threads. An event that a thread has at this moment is handled when the program goes
 * on. */
static void look_around(struct interactive *l)
{
	struct run *s = l->run;
	bool explained = (l->state == INTERACTIVE_REST && run_is_explained(s)) ||
			 l->state == INTERACTIVE_CRASHED;

	l->only = NULL;
	interactive_forget_stops(s);
	if (!explained)
		note_what_they_do(s);
	run_set_halted(s, true);
	tracee_halt(run_tracee(s));
	pages_forget(s);
	if (!explained)
		waiting_explain(s);
	run_set_explained(s, false);
	run_each_thread(t, s) {
		judged_of(t)->on = false;
		if (run_thread_lives(t) && tracee_is_paused(run_thread_tracee(t)))
			run_thread_pause(t);
	}
}

static void ended(struct interactive *l)
{
	if (l->ui->ends)
		l->ui->ends(l->ui->ctx, l->run);
	run_judge(l->run, &l->result);
	l->state = INTERACTIVE_ENDED;
}

/* ---- something to inspect ------------------------------------------------------------------- */

static bool anybody_held(const struct run *s)
{
	run_each_thread(t, s)
		if (run_thread_lives(t) && (run_thread_is_held(t) || run_thread_parked(t)))
			return true;
	return false;
}

/* The terminal has sent Ctrl-C also to the program, where it is dropped. A thread that it woke
 * first returns to what it did before. */
static bool is_roused(const struct interactive *l)
{
	struct tracee_block b;

	run_each_process(p, l->run)
		if (run_process_lives(p) && tracee_is_pending(run_process_tracee(p), SIGINT))
			return true;
	if (!l->roused || !run_thread_lives(l->roused))
		return false;
	tracee_look(run_thread_tracee(l->roused), &b);
	return b.activity == TRACEE_ACTIVE;
}

static bool is_look_due(struct interactive *l, const struct tracee_event *ev)
{
	enum { SOON = 2, LATEST = 12 }; /* in ticks; a running thread never becomes quiet */

	if (ev->kind == TRACEE_INTERRUPT)
		l->is_asked = true;
	if (!l->is_asked || ev->kind != TRACEE_TICK)
		return false;
	l->asked_ticks++;
	return l->asked_ticks >= LATEST || (l->asked_ticks >= SOON && !is_roused(l));
}

/* True if a thread is held and no event has come for a while, while the program does not read from
 * the terminal. Signals of timers do not count as events. */
static bool is_quiet(struct run *s, const struct tracee_event *ev)
{
	if (ev->kind != TRACEE_TICK || run_quiet_ticks(s) == 0 || !anybody_held(s))
		return false;
	if (interactive_reads_terminal(s))
		run_end_quiet(s);
	return run_quiet_ticks(s) >= QUIET_TICKS;
}

static bool anybody_lives(const struct run *s)
{
	run_each_thread(t, s)
		if (run_thread_lives(t))
			return true;
	return false;
}

/* True, with l->state set, if there is something to inspect. */
static bool is_to_look(struct interactive *l, const struct tracee_event *ev)
{
	struct run *s = l->run;

	if (ev->kind == TRACEE_EMPTY)
		l->state = INTERACTIVE_ENDED;
	else if (run_is_over(s))
		return false;
	else if (l->crash)
		l->state = INTERACTIVE_CRASHED;
	else if (l->came)
		l->state = INTERACTIVE_THERE;
	else if (sched_rests(s))
		l->state = INTERACTIVE_TURN;
	else if (l->sent.thread && !run_thread_lives(l->sent.thread) && anybody_lives(s))
		l->state = INTERACTIVE_GONE;
	else if (is_look_due(l, ev))
		l->state = INTERACTIVE_LOOK;
	else if (run_rest(s) != WAITS_MOVING)
		l->state = INTERACTIVE_REST;
	else if (!l->is_asked && is_quiet(s, ev))
		l->state = INTERACTIVE_QUIET;
	else
		return false;
	return true;
}

static bool is_attached(struct interactive *l, const struct tracee_event *ev)
{
	if (is_to_look(l, ev))
		return true;
	if (!run_has_looked(l->run))
		return false;
	l->state = INTERACTIVE_ATTACHED;
	return true;
}

/* ---- start ---------------------------------------------------------------------------------- */

static int run_to_ready(struct interactive *l, struct error *err)
{
	struct run *s = l->run;
	struct tracee_event ev;

	run_set_halted(s, true);
	while (!run_is_settled(s)) {
		tracee_wait(run_tracee(s), &ev);
		run_turn(s, &ev);
		if (run_outcome(s)->fault == OUTCOME_FAULT)
			return error_copy(err, run_error(s));
		if (ev.kind == TRACEE_EMPTY)
			return error_set(err, ERROR_OBJECT,
					 "%s %s before its libraries were loaded",
					 run_options(s)->argv[0],
					 run_interrupted(s) ? "was interrupted" : "ended");
		if (run_is_settled(s))
			break;
		release_halted(s);
		run_set_halted(s, true);
	}
	run_set_interrupted(s, tracee_forget_interrupt()); /* came too late to be an event */
	return run_interrupted(s) ? error_set(err, ERROR_OBJECT, "the start was interrupted") : 0;
}

/* Lets the threads of a running process enter their waits again, and stops them when it is known
 * what these are. */
static int run_to_attached(struct interactive *l, struct error *err)
{
	struct run *s = l->run;
	struct tracee_event ev;

	do {
		tracee_wait(run_tracee(s), &ev);
		run_turn(s, &ev);
	} while (!run_is_over(s) && !is_attached(l, &ev));
	if (run_outcome(s)->fault == OUTCOME_FAULT)
		return error_copy(err, run_error(s));
	if (!run_root(s) || run_is_over(s))
		return error_set(err, ERROR_OBJECT, "process %d %s", run_options(s)->pid,
				 run_interrupted(s) ? "was left: gatectl was interrupted"
						    : "ended before its threads had stopped");
	if (l->state == INTERACTIVE_ENDED)
		ended(l);
	else
		look_around(l);
	return 0;
}

/* Keeps the inputs that scripts of the previous run gave: scripts of this run are loaded after the
 * start. */
static void keep_given(struct interactive *l)
{
	struct given last = run_plan(l->run)->given;

	run_plan(l->run)->given = (struct given){0};
	end_run(l);
	given_fini(&l->given);
	l->given = last;
}

static int launch(struct interactive *l, struct error *err)
{
	struct run *s = l->run;
	int failed;

	if (l->ui->starts)
		l->ui->starts(l->ui->ctx, true);
	run_plan(s)->given = l->given;
	failed = run_launch(s, err);
	run_plan(s)->given = (struct given){0};
	if (!failed)
		failed = run_options(s)->pid ? run_to_attached(l, err) : run_to_ready(l, err);
	if (l->ui->starts)
		l->ui->starts(l->ui->ctx, false);
	return failed;
}

bool interactive_gives_other(const struct interactive *l)
{
	return l->state != INTERACTIVE_ENDED && !given_is_same(&run_plan(l->run)->given, &l->given);
}

bool interactive_mute(struct interactive *l, bool mute)
{
	bool before = l->options.quiet;

	l->options.quiet = mute;
	return before;
}

/* Adds " (FILE:LINE)" unless the location contains it. */
static void add_position(const struct happened *h, struct str *out)
{
	struct str here = {0};

	str_addf(&here, "%s:%u", str_base_name(h->file), h->line);
	if (!h->place || !strstr(h->place->location, str_text(&here)))
		str_addf(out, " (%s)", str_text(&here));
	str_fini(&here);
}

/* True unless the signal is one of job control and the like. */
static bool is_of_interest(const char *signal)
{
	static const char *const daily[] = {"TSTP", "CONT", "WINCH", "CHLD", "TTIN", "TTOU"};

	for (size_t i = 0; signal && i < sizeof(daily) / sizeof(*daily); i++)
		if (strcmp(signal, daily[i]) == 0)
			return false;
	return true;
}

static void interactive_tell(struct run *s, const struct happened *h)
{
	const struct interactive *l = interactive_of(s);
	bool tells = run_options(s)->verbose || h->what == HAPPENED_HOLD ||
		     h->what == HAPPENED_OPEN || h->what == HAPPENED_FORK ||
		     h->what == HAPPENED_EXEC ||
		     (h->what == HAPPENED_SIGNAL && is_of_interest(h->text));
	struct str line = {0};

	if (!l || !tells || run_options(s)->quiet || !l->ui->line)
		return;
	timeline_line(h, &line);
	if (h->file && h->line && h->what == HAPPENED_HOLD)
		add_position(h, &line);
	l->ui->line(l->ui->ctx, str_text(&line));
	str_fini(&line);
}

int interactive_start(struct interactive *l, struct error *err)
{
	struct run *s;
	int signal;

	keep_given(l);
	s = l->run;		   /* created by keep_given() */
	l->result.interrupted = 0; /* of an earlier start that failed */
	l->state = INTERACTIVE_ENDED;
	l->began = true;
	run_attend(s);
	if (l->ui->begins)
		l->ui->begins(l->ui->ctx);
	if (run_prepare(s, err) < 0)
		return -1;
	timeline_of(s)->follower = interactive_tell;
	run_expect_places(s); /* places may be added later */
	run_expect_loads(s);
	if (launch(l, err) < 0) {
		signal = run_interrupted(s);
		end_run(l);
		l->result.interrupted = signal;
		return -1;
	}
	if (!run_options(s)->pid)
		l->state = INTERACTIVE_READY;
	return 0;
}

/* ---- running ----------------------------------------------------------------------------- */

enum interactive_state interactive_go(struct interactive *l)
{
	struct run *s = l->run;
	struct tracee_event ev;
	int ending;

	if (l->state == INTERACTIVE_ENDED)
		return l->state;
	steps_goes(l);
	l->came = NULL;
	l->crash = NULL;
	l->is_asked = false;
	l->asked_ticks = 0;
	l->roused = NULL;
	run_goes_on(s);
	release_halted(s);
	sched_go_on(s);
	do {
		tracee_wait(run_tracee(s), &ev);
		run_turn(s, &ev);
	} while (!is_to_look(l, &ev));
	if (l->state == INTERACTIVE_ENDED)
		ended(l);
	else
		look_around(l);
	steps_stops(l);
	ending = tracee_forget_interrupt(); /* came too late to be an event */
	if (ending)
		l->result.interrupted = ending;
	return l->state;
}

/* Stops at a crash, so that the user can inspect it. */
static bool crashes(struct run *s, struct run_thread *t)
{
	struct tracee_fault fault;

	if (!run_is_attended(s) || !run_thread_crashes(t) ||
	    !interactive_of(s)->ui->rests_at_crash ||
	    tracee_fault(run_thread_tracee(t), &fault) < 0 || !crash_is_signal(fault.signal))
		return false;
	interactive_of(s)->crash = crash_look(s, t);
	if (!interactive_of(s)->crash)
		return false;
	run_set_halted(s, true);
	run_go(s, t);
	return true;
}

/* Ctrl-C is a request to stop: the terminal sends it to its foreground group, which is gatectl and
 * the program, or only the program if it has its own group. An attached process keeps its
 * signals. */
static bool drops_signal(struct run *s, struct run_thread *t, int signal)
{
	struct interactive *l = interactive_of(s);

	if (!l || run_options(s)->pid || signal != SIGINT ||
	    !tracee_signal_of_kernel(run_thread_tracee(t)))
		return false;
	if (getpgid(run_process_pid(run_process_of(t))) != getpgrp())
		l->is_asked = true;
	l->roused = t;
	tracee_drop_signal(run_thread_tracee(t));
	run_go(s, t);
	return true;
}

static bool is_wish(struct run *s, enum end_reason reason, double detail)
{
	if (reason != END_INTERRUPT || !run_is_attended(s) || (int)detail != SIGINT ||
	    interactive_state(interactive_of(s)) == INTERACTIVE_ENDED)
		return false; /* nothing can be inspected during the start */
	tracee_signals_go_on();
	return true;
}

/* Keeps the thread stopped if the user holds it, or all threads, or all but another one. */
static bool keeps(struct run *s, struct run_thread *t)
{
	const struct interactive *l = interactive_of(s);

	if (!l || (!run_is_halted(s) && !run_thread_parked(t) && (!l->only || l->only == t)))
		return false;
	run_thread_pause(t);
	return true;
}

/* ---- observer ---------------------------------------------------------------------------- */

static int ask_for_ends(struct run *s, struct tracee_launch *how, struct error *err)
{
	(void)err;
	how->trace_exit |= run_is_attended(s);
	return 0;
}

static bool is_attended(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)answer;
	return question == STUCK_EXCUSED && run_is_attended(s);
}

bool interactive_owns_group(const struct interactive *l, pid_t group)
{
	run_each_process(p, l->run)
		if (run_process_lives(p) && getpgid(run_process_pid(p)) == group)
			return true;
	return false;
}

int interactive_interrupted(const struct interactive *l)
{
	return l->result.interrupted;
}

enum expect_end interactive_failure(const struct interactive *l, int *signal)
{
	const struct outcome *o = run_outcome(l->run);

	if (l->state == INTERACTIVE_REST && run_rest(l->run) == WAITS_OWN)
		return EXPECT_DEADLOCK;
	if (l->state == INTERACTIVE_CRASHED && l->crash->process == run_root(l->run))
		*signal = l->crash->fault.signal;
	else if (l->state == INTERACTIVE_ENDED && o->end == OUTCOME_SIGNALED &&
		 o->signal != o->killed_by)
		*signal = o->signal;
	else
		return EXPECT_ANY_END;
	return EXPECT_SIGNAL;
}

bool interactive_has_expect(const struct interactive *l)
{
	return run_plan(l->run)->expect.any;
}

bool interactive_has_args(const struct interactive *l)
{
	return run_plan(l->run)->given.has_args;
}

extern const struct observer interactive_observer;
const struct observer interactive_observer = {
	.launch = ask_for_ends,
	.signal = drops_signal,
	.crash = crashes,
	.goes = keeps,
	.stuck = is_attended,
	.ends = is_wish,
};
