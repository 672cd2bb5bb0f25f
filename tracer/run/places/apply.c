/* Carries out decisions of the engine. */
#include "tracer/run/places/places.h"
#include "tracer/run/run_internal.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/threads/program.h"

#include "tracer/base/log.h"

#include <string.h>

enum { AGAIN_MOST = 8 }; /* rounds; further changes are seen when observers look again */

/* Records that the thread is held from now on, or no longer. */
static void note_hold(struct run *s, const struct decision *d)
{
	struct run_thread *t = threads_of(d->thread);

	run_note_held(s, t);
	if (d->kind == DECISION_PASS)
		return;
	/* of several places at its address, the one that holds it */
	engine_spot(t->engine, &t->spot);
	t->held_since = run_now_us();
	t->hold = (struct engine_hold){d->place, d->gate};
}

static void apply_release(struct run *s, const struct decision *d)
{
	struct run_thread *t = threads_of(d->thread);

	program_forget(t);
	s->events += t != s->turned; /* its own event is counted */
	if (t == s->turned)
		s->goes_last = t;
	else if (t->tracee && !t->gone_first)
		run_go(s, t);
	t->gone_first = false;
}

/* True if the decision only informs observers, which need not inspect a thread before it goes
   on. */
static bool is_only_told(const struct decision *d)
{
	switch (d->kind) {
	case DECISION_ARRIVED:
	case DECISION_HOLD:
	case DECISION_PASS:
	case DECISION_OPENED:
	case DECISION_EVENT:
	case DECISION_RELEASE:
	case DECISION_DEAD:
		return true;
	default:
		return false;
	}
}

void apply_releases(struct run *s)
{
	const struct decision *d;

	if (s->control.attended || s->control.driven || s->options->order_log)
		return;
	for (size_t i = 0; (d = engine_coming(s->engine, i)); i++)
		if (!is_only_told(d))
			return;
	for (size_t i = 0; (d = engine_coming(s->engine, i)); i++) {
		struct run_thread *t = d->thread ? threads_of(d->thread) : NULL;

		if (d->kind != DECISION_RELEASE || t == s->turned || !t->tracee || t->gone_first ||
		    t->crashes) /* a crash report describes held threads */
			continue;
		t->gone_first = true;
		program_forget(t);
		run_go(s, t);
	}
}

static void kill_program(struct run *s, const struct decision *d)
{
	struct run_thread *t = threads_of(d->thread);

	s->killed_by = d->signal;
	if (t->tracee)
		tracee_kill(s->tracee, t->process->tracee, d->signal);
}

static void apply(struct run *s, const struct decision *d)
{
	if (d->kind == DECISION_HOLD || d->kind == DECISION_PASS)
		note_hold(s, d);
	observe(decision, s, d);
	switch (d->kind) {
	case DECISION_LOG:
		if (!s->options->quiet)
			log_line("%s", d->text);
		break;
	case DECISION_RELEASE:
		apply_release(s, d);
		break;
	case DECISION_KILL:
		kill_program(s, d);
		break;
	case DECISION_DEAD:
		places_retire(s, d->place);
		break;
	case DECISION_FAULT:
		run_fault(s, d->error);
		break;
	case DECISION_ARRIVED:
	case DECISION_WATCH:
	case DECISION_ELIDE:
	case DECISION_SPURIOUS:
	case DECISION_HOLD:
	case DECISION_PASS:
	case DECISION_OPENED:
	case DECISION_EVENT: /* for observers only */
		break;
	}
}

void apply_decisions(struct run *s)
{
	struct decision d;

	apply_releases(s);
	while (engine_next(s->engine, &d))
		apply(s, &d);
}

static bool is_to_ask_again(struct run *s)
{
	bool again = false;

	observe_until(again, decided, s);
	return again;
}

void run_settle(struct run *s)
{
	apply_decisions(s);
	for (int i = 0; i < AGAIN_MOST && is_to_ask_again(s); i++) {
		pages_forget(s);
		engine_changed(s->engine);
		apply_decisions(s);
	}
}

void run_ask_again(struct run *s)
{
	pages_forget(s);
	engine_changed(s->engine);
	run_settle(s);
}
