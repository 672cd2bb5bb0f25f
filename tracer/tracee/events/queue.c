/* Events that have happened and are not reported yet, in order. */
#include "tracer/tracee/tracee_internal.h"

bool event_silent(const struct thread *th)
{
	return th->pub.process->unfollowed;
}

struct tracee_event *event_push(struct tracee *t, enum tracee_event_kind kind, struct thread *th)
{
	struct tracee_event *ev = array_add(&t->queue);

	ev->kind = kind;
	ev->thread = &th->pub;
	ev->process = th->pub.process;
	return ev;
}

bool event_take(struct tracee *t, struct tracee_event *out)
{
	if (t->queue_head == t->queue.count)
		return false;
	*out = t->queue.items[t->queue_head++];
	if (t->queue_head == t->queue.count)
		t->queue_head = t->queue.count = 0;
	return true;
}

bool tracee_is_settled(const struct tracee *t, size_t running)
{
	return t->queue_head == t->queue.count && t->running == running;
}

bool tracee_is_queued(const struct tracee *t, const struct tracee_thread *thread)
{
	for (size_t i = t->queue_head; i < t->queue.count; i++)
		if (t->queue.items[i].thread == thread)
			return true;
	return false;
}
