/* Attaches to a running program, and detaches at a verdict, on request, or once every place has
   been reached and can act no more. No process of the program is killed. */
#include "tracer/run/attach.h"
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/run/threads/start.h"
#include "tracer/run/threads/threads.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/attach/attach.h"

#include <sys/wait.h>

/* ---- checks ---------------------------------------------------------------------------------- */

static int check_given(const struct run *s, struct error *err)
{
	const struct given *g = &s->plan.given;

	if (!g->source)
		return 0;
	error_set(err, ERROR_SCRIPT,
		  "%s: env, args, stdin and elide_sleep { till = \"rest\" } are for a program that "
		  "gatectl starts: process %d runs already",
		  g->source, s->options->pid);
	return error_hint(err, "leave them out, or use gatectl run");
}

static int check_expect(const struct expect *x, struct error *err)
{
	if (!x->stdout_has.count && !x->stderr_has.count)
		return 0;
	error_set(err, ERROR_USAGE,
		  "the script expects output, but what a running process writes does not pass "
		  "through gatectl");
	return error_hint(err, "leave stdout and stderr out of expect, or use gatectl run");
}

static bool uses_thread_exit(const struct run *s)
{
	const struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++)
		if (place->kind == PLACE_THREAD_EXIT)
			return true;
	return false;
}

int attach_start(struct run *s, struct error *err)
{
	const struct tracee_attach how = {
		.pid = s->options->pid,
		.no_follow = s->options->no_follow,
		.trace_exit = uses_thread_exit(s) || run_is_attended(s),
	};

	if (check_given(s, err) < 0 || check_expect(&s->plan.expect, err) < 0)
		return -1;
	s->start_us = run_now_us();
	s->tracee = tracee_attach(&how, err);
	if (!s->tracee)
		return -1;
	s->untraced_children = tracee_had_children(s->tracee);
	ticks_wish(s, s, 0);
	return 0;
}

/* ---- all threads are stopped ----------------------------------------------------------------- */

static void name_threads(struct run *s, bool of_root)
{
	struct tracee_thread *t = NULL;

	while ((t = tracee_next_thread(s->tracee, t))) {
		struct run_process *p;
		char *start;

		if (!t->found || t->process->unfollowed || t->process->is_root != of_root)
			continue;
		p = threads_process(s, t->process);
		start = t->tid == p->pid ? base_strdup(of_root ? "main" : "")
					 : start_routine(s, p, t);
		threads_new(s, p, t, start);
		base_free(start);
	}
}

/* True while libraries are being loaded. The trap in the loader will report the end of that. */
static bool loads_now(struct run *s, struct run_process *p)
{
	bool consistent = true;

	if (p->loader)
		images_update(s, p, NULL, &consistent);
	return !consistent && p->load_site;
}

static int set_places(struct run *s, struct run_process *p, struct tracee_thread *helper,
		      struct error *err)
{
	if (loads_now(s, p))
		return 0;
	s->loading.root_settled = true;
	if (places_settle(s, p, helper, true, err) < 0)
		return -1;
	if (!s->loading.loads_matter && p->load_site)
		tracee_site_remove(p->tracee, p->load_site);
	return 0;
}

void attach_begin(struct run *s, const struct tracee_event *ev)
{
	struct run_process *p = threads_process(s, ev->process);
	ERROR(err);
	int failed;

	s->root = p;
	failed = loader_exec(s, p, ev->thread, &err);
	if (!failed && s->loading.has_places)
		failed = set_places(s, p, ev->thread, &err);
	name_threads(s, true);
	name_threads(s, false);
	if (failed && ev->process->threads) /* else the process ended during the attach */
		run_fault(s, &err);
	tracee_let_found_go(s->tracee);
}

/* ---- detaching ------------------------------------------------------------------------------- */

/* True if the script's expectation can only be judged when the program has ended. */
static bool waits_for_end(const struct run *s)
{
	const struct expect *x = &s->plan.expect;

	return x->end || x->never.count || x->checks.count;
}

static bool is_busy(struct run *s)
{
	bool busy = false;

	observe_until(busy, busy, s, NULL);
	return busy;
}

bool run_only_looks(const struct run *s)
{
	return s->options->pid && !run_is_attended(s) && !waits_for_end(s) &&
	       !engine_place_at(s->engine, 0);
}

bool run_has_looked(const struct run *s)
{
	enum { LOOK_US = 1000000 };

	return run_now_us() - s->start_us >= LOOK_US;
}

/* A user ends a run that is steered. */
static bool is_done(struct run *s)
{
	return s->root && !run_is_attended(s) && !waits_for_end(s) && engine_is_done(s->engine) &&
	       !is_busy(s) && (!run_only_looks(s) || run_has_looked(s));
}

void attach_check(struct run *s)
{
	if (!s->over && !is_done(s))
		return;
	run_end(s);
	tracee_detach(s->tracee);
}

/* The exit status of a process is its first thread's, which ended before gatectl attached. */
void attach_ended(struct run *s)
{
	ERROR(err);

	if (s->over || s->root_ended)
		return;
	error_set(&err, ERROR_SYSTEM,
		  "process %d has ended; only its parent knows its status, because its first "
		  "thread had ended before gatectl attached",
		  s->options->pid);
	error_hint(&err, "start the program again, and attach earlier");
	run_fault(s, &err);
}

/* ---- two processes of gatectl ---------------------------------------------------------------- */

static int lost(const struct run_options *o, int signal, struct error *err)
{
	error_set(err, ERROR_SYSTEM,
		  "the part of gatectl that traced process %d was ended by signal %d: the process "
		  "may contain traps, and ends with SIGTRAP when it reaches one",
		  o->pid, signal);
	return error_hint(err, "start that program again; end gatectl by Ctrl-C or SIGTERM");
}

int run_guard(const struct run_options *o, bool steered, int *status, struct error *err)
{
	int which = tracee_guard(steered, status, err), signal;

	if (which <= 0)
		return which;
	if (WIFEXITED(*status)) {
		*status = WEXITSTATUS(*status);
		return which;
	}
	signal = WTERMSIG(*status);
	*status = 128 + signal;
	/* a signal from before the run began */
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP ? which
									 : lost(o, signal, err);
}
