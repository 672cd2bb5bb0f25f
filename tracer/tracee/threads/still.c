/* Everybody else stands still for a moment. */
#include "tracer/tracee/tracee_internal.h"

void halt_others(struct tracee *t, const struct thread *but, struct paused *paused)
{
	struct thread *other;

	TAILQ_FOREACH(other, &t->threads, link)
	if (other != but && thread_is_alive(other) && other->pub.state != TRACEE_STOPPED)
		*array_add(paused) = other;
	if (paused->count)
		tracee_halt(t);
}

void let_others_go(struct tracee *t, struct paused *paused)
{
	array_each(struct thread *, other, paused)
		if (thread_is_alive(*other) && tracee_is_paused(&(*other)->pub))
			tracee_resume(t, &(*other)->pub);
	array_fini(paused);
}
