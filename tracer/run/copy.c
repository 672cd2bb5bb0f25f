/* A run that begins with a copy of another run's program. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/threads.h"
#include "tracer/tracee/snapshot/snapshot.h"

struct run_thread *run_copy(struct run *s, const struct run *from, struct error *err)
{
	struct tracee_thread *thread;
	struct tracee_process *process = tracee_copy(from->tracee, &thread, err);

	if (!process)
		return NULL;
	s->start_us = run_now_us();
	s->tracee = from->tracee;
	s->copy_of = from;
	s->tick_ms = from->tick_ms;
	s->root = threads_process(s, process);
	images_copy(s->root, from->root);
	s->loading.root_settled = true;
	return threads_new(s, s->root, thread, "main");
}
