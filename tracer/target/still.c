/* Everybody else stands still for a moment. */
#include "tracer/target/target_internal.h"

void halt_others(struct target *t, const struct thread *but, struct paused *paused)
{
	struct thread *other;

	TAILQ_FOREACH(other, &t->threads, link)
	if (other != but && thread_is_alive(other) && other->pub.state != TARGET_STOPPED)
		*array_add(paused) = other;
	if (paused->count)
		target_halt(t);
}

void let_others_go(struct target *t, struct paused *paused)
{
	array_each(struct thread *, other, paused)
		if (thread_is_alive(*other) && target_is_paused(&(*other)->pub))
			target_resume(t, &(*other)->pub);
	array_fini(paused);
}
