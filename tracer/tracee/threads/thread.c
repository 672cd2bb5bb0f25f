/* Tables of processes and threads, and how many threads are in which state. */
#include "tracer/tracee/events/signals.h"
#include "tracer/tracee/tracee_internal.h"

#include <assert.h>

struct process *process_new(struct tracee *t, pid_t pid, struct tracee_process *parent,
			    struct tracee_space *space)
{
	struct process *p = base_alloc(1, sizeof(*p));

	p->tracee = t;
	p->pub.pid = pid;
	p->pub.parent = parent;
	p->pub.space = space;
	space->users++;
	if (parent)
		/* a snapshot cannot restore a process with children */
		((struct process *)parent)->spoiled = true;
	TAILQ_INSERT_TAIL(&t->processes, p, link);
	hurry_add(pid);
	return p;
}

void process_free(struct tracee *t, struct process *p)
{
	struct process *other;

	assert(!p->pub.threads);
	hurry_remove(p->pub.pid);
	TAILQ_REMOVE(&t->processes, p, link);
	TAILQ_FOREACH(other, &t->processes, link)
	if (other->pub.parent == &p->pub)
		other->pub.parent = NULL;
	space_unuse(t, p->pub.space);
	base_free(p);
}

struct process *process_find(struct tracee *t, pid_t pid)
{
	struct process *p;

	TAILQ_FOREACH(p, &t->processes, link)
	if (p->pub.pid == pid && !p->gone)
		return p;
	return NULL;
}

static struct thread **bucket_of(struct tracee *t, pid_t tid)
{
	return &t->buckets[(unsigned)tid % THREAD_BUCKETS];
}

static void hash(struct thread *th)
{
	struct thread **bucket = bucket_of(th->tracee, th->pub.tid);

	th->bucket = *bucket;
	*bucket = th;
}

static void unhash(struct thread *th)
{
	struct thread **at = bucket_of(th->tracee, th->pub.tid);

	while (*at != th)
		at = &(*at)->bucket;
	*at = th->bucket;
}

/* Adds a thread that is stopped. */
struct thread *thread_new(struct tracee *t, struct process *p, pid_t tid, struct thread *creator)
{
	struct thread *th = base_alloc(1, sizeof(*th));

	th->tracee = t;
	th->pub.tid = tid;
	th->pub.process = &p->pub;
	th->pub.creator = creator ? &creator->pub : NULL;
	th->pub.state = TRACEE_STOPPED;
	th->stop = STOP_START;
	p->pub.threads++;
	t->alive++;
	t->stopped++;
	hash(th);
	TAILQ_INSERT_TAIL(&t->threads, th, link);
	return th;
}

struct thread *thread_find(struct tracee *t, pid_t tid)
{
	struct thread *th = *bucket_of(t, tid);

	while (th && th->pub.tid != tid)
		th = th->bucket;
	return th;
}

void thread_set_state(struct thread *th, enum tracee_state state)
{
	struct tracee *t = th->tracee;

	if ((th->pub.state == TRACEE_STOPPED) != (state == TRACEE_STOPPED)) {
		t->stopped += state == TRACEE_STOPPED ? 1 : -1;
		t->running += state == TRACEE_STOPPED ? -1 : 1;
	}
	th->pub.state = state;
	th->regs_known = false;
}

void thread_rename(struct thread *th, pid_t tid)
{
	unhash(th);
	th->pub.tid = tid;
	hash(th);
}

void thread_unhash(struct thread *th)
{
	thread_set_state(th, TRACEE_RUNNING);
	th->stop = STOP_NONE;
	th->pub.found = false;
	unhash(th);
	th->tracee->running--;
	th->tracee->alive--;
	th->pub.process->threads--;
}

void thread_free(struct thread *th)
{
	struct thread *other;

	TAILQ_REMOVE(&th->tracee->threads, th, link);
	TAILQ_FOREACH(other, &th->tracee->threads, link)
	if (other->pub.creator == &th->pub)
		other->pub.creator = NULL;
	array_fini(&th->restarts);
	array_fini(&th->elisions);
	base_free(th->info);
	base_free(th);
}

struct thread *thread_stopped_in(struct tracee *t, const struct tracee_space *space)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (th->pub.process->space == space && th->pub.state == TRACEE_STOPPED)
		return th;
	return NULL;
}

/* Checks that each living thread is counted once: running (group stops included) or stopped. */
void thread_check(const struct tracee *t)
{
	assert(t->alive == t->running + t->stopped);
	assert(t->alive || !t->stopped);
}

struct tracee_thread *tracee_next_thread(struct tracee *t, struct tracee_thread *after)
{
	struct thread *th = after ? TAILQ_NEXT(thread_of(after), link) : TAILQ_FIRST(&t->threads);

	return th ? &th->pub : NULL;
}

bool thread_is_alive(const struct thread *th)
{
	return thread_find(th->tracee, th->pub.tid) == th;
}
