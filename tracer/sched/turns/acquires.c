/* The effect of a thread's next acquisition, read from the lock: for strategies that never choose a
   step that only waits. The layouts are glibc's, which its static initialisers fix. */
#include "tracer/sched/sched_internal.h"

#include <linux/futex.h>
#include <string.h>

enum lock {
	NO_LOCK,
	MUTEX,
	WAITED_MUTEX, /* the mutex of a condition variable, which a woken thread takes again */
	SEMAPHORE,
	SPINLOCK,
	THREAD_END,
};

/* Functions that only wait while the lock is held: time-outs and try functions go on, and a writer
   that waits for a rwlock can keep readers out. */
static const struct {
	const char *name;
	enum lock lock;
} acquirers[] = {
	{"pthread_mutex_lock", MUTEX},
	{"mtx_lock", MUTEX},
	{"pthread_cond_wait", WAITED_MUTEX},
	{"cnd_wait", WAITED_MUTEX},
	{"sem_wait", SEMAPHORE},
	{"pthread_spin_lock", SPINLOCK},
	{"pthread_join", THREAD_END},
	{"thrd_join", THREAD_END},
};

static enum lock lock_of(const struct sched_thread *t)
{
	for (size_t i = 0; i < sizeof(acquirers) / sizeof(*acquirers); i++)
		if (strcmp(acquirers[i].name, t->function) == 0)
			return acquirers[i].lock;
	return NO_LOCK;
}

/* struct __pthread_mutex_s up to __kind: 0, 1 or 2, or the owner's id with bits. */
struct mutex_words {
	uint32_t word, count, owner, users, kind;
};

static enum strategy_acquire acquires_mutex(const struct sched_thread *t, uint64_t mutex)
{
	enum { KIND = 3, RECURSIVE = 1, CHECKS = 2 };
	struct mutex_words m;

	if (run_thread_read(t->thread, mutex, &m, sizeof(m)) < 0)
		return STRATEGY_ACQUIRE_UNKNOWN;
	if (!(m.word & FUTEX_TID_MASK))
		return STRATEGY_ACQUIRE_FREE;
	if (m.owner == (uint32_t)run_thread_engine(t->thread)->tid &&
	    ((m.kind & KIND) == RECURSIVE || (m.kind & KIND) == CHECKS))
		return STRATEGY_ACQUIRE_AGAIN;
	return STRATEGY_ACQUIRE_HELD;
}

/* The value of a semaphore is its first word; that of a spin lock is 1 if it is free. */
static enum strategy_acquire acquires_word(const struct sched_thread *t)
{
	int32_t word;

	if (run_thread_read(t->thread, t->point.object, &word, sizeof(word)) < 0)
		return STRATEGY_ACQUIRE_UNKNOWN;
	return word > 0 ? STRATEGY_ACQUIRE_FREE : STRATEGY_ACQUIRE_HELD;
}

static enum strategy_acquire acquires_end(const struct scheduler *c, const struct sched_thread *t)
{
	array_each(struct sched_thread *const, other, &c->threads)
		if (*other != t && (*other)->state != THREAD_ZOMBIE &&
		    run_process_of((*other)->thread) == run_process_of(t->thread) &&
		    (*other)->base == t->point.object)
			return STRATEGY_ACQUIRE_HELD;
	return STRATEGY_ACQUIRE_FREE;
}

static enum strategy_acquire acquires_of(const struct scheduler *c, const struct sched_thread *t)
{
	if (t->state != THREAD_READY || !t->function)
		return STRATEGY_ACQUIRE_UNKNOWN;
	switch (lock_of(t)) {
	case MUTEX:
		return acquires_mutex(t, t->point.object);
	case WAITED_MUTEX:
		return t->next == NEXT_ANSWERS ? acquires_mutex(t, t->objects[1])
					       : STRATEGY_ACQUIRE_UNKNOWN;
	case SEMAPHORE:
	case SPINLOCK:
		return acquires_word(t);
	case THREAD_END:
		return acquires_end(c, t);
	case NO_LOCK:
		break;
	}
	return STRATEGY_ACQUIRE_UNKNOWN;
}

void acquires_look(const struct scheduler *c, const struct sched_thread *t,
		   struct strategy_point *p)
{
	p->acquires = acquires_of(c, t);
	if (!t->function || p->op != STRATEGY_WAIT || p->object != STRATEGY_ANY_OBJECT)
		return;
	p->pair[0] = t->objects[0];
	p->pair[1] = t->objects[1];
}
