/* The engine's decisions are carried out, and go into the timeline. */
#include "tracer/session/report/report.h"
#include "tracer/session/trial.h"

#include "tracer/base/log.h"

#include <string.h>

void apply_note_held(struct session *s, struct session_thread *t)
{
	double ms = t->held_since ? (double)(session_now_us() - t->held_since) / 1000 : 0;

	if (t->held_since && t->hold.gate) {
		while (s->held_max.count <= t->hold.gate->index)
			*array_add(&s->held_max) = 0;
		if (ms > s->held_max.items[t->hold.gate->index])
			s->held_max.items[t->hold.gate->index] = ms;
	}
	t->held_since = 0;
}

static void hold(struct session *s, const struct decision *d)
{
	struct session_thread *t = threads_of(d->thread);

	apply_note_held(s, t);
	t->held_since = session_now_us();
	t->hold = (struct engine_hold){d->place, d->gate};
	timeline_add(s, HAPPENED_HOLD, d->thread, d->place, d->gate, NULL);
}

static void release(struct session *s, const struct decision *d)
{
	struct session_thread *t = threads_of(d->thread);

	program_forget(t);
	s->events++;
	if (t->target)
		session_go(s, t);
}

static void kill_program(struct session *s, const struct decision *d)
{
	struct session_thread *t = threads_of(d->thread);

	timeline_add(s, HAPPENED_KILL, d->thread, d->place, NULL, sigabbrev_np(d->signal));
	s->killed_by = d->signal;
	if (t->target)
		target_kill(s->target, t->process->target, d->signal);
}

static void write_log(struct session *s, const struct decision *d)
{
	if (d->thread)
		timeline_add(s, HAPPENED_LOG, d->thread, d->place, NULL, d->text);
	if (!s->options->quiet)
		log_line("%s", d->text);
}

static void apply(struct session *s, const struct decision *d)
{
	order_log_decision(s, d);
	trial_note(s, d);
	switch (d->kind) {
	case DECISION_ARRIVED:
		timeline_add(s, HAPPENED_ARRIVAL, d->thread, d->place, NULL, NULL);
		break;
	case DECISION_HOLD:
		hold(s, d);
		break;
	case DECISION_PASS:
		apply_note_held(s, threads_of(d->thread));
		timeline_add(s, HAPPENED_RELEASE, d->thread, d->place, d->gate, NULL);
		break;
	case DECISION_OPENED:
		timeline_add(s, HAPPENED_OPEN, d->thread, d->place, d->gate, NULL);
		break;
	case DECISION_EVENT:
		timeline_add(s, HAPPENED_EVENT, d->thread, d->place, NULL, d->text);
		break;
	case DECISION_LOG:
		write_log(s, d);
		break;
	case DECISION_RELEASE:
		release(s, d);
		break;
	case DECISION_KILL:
		kill_program(s, d);
		break;
	case DECISION_WATCH:
		watch_begin(s, threads_of(d->thread));
		break;
	case DECISION_ELIDE:
		elide_begin(s, threads_of(d->thread), d->place);
		break;
	case DECISION_DEAD:
		places_retire(s, d->place);
		break;
	case DECISION_FAULT:
		session_fault(s, d->error);
		break;
	}
}

void apply_decisions(struct session *s)
{
	struct decision d;

	while (engine_next(s->engine, &d))
		apply(s, &d);
}
