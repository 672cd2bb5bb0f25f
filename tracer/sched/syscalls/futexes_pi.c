/* Locks with priority inheritance (futex(2)): the word holds the owner's thread id, and an
   unlock passes it to the next owner. The strategy chooses that owner; priorities are ignored. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/futexes.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

enum { CHAIN_MOST = 1024 }; /* most owners in a chain of locks, as in the kernel */

/* ---- the word ---------------------------------------------------------------------------- */

static bool futexes_pi_word_at(const struct sched_thread *t, uint64_t address, uint32_t *word)
{
	return run_thread_read(t->thread, address, word, sizeof(*word)) == 0;
}

static bool set_word(const struct sched_thread *t, uint64_t address, uint32_t word)
{
	return run_thread_write(t->thread, address, &word, sizeof(word)) == 0;
}

static uint32_t tid_of(const struct sched_thread *t)
{
	return (uint32_t)run_thread_tracee(t->thread)->tid;
}

static bool futexes_pi_waits_for_lock(const struct sched_thread *t)
{
	return t->state == THREAD_FUTEX && t->waits == FUTEX_FOR_LOCK;
}

static size_t offer_waiters(struct scheduler *c, struct futex_key *lock)
{
	scheduler_offer_none(c);
	array_each(struct sched_thread *, t, &c->threads)
		if (futexes_pi_waits_for_lock(*t) && futexes_same(&(*t)->key, lock))
			scheduler_offer(c, *t, STRATEGY_WAKE);
	return c->points.count;
}

/* Gives the lock to one of the offered threads; `marks` are other bits of the word. Returns
   false if the run is over. */
static bool hand_over(struct scheduler *c, uint32_t marks)
{
	struct sched_thread *next = c->points.count > 1 ? scheduler_choose(c) : c->at.items[0];

	if (!next)
		return false;
	set_word(next, next->lock, tid_of(next) | FUTEX_WAITERS | marks);
	sched_thread_answered(next, 0);
	return true;
}

/* ---- lock -------------------------------------------------------------------------------- */

static struct sched_thread *owner_in(struct scheduler *c, uint32_t word)
{
	array_each(struct sched_thread *, t, &c->threads)
		if ((*t)->state != THREAD_ZOMBIE && tid_of(*t) == (word & FUTEX_TID_MASK))
			return *t;
	return NULL;
}

/* True if the owner waits for a lock of `t`, directly or through other threads. */
static bool closes_circle(struct scheduler *c, const struct sched_thread *t,
			  const struct sched_thread *owner)
{
	uint32_t word;

	for (unsigned n = 0; owner && n < CHAIN_MOST; n++) {
		if (owner == t)
			return true;
		if (!futexes_pi_waits_for_lock(owner) ||
		    !futexes_pi_word_at(owner, owner->lock, &word))
			return false;
		owner = owner_in(c, word);
	}
	return false;
}

/* Returns 0 if the thread has the lock, 1 if it must wait, else -errno. */
static int64_t futexes_pi_take(struct scheduler *c, struct sched_thread *t, uint64_t lock,
			       uint32_t marks)
{
	struct sched_thread *owner;
	uint32_t word;

	if (!futexes_pi_word_at(t, lock, &word))
		return -EFAULT;
	if ((word & FUTEX_TID_MASK) == tid_of(t))
		return -EDEADLK;
	if (!(word & FUTEX_TID_MASK))
		return set_word(t, lock, (word & FUTEX_OWNER_DIED) | tid_of(t) | marks) ? 0
											: -EFAULT;
	owner = owner_in(c, word);
	if (!set_word(t, lock, word | FUTEX_WAITERS))
		return -EFAULT;
	if (!owner)
		return -ESRCH;
	return closes_circle(c, t, owner) ? -EDEADLK : 1;
}

/* FUTEX_LOCK_PI has no flag for the clock and uses CLOCK_REALTIME. */
static void wait_for(struct scheduler *c, struct sched_thread *t, enum futex_waits what)
{
	const uint64_t *args = t->call.args;
	int clock = futexes_op(t) == FUTEX_LOCK_PI || args[1] & FUTEX_CLOCK_REALTIME
			    ? CLOCK_REALTIME
			    : CLOCK_MONOTONIC;

	times_wait(c, t, args[3], true, clock);
	t->waits = what;
	t->key = futexes_key(t, args[0]);
	futexes_wait_at(t);
}

void futexes_pi_lock(struct scheduler *c, struct sched_thread *t)
{
	int64_t taken = futexes_pi_take(c, t, t->call.args[0], 0);

	t->lock = t->call.args[0];
	if (taken == 1 && futexes_op(t) != FUTEX_TRYLOCK_PI)
		wait_for(c, t, FUTEX_FOR_LOCK);
	else
		sched_thread_answer(t, taken == 1 ? -EAGAIN : taken);
}

void futexes_pi_unlock(struct scheduler *c, struct sched_thread *t)
{
	struct futex_key key = futexes_key(t, t->call.args[0]);
	uint32_t word;

	if (!futexes_pi_word_at(t, t->call.args[0], &word))
		sched_thread_answer(t, -EFAULT);
	else if ((word & FUTEX_TID_MASK) != tid_of(t))
		sched_thread_answer(t, -EPERM);
	else if (!offer_waiters(c, &key))
		sched_thread_answer(t, set_word(t, t->call.args[0], 0) ? 0 : -EFAULT);
	else if (hand_over(c, 0))
		sched_thread_answer(t, 0);
}

/* ---- conditions -------------------------------------------------------------------------- */

void futexes_pi_wait_requeue(struct scheduler *c, struct sched_thread *t)
{
	const uint64_t *args = t->call.args;
	uint32_t word;

	t->lock = args[4];
	if (!futexes_pi_word_at(t, args[0], &word))
		sched_thread_answer(t, -EFAULT);
	else if (word != (uint32_t)args[2])
		sched_thread_answer(t, -EAGAIN);
	else
		wait_for(c, t, FUTEX_FOR_REQUEUE);
}

static size_t offer_requeued(struct scheduler *c, struct futex_key *from)
{
	scheduler_offer_none(c);
	array_each(struct sched_thread *, t, &c->threads)
		if ((*t)->state == THREAD_FUTEX && (*t)->waits == FUTEX_FOR_REQUEUE &&
		    futexes_same(&(*t)->key, from))
			scheduler_offer(c, *t, STRATEGY_WAKE);
	return c->points.count;
}

/* Gives the lock to the first waiter if it is free; the other waiters wait for the lock. */
void futexes_pi_requeue(struct scheduler *c, struct sched_thread *t)
{
	const uint64_t *args = t->call.args;
	struct futex_key from = futexes_key(t, args[0]), to = futexes_key(t, args[4]);
	uint32_t most = 1 + (uint32_t)args[3], moved = 0, word;
	int64_t taken = 0;
	size_t count;

	if (args[2] != 1 || !futexes_pi_word_at(t, args[0], &word)) {
		sched_thread_answer(t, args[2] != 1 ? -EINVAL : -EFAULT);
		return;
	}
	if (word != (uint32_t)args[5]) {
		sched_thread_answer(t, -EAGAIN);
		return;
	}
	futexes_look_up(&to);
	for (; moved < most && (count = offer_requeued(c, &from)); moved++) {
		bool matters = count > 1 && (!moved || count > most - moved);
		struct sched_thread *w = matters ? scheduler_choose(c) : c->at.items[0];

		if (!w)
			return;
		taken = futexes_pi_take(c, w, w->lock, FUTEX_WAITERS);
		if (taken < 0)
			break;
		w->waits = FUTEX_FOR_LOCK;
		w->key = to;
		if (taken == 0)
			sched_thread_answered(w, 0);
	}
	sched_thread_answer(t, moved ? moved : taken);
}

/* ---- exit or interruption of a thread ---------------------------------------------------- */

/* Gives the locks of an exited thread to waiters. The kernel has cleared the owner's id in
   robust locks only. */
void futexes_pi_thread_gone(struct scheduler *c, uint32_t tid)
{
	for (size_t i = 0; i < c->threads.count; i++) {
		struct sched_thread *t = c->threads.items[i];
		struct futex_key key = t->key;
		uint32_t word;

		if (!futexes_pi_waits_for_lock(t) || !futexes_pi_word_at(t, t->lock, &word) ||
		    ((word & FUTEX_TID_MASK) != tid &&
		     (word & (FUTEX_TID_MASK | FUTEX_OWNER_DIED)) != FUTEX_OWNER_DIED))
			continue;
		offer_waiters(c, &key);
		if (!hand_over(c, FUTEX_OWNER_DIED))
			return;
	}
}

void futexes_pi_interrupt(struct sched_thread *t)
{
	bool moved = t->waits == FUTEX_FOR_LOCK && t->lock != t->call.args[0];

	if (moved)
		tracee_answer(run_thread_tracee(t->thread), -EAGAIN);
	else
		tracee_call_again(run_thread_tracee(t->thread));
	sched_thread_goes(t);
}

/* Makes the thread wait for the lock in the kernel, which does not know of the requeue. */
void futexes_pi_let_wait(struct sched_thread *t)
{
	if (t->lock == t->call.args[0])
		return;
	tracee_argument(run_thread_tracee(t->thread), 0, t->lock);
	tracee_argument(run_thread_tracee(t->thread), 1,
			FUTEX_LOCK_PI | (t->call.args[1] & FUTEX_PRIVATE_FLAG));
}
