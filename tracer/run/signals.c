/* Signals to gatectl, for callers that make several runs; and a program that stops gatectl by
   ptrace. */
#include "tracer/run/run_internal.h"
#include "tracer/run/signals.h"
#include "tracer/tracee/events/events.h"
#include "tracer/tracee/attach/attach.h"

void run_signals_hold(void)
{
	tracee_signals_hold();
}

int run_signals_release(void)
{
	return tracee_signals_release();
}

bool run_signals_came(void)
{
	return tracee_signals_came();
}

void run_signals_put_back(int signal)
{
	tracee_signals_put_back(signal);
}

void run_signals_unlink(const char *path)
{
	tracee_signals_unlink(path);
}

void run_signals_say(const char *text)
{
	tracee_signals_say(text);
}

void run_signals_as_found(void)
{
	tracee_signals_as_found();
}

/* Reports a process that was killed because it had stopped gatectl by ptrace. */
void signals_note_frozen(struct run *s)
{
	ERROR(err);

	if (!tracee_frozen_by())
		return;
	error_set(&err, ERROR_STATE,
		  "process %d of the program traced gatectl itself and stopped it, so that no "
		  "thread could run: gatectl killed the process",
		  (int)tracee_frozen_by());
	error_hint(&err, "run the program without the code that attaches to its parent: a process "
			 "has one tracer");
	run_fault(s, &err);
}
