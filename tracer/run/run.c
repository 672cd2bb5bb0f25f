/* A run from launch to verdict: dispatches each event. */
#include "tracer/run/run_internal.h"
#include "tracer/run/places/places.h"
#include "tracer/run/places/arrivals.h"
#include "tracer/run/attach.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/threads/program.h"
#include "tracer/run/threads/start.h"
#include "tracer/run/signals.h"
#include "tracer/run/places/stops.h"

#include "tracer/base/log.h"
#include "tracer/tracee/attach/attach.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* With --fixed, threads that only go round are recognised first, also on a busy machine. */
enum { DEFAULT_GATE_LIMIT = 10, FIXED_GATE_LIMIT = 60 };

/* ---- events ---------------------------------------------------------------------------------- */

/* Set for a run that has reported a child process without its privileges. */
static const struct keeper withheld = {1, NULL};

/* Only for child processes: tracee_launch() refuses to start the program itself like that. */
static void note_withheld(struct run *s, const struct run_process *p)
{
	char what[128];

	if (kept_of(&s->kept, &withheld) || !tracee_withheld(p->tracee, what, sizeof(what)))
		return;
	kept_make(&s->kept, &withheld);
	if (s->run_number <= 1 && !s->options->quiet)
		log_line("gatectl: note: a child process runs %s: since it is traced by you, the "
			 "kernel withholds %s; run gatectl as root",
			 p->exe ? module_path(p->exe) : "a file", what);
}

static bool is_exec_again(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	bool again = false;

	observe_until(again, exec_again, s, p, t);
	return again;
}

static void on_exec(struct run *s, const struct tracee_event *ev)
{
	struct run_process *p = threads_process(s, ev->process);
	struct run_thread *t = ev->thread->user;
	ERROR(err);
	bool first = !s->root;

	if (is_exec_again(s, p, ev->thread))
		return; /* the exec is reported again */
	if (first) {
		s->root = p;
		t = threads_new(s, p, ev->thread, "main");
		p->tracee->user = p;
	} else {
		threads_become_main(s, t);
		t = ev->thread->user;
	}
	observe(exec, s, t, first);
	threads_forgive(p); /* a thread that an exec ends is no fault of its gate */
	if (loader_exec(s, p, ev->thread, &err) < 0 && first && s->loading.has_places)
		run_fault(s, &err);
	if (!s->over && p->exe && !p->load_site && loader_is_wanted(s, p)) {
		s->loading.root_settled = true;
		if (places_settle(s, p, ev->thread, first, &err) < 0)
			run_fault(s, &err);
		else
			loader_static(s, p, ev->thread);
	}
	if (!s->over)
		observe_modules(s, MODULES_EXEC, p, ev->thread, &err);
	if (first) {
		run_go(s, t);
	} else {
		note_withheld(s, p);
		arrivals_event(s, t, PLACE_EXEC, 0);
	}
}

static void on_process_start(struct run *s, const struct tracee_event *ev)
{
	struct run_process *p = threads_process(s, ev->process);
	struct run_thread *t = threads_new(s, p, ev->thread, "");

	arrivals_event(s, t, PLACE_THREAD_START, 0);
}

static void on_thread_start(struct run *s, const struct tracee_event *ev)
{
	struct run_process *p = threads_process(s, ev->process);
	char *start = start_routine(s, p, ev->thread);
	struct run_thread *t = threads_new(s, p, ev->thread, start);

	base_free(start);
	inside_born(s, t);
	arrivals_event(s, t, PLACE_THREAD_START, 0);
}

/* Records a thread that dies while held: if the program ends by exit, its gate is at fault. */
static void note_lost(struct run_thread *t)
{
	struct engine_hold hold;
	struct str text = {0};

	if (!t->engine->held)
		return;
	hold = t->hold;
	t->lost = true;
	str_addf(&text, "%s was held at %s by %s%s", t->engine->id, hold.place->location,
		 hold.gate ? "gate " : "a function of the script, ",
		 hold.gate ? hold.gate->name : place_source(hold.place));
	*array_add(&t->process->lost_held) = str_take(&text);
}

static void on_thread_gone(struct run *s, const struct tracee_event *ev)
{
	struct run_thread *t = ev->thread->user;

	if (!t)
		return;
	if (!s->over)
		note_lost(t);
	run_note_held(s, t); /* the hold lasts until the thread dies */
	threads_gone(s, t, false);
	inside_exited(s, t);
	engine_thread_exited(s->engine, t->engine);
}

static void on_root_gone(struct run *s, int status)
{
	s->root_ended = true;
	if (s->over && s->outcome.fault != OUTCOME_FAULT && !s->killed_by)
		return; /* gatectl's own SIGKILL */
	s->outcome.end = WIFEXITED(status) ? OUTCOME_EXITED : OUTCOME_SIGNALED;
	s->outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	s->outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Reads the thread's last name, and the first thread's: it shows whether others were renamed. */
static void note_name(struct run *s, const struct run_thread *t)
{
	const struct engine_thread *first = engine_thread_at(s->engine, 0);

	threads_name(s, t->engine);
	if (!*threads_of(first)->comm)
		threads_name(s, first);
}

static void on_process_gone(struct run *s, const struct tracee_event *ev)
{
	struct run_process *p = ev->process->user;

	if (!p)
		return;
	if (WIFEXITED(ev->status) && p->lost_held.count && !s->over)
		s->outcome.held_at_end = true;
	else if (!s->outcome.held_at_end)
		threads_forgive(p);
	if (p == s->root)
		on_root_gone(s, ev->status);
	sites_forget(s, p, 0, UINT64_MAX);
	p->tracee = NULL;
	if (s->killed_by)
		run_end(s); /* :kill ends the whole program, not only this process */
	engine_changed(s->engine);
	observe(process_gone, s, p, ev->status);
}

static void run_on_signal(struct run *s, const struct tracee_event *ev)
{
	struct run_thread *t = ev->thread->user;
	bool taken = false;

	observe_until(taken, signal, s, t, ev->signal);
	observe_until(taken, crash, s, t);
	if (!taken)
		arrivals_event(s, t, PLACE_SIGNAL, ev->signal);
	observe(signal_over, s, t);
}

static void on_fork(struct run *s, const struct tracee_event *ev)
{
	struct run_thread *t = ev->thread->user;
	struct run_process *child = ev->child ? threads_process(s, ev->child) : NULL;

	s->untraced_children |= !child;
	observe(fork, s, t, child);
	arrivals_event(s, t, PLACE_FORK, 0);
}

static void on_call(struct run *s, const struct tracee_event *ev)
{
	bool taken = false;

	observe_until(taken, call, s, ev);
	if (!taken)
		tracee_resume(s->tracee, ev->thread);
}

static void on_interrupt(struct run *s, int signal)
{
	bool taken = false;

	observe_until(taken, ends, s, END_INTERRUPT, signal);
	if (taken)
		return;
	s->interrupted = signal;
	run_end(s);
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* While the program is being killed, only ends of threads and processes matter. */
static void turn_over(struct run *s, const struct tracee_event *ev)
{
	if (ev->kind == TRACEE_THREAD_GONE)
		on_thread_gone(s, ev);
	else if (ev->kind == TRACEE_PROCESS_GONE)
		on_process_gone(s, ev);
	else if (ev->kind == TRACEE_PROCESS_START)
		tracee_kill_all(s->tracee); /* created while the other processes died */
	else if (ev->kind == TRACEE_INTERRUPT &&
		 (s->counts_late || s->outcome.fault == OUTCOME_FAULT))
		/* a signal counts if more runs follow, or after a script's fault */
		s->interrupted = ev->signal;
	else if (ev->thread)
		tracee_resume(s->tracee, ev->thread);
}

/* True if the event is an action of the program. The duration of its sleeps does not matter. */
static bool is_deed(enum tracee_event_kind kind)
{
	return kind != TRACEE_SLEEP && kind != TRACEE_SLEPT && kind != TRACEE_TICK &&
	       kind != TRACEE_INTERRUPT && kind != TRACEE_EMPTY;
}

static void turn(struct run *s, const struct tracee_event *ev)
{
	bool deed = is_deed(ev->kind);

	switch (ev->kind) {
	case TRACEE_SITE:
		deed = arrivals_site(s, ev->thread->user, ev->site);
		break;
	case TRACEE_THREAD_START:
		on_thread_start(s, ev);
		break;
	case TRACEE_PROCESS_START:
		on_process_start(s, ev);
		break;
	case TRACEE_THREAD_EXIT:
		note_name(s, ev->thread->user);
		arrivals_event(s, ev->thread->user, PLACE_THREAD_EXIT, 0);
		break;
	case TRACEE_THREAD_GONE:
		on_thread_gone(s, ev);
		break;
	case TRACEE_FORK:
		on_fork(s, ev);
		break;
	case TRACEE_EXEC:
		on_exec(s, ev);
		break;
	case TRACEE_SIGNAL:
		run_on_signal(s, ev);
		break;
	case TRACEE_ATTACHED:
		attach_begin(s, ev);
		break;
	case TRACEE_WATCH: /* the thread that stored is resumed after the conditions are asked */
		pages_forget(s);
		engine_changed(s->engine);
		s->goes_last = s->turned;
		break;
	case TRACEE_SLEEP:
	case TRACEE_SLEPT:
	case TRACEE_CALL:
	case TRACEE_CALLED:
		on_call(s, ev);
		break;
	case TRACEE_PROCESS_GONE:
		on_process_gone(s, ev);
		signals_note_frozen(s);
		break;
	case TRACEE_TICK:
		ticks_tick(s);
		break;
	case TRACEE_INTERRUPT:
		on_interrupt(s, ev->signal);
		break;
	case TRACEE_JOB_STOP:
	case TRACEE_EMPTY:
		break;
	}
	s->events += deed;
	s->signals += ev->kind == TRACEE_SIGNAL;
	run_settle(s);
}

/* Resumes the thread of this turn last. It would run at once on gatectl's processor, and delay the
   threads that this turn has released. */
static void last_goes(struct run *s)
{
	struct run_thread *t = s->goes_last;

	s->turned = s->goes_last = NULL;
	if (t && t->tracee)
		run_go(s, t);
}

void run_turn(struct run *s, const struct tracee_event *ev)
{
	s->turns++;
	s->turned = ev->thread ? ev->thread->user : NULL;
	inside_tell(s);
	if (s->over)
		turn_over(s, ev);
	else
		turn(s, ev);
	inside_give(s);
	last_goes(s);
	stops_check(s);
	if (s->options->pid)
		attach_check(s);
}

void run_loop(struct run *s)
{
	struct tracee_event ev;

	do {
		tracee_wait(s->tracee, &ev);
		run_turn(s, &ev);
	} while (ev.kind != TRACEE_EMPTY);
}

/* ---- one run --------------------------------------------------------------------------------- */

static double first_given(double a, double b, double otherwise)
{
	return a >= 0 ? a : b >= 0 ? b : otherwise;
}

static int load_scripts(struct run *s, struct error *err)
{
	const struct run_options *o = s->options;
	int failed = 0;

	for (size_t i = 0; i < o->scripts.count; i++)
		if (script_load(s->script, o->scripts.items[i], err) < 0)
			return -1;
	for (size_t i = 0; i < o->orders.count; i++)
		if (engine_order(s->engine, o->orders.items[i], "--order", err) < 0)
			return -1;
	if (engine_orders_finish(s->engine, err) < 0)
		return -1;
	expect_settle(&s->plan.expect, s->engine);
	s->gate_limit = first_given(o->gate_limit, s->plan.limits.gate,
				    o->aim == AIM_FIXED ? FIXED_GATE_LIMIT : DEFAULT_GATE_LIMIT);
	s->time_limit = first_given(o->time_limit, s->plan.limits.run, 0);
	observe_until(failed, loaded, s, err);
	return failed < 0 ? -1 : places_prepare(s, err);
}

static bool uses_kind(const struct run *s, enum place_kind kind)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++)
		if (p->kind == kind && !p->retired)
			return true;
	return false;
}

/* If no thread had the name that a place asks for, the report shows the threads' last names. */
static bool uses_names(const struct run *s)
{
	for (size_t i = 0; engine_place_at(s->engine, i); i++)
		if (engine_place_at(s->engine, i)->thread)
			return true;
	return false;
}

static void host_print(void *ctx, const char *line)
{
	const struct run *s = ctx;

	engine_log(s->engine, line);
}

int run_prepare(struct run *s, struct error *err)
{
	const struct engine_world world = {s, threads_name, threads_runs, conditions_ask};
	struct script_host host = {.ctx = s,
				   .print = host_print,
				   .thread_state = threads_state,
				   .thread_name = threads_name};
	int failed;

	observers_set(s, s->options->features);
	program_functions(s, &host.program);
	s->record = s->options->record;
	s->start_us = run_now_us();
	s->plan.limits = (struct limits){-1, -1};
	s->engine = engine_new(&world);
	s->script = script_new(s->engine, &s->plan, &host);
	observe(begin, s);
	failed = load_scripts(s, err);
	apply_decisions(s); /* prints of the scripts */
	return failed;
}

static int launch(struct run *s, struct error *err)
{
	struct tracee_launch how = {
		.argv = s->options->argv,
		.stdin_fd = -1,
		.stdout_fd = -1,
		.stderr_fd = -1,
		.no_follow = s->options->no_follow,
		.trace_exit = uses_kind(s, PLACE_THREAD_EXIT) || uses_names(s),
		.as_alone = true,
		.needs_memory = s->loading.has_places || s->options->sched,
		.tick_ms = s->tick_ms = TICKS_MS,
	};
	int failed = 0;

	observe_until(failed, launch, s, &how, err);
	if (!failed) {
		s->start_us = run_now_us();
		s->tracee = tracee_launch(&how, err);
		if (!s->tracee)
			images_explain_refusal(s->symbols, s->options->argv[0], err);
	}
	if (how.stdin_fd >= 0)
		close(how.stdin_fd);
	if (how.stdout_fd >= 0)
		close(how.stdout_fd);
	if (how.stderr_fd >= 0)
		close(how.stderr_fd);
	return s->tracee ? 0 : -1;
}

int run_launch(struct run *s, struct error *err)
{
	return s->options->pid ? attach_start(s, err) : launch(s, err);
}

enum verdict run_verdict(const struct run *s)
{
	if (s->options->aim == AIM_FIXED)
		return verdict_of_fixed(&s->plan.expect, &s->outcome);
	return verdict_of(s->engine, &s->plan.expect, &s->outcome);
}

void run_judge(struct run *s, struct run_result *out)
{
	const struct expect nothing = {0};

	if (s->killed_by) {
		s->outcome.killed_by = s->killed_by;
		s->outcome.end = OUTCOME_SIGNALED;
		s->outcome.signal = s->killed_by;
	}
	observe(outcome, s);
	out->verdict = run_verdict(s);
	out->status = verdict_status(out->verdict,
				     s->options->aim == AIM_FIXED ? &nothing : &s->plan.expect,
				     &s->outcome);
	out->interrupted = s->interrupted;
	out->expects = s->plan.expect.any;
	out->signaled = s->outcome.end == OUTCOME_SIGNALED;
	out->out_of_time = s->outcome.limit == OUTCOME_OUT_OF_TIME;
	out->ended = s->outcome.end == OUTCOME_EXITED	  ? s->outcome.exit
		     : s->outcome.end == OUTCOME_SIGNALED ? 128 + s->outcome.signal
							  : -1;
	out->only_expects = expect_is_plain(&s->plan.expect) && !s->plan.given.source &&
			    !engine_place_at(s->engine, 0);
	out->expects_output = expect_wants_stdout(&s->plan.expect);
	if (s->interrupted)
		out->status = 128 + s->interrupted;
	observe(judged, s, out, NULL);
}

struct run *run_new(const struct run_options *o, struct modules *symbols, unsigned long number)
{
	struct run *s = base_alloc(1, sizeof(*s));

	s->options = o;
	s->symbols = symbols;
	s->run_number = number;
	s->counts_late = o->trial != NULL;
	return s;
}

void run_free(struct run *s)
{
	if (!s->copy_of)
		tracee_free(s->tracee);
	inside_free(s);
	places_free(s);
	script_free(s->script);
	engine_free(s->engine);
	threads_free(s);
	expect_fini(&s->plan.expect);
	given_fini(&s->plan.given);
	array_each(char *, name, &s->unread)
		base_free(*name);
	array_fini(&s->unread);
	error_fini(&s->fault);
	array_fini(&s->held_max);
	array_fini(&s->tick_wishes);
	kept_fini(&s->kept);
	base_free(s);
}

int run_run(const struct run_options *o, struct modules *symbols, unsigned long run_number,
	    struct run_result *out, struct error *err)
{
	struct run *s = run_new(o, symbols, run_number);
	int answer = -1;

	*out = (struct run_result){0};
	if (run_prepare(s, err) == 0 && run_launch(s, err) == 0) {
		run_loop(s);
		if (o->pid)
			attach_ended(s);
		run_judge(s, out);
		answer = 0;
	} else {
		observe(judged, s, out, err);
	}
	run_free(s);
	return answer;
}
