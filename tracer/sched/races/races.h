/*
 * Races: which accesses to memory are ordered by nothing that the program does?
 *
 * Made-up events in, pairs of places out: no ptrace, no clock, no file. Two accesses race if they share a byte,
 * come from two threads, at least one writes, and neither happens before the other one. What
 * happens before what is told by FastTrack (Flanagan, Freund: FastTrack: efficient and precise dynamic
 * race detection, PLDI 2009), with each byte as a variable.
 *
 * For each byte the first race of a run is found, if it has one, and nothing is told that is none. Behind the first
 * one of a byte some may be missed: only the last write is remembered, and of each thread the last read behind it.
 *
 * Threads are small numbers, each for one thread of a run. Objects and addresses are of one space, so that
 * an atomic variable is its own object.
 */
#ifndef GATECTL_SCHED_RACES_RACES_H
#define GATECTL_SCHED_RACES_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct races;

struct races *races_new(void);
void races_free(struct races *r); /* NULL is fine */
/* A new run of the same program: nothing has happened yet; what was found is kept. */
void races_restart(struct races *r);

/* ---- what happens, in this order ------------------------------------------------------------ */

enum { RACES_NOBODY = UINT16_MAX };

/* What the creator did so far happens before it. RACES_NOBODY: it is there from the beginning. */
void races_thread_begin(struct races *r, unsigned thread, unsigned creator);

/*
 * The thread makes a synchronising call on the object, whatever it is: it acquires what others have
 * released there, releases what it did so far, and, as it may have waited in the call, acquires once more
 * when it comes to its next point. A call with two objects (pthread_cond_wait) is two of these.
 */
void races_sync(struct races *r, unsigned thread, uint64_t object);
/* The thread is back in its own code: its calls have returned. An access says so, too. */
void races_point(struct races *r, unsigned thread);

/* It holds a lock from now on, or no more. Nothing is ordered by that (races_sync does it): pairs tell of it. */
void races_lock(struct races *r, unsigned thread, uint64_t object);
void races_unlock(struct races *r, unsigned thread, uint64_t object);
/* It ends with what it holds: a robust lock goes to the next one, as if it had been unlocked. */
void races_thread_end(struct races *r, unsigned thread);

enum { RACES_LONGEST = 1 << 16 }; /* bytes; of a longer access only so many are looked at */

struct races_access {
	uint64_t address, size;
	bool writes; /* or reads and writes */
	bool atomic; /* it synchronises with all atomic ones of this address, and races with none */
	uint32_t place;
};
void races_access(struct races *r, unsigned thread, const struct races_access *a);

/* The memory is given back (munmap), or taken (malloc): who gets it has nothing to do with who had it. */
void races_forget(struct races *r, uint64_t low, uint64_t size);
/* It is given back by this thread, who races as if it wrote to all of it: with all that were there before, and, until
   it is forgotten, with all that come there. */
void races_give_back(struct races *r, unsigned thread, uint64_t low, uint64_t size, uint32_t place);
/* What is not forgotten: is this? Is there anything? */
bool races_is_given_back(const struct races *r, uint64_t address);
bool races_have_given_back(const struct races *r);
/* Some of what was given back is taken, it is not known which. */
void races_forget_given_back(struct races *r);

/* ---- what was found, of all runs ------------------------------------------------------------ */

struct races_side {
	uint32_t place;
	unsigned thread;
	bool writes, atomic;
	const uint64_t *locks; /* that it held, sorted */
	size_t lock_count;
};

/* Two places, in whatever order they came; all but the count is of the first time. */
struct races_pair {
	struct races_side first, second; /* in time */
	uint64_t address;		 /* the first byte of both */
	unsigned long count;		 /* accesses that raced so with an earlier one */
};
/* In the order in which they were found; valid until the next event. */
const struct races_pair *races_pairs(const struct races *r, size_t *count);

/* Pairs behind the first `count` turned out to be none: as if they had not been found. */
void races_drop_pairs(struct races *r, size_t count);

#endif
