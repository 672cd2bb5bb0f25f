/*
 * Whose turn is it to wake up? In a run that is watched, a sleep does not end before everybody who
 * is awake has nothing left to do; then the sleeps with the earliest end go on. So the same things
 * happen during a sleep however busy the machine is: how long a sleep lasts does not matter, only
 * which one ends before another. In `now_ns` sleeping takes time, and working none.
 *
 * A thread that works for longer than a sleep lasts is not waited for: nobody sleeps until such
 * work is done.
 */
#include "tracer/run/go.h"
#include "tracer/run/ticks.h"
#include "tracer/features/convert/record.h"
#include "tracer/features/waiting/waiting.h"

enum {
	TOGETHER_PART = 16, /* two sleeps that differ by a smaller part end together */
	TOGETHER_MOST_NS = 2000000,
	WORK_FACTOR = 2, /* a watched thread needs more time than alone */
	WORK_LEAST_NS = 100000000,
	CLOCK_LEAST_NS = 20000000,
	WAIT_FACTOR = 10, /* a thread that neither works nor rests (a disk) gets so long */
	WAIT_LEAST_US = 2000000,
	SHORTEST_NS =
		100000, /* no sleep is shorter: asking for the time in a loop takes as long, too */
};

enum { WAITING_MS = 1 };

static uint64_t now_us(const struct run *s)
{
	return run_now_us() - s->start_us;
}

void turns_begin(struct run *s, struct convert_sleep *sleep)
{
	sleep->due_ns =
		s->options->record->now_ns + (sleep->ns > SHORTEST_NS ? sleep->ns : SHORTEST_NS);
	sleep->begin_worked_ns = tracee_worked_ns(s->tracee);
	sleep->begin_clock_ns = s->options->record->now_ns + sleep->begin_worked_ns;
}

/* While a thread waits for its turn there is more to look at. */
static void count_waiting(struct run *s, int more)
{
	struct convert_record *r = s->options->record;

	r->waiting = (unsigned)((int)r->waiting + more);
	ticks_wish(s, r, r->waiting ? WAITING_MS : 0);
}

void turns_wait(struct run *s, struct convert_sleep *sleep)
{
	sleep->state = CONVERT_OVER;
	sleep->over_us = now_us(s);
	count_waiting(s, 1);
	turns_look(s);
}

void turns_end(struct run *s, struct convert_sleep *sleep, enum convert_asleep how)
{
	struct convert_thread *t = &s->options->record->threads.items[sleep->thread];

	if (sleep->state == CONVERT_OVER)
		count_waiting(s, -1);
	sleep->state = how;
	t->rested_at = 0; /* waking up is no work */
	t->sleep = 0;
}

/* ---- who is next ------------------------------------------------------------------------------ */

/* Stopped by a signal: its sleep does not end before SIGCONT. */
static bool turns_is_stopped(const struct run *s, size_t thread)
{
	const struct run_thread *t = s->threads.items[thread];

	return t->tracee && t->tracee->state == TRACEE_GROUP_STOPPED;
}

static struct convert_sleep *first(struct run *s)
{
	struct convert_record *r = s->options->record;
	struct convert_sleep *found = NULL;

	for (size_t i = 0; i < r->threads.count; i++) {
		struct convert_sleep *sleep = convert_open_sleep(r, i);

		if (sleep && !turns_is_stopped(s, i) && (!found || sleep->due_ns < found->due_ns))
			found = sleep;
	}
	return found;
}

static bool is_together(const struct convert_sleep *sleep, const struct convert_sleep *first)
{
	uint64_t shorter = sleep->ns < first->ns ? sleep->ns : first->ns;
	uint64_t apart = sleep->due_ns - first->due_ns;

	return apart <= TOGETHER_MOST_NS && apart <= shorter / TOGETHER_PART;
}

static bool all_are_over(struct run *s, const struct convert_sleep *first)
{
	struct convert_record *r = s->options->record;

	for (size_t i = 0; i < r->threads.count; i++) {
		const struct convert_sleep *sleep = convert_open_sleep(r, i);

		if (sleep && sleep->state == CONVERT_ASLEEP && !turns_is_stopped(s, i) &&
		    is_together(sleep, first))
			return false;
	}
	return true;
}

/* Has it slept and waits for its turn, or is it not waited for? */
static bool is_aside(const struct run *s, const struct run_thread *t)
{
	const struct convert_sleep *sleep = convert_open_sleep(s->options->record, t->index);

	return (sleep && sleep->state == CONVERT_OVER) || convert_sleeps_on(s->options->record, t);
}

/* Does somebody work until the clock has gone on, and has noticed that it has? */
static bool is_past_by_clock(const struct run *s, const struct convert_sleep *sleep)
{
	return tracee_clock_seen_ns(s->tracee) >
	       sleep->begin_clock_ns + sleep->ns + sleep->ns / 2 + CLOCK_LEAST_NS;
}

/* Does somebody work for so long that no sleep would wait for it? */
static bool is_out_of_patience(const struct run *s, const struct convert_sleep *sleep)
{
	uint64_t us = sleep->ns / 1000;

	return is_past_by_clock(s, sleep) ||
	       tracee_worked_ns(s->tracee) >
		       sleep->begin_worked_ns + WORK_FACTOR * sleep->ns + WORK_LEAST_NS ||
	       now_us(s) > sleep->over_us + WAIT_FACTOR * us + WAIT_LEAST_US;
}

/* ---- they go on ------------------------------------------------------------------------------- */

static void wake(struct run *s, struct convert_sleep *sleep)
{
	struct convert_record *r = s->options->record;

	if (sleep->due_ns > r->now_ns)
		r->now_ns = sleep->due_ns;
	tracee_slept(s->tracee, r->now_ns);
	sleep->end_us = now_us(s);
	turns_end(s, sleep, CONVERT_TIMED_OUT);
	run_go(s, s->threads.items[sleep->thread]);
	s->events++;
}

/* Wakes it and those that end together with it; all are looked at before any of them moves. */
static void wake_all(struct run *s, struct convert_sleep *first)
{
	struct convert_record *r = s->options->record;
	struct convert_sleep **all = base_alloc(r->threads.count, sizeof(struct convert_sleep *));
	size_t count = 0;

	for (size_t i = 0; i < r->threads.count; i++) {
		struct convert_sleep *sleep = convert_open_sleep(r, i);

		if (sleep && sleep->state == CONVERT_OVER && is_together(sleep, first))
			all[count++] = sleep;
	}
	for (size_t i = 0; i < count; i++)
		convert_look_round(s, all[i]);
	for (size_t i = 0; i < count; i++)
		wake(s, all[i]);
	base_free(all);
}

void turns_look(struct run *s)
{
	struct convert_record *r = s->options->record;
	struct convert_sleep *next = NULL;

	for (size_t i = 0; r && i < r->threads.count; i++) {
		struct convert_sleep *sleep = convert_open_sleep(r, i);

		if (sleep && !s->threads.items[i]->tracee)
			turns_end(s, sleep, CONVERT_GONE);
		else if (sleep && sleep->state == CONVERT_OVER && is_out_of_patience(s, sleep))
			wake_all(s, sleep);
	}
	next = r ? first(s) : NULL;
	if (next && all_are_over(s, next) && waiting_rests(s, is_aside))
		wake_all(s, next);
}
