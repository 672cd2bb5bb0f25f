/* Threads that live when another thread ends their process. */
#include "tracer/sched/sched_internal.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/run/modules/images.h"

enum { NAMED = 4 }; /* threads of one line each */

/* True for a helper of the C library (SIGEV_THREAD, aio), which never ends. */
static bool is_library_thread(const struct sched_thread *t)
{
	struct run_process *p = run_process_of(t->thread);
	uint64_t routine = run_thread_routine(t->thread), offset, size;
	const struct image *image = routine ? images_find(run_of(p), p, routine) : NULL;

	return image && image->module != run_process_exe(p) &&
	       module_symbol(image->module, "pthread_create", &offset, &size) == 0;
}

/* A thread that is about to exit has ended for the C library. */
static bool is_left(const struct sched_thread *t, const struct sched_thread *ends)
{
	return t != ends && run_process_of(t->thread) == run_process_of(ends->thread) &&
	       t->state != THREAD_ZOMBIE && !is_library_thread(t) &&
	       !(t->state == THREAD_READY && t->point.op == STRATEGY_END);
}

/* True if only another thread, or an event from outside, could end the thread's wait. */
static bool waits_for_good(const struct sched_thread *t)
{
	return t->state != THREAD_READY && t->state != THREAD_RUNS && !t->timed && !t->signalled;
}

static void add_thread(const struct sched_thread *t, struct str *out)
{
	str_addf(out, "%s%s had not ended: ", out->length ? "\n" : "", run_thread_id(t->thread));
	waiting_says(t->thread, out);
}

/* ---- describing threads ------------------------------------------------------------------ */

/* True if the thread is still stopped: after a deadlock stuck() lets such threads into the
   kernel. */
static bool is_parked(const struct sched_thread *t)
{
	return sched_thread_is_parked(t) && run_thread_tracee(t->thread)->state == TRACEE_STOPPED;
}

/* Threads that wait by a decision of the scheduler are stopped before their call. At the end of
   a run they are described as if they waited in the kernel, where they would be without the
   scheduler. */
void sched_judge(struct scheduler *c)
{
	array_each(struct sched_thread *, t, &c->threads) {
		const struct tracee_made *call = &(*t)->call;
		struct judged *judged = judged_of((*t)->thread);

		judged->ready = (*t)->state == THREAD_READY;
		if (!is_parked(*t))
			continue;
		judged->on = true;
		judged->look =
			(struct tracee_block){.activity = TRACEE_BLOCKED, .number = call->number};
		for (size_t i = 0; i < sizeof(call->args) / sizeof(*call->args); i++)
			judged->look.args[i] = call->args[i];
	}
}

/* Threads that wait are named; others only if none waits. */
static void describe_left(struct scheduler *c, const struct sched_thread *ends, unsigned waiting)
{
	struct str *out = &c->given->left;
	unsigned named = 0, all = waiting ? waiting : c->given->left_count;

	sched_judge(c);
	waiting_look_all(c->run);
	array_each(struct sched_thread *, t, &c->threads)
		if (is_left(*t, ends) && (!waiting || waits_for_good(*t)) && named++ < NAMED)
			add_thread(*t, out);
	if (all > NAMED)
		str_addf(out, "\nand %u more threads", all - NAMED);
}

void left_look(struct scheduler *c, const struct sched_thread *ends)
{
	struct sched *g = c->given;
	bool again = g->flags & SCHED_JUDGES;
	unsigned waiting = 0;

	array_each(struct sched_thread *, t, &c->threads) {
		g->left_count += is_left(*t, ends);
		waiting += is_left(*t, ends) && waits_for_good(*t);
	}
	if (!waiting && !((g->flags & SCHED_LEAKS) && g->left_count))
		return;
	if (g->is_left_told && !again)
		return;
	g->is_left_told = true;
	describe_left(c, ends, waiting);
}
