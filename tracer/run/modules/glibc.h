/*
 * The layout of glibc's objects, for whoever reads them in the program's memory. Constants are
 * offsets that have been the same since glibc 2.25; whatever has changed since is read from the
 * libc that the process has loaded. A program with another libc has none of these objects.
 */
#ifndef GATECTL_RUN_MODULES_GLIBC_H
#define GATECTL_RUN_MODULES_GLIBC_H

#include "tracer/run/state.h"

enum {
	GLIBC_MUTEX_COUNT = 4,
	GLIBC_MUTEX_OWNER = 8,	/* tid */
	GLIBC_RWLOCK_PHASE = 8, /* where readers and the first writer wait */
	GLIBC_RWLOCK_WRITERS = 12,
	GLIBC_RWLOCK_WRITER = 24, /* tid */
	GLIBC_RWLOCK_SHARED = 28, /* 0 or 1 */
	GLIBC_SEMAPHORE_WAITERS = 4,
	GLIBC_BARRIER_ROUND = 4,
	GLIBC_BARRIER_COUNT = 8,
	GLIBC_STREAM_LOCK = 136, /* in a FILE, a pointer */
	GLIBC_STREAM_OWNER = 8,	 /* in the lock, a pointer to the owner's struct pthread */
};

/* The offset in a pthread_cond_t of the number of its waiters (times 8), which the two words follow
   where they wait: 36 before glibc 2.41 (and its backports), 28 since. 0: not known. */
uint32_t glibc_condition_waiters(const struct run_process *p);
/* The offset of the thread's tid in struct pthread; 0: not known. */
uint32_t glibc_thread_tid(const struct run_process *p);
/* Is the address within this thread's struct pthread? */
bool glibc_thread_has(const struct run_thread *t, uint64_t address);

#endif
