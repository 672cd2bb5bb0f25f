/*
 * Data races: pairs of accesses to memory that no synchronisation of the program orders.
 *
 * Made-up events in, pairs of places out: no ptrace, no clock, no file. Two accesses race if they
 * share a byte, come from two threads, at least one writes, and neither happens before the other.
 * The happens-before relation is that of FastTrack (Flanagan, Freund: FastTrack: efficient and
 * precise dynamic race detection, PLDI 2009), with each byte as a variable.
 *
 * Every reported pair is a race, and the first race of a run on each byte is reported. Later races
 * on a byte can be missed: only the last write is kept, and each thread's last read after it.
 *
 * Threads are small numbers, unique in a run. Objects and addresses share one space, so an atomic
 * variable is its own object.
 */
#ifndef GATECTL_SCHED_RACES_RACES_H
#define GATECTL_SCHED_RACES_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct races;

/* Returns an empty search, freed by races_free(). */
struct races *races_new(void);
/* Frees the search. NULL is allowed. */
void races_free(struct races *r);
/* Starts a new run of the same program. Pairs of earlier runs are kept. */
void races_restart(struct races *r);

/* ---- events of a run, in order ----------------------------------------------------------- */

enum { RACES_NOBODY = UINT16_MAX };

/* Orders the new thread after its creator's steps so far. RACES_NOBODY: it exists from the
   start. */
void races_thread_begin(struct races *r, unsigned thread, unsigned creator);

/* The thread makes a synchronising call on the object: an acquire, then a release, and another
   acquire at the thread's next point, since the call may have waited. A call with two objects
   (pthread_cond_wait) is two of these. */
void races_sync(struct races *r, unsigned thread, uint64_t object);
/* The thread's calls have returned. Every access implies this. */
void races_point(struct races *r, unsigned thread);

/* The thread holds the lock from now on. Locksets describe pairs; only races_sync() orders
   accesses. */
void races_lock(struct races *r, unsigned thread, uint64_t object);
/* The thread no longer holds the lock. */
void races_unlock(struct races *r, unsigned thread, uint64_t object);
/* Ends a thread: its locks are released, as a robust lock passes to the next thread. */
void races_thread_end(struct races *r, unsigned thread);

enum { RACES_LONGEST = 1 << 16 }; /* bytes examined of a longer access */

struct races_access {
	uint64_t address, size;
	bool writes; /* writes, or reads and writes */
	/* synchronises with all atomic accesses of the address, and races with none of them */
	bool atomic;
	uint32_t place;
};
/* Compares the access with earlier ones, adds pairs that race, and keeps it. */
void races_access(struct races *r, unsigned thread, const struct races_access *a);

/* Forgets accesses to the memory, which was unmapped or allocated: its next owner is
   independent. */
void races_forget(struct races *r, uint64_t low, uint64_t size);
/* Frees the memory, which counts as a write to all of it: it races with unordered accesses
   before it, and after it until the memory is forgotten. */
void races_give_back(struct races *r, unsigned thread, uint64_t low, uint64_t size, uint32_t place);
/* Returns true if the address is freed and not forgotten. */
bool races_is_given_back(const struct races *r, uint64_t address);
/* Returns true if any memory is freed and not forgotten. */
bool races_have_given_back(const struct races *r);
/* Forgets all freed memory, since an unknown part of it was allocated. */
void races_forget_given_back(struct races *r);

/* ---- results of all runs ----------------------------------------------------------------- */

struct races_side {
	uint32_t place;
	unsigned thread;
	bool writes, atomic;
	const uint64_t *locks; /* lockset of the thread, sorted */
	size_t lock_count;
};

/* Two places in either order. All members but the count describe the first time. */
struct races_pair {
	struct races_side first, second; /* in order of time */
	uint64_t address;		 /* the first shared byte */
	unsigned long count;		 /* accesses that raced so with an earlier one */
};
/* Returns the pairs in order of detection, valid until the next event. `r` owns them. */
const struct races_pair *races_pairs(const struct races *r, size_t *count);

/* Removes pairs after the first `count`, which turned out not to race. */
void races_drop_pairs(struct races *r, size_t count);

#endif
