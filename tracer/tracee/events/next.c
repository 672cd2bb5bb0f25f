/* The next event: from the queue, the clock, a signal to gatectl, or waitpid. */
#include "tracer/tracee/events/signals.h"
#include "tracer/tracee/tracee_internal.h"

#include <assert.h>
#include <errno.h>
#include <sys/wait.h>

static bool tick(struct tracee *t, struct tracee_event *out)
{
	signals_take_tick();
	t->gave = GAVE_TICK;
	*out = (struct tracee_event){.kind = TRACEE_TICK};
	return true;
}

int tracee_forget_interrupt(void)
{
	int signal, ending = 0;

	while ((signal = signals_interrupt()) > 0)
		if (signal != SIGINT)
			ending = signal;
	if (!ending)
		hurry_end();
	return ending;
}

static bool interrupted(struct tracee_event *out)
{
	int signal = signals_interrupt();

	*out = (struct tracee_event){.kind = TRACEE_INTERRUPT, .signal = signal};
	return signal != 0;
}

/* Waits for a status and handles it. Returns true only with an event in *out that has no thread. */
static bool next_gather(struct tracee *t, struct tracee_event *out)
{
	bool due = signals_tick_due();
	int status;
	pid_t tid;

	if (t->parked.count)
		orphan_settle(t);
	if (t->queue.count)
		return false;
	if (template_is_left(t)) {
		*out = (struct tracee_event){.kind = TRACEE_EMPTY};
		return true;
	}
	tid = status_of_any(t, &status, due ? WNOHANG : 0);
	if (tid > 0) {
		event_status(t, tid, status);
		return false;
	}
	if (!tid)
		return tick(t, out);
	if (errno != ECHILD)
		return false;
	assert(!t->alive);
	*out = (struct tracee_event){.kind = TRACEE_EMPTY};
	return true;
}

/* Drops an event of an unfollowed process, or of a word that is no longer watched. */
static bool goes_unsaid(struct tracee *t, const struct tracee_event *ev)
{
	if (ev->kind == TRACEE_WATCH && !ev->process->space->watched.n)
		tracee_resume(t, ev->thread);
	else if (!ev->process || !ev->process->unfollowed)
		return false;
	t->last = *ev;
	family_bury(t);
	return true;
}

/* Takes one step; returns true with an event in *out. A tick that is due comes first, but a pending
   event comes between two ticks. */
static bool next_next(struct tracee *t, struct tracee_event *out)
{
	if (t->gave == GAVE_NOTHING) { /* the very first event is the program's exec */
		t->gave = event_take(t, out) ? GAVE_EVENT : GAVE_NOTHING;
		return t->gave;
	}
	if (interrupted(out))
		return true;
	if (t->gave != GAVE_TICK && signals_tick_due())
		return tick(t, out);
	if (!event_take(t, out)) {
		if (!next_gather(t, out))
			return false;
	} else if (goes_unsaid(t, out)) {
		return false;
	}
	if (out->kind != TRACEE_TICK)
		t->gave = GAVE_EVENT;
	return true;
}

void tracee_wait(struct tracee *t, struct tracee_event *out)
{
	/* In a search this would cost a request at each point, where
	   threads stay only for a moment. */
	if (t->last.kind == TRACEE_SITE && t->last.thread && !t->calls)
		thread_settle(thread_of(t->last.thread));
	family_bury(t);
	if (t->detached) {
		*out = (struct tracee_event){.kind = TRACEE_EMPTY};
		return;
	}
	thread_check(t);
	signals_waiting(true);
	while (!next_next(t, out))
		;
	signals_waiting(false);
	t->last = *out;
}
