/* Actions at ticks: limits and, when nothing has happened for a while, the check for a deadlock. */
#include "tracer/run/places/places.h"
#include "tracer/run/run_internal.h"
#include "tracer/tracee/events/events.h"
#include "tracer/tracee/signals/signals.h"

#include <signal.h>

void ticks_wish(struct run *s, const void *who, unsigned ms)
{
	unsigned most = TICKS_MS;
	struct tick_wish *own = NULL;

	array_each(struct tick_wish, w, &s->tick_wishes) {
		if (w->who == who)
			own = w;
	}
	if (!own)
		own = array_add(&s->tick_wishes);
	*own = (struct tick_wish){who, ms ? ms : TICKS_MS};
	array_each(const struct tick_wish, w, &s->tick_wishes)
		most = w->ms < most ? w->ms : most;
	if (most != s->tick_ms)
		tracee_tick(s->tracee, most);
	s->tick_ms = most;
}

static void check_gate_limit(struct run *s, uint64_t now)
{
	for (size_t i = 0; i < s->threads.count && s->gate_limit > 0 && !s->control.attended; i++) {
		struct run_thread *t = s->threads.items[i];

		if (!t->held_since ||
		    t->held_since > now || /* held since a moment within this tick */
		    (double)(now - t->held_since) < s->gate_limit * 1e6)
			continue;
		s->outcome.gate_limit = true;
		s->culprit = t;
		run_end(s);
		return;
	}
}

static enum waits_answer ticks_judge(struct run *s)
{
	enum waits_answer answer = WAITS_MOVING;
	bool told = false;

	observe_until(told, stuck, s, STUCK_JUDGED, &answer);
	return answer;
}

/* Judges whether any thread can move. If memory that closed conditions have read has changed since
   it was last compared, the conditions are asked again first. */
static enum waits_answer judge_stuck(struct run *s)
{
	enum waits_answer answer = ticks_judge(s);
	bool stale = false;

	if (answer != WAITS_MOVING)
		observe_until(stale, stuck, s, STUCK_STALE, &answer);
	if (!stale)
		return answer;
	s->explained = false;
	run_ask_again(s);
	return s->over || s->events ? WAITS_MOVING : ticks_judge(s);
}

static bool has_held(const struct run *s, const struct run_process *p)
{
	array_each(struct run_thread *, t, &s->threads)
		if ((*t)->process == p && (*t)->tracee && (*t)->engine->held)
			return true;
	return false;
}

/* A fatal signal ends a program at once. Under ptrace it would wait for the held threads, so
   gatectl ends the process. */
static void check_pending_death(struct run *s)
{
	array_each(struct run_process *, it, &s->processes) {
		struct run_process *p = *it;
		int signal = has_held(s, p) ? tracee_pending_death(s->tracee, p->tracee) : 0;

		if (!signal || (s->control.attended &&
				/* Ctrl-C is a request to look, and is dropped */
				signal == SIGINT))
			continue;
		tracee_kill(s->tracee, p->tracee, signal);
		s->events++;
	}
}

static void note_gate_deadlock(struct run *s)
{
	const struct gate *gate = s->plan.expect.gate;
	struct engine_hold hold;

	s->outcome.stuck = OUTCOME_GATE_DEADLOCK;
	array_each(struct run_thread *, t, &s->threads)
		if (gate && engine_held(s->engine, (*t)->engine, &hold) && hold.gate == gate)
			s->outcome.at = true;
}

/* Nothing has happened for a whole tick: ends the run if no thread can move. */
static void check_stuck(struct run *s)
{
	enum waits_answer answer = judge_stuck(s);
	bool goes_on, taken = false;

	s->rest = answer;
	if (answer == WAITS_MOVING) {
		if (engine_has_rest(s->engine))
			observe_until(taken, stuck, s, STUCK_QUIET, &answer);
		if (taken && engine_rest(s->engine))
			run_settle(s);
		return;
	}
	/* for a signal that the last moving thread sent after the previous check */
	check_pending_death(s);
	goes_on = s->events > 0;
	observe_until(goes_on, stuck, s, STUCK_FREED, &answer);
	if (goes_on) {
		s->explained = false;
		s->rest = WAITS_MOVING;
		return;
	}
	if (engine_rest(s->engine)) {
		s->explained = false;
		s->rest = WAITS_MOVING;
		run_settle(s);
		return;
	}
	observe_until(taken, stuck, s, STUCK_EXCUSED, &answer);
	if (taken)
		return;
	if (s->root_ended && answer == WAITS_GATE)
		s->outcome.held_at_end = true;
	else if (answer == WAITS_GATE)
		note_gate_deadlock(s);
	else
		s->outcome.stuck = OUTCOME_DEADLOCK;
	run_end(s);
}

/* Returns the microseconds beyond the time limit; 0: within it, or no limit. */
static double over_time(const struct run *s, uint64_t now)
{
	double over_us = (double)(now - s->start_us) - s->time_limit * 1e6;

	return s->control.attended || s->time_limit <= 0 || over_us < 0 ? 0 : over_us;
}

static void check_time_limit(struct run *s, uint64_t now)
{
	double over_us = over_time(s, now);
	bool waits = false;

	if (over_us <= 0)
		return;
	s->outcome.limit = OUTCOME_TIME_LIMIT;
	observe_until(waits, ends, s, END_LATE, over_us);
	if (!waits)
		run_end(s);
}

/* Ends the run at the deadline of all runs together; the run then has no verdict. */
static void check_until(struct run *s, uint64_t now)
{
	uint64_t until = s->options->until_us;
	bool waits = false;

	if (!until || now < until)
		return;
	observe_until(waits, ends, s, END_LATE, (double)(now - until));
	if (waits || s->over)
		return;
	s->outcome.limit = OUTCOME_OUT_OF_TIME;
	run_end(s);
}

static bool is_awaited(struct run *s)
{
	enum waits_answer unused;
	bool awaited = false;

	observe_until(awaited, stuck, s, STUCK_AWAITED, &unused);
	return awaited;
}

/* Checks that need no short interval. */
static void on_slow_tick(struct run *s, uint64_t now)
{
	bool quiet = s->events == 0, only_signals = s->events == s->signals;

	s->events = 0;
	s->signals = 0;
	s->slow_us = now;
	if (over_time(s, now) <= 0) /* if both limits are exceeded, the time limit counts */
		check_gate_limit(s, now);
	if (!s->over && quiet)
		check_pending_death(s);
	quiet = quiet && s->events == 0;
	s->quiet_ticks = only_signals && s->events == 0 ? s->quiet_ticks + 1 : 0;
	if (!s->over && quiet && !is_awaited(s))
		check_stuck(s);
	if (!s->over)
		observe(slow_tick, s, now, quiet);
	if (!s->over)
		check_time_limit(s, now);
	if (!s->over)
		check_until(s, now);
}

void run_note_event(struct run *s)
{
	s->events++;
}

unsigned run_quiet_ticks(const struct run *s)
{
	return s->events > s->signals ? 0 : s->quiet_ticks;
}

void run_end_quiet(struct run *s)
{
	s->quiet_ticks = 0;
}

void run_goes_on(struct run *s)
{
	s->rest = WAITS_MOVING;
	s->explained = false;
	s->quiet_ticks = 0;
	s->events = 1;
	s->signals = 0;
}

void ticks_tick(struct run *s)
{
	uint64_t now = run_now_us();

	for (const struct observer *const *o = observers_of(tick, s); *o && !s->over; o++)
		(*o)->tick(s);
	if (!s->over && now - s->slow_us >= (TICKS_MS - 1) * 1000)
		on_slow_tick(s, now);
}
