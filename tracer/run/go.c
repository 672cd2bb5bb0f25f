/* Resumes a thread, or ends the run. */
#include "tracer/run/run_internal.h"
#include "tracer/tracee/attach/attach.h"

#include <time.h>

uint64_t run_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void run_note_held(struct run *s, struct run_thread *t)
{
	double ms = t->held_since ? (double)(run_now_us() - t->held_since) / 1000 : 0;

	if (t->held_since && t->hold.gate) {
		while (s->held_max.count <= t->hold.gate->index)
			*array_add(&s->held_max) = 0;
		if (ms > s->held_max.items[t->hold.gate->index])
			s->held_max.items[t->hold.gate->index] = ms;
	}
	t->held_since = 0;
}

/* Observers record the state of the threads before the program is killed. */
void run_end(struct run *s)
{
	if (s->over)
		return;
	observe(end, s);
	for (size_t i = 0; i < s->threads.count; i++)
		run_note_held(s, s->threads.items[i]);
	s->over = true;
	if (!s->options->pid)
		tracee_kill_all(s->tracee);
}

void run_let_go(struct run *s)
{
	s->over = true;
	tracee_detach(s->tracee);
}

void run_fault(struct run *s, const struct error *err)
{
	if (s->over || s->outcome.fault == OUTCOME_FAULT || s->outcome.fault == OUTCOME_FAILED)
		return;
	outcome_fault(&s->outcome, err);
	error_copy(&s->fault, err);
	run_end(s);
}

void run_go(struct run *s, struct run_thread *t)
{
	bool taken = false;

	observe_until(taken, goes, s, t);
	if (taken)
		return;
	t->sent_scope = 0;
	tracee_resume(s->tracee, t->tracee);
}

void run_thread_unpause(struct run *s, struct run_thread *t)
{
	t->paused = false;
	t->sent_scope = 0;
	tracee_resume(s->tracee, t->tracee);
}
