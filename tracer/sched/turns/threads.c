/* Scheduled threads and their paths: a thread's path is its creator's path and its child number. */
#include "tracer/sched/sched_internal.h"

#include <stdio.h>
#include <string.h>

enum { PATH_MOST = 4096 };

unsigned threads_number_of(struct sched *g, const char *path)
{
	for (size_t i = 0; i < g->paths.count; i++)
		if (strcmp(g->paths.items[i], path) == 0)
			return (unsigned)i;
	*array_add(&g->paths) = base_strdup(path);
	return (unsigned)g->paths.count - 1;
}

/* Returns the thread that created `t`, or the first thread of the process that forked. Returns
   NULL for the first thread of the program. */
static struct sched_thread *maker_of(const struct run_thread *t)
{
	const struct tracee_thread *creator = run_thread_tracee(t)->creator;
	const struct tracee_process *parent;

	if (creator && creator->user)
		return sched_thread_of(creator->user);
	parent = run_process_tracee(run_process_of(t))->parent;
	if (!parent || !parent->user)
		return NULL;
	run_each_thread(other, run_of(run_process_of(t)))
		if (run_process_of(other) == parent->user)
			return sched_thread_of(other);
	return NULL;
}

/* Keeps c->threads sorted by path, an order that does not depend on time. */
static void insert(struct scheduler *c, struct sched_thread *t)
{
	size_t i = c->threads.count;

	(void)array_add(&c->threads);
	for (; i > 0 && strcmp(c->threads.items[i - 1]->path, t->path) > 0; i--)
		c->threads.items[i] = c->threads.items[i - 1];
	c->threads.items[i] = t;
}

void sched_thread_new(struct scheduler *c, struct run_thread *thread)
{
	struct sched_thread *t = sched_thread_of(thread), *maker = maker_of(thread);
	char path[PATH_MOST] = "0";

	if (maker && maker->thread)
		snprintf(path, sizeof(path), "%s.%04x", maker->path, ++maker->children);
	else if (c->threads.count)
		snprintf(path, sizeof(path), "1.%04zx", run_thread_index(thread));
	t->number = threads_number_of(c->given, path);
	t->path = c->given->paths.items[t->number];
	t->listed = schedule_thread(&c->given->schedule, run_thread_id(thread));
	t->thread = thread;
	t->clears = run_thread_tracee(thread)->clears;
	t->at_point = true;
	t->point = (struct strategy_point){.thread = t->number, .op = STRATEGY_START};
	insert(c, t);
	addresses_thread(c, t);
	watch_thread(c, t, maker);
}

/* The scheduler removed the thread together with the threads that the exec ended. Its addresses
   belong to memory that no longer exists. */
void sched_thread_exec(struct scheduler *c, struct sched_thread *t)
{
	for (size_t i = 0; i < c->threads.count; i++)
		if (c->threads.items[i] == t)
			return;
	t->clears = 0;
	t->function = NULL;
	insert(c, t);
}

void scheduler_begin(struct run *s, struct run_thread *t)
{
	struct scheduler *c = scheduler_of(s);

	c->begun = true;
	c->now_ns = c->given->start_ns;
	c->random = c->given->start_random;
	if (!t)
		return;
	sched_thread_new(c, t);
	loops_put(s, run_process_of(t), run_thread_tracee(t));
}

void sched_thread_forget(struct scheduler *c, struct sched_thread *t)
{
	watch_end(c, t);
	for (size_t i = 0; i < c->threads.count; i++)
		if (c->threads.items[i] == t) {
			array_remove(&c->threads, i);
			break;
		}
	if (sched_thread_in_kernel(t))
		c->kernel--;
	t->state = THREAD_RUNS;
}

/* Other threads of the process can still be reported as stopped, but they do not move again. */
void sched_threads_forget(struct scheduler *c, const struct run_process *p)
{
	c->dying = p;
	for (size_t i = c->threads.count; i-- > 0;)
		if (run_process_of(c->threads.items[i]->thread) == p)
			sched_thread_forget(c, c->threads.items[i]);
}
