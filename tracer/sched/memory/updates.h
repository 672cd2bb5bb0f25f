/* Instructions that load and store without a lock prefix are two steps (README.md). */
#ifndef GATECTL_SCHED_MEMORY_UPDATES_H
#define GATECTL_SCHED_MEMORY_UPDATES_H

#include <stdbool.h>
#include <stdint.h>

struct sched_access;
struct sched_thread;
struct scheduler;

/* An instruction that is two steps, its load and its store: updates.c. */
struct sched_update {
	enum {
		UPDATE_NONE,
		UPDATE_LOADS,  /* the thread is to make the load */
		UPDATE_STORES, /* to make the store */
		UPDATE_RUNS,   /* executes the instruction; memory has the loaded value again */
	} step;
	uint64_t address, size;
	uint64_t loaded; /* value that the load has read */
	uint64_t found;	 /* RUNS: what memory had before; other threads wrote it */
};

/* The thread has arrived at the load of an update. */
void updates_arrive(struct sched_thread *t, const struct sched_access *access);
/* Makes the step if it is the load of an update: the thread stays, and its next step is the store.
   Returns false for any other step. Prepares the memory for a store. */
bool updates_step(const struct scheduler *c, struct sched_thread *t);
/* A signal comes before the thread has executed the instruction. */
void updates_signal(struct sched_thread *t);

#endif
