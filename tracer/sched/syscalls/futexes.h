/* Futex calls: keys, and locks with priority inheritance. */
#ifndef GATECTL_SCHED_SYSCALLS_FUTEXES_H
#define GATECTL_SCHED_SYSCALLS_FUTEXES_H

#include "tracer/sched/sched_internal.h"

/* ---- futexes.c, for futexes_pi.c ---- */

/* Returns the key of the word at the address in the thread's process. */
struct futex_key futexes_key(const struct sched_thread *t, uint64_t address);
/* Returns true if both are keys of one word. */
bool futexes_same(struct futex_key *x, struct futex_key *y);
/* Resolves the key, which stays valid after the thread's exit. */
void futexes_look_up(struct futex_key *key);
/* Returns the operation of the thread's call, FUTEX_WAIT and so on, without flags. */
int futexes_op(const struct sched_thread *t);
/* Makes the thread wait before its call; `waits` is set. */
void futexes_wait_at(struct sched_thread *t);

/* ---- futexes_pi.c ---- */

/* Handles FUTEX_LOCK_PI, FUTEX_UNLOCK_PI, FUTEX_WAIT_REQUEUE_PI and FUTEX_CMP_REQUEUE_PI. */
void futexes_pi_lock(struct scheduler *c, struct sched_thread *t);
/* Like futexes_pi_lock(). */
void futexes_pi_unlock(struct scheduler *c, struct sched_thread *t);
/* Like futexes_pi_lock(). */
void futexes_pi_wait_requeue(struct scheduler *c, struct sched_thread *t);
/* Like futexes_pi_lock(). */
void futexes_pi_requeue(struct scheduler *c, struct sched_thread *t);
/* The thread has exited: its locks go to waiters. */
void futexes_pi_thread_gone(struct scheduler *c, uint32_t tid);
/* Interrupts the wait for a signal handler; the thread waits again after it. */
void futexes_pi_interrupt(struct sched_thread *t);
/* Lets the thread wait in the kernel. */
void futexes_pi_let_wait(struct sched_thread *t);

#endif
