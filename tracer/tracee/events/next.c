/* The next event: what is queued, what the clock or a person says, what waitpid has. */
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

/* True with an event of no thread, or after a status was dealt with and something is queued. */
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

/* The end of a process that nobody knows of, a write to a word that nobody asks for any more. */
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

/* A tick that is due comes first, but never twice without an event that is there in between. */
static bool next_next(struct tracee *t, struct tracee_event *out)
{
	if (t->gave == GAVE_NOTHING) { /* the first of all is the program's exec */
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
	/* In a search, where threads stay for a moment at each point, that is a request for each. */
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
